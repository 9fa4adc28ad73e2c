// A setting that nobody set has the value of the method's preset, made smaller for the offline model, and fitted to the
// limits that were given. Settings that an earlier version stored are completed here too.
import { defined, isPlain } from '../config/layers.ts';
import type { MethodName } from '../config/names.ts';
import {
  OFFLINE_EVALUATION,
  OFFLINE_MODEL,
  OFFLINE_POPULATION,
  OFFLINE_PROMPT,
  OFFLINE_ROLES,
  OFFLINE_SIZE,
} from '../config/offline.ts';
import { withCurrentNames } from '../config/renamed.ts';
import type { Limits, RunConfig } from '../config/run-config.ts';
import type { RunSettings } from '../config/settings.ts';
import { PRESETS } from './presets.ts';

export const DEFAULT_METHOD: MethodName = 'theta';
export const DEFAULT_TASK = 'circle-packing-square-26';

/**
 * The complete settings: those that were given, and defaults for all others. `canCost` says whether a limit on cost can
 * end the run, because something that the run asks for has a price.
 */
export const defaultsFor = (given: RunSettings, canCost = true): RunConfig => {
  const preset = PRESETS[given.method ?? DEFAULT_METHOD];
  const offline = given.model?.kind !== 'openai';
  const large = preset.batch * preset.responses > OFFLINE_SIZE.batch * OFFLINE_SIZE.responses;
  const size = {
    ...(offline && large
      ? { batch: OFFLINE_SIZE.batch, responses: OFFLINE_SIZE.responses }
      : { batch: preset.batch, responses: preset.responses }),
    steps: offline ? Math.min(OFFLINE_SIZE.steps, preset.limits.steps ?? OFFLINE_SIZE.steps) : preset.limits.steps,
  };
  const islands = given.population?.islands ?? preset.population.islands;
  const fitted = fitStep(given, size);
  const turn =
    preset.population.turn === 1
      ? {}
      : {
          turn: Math.max(1, Math.floor(groupsOf(given.limits, { ...fitted, steps: size.steps ?? 0 }) / (10 * islands))),
        };
  return {
    ...preset,
    task: DEFAULT_TASK,
    population: { ...preset.population, ...turn },
    ...fitted,
    limits: { ...preset.limits, steps: hasOtherLimit(given.limits, canCost) ? null : size.steps },
    ...(offline
      ? {
          ...(large ? { population: { ...preset.population, ...turn, ...OFFLINE_POPULATION } } : {}),
          ...(preset.method === 'theta' ? { prompt: { ...preset.prompt, ...OFFLINE_PROMPT } } : {}),
          evaluation: { ...preset.evaluation, ...OFFLINE_EVALUATION },
        }
      : {}),
    ...(given.population?.islands === 1 ? { migration: { ...preset.migration, topology: 'none' } } : {}),
    model: offline
      ? {
          ...preset.model,
          kind: 'offline',
          baseUrl: null,
          name: OFFLINE_MODEL,
          price: { in: 0, out: 0 },
          roles: OFFLINE_ROLES,
        }
      : { ...preset.model, kind: 'openai', baseUrl: null, price: null },
  };
};

/** How many groups a run is to have: by its limits on steps and programs, else by the method's own. */
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

/** Whether another limit ends the run by itself; then the preset's number of steps is not added to it. */
const hasOtherLimit = (limits: Partial<Limits> | undefined | Record<string, unknown>, canCost: boolean): boolean =>
  (['programs', 'tokens', 'costUsd', 'wallSeconds'] as const).some(
    (key) => (limits?.[key] ?? null) !== null && (key !== 'costUsd' || canCost),
  );

/** The default batch and responses, made smaller where one step would exceed a given limit on programs. */
const fitStep = (
  given: RunSettings,
  size: { readonly batch: number; readonly responses: number },
): { readonly batch: number; readonly responses: number } => {
  const most = given.limits?.programs ?? Number.POSITIVE_INFINITY;
  const responses = given.responses ?? Math.max(1, Math.min(size.responses, Math.floor(most / (given.batch ?? 1))));
  const batch = given.batch ?? Math.max(1, Math.min(size.batch, Math.floor(most / responses)));
  return { batch, responses };
};

/** Where the preset has changed how a run goes on: the value that runs had before they knew the key. */
const BEFORE: { readonly [section in 'population' | 'prompt' | 'evaluation']: Partial<RunConfig[section]> } = {
  population: { bounds: 'run', islandSync: 'epoch' },
  prompt: { frame: 'paper' },
  evaluation: { scoring: 'tolerant', raiseLimits: false },
};

/**
 * Settings as an earlier version stored them, completed by the preset. It is the same object where nothing is missing
 * and every name is that of today.
 */
export const completeStored = (stored: RunConfig): RunConfig => {
  let complete = withBefore(withCurrentNames(stored)) as unknown as Record<string, unknown>;
  for (const [key, value] of Object.entries(PRESETS[stored.method])) {
    const present = complete[key];
    if (present === undefined) complete = { ...complete, [key]: value };
    else if (isPlain(value) && isPlain(present) && Object.keys(value).some((inner) => present[inner] === undefined)) {
      complete = { ...complete, [key]: { ...value, ...defined(present) } };
    }
  }
  return complete as unknown as RunConfig;
};

const withBefore = (stored: RunConfig): RunConfig => {
  let complete = stored;
  for (const [section, before] of Object.entries(BEFORE)) {
    const present: unknown = complete[section as keyof RunConfig];
    if (isPlain(present) && Object.keys(before).some((key) => present[key] === undefined))
      complete = { ...complete, [section]: { ...(before as object), ...defined(present) } };
  }
  return complete;
};
