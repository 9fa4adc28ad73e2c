// The complete settings: the method's preset, smaller for the offline model, and fitted to the given limits.
import {
  BYTES_LEARNING,
  BYTES_DIFF,
  BYTES_POPULATION,
  BYTES_SAMPLING,
  BYTES_SIZE,
  LORA,
  isBytes,
  WARMUP,
} from '../config/bytes.ts';
import type { MethodName } from '../config/names.ts';
import {
  OFFLINE_EVALUATION,
  OFFLINE_MODEL,
  OFFLINE_POPULATION,
  OFFLINE_PROMPT,
  OFFLINE_ROLES,
  OFFLINE_SIZE,
} from '../config/offline.ts';
import type { MethodDefaults, RunConfig } from '../config/run-config.ts';
import type { RunSettings } from '../config/settings.ts';
import { NAIVE_CAP, SHINKA_THRESHOLD } from './controls.ts';
import { PRESETS } from './presets.ts';
import { fittedSize, hasOtherLimit } from './size.ts';

export const DEFAULT_METHOD: MethodName = 'theta';
/** A step of a task outside tasks/: its author wants to see soon what becomes of it. */
const OWN_TASK = { batch: 4, responses: 4 };

export const DEFAULT_TASK = 'circle-packing-square-26';

/**
 * The settings that were given, and defaults for all others. `canCost`: something that the run asks for has a price, so
 * that a limit on cost can end it.
 */
export const defaultsFor = (given: RunSettings, canCost = true): RunConfig => {
  const preset = PRESETS[given.method ?? DEFAULT_METHOD];
  const offline = given.model?.kind !== 'openai';
  const quick = offline && !isOwn(given) ? OFFLINE_EVALUATION : {};
  const bytes = !offline && isBytes(given.learning?.base ?? given.model?.name ?? '');
  const small = offline
    ? { ...OFFLINE_SIZE, population: OFFLINE_POPULATION }
    : bytes
      ? { ...BYTES_SIZE, population: BYTES_POPULATION }
      : null;
  const large = bytes || preset.batch * preset.responses > OFFLINE_SIZE.batch * OFFLINE_SIZE.responses;
  const size = {
    ...stepOf(given, small !== null && large ? small : preset),
    steps: small === null ? preset.limits.steps : Math.min(small.steps, preset.limits.steps ?? small.steps),
  };
  const base = small !== null && large ? { ...preset.population, ...small.population } : preset.population;
  const { islands, initialisation, ...step } = fittedSize(
    given,
    { ...size, islands: base.islands, initialisation: base.initialisation },
    preset,
    canCost,
  );
  const turn =
    preset.population.turn === 1
      ? {}
      : {
          turn: Math.max(1, Math.floor(groupsOf(given.limits, { ...step, steps: size.steps ?? 0 }) / (10 * islands))),
        };
  return {
    ...preset,
    task: DEFAULT_TASK,
    population: {
      ...base,
      features: withinLimit(base.features, given.evaluation?.cpuSeconds ?? quick.cpuSeconds ?? null),
      ...turn,
      islands,
      initialisation,
      ...withoutCells(given, preset).population,
      ...(learns(given) ? { islandSync: 'epoch' as const } : {}),
    },
    ...(learns(given) && bytes ? { diff: { ...preset.diff, ...BYTES_DIFF } } : {}),
    ...(mends(given, offline) ? {} : { repair: { rounds: 0 } }),
    learning: { ...preset.learning, ...(bytes ? BYTES_LEARNING : {}), ...begun(given.learning, bytes) },
    selection: {
      ...preset.selection,
      ...(given.prompt?.frame === 'paper' ? { archiveShare: 1 } : {}),
      ...withoutCells(given, preset).selection,
    },
    ...step,
    ...(preset.method === 'shinkaevolve' && (given.embedding?.model ?? null) !== null
      ? { embedding: { ...preset.embedding, threshold: SHINKA_THRESHOLD } }
      : {}),
    ...(overlaps(given, preset) ? { schedule: 'overlapping' as const } : {}),
    limits: { ...preset.limits, steps: hasOtherLimit(given.limits, canCost) ? null : size.steps },
    ...(offline
      ? {
          ...(preset.method === 'theta' ? { prompt: { ...preset.prompt, ...OFFLINE_PROMPT } } : {}),
          evaluation: { ...preset.evaluation, ...quick },
        }
      : {}),
    ...(islands === 1 ? { migration: { ...preset.migration, topology: 'none' } } : {}),
    model: offline
      ? {
          ...preset.model,
          kind: 'offline',
          baseUrl: null,
          name: OFFLINE_MODEL,
          price: { in: 0, out: 0 },
          roles: OFFLINE_ROLES,
        }
      : {
          ...preset.model,
          ...(given.model?.trainable === true ? { topP: 1 } : {}),
          ...(bytes ? { ...BYTES_SAMPLING, price: { in: 0, out: 0 } } : {}),
          kind: 'openai',
          baseUrl: null,
          ...(bytes ? {} : { price: null }),
        },
  };
};

