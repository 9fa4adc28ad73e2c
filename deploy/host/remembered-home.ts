// The home that is up is remembered for shells that name none: one for each clone, in ~/.config/evolve/home.json.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readJsonOrNull, writeJsonAtomically } from './files.ts';

type Remembered = { readonly home: string; readonly parts: string };
type ByClone = { readonly [clone: string]: Remembered };

/** Null for an environment without a home folder of its user. */
const fileIn = (env: NodeJS.ProcessEnv): string | null => {
  const config = env['XDG_CONFIG_HOME'] || (env['HOME'] ? join(env['HOME'], '.config') : null);
  return config === null ? null : join(config, 'evolve', 'home.json');
};

const allIn = (file: string): ByClone => readJsonOrNull<ByClone>(file) ?? {};

/** Null where none is up. */
export const rememberedHome = (env: NodeJS.ProcessEnv, clone: string): Remembered | null => {
  const file = fileIn(env);
  const found = file === null ? undefined : allIn(file)[clone];
  return found !== undefined && existsSync(join(found.home, 'up.json')) ? found : null;
};

/** No command fails for a folder that cannot be written. */
export const rememberHome = (env: NodeJS.ProcessEnv, clone: string, home: Remembered): void => {
  const file = fileIn(env);
  if (file === null) return;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeJsonAtomically(file, { ...allIn(file), [clone]: home });
  } catch {
    // Such a shell names its home itself.
  }
};
