// The settings of a run, key by key: type, range and meaning.
import { z } from 'zod';
import { METHOD_NAMES } from './names.ts';
import type { RunConfig } from './run-config.ts';
import { sandbox } from './sandboxes.ts';

// Leaves. Each carries one phrase that says what is expected; problems.ts adds what came.
const whole = (min: number, max: number) => {
  const error =
    max === Number.MAX_SAFE_INTEGER ? `a whole number of at least ${min}` : `a whole number from ${min} to ${max}`;
  return z.number({ error }).int(error).min(min, error).max(max, error);
};
const real = (min: number, max: number) => {
  const error = `a number from ${min} to ${max}`;
  return z.number({ error }).min(min, error).max(max, error);
};
const above = (min: number, max: number) => {
  const error = `a number above ${min}, at most ${max}`;
  return z.number({ error }).gt(min, error).max(max, error);
};
const finite = () => z.number({ error: 'a number' });
const flag = () => z.boolean({ error: 'true or false' });
const oneOf = <const T extends readonly [string, ...string[]]>(...values: T) =>
  z.enum(values, { error: `one of ${values.join(', ')}` });
const text = (expected: string, pattern: RegExp) => z.string({ error: expected }).regex(pattern, expected);
const orNull = <T extends z.ZodType>(schema: T) => schema.nullable();

const ANY = Number.MAX_SAFE_INTEGER;
const URL_EXPECTED = 'an http(s) URL without user name or password, e.g. http://127.0.0.1:8000/v1';

const limits = z.strictObject({
  steps: orNull(whole(1, 999_999)).describe(
    "Steps after which the run ends; null: no limit. The preset's limit holds only where no limit on programs, tokens, cost or time is set that can end the run.",
  ),
  programs: orNull(whole(1, ANY)).describe(
    'Programs (candidates made) after which the run ends. A step that would exceed it makes only as many as are left.',
  ),
  tokens: orNull(whole(1, ANY)).describe(
    'Tokens, in and out together. A request that is likely to exceed it is not sent.',
  ),
  costUsd: orNull(above(0, 1e9)).describe(
    'US dollars; needs the price of every model. A request that is likely to exceed it is not sent. Where every price is 0 it ends nothing, and the limit on steps stays.',
  ),
  wallSeconds: orNull(above(0, 1e9)).describe('Seconds since the run began after which no further step starts.'),
  targetScore: orNull(finite()).describe(
    "Score that ranks (`evaluation.scoring`), in the task's direction, at which the run ends.",
  ),
  noImprovementPrograms: orNull(whole(1, ANY)).describe(
    'Programs made since the best score last improved after which no further step starts. Not an end that is sure to come.',
  ),
});

const FEATURE_EXPECTED = 'one of score, length, tree-size, diversity, cpu, wall, embedding, or metric:<name>';
const featureName = z.union(
  [
    z.enum(['score', 'length', 'tree-size', 'diversity', 'cpu', 'wall', 'embedding']),
    z.templateLiteral(['metric:', z.string().regex(/^[A-Za-z0-9_-]{1,80}$/)]),
  ],
  { error: FEATURE_EXPECTED },
);
const feature = z
  .union(
    [
      featureName,
      z.strictObject({
        name: featureName,
        bins: whole(1, 1_000).optional(),
        scale: oneOf('linear', 'log', 'quantile').optional(),
        min: finite().optional(),
        max: finite().optional(),
      }),
    ],
    {
      error: `${FEATURE_EXPECTED}; or a mapping with name and, if wanted, bins, scale (linear, log, quantile), min and max`,
    },
  )
  .meta({ title: 'feature names, or mappings with name, bins, scale, min and max' });

