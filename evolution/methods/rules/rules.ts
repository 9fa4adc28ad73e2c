// Rules of the complete configuration: settings and models. Each problem names the key to change.
import { priceOf } from '../../budget/money.ts';
import { OFFLINE_MODEL } from '../../config/offline.ts';
import type { Clash } from '../../config/problems.ts';
import type { ModelSettings, RunConfig } from '../../config/run-config.ts';
import { styleOf } from '../../config/styles.ts';
import { modelId, modelsFor } from '../../models/ensemble.ts';
import type { Role } from '../../types.ts';
import { ANSWERED, BEFORE, isAsked, roleOf, type StageSettings } from '../../stages.ts';
import { learningClashes } from './learning-rules.ts';
import { populationClashes } from './population-rules.ts';
import { broken, brokenBy, type ModelRule, placedModels, type Rule } from './rule.ts';
import { scheduleClashes } from './schedule-rules.ts';

/** The largest number of slots in a step, since ids give a slot six digits. */
const MAX_STEP_PROGRAMS = 1_000_000;

const RULES: readonly Rule[] = [
  {
    keys: ['selection.exploitation', 'selection.exploration'],
    breaks: ({ selection: { exploration, exploitation } }) =>
      exploration + exploitation > 1 + 1e-9
        ? `exploration + exploitation are shares of one whole: expected at most 1, got ${exploration} + ${exploitation} = ${round(exploration + exploitation)}`
        : null,
  },
  {
    keys: ['population.archive', 'population.cap'],
    breaks: ({ population: { archive, cap } }) =>
      archive > cap
        ? `expected at most population.cap (${cap}), got ${archive}: lower the archive or raise the cap`
        : null,
  },
  {
    keys: ['population.islands', 'population.cap'],
    breaks: ({ population: { islands, cap } }) =>
      islands > cap
        ? `expected at most population.cap (${cap}), got ${islands}: an island needs at least one member`
        : null,
  },
  {
    keys: ['reward.lower', 'reward.upper', 'reward.kind'],
    breaks: ({ reward: { kind, lower, upper } }) => {
      if (kind !== 'shaped') return null;
      if (lower === null || upper === null)
        return `a shaped reward needs both bounds: set reward.${lower === null ? 'lower' : 'upper'}`;
      return lower >= upper ? `expected lower < upper, got lower ${lower} and upper ${upper}` : null;
    },
  },
  {
    keys: ['exploration.min', 'exploration.max', 'exploration.schedule'],
    breaks: ({ exploration: { schedule, min, max } }) =>
      schedule !== 'none' && schedule !== 'constant' && min > max
        ? `expected at most exploration.max (${max}), got ${min}`
        : null,
  },
  {
    keys: ['exploration.metaPrompt', 'exploration.schedule'],
    breaks: ({ exploration: { schedule, metaPrompt } }) =>
      metaPrompt && schedule === 'none'
        ? 'prompts are edited by groups that explore: set exploration.schedule to constant, plateau, exponential or cosine'
        : null,
  },
  {
    keys: ['prompt.style', 'selection.kind'],
    breaks: ({ prompt, selection: { kind } }) =>
      !styleOf({ prompt }).showsParent && kind !== 'initial'
        ? `a prompt of style ${prompt.style} shows the initial program: expected selection.kind initial beside it, got ${kind}`
        : null,
  },
  {
    keys: ['batch', 'responses'],
    breaks: ({ batch, responses }) =>
      batch * responses > MAX_STEP_PROGRAMS
        ? `a step would make batch * responses = ${batch * responses} programs, at most ${MAX_STEP_PROGRAMS} are possible`
        : null,
  },
  {
    keys: ['limits.programs', 'batch', 'responses'],
    breaks: ({ batch, responses, limits: { programs } }) =>
      programs !== null && batch * responses > programs
        ? `expected at least one step's programs (batch ${batch} * responses ${responses} = ${batch * responses}), got ${programs}: the run could not make one whole step`
        : null,
  },
  {
    keys: ['limits.steps'],
    breaks: ({ limits: { steps, programs, tokens, costUsd, wallSeconds }, ...rest }) => {
      if ([steps, programs, tokens, wallSeconds].some((limit) => limit !== null) || (costUsd !== null && canCost(rest)))
        return null;
      return costUsd === null
        ? 'a run needs an end that is sure to come: set at least one of steps, programs, tokens, costUsd, wallSeconds'
        : `a run needs an end that is sure to come, and a limit on cost (costUsd ${costUsd}) is none where everything that it asks for has a price of 0: set at least one of steps, programs, tokens, wallSeconds`;
    },
  },
];

const round = (value: number): number => Number(value.toPrecision(12));

/** Every rule that a configuration breaks. */
export const clashes = (config: RunConfig): readonly Clash[] => [
  ...broken(RULES, config),
  ...populationClashes(config),
  ...learningClashes(config),
  ...scheduleClashes(config),
  ...hintClashes(config),
  ...modelClashes(config),
];

const hintClashes = ({ prompt: { hints }, population: { islands } }: RunConfig): readonly Clash[] =>
  hints.flatMap(({ island }, index) => {
    const keys = [`prompt.hints.${index}.island`, 'population.islands'];
    if (island !== null && island >= islands)
      return [{ keys, message: `expected an island from 0 to ${islands - 1}, or null for all, got ${island}` }];
    return hints.findIndex((other) => other.island === island) < index
      ? [
          {
            keys,
            message: `expected one hint for ${island === null ? 'all islands (null)' : `island ${island}`}, got another: put both into one text`,
          },
        ]
      : [];
  });

