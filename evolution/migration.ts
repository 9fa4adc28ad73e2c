// Migration between islands (ThetaEvolve, section 2, Migration), along the topology. It changes memberships and cells only: a program stays one
// program. Called by insertion.ts at step end.
import type { Draft } from './draft.ts';
import { enterIsland } from './islands.ts';
import { targetsOf } from './topology.ts';

/** Keeps 0.29 * 100 from being 28 members. */
const ROUNDING = 1e-9;

export const migrateIfDue = (draft: Draft): void => {
  const generation = Math.max(...draft.generations);
  if (generation - draft.lastMigration < draft.settings.migration.interval) return;
  draft.lastMigration = generation;
  const { topology = 'ring' } = draft.settings.migration;
  // All offers are fixed before any is applied.
  const offers = draft.islands.map((island) =>
    (island.size === 0 ? [] : island.best(Math.max(1, Math.floor(draft.settings.migration.rate * island.size + ROUNDING)))));
  for (const [from, members] of offers.entries()) {
    for (const to of targetsOf(topology, from, draft.islands.length)) {
      for (const member of members) {
        if (draft.islands[to]!.has(member.id)) continue;
        enterIsland(draft, to, member);
        draft.migrated.push({ id: member.id, from, to });
      }
    }
  }
};