const stepOf = (given: RunSettings, { batch, responses }: Pick<RunConfig, 'batch' | 'responses'>): typeof OWN_TASK =>
  isOwn(given) && !learns(given)
    ? { batch: Math.min(batch, OWN_TASK.batch), responses: Math.min(responses, OWN_TASK.responses) }
    : { batch, responses };

/** Of a task outside tasks/, whose author has set its limits. */
const isOwn = ({ task }: RunSettings): boolean => task?.includes('/') ?? false;

/** Where a run learns, each answer is rewarded for itself. The papers mend none, and the offline model cannot. */
const mends = (given: RunSettings, offline: boolean): boolean =>
  !learns(given) && given.prompt?.frame !== 'paper' && !offline;

const learns = ({ learning }: RunSettings): boolean => (learning?.trainer ?? 'none') !== 'none';

/** Two steps at a time keep the places at an endpoint full. The offline model answers at once. */
const overlaps = (given: RunSettings, { method }: MethodDefaults): boolean =>
  method === 'theta' &&
  given.model?.kind === 'openai' &&
  !learns(given) &&
  (given.ideation?.kind ?? 'none') === 'none' &&
  (given.embedding?.model ?? null) === null &&
  given.modelChoice !== 'bandit';

/** The defaults within mappings that are off unless they are written. */
const begun = (learning: RunSettings['learning'], bytes: boolean): Partial<RunConfig['learning']> => ({
  ...(learning?.warmup ? { warmup: bytes ? BYTES_LEARNING.warmup : WARMUP } : {}),
  ...(learning?.lora ? { lora: LORA } : {}),
});

/** The groups of a run by its limits on steps and programs, else by the method's. */
const groupsOf = (
  limits: RunSettings['limits'],
  { batch, responses, steps }: { readonly batch: number; readonly responses: number; readonly steps: number },
): number => {
  const { steps: most = null, programs = null } = limits ?? {};
  if (most === null && programs === null) return steps * batch;
  return Math.min(
    most === null ? Infinity : most * batch,
    programs === null ? Infinity : Math.floor(programs / responses),
  );
};

/** The default axis of CPU time ends at the run's limit, because programs crowd in few cells of a longer one. */
const withinLimit = (
  features: RunConfig['population']['features'],
  cpuSeconds: number | null = null,
): RunConfig['population']['features'] =>
  features.map((feature) =>
    typeof feature === 'string' || feature.name !== 'cpu' || feature.max === undefined || cpuSeconds === null
      ? feature
      : { ...feature, max: cpuSeconds },
  );

/** Without cells parents come from the island's members, which CodeEvolve's naive archive (B.2) caps. */
const withoutCells = (
  { population }: RunSettings,
  preset: MethodDefaults,
): { readonly population: Partial<RunConfig['population']>; readonly selection: Partial<RunConfig['selection']> } =>
  population?.map === 'none' && preset.selection.pool === 'cells'
    ? { population: { islandCap: NAIVE_CAP }, selection: { pool: 'island' } }
    : { population: {}, selection: {} };