const population = z.strictObject({
  cap: whole(2, 1_000_000).describe('Distinct programs alive at most; the worst are evicted, never deleted.'),
  islandCap: orNull(whole(2, 1_000_000)).describe(
    'Members of an island at most, with `map: none`: a newcomer, or a migrant, must beat the worst member, which leaves the island; null: no such cap.',
  ),
  archive: whole(1, 1_000_000).describe('Seats of the elite archive; at most `population.cap`.'),
  islands: whole(1, 1_000).describe('Islands that evolve apart between migrations.'),
  map: oneOf('grid', 'cvt', 'queue', 'none').describe(
    'Archive of cells: a grid of bins, the cells of `population.cells` centroids (CVT), a priority queue of so many places, or none.',
  ),
  features: z
    .array(feature, { error: 'a list of features' })
    .min(1, 'at least one feature')
    .max(8, 'at most 8 features')
    .describe('Axes of the archive of cells.'),
  bins: whole(1, 1_000).describe('Bins of each axis that sets none of its own.'),
  cells: whole(1, 10_000).describe('Centroids of `cvt`, places of `queue`.'),
  grid: oneOf('island', 'global').describe('One archive of cells per island, or one for all.'),
  bounds: oneOf('run', 'island').describe(
    'Running minimum and maximum of features without fixed bounds: of the whole run, or of each island (`grid: island`).',
  ),
  childIsland: oneOf('parent', 'current').describe(
    "A child enters its parent's island, or the island whose turn it is.",
  ),
  samplingIsland: oneOf('round-robin', 'current').describe('Groups take islands in turn, or all take the current one.'),
  turn: whole(1, 1_000_000).describe(
    'Groups for which an island keeps its turn, with `samplingIsland: round-robin`. Unless it is set, a `research` run of R groups on K islands has max(1, ⌊R / (10 · K)⌋).',
  ),
  admitFailures: z
    .union([z.boolean(), z.literal('evaluated')], { error: 'true, false or evaluated' })
    .describe(
      'Whether programs without a valid score enter the population. `evaluated`: those that were run, and what does not enter is no child of its island.',
    ),
  eviction: oneOf('worst', 'sparing').describe(
    "`worst`: the lowest score goes, never the best or the newcomer; an island that is emptied gains the best. `sparing`: a newcomer must beat the lowest score, and neither the best, nor owners of cells, nor an island's last member go.",
  ),
  protectOwners: flag().describe('`worst`: whether owners of a cell are evicted last.'),
  keepInitial: flag().describe('Whether the initial program is never evicted.'),
  founding: whole(1, 100_000).describe(
    'Programs with which an island is founded, the initial one and failures that were run among them: before, its children are made of the initial program, each a root.',
  ),
  siblings: orNull(whole(1, 10_000)).describe(
    'Children of one parent that enter in one step, the best ones; null: all.',
  ),
  islandSync: oneOf('migration', 'epoch').describe(
    "`migration`: each island goes on alone until the next migration; `epoch`: islands wait for each other at each step's end. Programs are the same either way. Where other settings tie islands together, docs/population.md says which, they wait.",
  ),
});

const selection = z.strictObject({
  kind: oneOf(
    'initial',
    'mixture',
    'uniform',
    'rank',
    'power',
    'tournament',
    'roulette',
    'best',
    'sigmoid',
    'puct',
  ).describe(
    'How a parent is drawn: `initial` always the initial program, `mixture` by the two shares below, every other kind from `selection.pool`.',
  ),
  pool: oneOf('island', 'cells', 'archive', 'population').describe(
    "From whom, except with `mixture`: members of the group's island, owners of its cells, archive seats on it, or all alive.",
  ),
  exploration: real(0, 1).describe('`mixture`: probability that a parent is drawn uniformly from its island.'),
  exploitation: real(0, 1).describe('`mixture`: probability that a parent is drawn from the archive.'),
  rest: oneOf('population', 'weighted').describe(
    '`mixture`: the rest, uniformly from the population, or from the island with weight max(score, 0.001).',
  ),
  alpha: real(0, 100).describe('`power`: exponent of the rank; 0 is uniform, 1 is `rank`.'),
  tournament: whole(1, 1_000).describe(
    '`tournament`: programs drawn with replacement, of which the best becomes the parent.',
  ),
  lambda: real(0, 1_000).describe('`sigmoid`: steepness; the weight falls with the number of children.'),
  c: real(0, 1_000).describe('`puct`: weight of the exploration term.'),
});