/**
 * The needs of a run's models: an address, names of their own, prices where cost is limited, and one for each role. The
 * first model's keys are under `model`, the others' under `models.0` and so on.
 */
const modelClashes = (config: RunConfig): readonly Clash[] => {
  const models = placedModels(config);
  return [
    ...unserved(config),
    ...models.flatMap((placed, index) => {
      const { model, at } = placed;
      const isRepeated = models.findIndex((other) => modelId(other.model) === modelId(model)) < index;
      return [...brokenBy(MODEL_RULES, placed, config), ...(isRepeated ? [repetition(model, at)] : [])];
    }),
  ];
};

const repetition = (model: ModelSettings, at: string): Clash => ({
  keys: [`${at}.${model.alias === undefined ? 'name' : 'alias'}`, `${at}.name`],
  message: `expected a name of its own, got ${modelId(model)}, which an earlier model has: give it an alias, or other roles than the earlier one`,
});

const MODEL_RULES: readonly ModelRule[] = [
  {
    keys: ['limits.costUsd', '.price'],
    breaks: ({ model, at }, { limits }) =>
      limits.costUsd !== null && priceOf(model) === null
        ? `a limit on cost needs ${at}.price (of ${model.name}; in USD per million tokens, such as {in: 3, out: 15}), else the cost is not known`
        : null,
  },
  {
    keys: ['.baseUrl', '.kind', '.name'],
    breaks: ({ model: { kind, baseUrl, trainable, policy }, at }) => {
      if (kind === 'offline')
        return baseUrl === null
          ? null
          : `the offline model has no address of its own, got ${baseUrl}: leave it out, or set ${at}.kind to openai`;
      // A policy is asked where it is served, which its document says.
      if (baseUrl !== null || trainable || policy !== null) return null;
      const wayOut =
        at === 'model'
          ? 'set OPENAI_BASE_URL or --base-url, or take the offline model with --model offline'
          : `set ${at}.baseUrl`;
      return `expected the URL of an endpoint, got none: ${wayOut}`;
    },
  },
  {
    keys: ['.name', '.kind'],
    breaks: ({ model: { kind, name }, at }) =>
      kind === 'offline' && name !== OFFLINE_MODEL
        ? `the offline model is named ${OFFLINE_MODEL}, got ${name}: name it so, or set ${at}.kind to openai`
        : null,
  },
];

/** Roles that the run asks for and none of its models has. */
const unserved = (config: RunConfig): readonly Clash[] =>
  rolesOf(config)
    .filter(({ role }) => modelsFor(config, role).length === 0)
    .map(({ role, why, wayOut = '' }) => ({
      keys: [
        'model.roles',
        ...config.models.map((_, index) => `models.${index}.roles`),
        ...(role === 'judge' ? ['ideation.gate', 'ideation.kind'] : []),
        ...(role === 'evaluator' ? ['evaluation.modelCalls'] : []),
      ],
      message: `expected a model with the role ${role}, ${why}, got none: add ${role} to model.roles, or add a model with that role to models${wayOut}`,
    }));

type Wanted = { readonly role: Role; readonly why: string; readonly wayOut?: string };
const rolesOf = (config: StageSettings): readonly Wanted[] => {
  const staged = new Set(
    [...BEFORE, ...ANSWERED].flatMap((stage) => (isAsked(stage, config) ? (roleOf(stage) ?? []) : [])),
  );
  return ROLES.filter(
    ({ role }) =>
      role === 'exploit' || (role === 'explore' && config.exploration.schedule !== 'none') || staged.has(role),
  );
};

const ROLES: readonly Wanted[] = [
  { role: 'exploit', why: 'which writes programs' },
  { role: 'explore', why: 'which writes programs that explore' },
  { role: 'meta', why: 'which edits prompts, writes notes and judges near-duplicates' },
  { role: 'idea', why: 'which proposes ideas' },
  {
    role: 'judge',
    why: 'which scores ideas (no model is one by default)',
    wayOut: ' (a reward model, or any model as a prompt-only judge), or set ideation.gate to off',
  },
  { role: 'repair', why: 'which writes deltas that answers left out' },
  { role: 'evaluator', why: "which the task's evaluator asks (no model is one by default)" },
];

/**
 * True where something that the run asks for has a price, known or not, other than 0; else a limit on cost ends
 * nothing.
 */
export const canCost = (config: Pick<RunConfig, 'model' | 'models' | 'learning'> & StageSettings): boolean =>
  (config.learning.trainer !== 'none' && (config.learning.price?.train ?? 0) > 0) ||
  (config.embedding.model !== null && (config.embedding.price ?? 0) > 0) ||
  rolesOf(config).some(({ role }) =>
    modelsFor(config, role).some((model) => {
      const price = priceOf(model);
      return price === null || price.in > 0 || price.out > 0 || (price.cached ?? 0) > 0;
    }),
  );

/** Notes on a limit on cost. */
export const costNotes = (config: RunConfig): readonly string[] => {
  const { costUsd, ...others } = config.limits;
  if (costUsd === null || canCost(config)) return [];
  const ends = (['steps', 'programs', 'tokens', 'wallSeconds'] as const).flatMap((key) =>
    others[key] === null ? [] : [`limits.${key} ${others[key]}`],
  );
  return [
    `limits.costUsd ${costUsd} ends nothing, for everything that the run asks for has a price of 0; what ends it is ${ends.join(', ')}`,
  ];
};
