// Makes what the tests need (Python environments, Temporal CLI, database, Docker engine, image) and holds the engine
// while they run. Usage: node deploy/stack/prepare-tests.ts prepare | release
import { prepareHome, resolveHome } from '../host/home.ts';
import { aptInstall, findOnPath, mayInstallPackages, SetupError } from '../host/run-command.ts';
import { defaultRegister, releaseUser } from '../parts/docker/shared-dockerd.ts';
import { ensureTrainer } from '../parts/python/trainer-venv.ts';
import { ensureParts } from './ensure-parts.ts';
import { fallbackLevels } from '../../evolution/config/levels.ts';

const home = resolveHome(process.env);
/**
 * A reference of its own, so that the home's `down` does not stop the engine under the tests, and the end of the tests
 * does not stop it under the home.
 */
const user = `${home.hash}-tests`;
const say = (part: string, message: string): void => console.log(`${part}: ${message}`);

/**
 * Only tests need these: the levels without Docker, and a browser for the page. Where one cannot be installed, its
 * tests are skipped and say so.
 */
const ensurePackage = async (name: string, programs: readonly string[]): Promise<void> => {
  if (programs.some((program) => findOnPath(program) !== null)) return;
  if (!mayInstallPackages()) return say(name, 'not there, and only root installs packages: its tests will be skipped');
  say(name, 'installing it for its tests with apt-get');
  const { ok, error } = await aptInstall([name]);
  if (!ok) say(name, `not installed, its tests will be skipped: ${error}`);
};

/**
 * The trainer's tests need PyTorch. Nobody is made to download gigabytes by `npm test`: where neither a Python nor
 * apt-get has it, these tests are skipped and say so.
 */
const ensureTrainerOfTests = (env: NodeJS.ProcessEnv): Promise<unknown> =>
  ensureTrainer(home, say, env, { pypi: false }).catch((error: unknown) => {
    if (!(error instanceof SetupError)) throw error;
    say('trainer', `its tests will be skipped: ${error.message}`);
  });

try {
  if (process.argv[2] === 'release') {
    if ((await releaseUser(defaultRegister(), user)) === 'stopped')
      say('docker', 'stopped dockerd: nobody uses it any more');
  } else {
    prepareHome(home);
    // The tests have servers of their own, whatever the shell is set to.
    const { TEMPORAL_ADDRESS: _address, TEMPORAL_PROFILE: _profile, MONGODB_URI: _uri, ...env } = process.env;
    for (const { program } of fallbackLevels()) await ensurePackage(program!.package, [program!.command]);
    await ensurePackage('chromium', ['chromium', 'chromium-browser', 'google-chrome']);
    await ensureTrainerOfTests(env);
    await ensureParts({ home, user, say, externalTemporal: false, env });
  }
} catch (error) {
  console.error(error instanceof SetupError ? `error: ${error.message}` : error);
  process.exit(1);
}
process.exit(0);
