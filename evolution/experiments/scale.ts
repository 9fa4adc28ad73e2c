// An experiment in small: all that grows with the programs shrinks with them, so that a hundredth has the parts of the
// whole.
import type { RunConfig } from '../config/run-config.ts';
import { LEAST_GROUP } from '../learning/advantages.ts';

/** Programs that an island needs before its population means something. */
const PROGRAMS_PER_ISLAND = 10;
/** Islands that are left where there are several, so that migration and its ablations remain. */
const LEAST_ISLANDS = 2;
/** Steps that a run keeps while its steps can be made smaller, because a search needs generations. */
const LEAST_STEPS = 4;

/** The programs of a run in all; null where other limits end it. */
export const programsOf = ({ batch, responses, limits: { steps, programs } }: RunConfig): number | null => {
  const most = steps === null ? null : steps * batch * responses;
  return programs === null ? most : Math.min(programs, most ?? Infinity);
};

/**
 * The size of a run at a scale above 0 to 1, as settings. At 1 they are the run's own, so that the offline model makes
 * none smaller. Null where no limit gives the number of programs.
 */
export const scaledSize = (config: RunConfig, scale: number): Record<string, unknown> | null => {
  const whole = programsOf(config);
  if (whole === null) return null;
  const { batch, responses, limits, population, migration, prompt } = config;
  if (scale === 1)
    return {
      batch,
      responses,
      limits: { steps: limits.steps, programs: limits.programs },
      population: { islands: population.islands, cap: population.cap, archive: population.archive },
    };
  const wanted = Math.min(whole, Math.max(LEAST_STEPS, Math.round(whole * scale)));
  const islands = Math.min(population.islands, Math.max(LEAST_ISLANDS, Math.floor(wanted / PROGRAMS_PER_ISLAND)));
  const step = stepSize(config, wanted, islands);
  const steps = Math.max(1, Math.round(wanted / (step.batch * step.responses)));
  // An initialisation that the whole run never leaves is an ablation, and stays one.
  const endless = population.initialisation * population.islands > whole;
  const initialisation = endless
    ? wanted + 1
    : population.initialisation === 1
      ? 1
      : Math.max(2, Math.round(population.initialisation * scale));
  const cap = Math.min(
    population.cap,
    Math.max(islands + 2, prompt.elites + 2, initialisation * islands, Math.round(population.cap * scale)),
  );
  const shrunk = (value: number): number => Math.max(1, Math.round(value * scale));
  return {
    ...step,
    limits: { steps: limits.steps === null ? null : steps, programs: limits.programs === null ? null : wanted },
    population: {
      islands,
      cap,
      archive: Math.max(1, Math.min(population.archive, Math.round((population.archive * cap) / population.cap))),
      islandCap: population.islandCap === null ? null : Math.max(initialisation, shrunk(population.islandCap)),
      initialisation,
      turn: shrunk(population.turn),
    },
    migration: { interval: shrunk(migration.interval) },
  };
};

/** A step with one group for each island keeps that with fewer islands. */
const stepSize = (
  { batch, responses, population, learning }: RunConfig,
  wanted: number,
  islands: number,
): { readonly batch: number; readonly responses: number } => {
  if (batch > 1 && batch === population.islands) return { batch: islands, responses };
  const size = Math.max(1, Math.min(batch * responses, Math.floor(wanted / LEAST_STEPS)));
  // Where a model learns, an answer is compared with others of its group.
  const least = learning.trainer === 'none' ? 1 : Math.min(responses, LEAST_GROUP[learning.advantage]);
  const each = Math.max(least, Math.min(responses, Math.floor(size / batch)));
  return { batch: Math.max(1, Math.min(batch, Math.floor(size / each))), responses: each };
};
