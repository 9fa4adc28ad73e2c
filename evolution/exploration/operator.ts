// Which of the two operators an epoch of an island uses (CodeEvolve, section 1). Called when a step of `code` is planned.
import type { Rng } from '../rng.ts';

export type Operator = 'exploit' | 'explore';

/** One draw u: exploits where u < 1 - rate. `rate`: of the island's schedule (schedule.ts). */
export const drawOperator = (rate: number, random: Rng): Operator => (random.next() < 1 - rate ? 'exploit' : 'explore');
