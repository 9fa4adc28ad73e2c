// The size that the user did not set: no step beyond the limit on programs, and as many islands as programs can fill,
// because an island of two programs learns nothing from them.
import { initialPhase } from '../population/islands.ts';
import type { Limits, MethodDefaults, RunConfig } from '../config/run-config.ts';
import type { RunSettings } from '../config/settings.ts';

/** The fewest programs of an island, where nobody set the number of islands. */
const ISLAND_PROGRAMS = 10;

/** An island's initialisation is to take at most one in so many of its programs, where nobody set its length. */
const INITIAL_SHARE = 3;

export type Size = {
  readonly batch: number;
  readonly responses: number;
  readonly islands: number;
  readonly initialisation: number;
};

/** The size of a method without limits; `steps` null where it has none. */
export type Wanted = Size & { readonly steps: number | null };

/** The size that the user did not set. The number of programs is known where programs or steps are limited. */
export const fittedSize = (given: RunSettings, wanted: Wanted, preset: MethodDefaults, canCost: boolean): Size => {
  const step = fitStep(given, wanted);
  const amount = programsAsked(given, wanted, canCost, step);
  const islands = given.population?.islands ?? fitIslands(given, wanted, amount, step.batch);
  const initialisation =
    given.population?.initialisation ??
    (wanted.initialisation === 1 || amount === null
      ? wanted.initialisation
      : Math.max(2, Math.min(wanted.initialisation, Math.floor(amount.programs / (INITIAL_SHARE * islands)))));
  // Where a step is an epoch of all islands, fewer islands make a smaller step: else few programs would make few steps.
  const isEpoch = preset.batch === preset.population.islands && preset.batch > 1;
  const shrinks = isEpoch && given.batch === undefined && amount?.by === 'programs' && islands < step.batch;
  return { ...step, ...(shrinks ? { batch: islands } : {}), islands, initialisation };
};

/** The default batch and responses, made smaller where one step would exceed a given limit on programs. */
const fitStep = (given: RunSettings, size: Pick<Size, 'batch' | 'responses'>): Pick<Size, 'batch' | 'responses'> => {
  const most = given.limits?.programs ?? Number.POSITIVE_INFINITY;
  const responses = given.responses ?? Math.max(1, Math.min(size.responses, Math.floor(most / (given.batch ?? 1))));
  const batch = given.batch ?? Math.max(1, Math.min(size.batch, Math.floor(most / responses)));
  return { batch, responses };
};

type Asked = { readonly programs: number; readonly by: 'programs' | 'steps' };

const programsAsked = (
  { limits }: RunSettings,
  { steps: own }: Pick<Wanted, 'steps'>,
  canCost: boolean,
  { batch, responses }: Pick<Size, 'batch' | 'responses'>,
): Asked | null => {
  const steps = limits?.steps ?? (hasOtherLimit(limits, canCost) ? null : own);
  const made = steps === null ? Infinity : steps * batch * responses;
  const most = limits?.programs ?? Infinity;
  const programs = Math.min(made, most);
  return programs === Infinity ? null : { programs, by: most <= made ? 'programs' : 'steps' };
};

/** Where steps decide, the islands divide the batch, for as many groups each. Topologies and hints wish for islands. */
const fitIslands = (given: RunSettings, { islands }: Wanted, asked: Asked | null, batch: number): number => {
  if (asked === null) return islands;
  const most = Math.max(1, Math.floor(asked.programs / ISLAND_PROGRAMS));
  if (most >= islands) return islands;
  const { topology = 'none' } = given.migration ?? {};
  const hinted = (given.prompt?.hints ?? []).map(({ island }) => (island ?? -1) + 1);
  const least = Math.min(islands, Math.max(1, topology === 'none' ? 1 : 2, ...hinted));
  let fitted = Math.max(least, most);
  if (asked.by === 'steps' && batch % islands === 0) while (fitted > least && batch % fitted !== 0) fitted--;
  return fitted;
};

/** True where another limit ends the run, so that the preset's steps are not added. */
export const hasOtherLimit = (
  limits: Partial<Limits> | undefined | Record<string, unknown>,
  canCost: boolean,
): boolean =>
  (['programs', 'tokens', 'costUsd', 'wallSeconds'] as const).some(
    (key) => (limits?.[key] ?? null) !== null && (key !== 'costUsd' || canCost),
  );

/** Notes on the length of the initial phase. */
export const phaseNotes = ({
  population,
  limits: { programs, steps },
  batch,
  responses,
}: Pick<RunConfig, 'population' | 'limits' | 'batch' | 'responses'>): readonly string[] => {
  const phase = initialPhase(population);
  if (phase === null) return [];
  const { islands, initialisation } = population;
  const most = Math.min(programs ?? Infinity, steps === null ? Infinity : steps * batch * responses);
  return [
    `the initial phase takes the first ${phase.of} programs${most === Infinity ? '' : ` of at most ${most}`}: ${islands} ${islands === 1 ? 'island gets' : 'islands get'} ${initialisation - 1} seed programs each, made from the initial program (population.initialisation ${initialisation})${phase.of >= most ? '; the run ends before the search begins: raise its limits, or lower population.initialisation or population.islands' : ''}`,
  ];
};
