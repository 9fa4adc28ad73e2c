// gVisor's runtime `runsc`: found, or built from the Go module proxy at a pinned version, whose hashes and those of all
// that it needs are in deploy/requirements/gvisor/go.sum. It takes minutes of CPU, so it is built only when asked for.
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Home } from '../../host/home.ts';
import { withLock } from '../../host/lock.ts';
import { findOnPath, runCommand, type Say, SetupError } from '../../host/run-command.ts';

const MODULE = 'gvisor.dev/gvisor';
const SOURCES = fileURLToPath(new URL('../../requirements/gvisor/', import.meta.url));
const BUILD_TIMEOUT_MS = 30 * 60_000;
/** Debian's package is of 2022, and does not know the options that we need. */
const OLDEST = '20250101';

export type Runsc = { readonly path: string; readonly version: string; readonly how: string };

/**
 * How the engine calls it: system calls are caught without a virtual machine, there is no network, and our own seccomp
 * profile holds inside.
 */
export const RUNSC_ARGS: readonly string[] = ['--platform=systrap', '--network=none', '--oci-seccomp'];

export const pinnedVersion = (): string => {
  const found = new RegExp(`^require ${MODULE} (\\S+)$`, 'm').exec(readFileSync(join(SOURCES, 'go.mod'), 'utf8'));
  if (!found) throw new Error(`${SOURCES}go.mod: expected a line that requires ${MODULE}`);
  return found[1]!;
};

const partPath = (home: Pick<Home, 'parts'>): string => join(home.parts, 'gvisor', `runsc-${pinnedVersion()}`);

/** Null where the file does not run or is no runsc. */
const versionOf = async (path: string): Promise<string | null> => {
  const { ok, stdout } = await runCommand(path, ['--version'], { timeoutMs: 15_000 });
  return ok ? (/^runsc version (\S+)/m.exec(stdout)?.[1] ?? null) : null;
};

/** Versions are named by their day: release-20250101.0, or v0.0.0-20250101120000-… of the Go module. */
const isTooOld = (version: string): boolean => {
  const day = /(?:release-|v0\.0\.0-)(\d{8})/.exec(version)?.[1];
  return day !== undefined && day < OLDEST;
};

const given = async (path: string, how: string): Promise<Runsc> => {
  const version = await versionOf(path);
  if (version === null)
    throw new SetupError(`${how}: expected gVisor's runsc, got ${path}, which does not say its version as runsc does`);
  if (isTooOld(version))
    throw new SetupError(
      `${how}: expected a runsc of ${OLDEST.slice(0, 4)} or later, got ${version} (${path}): set EVOLVE_RUNSC to a newer one`,
    );
  return { path, version, how };
};

/** EVOLVE_RUNSC, else PATH, else the one that was built before; null where there is none. */
export const findRunsc = async (
  home: Pick<Home, 'parts'>,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Runsc | null> => {
  if (env['EVOLVE_RUNSC']) return given(env['EVOLVE_RUNSC'], 'EVOLVE_RUNSC');
  const onPath = findOnPath('runsc', env['PATH'] ?? '');
  if (onPath !== null) return given(onPath, 'PATH');
  const built = partPath(home);
  return existsSync(built) ? { path: built, version: pinnedVersion(), how: 'built before' } : null;
};

const build = async (path: string, env: NodeJS.ProcessEnv): Promise<void> => {
  const go = findOnPath('go', `${env['PATH'] ?? ''}:/usr/local/go/bin`);
  if (go === null)
    throw new SetupError(
      'no runsc: EVOLVE_RUNSC is not set, none on PATH, and there is no Go to build it with. Install gVisor (https://gvisor.dev/docs/user_guide/install/), or Go of the version in deploy/requirements/gvisor/go.mod',
    );
  const part = `${path}.${process.pid}.part`;
  const stamp = `-s -w -X ${MODULE}/runsc/version.version=${pinnedVersion()}`;
  const { ok, error } = await runCommand(
    go,
    ['build', '-mod=readonly', '-trimpath', '-ldflags', stamp, '-o', part, `${MODULE}/runsc`],
    { timeoutMs: BUILD_TIMEOUT_MS, cwd: SOURCES, env: { ...env, CGO_ENABLED: '0', GOFLAGS: '' } },
  );
  if (!ok) throw new SetupError(`building gVisor's runsc failed (go build ${MODULE}/runsc):\n${error}`);
  renameSync(part, path);
};

/** As `findRunsc`, and builds it where there is none. */
export const ensureRunsc = async (
  home: Pick<Home, 'parts'>,
  say: Say,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Runsc> => {
  const found = await findRunsc(home, env);
  if (found !== null) {
    say('gvisor', `runsc ${found.version} (${found.how})`);
    return found;
  }
  const path = partPath(home);
  mkdirSync(join(home.parts, 'gvisor'), { recursive: true });
  await withLock(
    join(home.parts, 'gvisor.lock'),
    { timeoutMs: BUILD_TIMEOUT_MS, waiting: (pid) => say('gvisor', `waiting for process ${pid}, which builds it`) },
    async () => {
      if (existsSync(path)) return;
      say('gvisor', `building runsc ${pinnedVersion()} with Go; this takes some minutes, once`);
      await build(path, env);
    },
  );
  say('gvisor', `runsc ${pinnedVersion()} (built)`);
  return { path, version: pinnedVersion(), how: 'built' };
};
