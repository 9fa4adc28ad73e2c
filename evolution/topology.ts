// Which islands an island sends its best to: the topologies of `migration.topology`. Pure; called by migration.ts.
import type { MigrationSettings } from './config/run-config.ts';

export type Topology = MigrationSettings['topology'];

/** Islands from 0 to count - 1, in the order in which they are served. Never the island itself, none twice. */
export const targetsOf = (topology: Topology, island: number, count: number): readonly number[] =>
  [...new Set(routes(topology, island, count))].filter((target) => target !== island);

/** May name the island itself or, among few islands, one twice. */
const routes = (topology: Topology, island: number, count: number): readonly number[] => {
  const next = (island + 1) % count;
  const hub = island === 0;
  switch (topology) {
    case 'ring': return [next, (island + count - 1) % count];
    case 'directed-ring': return [next];
    case 'complete': return everyIsland(count);
    case 'star-in': return [0];
    case 'star-out': return hub ? everyIsland(count) : [];
    case 'star': return hub ? everyIsland(count) : [0];
    case 'none': return [];
  }
};

const everyIsland = (count: number): readonly number[] => Array.from({ length: count }, (_, island) => island);