const migration = z.strictObject({
  topology: oneOf('ring', 'directed-ring', 'complete', 'star-in', 'star-out', 'star', 'none').describe(
    'Which islands an island offers its best to; the hub of a star is island 0. `none`: islands stay apart, as a single one does.',
  ),
  style: oneOf('top', 'natives', 'once').describe(
    "`top`: an island's best members. `natives`: its best of those that were made there. `once`: owners of cells (without a map, members) that were made on the island and never migrated, not its best.",
  ),
  unit: oneOf('children', 'steps').describe('What the interval counts: children inserted into an island, or steps.'),
  interval: whole(1, ANY).describe('Children inserted into an island, or steps, between two migrations.'),
  rate: real(0, 1).describe(
    "Share of an island's members (`once`: of its pool) that it offers, at least one; with `once` and 0 none.",
  ),
});

const CONTEXT = whole(0, 100);
const prompt = z.strictObject({
  priorPrograms: CONTEXT.describe(
    'Programs shown beside the parent, drawn as ThetaEvolve does; 0 is iterative refinement.',
  ),
  eliteRatio: real(0, 1).describe("Share of the prior programs taken from the island's best."),
  elites: CONTEXT.describe('Best programs shown beside the parent.'),
  diverse: CONTEXT.describe('Owners of other cells shown beside the parent.'),
  diverseBy: oneOf('far-cells', 'random-cell').describe("Owners of the cells farthest from the parent's, or of any."),
  inspirations: CONTEXT.describe("Programs of the island's pool shown beside the parent, drawn without replacement."),
  inspirationsBy: oneOf('rank', 'uniform').describe('How inspirations are drawn.'),
  ancestors: orNull(CONTEXT).describe(
    'Nearest ancestors shown, oldest first; the chain ends at a root. Null: all of them.',
  ),
  bestEver: flag().describe('Whether the best program of the run is shown, where it is not the parent.'),
  scope: oneOf('island', 'run').describe(
    "Where elites and diverse programs come from: the parent's island or the whole run.",
  ),
  style: oneOf('theta', 'openevolve', 'delta', 'conversation', 'proposal', 'task-only').describe(
    'What the prompt is made of; docs/prompts.md shows each.',
  ),
  scores: oneOf('shown', 'masked').describe('`masked`: no score stands in the prompt (Blind-Elite).'),
  draw: oneOf('rule', 'random').describe(
    '`random`: programs beside the parent are drawn uniformly from everything made so far (Random-Context).',
  ),
  feedback: oneOf('full', 'label-only', 'none').describe(
    'What is said of how a program did: scores and errors, the word alone, nothing.',
  ),
  failure: flag().describe("Whether the parent's latest failed child on the island is shown."),
  maxTokens: orNull(whole(100, ANY)).describe(
    'Longest prompt, tokens (estimated at 4 characters each); beyond it programs are dropped whole, as docs/prompts.md says.',
  ),
  reintroduced: flag().describe('Whether lines are named that came back after an ancestor had deleted them.'),
});

