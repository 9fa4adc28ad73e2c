// Rules of a run that learns: one model is its policy, and its rewards and advantages can be computed.
import { BYTES_MODEL, isBytes } from '../../config/bytes.ts';
import type { Clash } from '../../config/problems.ts';
import type { ModelSettings, RunConfig } from '../../config/run-config.ts';
import { LEAST_GROUP } from '../../learning/advantages.ts';
import { modelId, modelPool } from '../../models/ensemble.ts';
import type { Role } from '../../types.ts';

/** The roles with a reward. Edited prompts and repaired deltas have none of their own. */
const TRAINABLE: readonly Role[] = ['exploit', 'explore', 'idea', 'judge'];

type Rule = (config: RunConfig, policy: Policy) => readonly Clash[];
type Policy = { readonly model: ModelSettings; readonly at: string };

const RULES: readonly Rule[] = [
  (_, { model: { kind }, at }) =>
    kind === 'offline'
      ? [
          {
            keys: [`${at}.trainable`, `${at}.kind`],
            message:
              'expected a model with token ids and logprobs, got the offline model, which has no weights: name a model folder, or `--model bytes` for a small byte-level model that is made on the spot',
          },
        ]
      : [],
  (_, { model: { roles, name }, at }) =>
    roles.some((role) => TRAINABLE.includes(role))
      ? []
      : [
          {
            keys: [`${at}.roles`, `${at}.trainable`],
            message: `expected at least one role that has a reward (${TRAINABLE.join(', ')}) for ${name}, which learns, got ${roles.join(', ')}`,
          },
        ],
  (_, { model: { topP, temperature }, at }) => [
    ...(topP === 1
      ? []
      : [
          {
            keys: [`${at}.topP`, `${at}.trainable`],
            message: `expected 1 for a model that learns, got ${topP}: the logprobs of a distribution that was cut are not those of the policy`,
          },
        ]),
    ...(temperature > 0
      ? []
      : [
          {
            keys: [`${at}.temperature`, `${at}.trainable`],
            message: `expected more than 0 for a model that learns, got ${temperature}: without chance all its answers are the same`,
          },
        ]),
  ],
  ({ ideation: { kind, gate, judgeTemperature } }, { model: { roles, temperature }, at }) => {
    if (kind === 'none' || gate === 'off' || !roles.includes('judge')) return [];
    const keys = ['ideation.judgeTemperature', `${at}.roles`];
    if (judgeTemperature === 0)
      return [
        {
          keys,
          message: 'expected more than 0 for a judge that learns, got 0: without chance all its answers are the same',
        },
      ];
    return roles.every((role) => role === 'judge') || judgeTemperature === temperature
      ? []
      : [
          {
            keys,
            message: `expected ${at}.temperature (${temperature}) for a judge that also writes, got ${judgeTemperature}: an update is for one temperature`,
          },
        ];
  },
  ({ batch, responses, learning: { advantage } }, { model: { roles }, at }) => {
    const writes = roles.includes('exploit') || roles.includes('explore');
    const [key, size] = writes ? (['responses', responses] as const) : (['batch', batch] as const);
    const least = LEAST_GROUP[advantage];
    return size >= least
      ? []
      : [
          {
            keys: [key, `${at}.trainable`, 'learning.advantage'],
            message: `expected at least ${least} with learning.advantage ${advantage}, got ${size}: an answer is compared with the others of its ${writes ? 'group' : 'step'}`,
          },
        ];
  },
  ({ population: { islandSync } }) =>
    islandSync === 'epoch'
      ? []
      : [
          {
            keys: ['population.islandSync', 'learning.trainer'],
            message: `expected epoch where the run learns, got ${islandSync}: an update is made of a whole step, and the next step waits for it`,
          },
        ],
  ({ learning: { warmup }, ideation: { kind } }) =>
    warmup === null || kind === 'none'
      ? []
      : [
          {
            keys: ['learning.warmup', 'ideation.kind'],
            message: `expected none where programs are asked for after an idea (ideation.kind ${kind}), got ${warmup.steps} steps: the texts of a warm-up are prompts for programs as the next step begins with them`,
          },
        ],
  ({ learning: { truncatedIs } }) =>
    truncatedIs === null || truncatedIs.low < truncatedIs.high
      ? []
      : [
          {
            keys: ['learning.truncatedIs.high', 'learning.truncatedIs'],
            message: `expected more than learning.truncatedIs.low (${truncatedIs.low}), got ${truncatedIs.high}`,
          },
        ],
  ({ learning: { icepop, truncatedIs } }) =>
    icepop && truncatedIs === null
      ? [
          {
            keys: ['learning.icepop', 'learning.truncatedIs'],
            message: 'needs the bounds of the importance weight: set learning.truncatedIs, e.g. {low: 0.5, high: 2}',
          },
        ]
      : [],
  ({ learning: { trainer, base } }, { model: { kind, name, policy }, at }) => {
    const from = base ?? name;
    return kind === 'offline' || trainer !== 'reference' || policy !== null || isBytes(from) || from.includes('/')
      ? []
      : [
          {
            keys: ['learning.base', `${at}.name`],
            message: `expected the path of a model folder (Hugging Face format), or ${BYTES_MODEL} for a small byte-level model made on the spot, got ${from}${base === null ? `, the name of the model (${at}.name)` : ''}`,
          },
        ];
  },
  ({ learning: { serve, serveUrl } }) =>
    serve === 'trainer' || serveUrl !== null
      ? []
      : [
          {
            keys: ['learning.serveUrl', 'learning.serve'],
            message: `expected the address of the ${serve} server that serves policies, e.g. http://127.0.0.1:8000/v1, got none`,
          },
        ],
  ({ limits: { costUsd }, learning: { trainer, price } }) =>
    costUsd !== null && trainer === 'tinker' && price === null
      ? [
          {
            keys: ['limits.costUsd', 'learning.price'],
            message:
              'a limit on cost needs learning.price ({train} in USD per million tokens), else the cost of training is not known',
          },
        ]
      : [],
];

