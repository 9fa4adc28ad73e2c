// Levels of isolation of outside packages. Such a package has a file level.json beside its launcher. It is found in the
// folders of deploy/, or EVOLVE_LEVELS names the file.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Level, registerLevel, RUNTIMES } from '../../evolution/config/levels.ts';
import { PROJECT_ROOT } from './home.ts';

const FOLDERS = join(PROJECT_ROOT, 'deploy');
const FILE = 'level.json';

/** The files level.json in the folders of deploy/. */
export const shippedLevels = (): readonly string[] =>
  readdirSync(FOLDERS)
    .map((name) => join(FOLDERS, name, FILE))
    .filter((file) => existsSync(file));

/** Throws where the file describes no level. */
export const readLevelFile = (file: string): Level => {
  const level = JSON.parse(readFileSync(file, 'utf8')) as Level;
  const { name, can, engine, launcher } = level;
  const wrong =
    typeof name !== 'string' || !/^[a-z][a-z0-9-]*$/.test(name)
      ? 'name: expected lower-case letters, digits and hyphens'
      : typeof launcher !== 'string'
        ? 'launcher: expected the path of a module'
        : [can?.gpu, can?.timed, engine].some((flag) => typeof flag !== 'boolean')
          ? 'can.gpu, can.timed, engine: expected true or false'
          : !Array.isArray(can.runtimes) || can.runtimes.some((one) => !RUNTIMES.includes(one))
            ? `can.runtimes: expected a list of ${RUNTIMES.join(', ')}`
            : null;
  if (wrong !== null) throw new Error(`${file}: ${wrong}`);
  return { ...level, launcher: pathToFileURL(resolve(dirname(file), launcher)).href };
};

/** To be called at the start of a process, before it reads settings. */
export const registerOutsideLevels = (env: NodeJS.ProcessEnv): void => {
  const named = (env['EVOLVE_LEVELS'] ?? '').split(':').filter((file) => file !== '');
  for (const file of [...shippedLevels(), ...named]) registerLevel(readLevelFile(resolve(file)));
};
