// The runtime of gVisor, which a home wants its engine to have (`evolve up --runtime runsc`). An engine of ours gets it
// where it is installed; one of somebody else is never changed.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonOrNull, writeJsonAtomically } from '../host/files.ts';
import type { Home } from '../host/home.ts';
import { findOnPath, runCommand, type Say, SetupError } from '../host/run-command.ts';
import type { Engine } from '../parts/docker/docker-engine.ts';
import { canAsk, engineRuntimes } from '../parts/docker/engine-address.ts';
import { addRuntimeToOwned, defaultRegister } from '../parts/docker/shared-dockerd.ts';

const RUNSC = 'runsc';
const markOf = (home: Home): string => join(home.root, 'runtime.json');

/** From now on each `evolve up` sees to it that the engine has gVisor; with `engine` no more. What is there stays. */
export const markRuntime = (home: Home, runtime: 'runsc' | 'engine'): void => {
  if (runtime === 'engine') rmSync(markOf(home), { force: true });
  else writeJsonAtomically(markOf(home), { runtime });
};

/**
 * The arguments with which the engine calls it: system calls are caught without a virtual machine, there is no network,
 * and our own seccomp profile holds inside.
 */
export const RUNSC_ARGS: readonly string[] = ['--platform=systrap', '--network=none', '--oci-seccomp'];

/** Debian's package is of 2022, and does not know the options that we need. */
const OLDEST = '20250101';
const INSTALL = 'install gVisor (https://gvisor.dev/docs/user_guide/install/), or set EVOLVE_RUNSC to its runsc';

/** The path of runsc, from EVOLVE_RUNSC, else PATH. Throws SetupError where there is none that is new enough. */
export const findRunsc = async (env: NodeJS.ProcessEnv = process.env): Promise<string> => {
  const path = env['EVOLVE_RUNSC'] || findOnPath(RUNSC, env['PATH'] ?? '');
  if (!path) throw new SetupError(`no runsc: EVOLVE_RUNSC is not set and none is on PATH: ${INSTALL}`);
  const { ok, stdout } = await runCommand(path, ['--version'], { timeoutMs: 15_000 });
  const version = ok ? /^runsc version (\S+)/m.exec(stdout)?.[1] : undefined;
  if (version === undefined)
    throw new SetupError(
      `expected gVisor's runsc, got ${path}, which does not say its version as runsc does: ${INSTALL}`,
    );
  // Versions are named by their day: release-20250101.0, or v0.0.0-20250101120000-… of the Go module.
  const day = /(?:release-|v0\.0\.0-)(\d{8})/.exec(version)?.[1];
  if (day !== undefined && day < OLDEST)
    throw new SetupError(`expected a runsc of ${OLDEST.slice(0, 4)} or later, got ${version} (${path}): ${INSTALL}`);
  return path;
};

const isWanted = (home: Home): boolean =>
  readJsonOrNull<{ readonly runtime?: unknown }>(markOf(home))?.runtime === RUNSC;

/** Does nothing where the home wants none, or the engine has it. Throws with what a person can do. */
export const ensureRuntime = async (
  home: Home,
  engine: Engine,
  say: Say,
  env: NodeJS.ProcessEnv,
  register = defaultRegister(),
): Promise<void> => {
  if (!isWanted(home)) return;
  if (engine.host === null)
    throw new SetupError(
      `--runtime runsc: expected a Docker engine, got ${engine.kind}: ${engine.message}. \`npx evolve up --runtime engine\` goes on without gVisor`,
    );
  if (!canAsk(engine.host)) {
    say('gvisor', `the engine at ${engine.host} cannot be asked from here; a run says if it has no runsc`);
    return;
  }
  if ((await engineRuntimes(engine.host)).includes(RUNSC)) {
    say('gvisor', 'the engine has the runtime runsc');
    return;
  }
  const path = await findRunsc(env);
  const entry = { path, runtimeArgs: RUNSC_ARGS };
  if (engine.kind === 'started' && (await addRuntimeToOwned(register, RUNSC, entry))) {
    say('gvisor', 'added the runtime runsc to the engine');
    return;
  }
  throw new SetupError(
    `the Docker engine at ${engine.host} is not ours and is left as it is. runsc is ${path}: add ${JSON.stringify({ runtimes: { runsc: entry } })} to its /etc/docker/daemon.json, reload it (kill -HUP, or systemctl reload docker), and run \`npx evolve up --runtime runsc\` again; \`npx evolve up --runtime engine\` goes on without gVisor`,
  );
};
