// Rules of a run that learns: one model is its policy, and its rewards and advantages can be computed.
import { BYTES_MODEL, isBytes } from '../../config/bytes.ts';
import type { Clash } from '../../config/problems.ts';
import type { RunConfig } from '../../config/run-config.ts';
import { LEAST_GROUP } from '../../learning/advantages.ts';
import { modelId } from '../../models/ensemble.ts';
import type { Role } from '../../types.ts';
import { brokenBy, type ModelRule, type Placed, placedModels } from './rule.ts';

/** The roles with a reward. Edited prompts and repaired deltas have none of their own. */
const TRAINABLE: readonly Role[] = ['exploit', 'explore', 'idea', 'judge'];

const writes = ({ model: { roles } }: Placed): boolean => roles.includes('exploit') || roles.includes('explore');

const tooFew = (size: number, of: string, { learning: { advantage } }: RunConfig): string | null =>
  size >= LEAST_GROUP[advantage]
    ? null
    : `expected at least ${LEAST_GROUP[advantage]} with learning.advantage ${advantage}, got ${size}: an answer is compared with the others of its ${of}`;

const RULES: readonly ModelRule[] = [
  {
    keys: ['.trainable', '.kind'],
    breaks: ({ model: { kind } }) =>
      kind === 'offline'
        ? 'expected a model with token ids and logprobs, got the offline model, which has no weights: name a model folder, or `--model bytes` for a small byte-level model that is made on the spot'
        : null,
  },
  {
    keys: ['.roles', '.trainable'],
    breaks: ({ model: { roles, name } }) =>
      roles.some((role) => TRAINABLE.includes(role))
        ? null
        : `expected at least one role that has a reward (${TRAINABLE.join(', ')}) for ${name}, which learns, got ${roles.join(', ')}`,
  },
  {
    keys: ['.topP', '.trainable'],
    breaks: ({ model: { topP } }) =>
      topP === 1
        ? null
        : `expected 1 for a model that learns, got ${topP}: the logprobs of a distribution that was cut are not those of the policy`,
  },
  {
    keys: ['.temperature', '.trainable'],
    breaks: ({ model: { temperature } }) =>
      temperature > 0
        ? null
        : `expected more than 0 for a model that learns, got ${temperature}: without chance all its answers are the same`,
  },
  {
    keys: ['ideation.judgeTemperature', '.roles'],
    breaks: ({ model: { roles, temperature }, at }, { ideation: { kind, gate, judgeTemperature } }) => {
      if (kind === 'none' || gate === 'off' || !roles.includes('judge')) return null;
      if (judgeTemperature === 0)
        return 'expected more than 0 for a judge that learns, got 0: without chance all its answers are the same';
      return roles.every((role) => role === 'judge') || judgeTemperature === temperature
        ? null
        : `expected ${at}.temperature (${temperature}) for a judge that also writes, got ${judgeTemperature}: an update is for one temperature`;
    },
  },
  {
    keys: ['responses', '.trainable', 'learning.advantage'],
    breaks: (policy, config) => (writes(policy) ? tooFew(config.responses, 'group', config) : null),
  },
  {
    keys: ['batch', '.trainable', 'learning.advantage'],
    breaks: (policy, config) => (writes(policy) ? null : tooFew(config.batch, 'step', config)),
  },
  {
    keys: ['population.islandSync', 'learning.trainer'],
    breaks: (_, { population: { islandSync } }) =>
      islandSync === 'epoch'
        ? null
        : `expected epoch where the run learns, got ${islandSync}: an update is made of a whole step, and the next step waits for it`,
  },
  {
    keys: ['learning.warmup', 'ideation.kind'],
    breaks: (_, { learning: { warmup }, ideation: { kind } }) =>
      warmup === null || kind === 'none'
        ? null
        : `expected none where programs are asked for after an idea (ideation.kind ${kind}), got ${warmup.steps} steps: the texts of a warm-up are prompts for programs as the next step begins with them`,
  },
  {
    keys: ['learning.truncatedIs.high', 'learning.truncatedIs'],
    breaks: (_, { learning: { truncatedIs } }) =>
      truncatedIs === null || truncatedIs.low < truncatedIs.high
        ? null
        : `expected more than learning.truncatedIs.low (${truncatedIs.low}), got ${truncatedIs.high}`,
  },
  {
    keys: ['learning.icepop', 'learning.truncatedIs'],
    breaks: (_, { learning: { icepop, truncatedIs } }) =>
      icepop && truncatedIs === null
        ? 'needs the bounds of the importance weight: set learning.truncatedIs, e.g. {low: 0.5, high: 2}'
        : null,
  },
  {
    keys: ['learning.base', '.name'],
    breaks: ({ model: { kind, name, policy }, at }, { learning: { trainer, base } }) => {
      const from = base ?? name;
      return kind === 'offline' || trainer !== 'reference' || policy !== null || isBytes(from) || from.includes('/')
        ? null
        : `expected the path of a model folder (Hugging Face format), or ${BYTES_MODEL} for a small byte-level model made on the spot, got ${from}${base === null ? `, the name of the model (${at}.name)` : ''}`;
    },
  },
  {
    keys: ['learning.serveUrl', 'learning.serve'],
    breaks: (_, { learning: { serve, serveUrl } }) =>
      serve === 'trainer' || serveUrl !== null
        ? null
        : `expected the address of the ${serve} server that serves policies, e.g. http://127.0.0.1:8000/v1, got none`,
  },
  {
    keys: ['limits.costUsd', 'learning.price'],
    breaks: (_, { limits: { costUsd }, learning: { trainer, price } }) =>
      costUsd !== null && trainer === 'tinker' && price === null
        ? 'a limit on cost needs learning.price ({train} in USD per million tokens), else the cost of training is not known'
        : null,
  },
];

const UNTRAINED: readonly ModelRule[] = [
  {
    keys: ['.trainable', 'learning.trainer'],
    breaks: ({ model, at }) =>
      `${modelId(model)} is to learn, and nobody trains it (learning.trainer none): set learning.trainer to reference, tinker, trl or slime, or ${at}.trainable to false`,
  },
];

const ANY_MODEL: readonly ModelRule[] = [
  {
    keys: ['.policy', '.kind'],
    breaks: ({ model: { kind, policy }, at }) =>
      kind === 'offline' && policy !== null
        ? `expected a model that an endpoint serves, got the offline model: set ${at}.kind to openai, or leave ${at}.policy out`
        : null,
  },
];

export const learningClashes = (config: RunConfig): readonly Clash[] => {
  const models = placedModels(config);
  const [policy, ...more] = models.filter(({ model }) => model.trainable);
  const { trainer } = config.learning;
  return [
    ...models.flatMap((placed) => brokenBy(ANY_MODEL, placed, config)),
    ...(trainer === 'none' || policy === undefined ? [] : more.map((placed) => furtherPolicy(placed, policy))),
    ...(policy === undefined ? [] : brokenBy(trainer === 'none' ? UNTRAINED : RULES, policy, config)),
    ...(trainer === 'none' || policy !== undefined ? [] : [nothingToTrain(trainer)]),
  ];
};

const furtherPolicy = ({ model, at }: Placed, policy: Placed): Clash => ({
  keys: [`${at}.trainable`],
  message: `expected one model that learns, got a further one (${modelId(model)}): ${modelId(policy.model)} (${policy.at}) learns already`,
});

const nothingToTrain = (trainer: string): Clash => ({
  keys: ['learning.trainer', 'model.trainable'],
  message: `${trainer} has nothing to train: set model.trainable (or that of one entry of models) to true, or learning.trainer to none`,
});