export const learningClashes: (config: RunConfig) => readonly Clash[] = (config) => {
  const models = modelPool(config).map((model, index): Policy => ({
    model,
    at: index === 0 ? 'model' : `models.${index - 1}`,
  }));
  const [policy, ...more] = models.filter(({ model }) => model.trainable);
  return [
    ...models.flatMap(fixedPolicy),
    ...(config.learning.trainer === 'none' ? untrained(policy) : trained(config, policy, more)),
  ];
};

const fixedPolicy = ({ model: { kind, policy }, at }: Policy): readonly Clash[] =>
  kind === 'offline' && (policy ?? null) !== null
    ? [
        {
          keys: [`${at}.policy`, `${at}.kind`],
          message: `expected a model that an endpoint serves, got the offline model: set ${at}.kind to openai, or leave ${at}.policy out`,
        },
      ]
    : [];

const untrained = (policy: Policy | undefined): readonly Clash[] =>
  policy === undefined
    ? []
    : [
        {
          keys: [`${policy.at}.trainable`, 'learning.trainer'],
          message: `${modelId(policy.model)} is to learn, and nobody trains it (learning.trainer none): set learning.trainer to reference, tinker, trl or slime, or ${policy.at}.trainable to false`,
        },
      ];

const trained = (config: RunConfig, policy: Policy | undefined, more: readonly Policy[]): readonly Clash[] =>
  policy === undefined
    ? [
        {
          keys: ['learning.trainer', 'model.trainable'],
          message: `${config.learning.trainer} has nothing to train: set model.trainable (or that of one entry of models) to true, or learning.trainer to none`,
        },
      ]
    : [
        ...more.map(({ model, at }) => ({
          keys: [`${at}.trainable`],
          message: `expected one model that learns, got a further one (${modelId(model)}): ${modelId(policy.model)} (${policy.at}) learns already`,
        })),
        ...RULES.flatMap((rule) => rule(config, policy)),
      ];
