// Combinations of settings that cannot work, checked on the complete configuration. Each names the key to change.
import type { Clash } from './clash.ts';
import { modelClashes } from './model-rules.ts';
import { populationClashes } from './population-rules.ts';
import type { RunConfig } from './run-config.ts';

/** Slots of a step: ids give them six digits. */
export const MAX_STEP_PROGRAMS = 1_000_000;

type Rule = { readonly keys: readonly string[]; readonly breaks: (config: RunConfig) => string | null };

const RULES: readonly Rule[] = [
  {
    keys: ['selection.exploitation', 'selection.exploration'],
    breaks: ({ selection: { exploration, exploitation } }) => (exploration + exploitation > 1 + 1e-9
      ? `exploration + exploitation are shares of one whole: expected at most 1, got ${exploration} + ${exploitation} = ${round(exploration + exploitation)}` : null),
  },
  {
    keys: ['population.archive', 'population.cap'],
    breaks: ({ population: { archive, cap } }) => (archive > cap
      ? `expected at most population.cap (${cap}), got ${archive}: lower the archive or raise the cap` : null),
  },
  {
    keys: ['population.islands', 'population.cap'],
    breaks: ({ population: { islands, cap } }) => (islands > cap
      ? `expected at most population.cap (${cap}), got ${islands}: an island needs at least one member` : null),
  },
  {
    keys: ['reward.lower', 'reward.upper', 'reward.kind'],
    breaks: ({ reward: { kind, lower, upper } }) => {
      if (kind !== 'shaped') return null;
      if (lower === null || upper === null) return `a shaped reward needs both bounds: set reward.${lower === null ? 'lower' : 'upper'}`;
      return lower >= upper ? `expected lower < upper, got lower ${lower} and upper ${upper}` : null;
    },
  },
  {
    keys: ['exploration.min', 'exploration.max', 'exploration.schedule'],
    breaks: ({ exploration: { schedule, min, max } }) => (schedule !== 'none' && schedule !== 'constant' && min > max
      ? `expected at most exploration.max (${max}), got ${min}` : null),
  },
  {
    keys: ['exploration.metaPrompt', 'exploration.schedule'],
    breaks: ({ exploration: { schedule, metaPrompt } }) => (metaPrompt && schedule === 'none'
      ? 'prompts are edited by groups that explore: set exploration.schedule to constant, plateau, exponential or cosine' : null),
  },
  {
    keys: ['prompt.style', 'selection.kind'],
    breaks: ({ prompt: { style }, selection: { kind } }) => (style === 'task-only' && kind !== 'initial'
      ? `a prompt of style task-only shows the initial program: expected selection.kind initial beside it, got ${kind}` : null),
  },
  {
    keys: ['batch', 'responses'],
    breaks: ({ batch, responses }) => (batch * responses > MAX_STEP_PROGRAMS
      ? `a step would make batch * responses = ${batch * responses} programs, at most ${MAX_STEP_PROGRAMS} are possible` : null),
  },
  {
    keys: ['limits.programs', 'batch', 'responses'],
    breaks: ({ batch, responses, limits: { programs } }) => (programs !== null && batch * responses > programs
      ? `expected at least one step's programs (batch ${batch} * responses ${responses} = ${batch * responses}), got ${programs}: the run could not make one step` : null),
  },
  {
    keys: ['limits.steps'],
    breaks: ({ limits: { steps, programs, tokens, costUsd, wallSeconds } }) => ([steps, programs, tokens, costUsd, wallSeconds].every((limit) => limit === null)
      ? 'a run needs an end that is sure to come: set at least one of steps, programs, tokens, costUsd, wallSeconds' : null),
  },
];

const round = (value: number): number => Number(value.toPrecision(12));

/** Every rule that a configuration breaks. */
export const clashes = (config: RunConfig): readonly Clash[] =>
  [
    ...RULES.flatMap(({ keys, breaks }) => {
      const message = breaks(config);
      return message === null ? [] : [{ keys, message }];
    }),
    ...populationClashes(config),
    ...hintClashes(config),
    ...modelClashes(config),
  ];

const hintClashes = ({ prompt: { hints }, population: { islands } }: RunConfig): readonly Clash[] =>
  hints.flatMap(({ island }, index) => {
    const keys = [`prompt.hints.${index}.island`, 'population.islands'];
    if (island !== null && island >= islands) return [{ keys, message: `expected an island from 0 to ${islands - 1}, or null for all, got ${island}` }];
    return hints.findIndex((other) => other.island === island) < index
      ? [{ keys, message: `expected one hint for ${island === null ? 'all islands (null)' : `island ${island}`}, got another: put both into one text` }] : [];
  });
