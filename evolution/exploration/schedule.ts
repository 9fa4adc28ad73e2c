// The rate of exploration by epoch, and the operator of a group (CodeEvolve 4.3, C.1), as plain data for each island.
import type { ExplorationSchedule } from '../config/run-config.ts';
import type { Rng } from '../rng.ts';
import type { ExplorationState } from '../types.ts';

/** The operator that an epoch of an island uses (CodeEvolve Algorithm 1, line 4). */
export type Operator = 'exploit' | 'explore';

/** Draws u once, and exploits where u < 1 - rate. `rate` is that of the island's schedule. */
export const drawOperator = (rate: number, random: Rng): Operator => (random.next() < 1 - rate ? 'exploit' : 'explore');

export const startExploration = (settings: ExplorationSchedule): ExplorationState => ({
  epoch: 0,
  rate: rateAt(settings, 0),
  stagnant: 0,
});

type EpochResult = {
  /** The island's best rose in the epoch, at first above that of the initial phase. */
  readonly improved: boolean;
  readonly settings: ExplorationSchedule;
};

/** The state of the next epoch. */
export const nextRate = (state: ExplorationState, { improved, settings }: EpochResult): ExplorationState => {
  const epoch = state.epoch + 1;
  if (settings.schedule !== 'plateau')
    return { epoch, rate: rateAt(settings, epoch), stagnant: improved ? 0 : state.stagnant + 1 };
  const { raise, lower, patience } = settings;
  if (improved) return { epoch, rate: clip(state.rate * lower, settings), stagnant: 0 };
  if (state.stagnant + 1 < patience) return { epoch, rate: clip(state.rate, settings), stagnant: state.stagnant + 1 };
  return { epoch, rate: clip(state.rate * raise, settings), stagnant: 0 };
};

/** The rate of the kinds that go by the epoch alone, and the rate with which `plateau` begins. */
const rateAt = (settings: ExplorationSchedule, epoch: number): number => {
  const { schedule, start, min, max, factor, period } = settings;
  switch (schedule) {
    case 'none':
    case 'constant':
      return start;
    case 'plateau':
      return clip(start, settings);
    case 'exponential':
      return clip(start * factor ** epoch, settings);
    case 'cosine':
      return clip(min + (max - min) * 0.5 * (1 + Math.cos((Math.PI * (epoch % period)) / period)), settings);
  }
};

const clip = (rate: number, { min, max }: ExplorationSchedule): number => Math.min(max, Math.max(min, rate));