const embedding = z.strictObject({
  model: orNull(text('a model name', /^\S(.{0,198}\S)?$/)).describe(
    'Embedding model of an OpenAI-compatible endpoint; null: none.',
  ),
  baseUrl: orNull(text(URL_EXPECTED, /^https?:\/\/[^\s/@]+(\/[^\s@]*)?$/)).describe(
    'Its endpoint; null: that of `model`.',
  ),
  dimensions: orNull(whole(1, 16_384)).describe("Dimensions asked for; null: the model's own."),
  threshold: orNull(above(0, 1)).describe(
    'Cosine similarity above which a child is a near-duplicate and is not evaluated; null: never.',
  ),
  scope: oneOf('island', 'population').describe(
    'Whom a child must differ from: those alive on its island, or all alive.',
  ),
  timeoutSeconds: whole(1, 86_400).describe('Longest wait for one request.'),
  price: orNull(real(0, 1e6)).describe('USD per million tokens; null: unknown, and cost is counted as 0.'),
});

const HINT_EXPECTED = 'a text of 1 to 2000 characters';
const hintText = z.string({ error: HINT_EXPECTED }).max(2_000, HINT_EXPECTED).regex(/\S/, HINT_EXPECTED);
const hintIsland = orNull(whole(0, 999));
const hintsOf = <T extends z.ZodType>(hint: T) =>
  z
    .array(hint, { error: 'a list of hints, each a mapping with text and island' })
    .describe(
      "A person's words to the model, in the prompts of one island or (island null) of all; one hint an island at most.",
    );

const delta = z.strictObject({
  window: whole(0, ANY).describe(
    '`prompt.style: delta`: attempts that count as recent and are shown with their plan; older ones with their summary.',
  ),
  disclosure: oneOf('window', 'l2-selected').describe('`l2-selected`: every one shown is shown with its plan.'),
  missing: oneOf('fallback', 'skip', 'repair').describe(
    'A program whose answer held no delta, or a part of one: shown by a mechanical one; passed over where it held none; or asked for by a further call, which counts.',
  ),
  eliteExcludesParent: flag().describe("Whether the parent's own delta is left out of the elites."),
});

const ideation = z.strictObject({
  kind: oneOf('none', 'proposal').describe('`proposal`: a model proposes an idea before each program (AlphaResearch).'),
  gate: oneOf('on', 'off', 'shadow').describe(
    'Whether ideas below the threshold are carried out; `shadow`: judged, and carried out all the same.',
  ),
  threshold: real(0, 10).describe('Lowest score that passes.'),
  judgeTemperature: real(0, 2).describe('Temperature at which the judge is asked, whatever that of its model.'),
  digits: whole(1, 17).describe('Significant digits of metrics in prompts of ideas.'),
  stopAtHuman: flag().describe(
    'Whether the run ends once a program is strictly better than the reference `human` of the task.',
  ),
});

const exploration = z.strictObject({
  schedule: oneOf('none', 'constant', 'plateau', 'exponential', 'cosine').describe(
    'How the probability that a group explores moves, island by island; `none`: no operators.',
  ),
  start: real(0, 1).describe('Probability at first.'),
  min: real(0, 1).describe('Lowest probability.'),
  max: real(0, 1).describe('Highest probability.'),
  patience: whole(1, 100_000).describe('`plateau`: epochs without a better best before it rises.'),
  raise: above(0, 100).describe('`plateau`: factor when stuck.'),
  lower: above(0, 100).describe('`plateau`: factor on progress.'),
  factor: above(0, 1).describe('`exponential`: factor per epoch.'),
  period: whole(1, 1_000_000).describe('`cosine`: epochs from one maximum to the next.'),
  metaPrompt: flag().describe('Whether a model edits the prompt of a group that explores.'),
  initMetaPrompt: flag().describe('Whether it does so while an island is being founded, too.'),
  pool: oneOf('elites', 'all').describe(
    'From whom a group that explores draws parent and inspirations: as `selection.pool` says (`mixture`: cells), or every member of the island, as a parent failures that were admitted too.',
  ),
  exploitPrompt: oneOf('own', 'policy').describe(
    "Prompt of a group that exploits: that which made the parent, or drawn by rank from the island's.",
  ),
});

