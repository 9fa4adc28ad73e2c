// The end of an upgrade: `up` is done once the version that it asked for is at work, so that the next step of any run
// that is open is of that version. The server takes a version and tells its queues of it a moment later.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Home } from '../host/home.ts';
import type { Say } from '../host/run-command.ts';
import { keptVersions, releaseOf } from '../versions/kept-versions.ts';
import type { Parts } from '../supervisor/plan.ts';
import { temporalOptions } from '../servers/external-servers.ts';

/** Workers start within seconds. What takes longer goes on without anybody who waits for it. */
const PATIENCE_MS = 60_000;
const AGAIN_MS = 100;

type Options = {
  readonly home: Home;
  readonly temporal: Parts['temporal'];
  readonly bundle: string;
  readonly say: Say;
  readonly env: NodeJS.ProcessEnv;
};

/** Waits where another version has worked before, and says how the versions stand then. Never throws. */
export const whenAtWork = async (options: Options): Promise<void> => {
  const { home, temporal, bundle, say } = options;
  const ours = releaseOf(home.root, bundle);
  // A home that has known one version only asks nobody, for nothing can go over.
  if (!temporal.external && keptVersions(home.root).every(({ build }) => build === ours.build)) return;
  try {
    const state = await standing(options, ours);
    if (state !== null) say('workflows', state);
  } catch (error) {
    say('workflows', `whether version ${ours.build} is at work could not be asked: ${(error as Error).message}`);
  }
};

/** Null where no version has worked before. */
const standing = async (
  { home, temporal, env }: Options,
  ours: ReturnType<typeof releaseOf>,
): Promise<string | null> => {
  // Is loaded here, because most calls of `up` need no client.
  const [{ Client, Connection }, { givesWay, readRelease, readWhenRouted }] = await Promise.all([
    import('@temporalio/client'),
    import('../versions/versions.ts'),
  ]);
  const connection = await Connection.connect(await temporalOptions(home, temporal, env));
  try {
    const client = new Client({ connection, namespace: temporal.namespace });
    const endMs = performance.now() + PATIENCE_MS;
    for (;;) {
      const { versions, routed } = await readWhenRouted(client, endMs - performance.now());
      const current = versions.find((version) => version.current)?.build;
      if (current === undefined) return null;
      if (current === ours.build && routed)
        return `version ${current} is at work: what is open goes over to it before its next step`;
      const there = current === ours.build ? null : await readRelease(client, current);
      if (there !== null && givesWay(ours, there))
        return `version ${current} (release ${there.release}) is newer than version ${ours.build} here, and new runs begin with it`;
      if (performance.now() >= endMs)
        return `version ${ours.build} is not at work yet, new runs begin with ${current}: \`npx evolve upgrade\` says how it stands`;
      await sleep(AGAIN_MS);
    }
  } finally {
    await connection.close();
  }
};
