// The followers: one for each run that somebody looks at, and one for the list of all.
import { LOOK_MS } from '../site/looks.ts';
import type { Site } from '../site/site.ts';
import { Follower, type Listener } from './follower.ts';
import { lookAtRun, type SeenRun } from './look-at-run.ts';

/** The list of runs is read as a whole, and nobody sees a card change faster. */
const LIST_MS = 2_000;

const followerOfRun = (site: Site, run: string): Follower<SeenRun> =>
  new Follower({
    look: lookAtRun(site, run),
    everyMs: LOOK_MS,
    welcome: ({ rows, lineage }) => [
      { kind: 'rows', run, rows, lineage },
      { kind: 'run', run },
    ],
  });

const followerOfAll = (site: Site): Follower<string> =>
  new Follower({
    async look(before, _, tell) {
      const seen = await site.looks.all();
      if (before !== seen) tell({ kind: 'runs' });
      return seen;
    },
    everyMs: LIST_MS,
    welcome: () => [{ kind: 'runs' }],
  });

export type Followers = {
  /** News of a run, or of the list of all where `run` is null, until what it returns is called. */
  readonly follow: (run: string | null, listener: Listener) => () => void;
};

export const followersOf = (site: Site): Followers => {
  const followers = new Map<string | null, Follower<SeenRun> | Follower<string>>();
  return {
    follow(run, listener) {
      const follower = followers.get(run) ?? (run === null ? followerOfAll(site) : followerOfRun(site, run));
      followers.set(run, follower);
      follower.add(listener);
      return () => {
        follower.remove(listener);
        if (!follower.isFollowed && followers.get(run) === follower) followers.delete(run);
      };
    },
  };
};