const diff = z.strictObject({
  accept: oneOf('edits', 'program', 'either').describe(
    'What an answer may be: SEARCH/REPLACE blocks, a whole program in a fence, or either.',
  ),
  match: oneOf('lines', 'substring').describe(
    'What SEARCH must equal: whole lines, whatever white space ends them, or any part of the text once its outer white space is gone.',
  ),
  strict: flag().describe('Whether one block that does not match rejects the whole answer.'),
  enforceBlock: flag().describe('Whether edits must stay between the EVOLVE-BLOCK markers.'),
  maxCodeChars: whole(100, 4_000_000).describe('Longest program, characters; a longer one is `no_solution`.'),
  parse: oneOf('answer', 'whole').describe('Read edits from the answer only, or from the reasoning too.'),
  lazyScope: oneOf('history', 'parent').describe(
    'What a child must differ from: every program of the run, or its parent only.',
  ),
});

const reward = z.strictObject({
  kind: oneOf('objective', 'shaped', 'format', 'valid', 'improve').describe(
    'Reward of a valid program; recorded, and used by learning.',
  ),
  lower: orNull(finite()).describe('L of the shaped reward.'),
  upper: orNull(finite()).describe('U of the shaped reward.'),
  alpha: above(0, 100).describe('Exponent of the shaped reward.'),
  k: above(0, 1e6).describe('Factor of the shaped reward.'),
});

const price = z.strictObject(
  {
    in: real(0, 1e6).describe('USD per million tokens read.'),
    out: real(0, 1e6).describe('USD per million tokens written.'),
    cached: real(0, 1e6)
      .exactOptional()
      .describe('USD per million tokens that the endpoint read from its cache; left out: as `in`.'),
  },
  { error: 'a mapping with in and out (USD per million tokens)' },
);

const model = z.strictObject({
  kind: oneOf('openai', 'offline').describe(
    '`openai`: any endpoint that speaks its protocol. `offline`: the genetic-programming mutator, no language model.',
  ),
  baseUrl: orNull(text(URL_EXPECTED, /^https?:\/\/[^\s/@]+(\/[^\s@]*)?$/)).describe(
    'Endpoint, as in OPENAI_BASE_URL. The key is never a setting: it comes from OPENAI_API_KEY.',
  ),
  name: text('a model name', /^\S(.{0,198}\S)?$/).describe('Model name, as in EVOLVE_MODEL.'),
  temperature: real(0, 2).describe('Sampling temperature.'),
  topP: above(0, 1).describe('Nucleus sampling.'),
  maxTokens: whole(1, 10_000_000).describe('Longest answer, tokens.'),
  timeoutSeconds: whole(1, 86_400).describe(
    'Longest wait for one request; of a streamed one a quarter of it, at least a minute, may pass in silence.',
  ),
  nativeN: z
    .union([z.literal('auto'), z.boolean()], { error: 'auto, true or false' })
    .describe('Ask for n responses in one request; `auto` falls back to single requests.'),
  price: orNull(price).describe(
    'USD per million tokens; null: that of the default table (docs/models.md), else unknown, and cost is reported as 0.',
  ),
  weight: above(0, 1e6).describe(
    "Share of the requests that it gets, relative to the weights of its role's other models.",
  ),
  roles: z
    .array(oneOf('exploit', 'explore', 'meta', 'idea', 'judge', 'repair'), {
      error: 'a list of exploit, explore, meta, idea, judge, repair',
    })
    .min(1, 'at least one role')
    .readonly()
    .describe(
      'What it is asked for: programs when exploiting or exploring (all methods without operators exploit), edited prompts, ideas, judgements, deltas that an answer left out (`repair`: where nobody has the role, whoever exploits). The judge is never a default, but offline.',
    ),
  reasoningEffort: orNull(oneOf('none', 'minimal', 'low', 'medium', 'high')).describe(
    'Sent as reasoning_effort where it is set.',
  ),
  stream: flag().describe('Whether answers are streamed: for endpoints and proxies that cut long silent calls.'),
});

