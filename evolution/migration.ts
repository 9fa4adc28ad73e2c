// Migration between neighbouring islands (ThetaEvolve, section 2, Migration). It changes memberships and cells only: a program stays one
// program. Called by insertion.ts at step end.
import type { Draft } from './draft.ts';
import { enterIsland } from './islands.ts';

/** Keeps 0.29 * 100 from being 28 members. */
const ROUNDING = 1e-9;

export const migrateIfDue = (draft: Draft): void => {
  const generation = Math.max(...draft.generations);
  if (generation - draft.lastMigration < draft.settings.migration.interval) return;
  draft.lastMigration = generation;
  // All offers are fixed before any is applied.
  const offers = draft.islands.map((island) =>
    (island.size === 0 ? [] : island.best(Math.max(1, Math.floor(draft.settings.migration.rate * island.size + ROUNDING)))));
  for (const [from, members] of offers.entries()) {
    for (const to of neighbours(from, draft.islands.length)) {
      for (const member of members) {
        if (draft.islands[to]!.has(member.id)) continue;
        enterIsland(draft, to, member);
        draft.migrated.push({ id: member.id, from, to });
      }
    }
  }
};

const neighbours = (island: number, count: number): readonly number[] =>
  [...new Set([(island + 1) % count, (island + count - 1) % count])].filter((neighbour) => neighbour !== island);
