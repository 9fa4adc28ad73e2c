// OCI runtimes that a home wants its engine to have (`evolve up --runtime runsc`). An engine of ours gets them; one of
// somebody else is never changed.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonOrNull, writeJsonAtomically } from '../host/files.ts';
import type { Home } from '../host/home.ts';
import { type Say, SetupError } from '../host/run-command.ts';
import type { Engine } from '../parts/docker/docker-engine.ts';
import { canAsk, engineRuntimes } from '../parts/docker/engine-address.ts';
import { ensureRunsc, RUNSC_ARGS } from '../parts/docker/gvisor.ts';
import { addRuntimeToOwned, defaultRegister } from '../parts/docker/shared-dockerd.ts';

const RUNSC = 'runsc';
const markOf = (home: Home): string => join(home.root, 'runtime.json');

/** From now on each `evolve up` sees to it that the engine has gVisor; with `engine` no more. What is there stays. */
export const markRuntime = (home: Home, runtime: 'runsc' | 'engine'): void => {
  if (runtime === 'engine') rmSync(markOf(home), { force: true });
  else writeJsonAtomically(markOf(home), { runtime });
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
  const { path } = await ensureRunsc(home, say, env);
  const entry = { path, runtimeArgs: RUNSC_ARGS };
  if (engine.kind === 'started' && (await addRuntimeToOwned(register, RUNSC, entry))) {
    say('gvisor', 'added the runtime runsc to the engine');
    return;
  }
  throw new SetupError(
    `the Docker engine at ${engine.host} is not ours and is left as it is. runsc is ${path}: add ${JSON.stringify({ runtimes: { runsc: entry } })} to its /etc/docker/daemon.json, reload it (kill -HUP, or systemctl reload docker), and run \`npx evolve up --runtime runsc\` again; \`npx evolve up --runtime engine\` goes on without gVisor`,
  );
};