export const MAX_MODELS = 20;
const modelsOf = <T extends z.ZodType>(entry: T) => {
  const error = `a list of at most ${MAX_MODELS} models, each a mapping with name`;
  return z
    .array(entry, { error })
    .max(MAX_MODELS, error)
    .describe(
      'Further models; each request goes to one of all, drawn by weight. An entry needs a name; what it leaves out is as in `model`, but for price (unknown) and weight (1).',
    );
};

const modelChoice = oneOf('weighted', 'bandit').describe(
  "How a group of programs gets its model: by weights, or (`bandit`) by what the models' programs were worth and cost (AsymmetricUCB); ideas, judgements and edited prompts by weights always.",
);

const evaluation = z.strictObject({
  seed: whole(0, ANY).describe('Seed handed to every candidate program.'),
  scoring: oneOf('tolerant', 'strict').describe(
    'Which score ranks programs, and is held against `limits.targetScore`.',
  ),
  acceptSavedOnTimeout: flag().describe('Whether the last checkpoint counts after a timeout.'),
  cpuSeconds: orNull(whole(1, 86_400)).describe(
    "CPU limit of a candidate, seconds, where it is to be less than the task's; null: the task's.",
  ),
  sandbox: sandbox.describe(
    'Isolation of candidates. `fast` forks them in warm containers: quicker for programs of less than a second, and weaker (docs/security.md).',
  ),
});

const task = text(
  'the name of a folder in tasks/, or the path of a folder of a task',
  /^([a-z0-9][a-z0-9-]{0,80}|.*\/.*)$/,
).describe(
  'Problem: a folder in tasks/, or the path of one anywhere, absolute or relative to the file or directory that names it.',
);
const top = {
  method: oneOf(...METHOD_NAMES).describe('Search method; its preset gives every default below.'),
  task,
  seed: whole(0, ANY).describe('Seed of the run: parents, prompts and the seeds sent to the model derive from it.'),
  batch: whole(1, 1_000_000).describe('B: parents drawn per step.'),
  responses: whole(1, 10_000).describe('n: responses per parent.'),
};

/** A complete run configuration. */
export const completeSchema = z.strictObject({
  ...top,
  limits,
  population,
  selection,
  migration,
  prompt: prompt.extend({ hints: hintsOf(z.strictObject({ island: hintIsland, text: hintText })) }),
  delta,
  ideation,
  exploration,
  diff,
  reward,
  model,
  models: modelsOf(model),
  modelChoice,
  embedding,
  evaluation,
});

/** What users write: the same keys, each optional. */
export const settingsSchema = z
  .strictObject({
    ...top,
    limits: limits.partial(),
    population: population.partial(),
    selection: selection.partial(),
    migration: migration.partial(),
    prompt: prompt
      .extend({ hints: hintsOf(z.strictObject({ island: hintIsland.default(null), text: hintText })) })
      .partial(),
    delta: delta.partial(),
    ideation: ideation.partial(),
    exploration: exploration.partial(),
    modelChoice,
    diff: diff.partial(),
    reward: reward.partial(),
    model: model.partial(),
    models: modelsOf(model.partial().extend({ name: model.shape.name })),
    embedding: embedding.partial(),
    evaluation: evaluation.partial(),
  })
  .partial();

/** Settings as users write them. */
export type RunSettings = z.infer<typeof settingsSchema>;
/** An entry of `models` as users write it. */
export type ModelEntry = NonNullable<RunSettings['models']>[number];

/** Keeps the schema and the type of run-config.ts equal: a difference does not compile. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Plain<T> = T extends readonly (infer U)[]
  ? Plain<U>[]
  : T extends object
    ? { -readonly [K in keyof T]: Plain<T[K]> }
    : T;
const same: Same<Plain<z.infer<typeof completeSchema>>, Plain<RunConfig>> = true;
void same;
