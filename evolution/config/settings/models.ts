// These settings are for the models of a run, with their endpoints and prices, and for embeddings.
import { z } from 'zod';
import { whole, real, above, flag, modelName, oneOf, orNull, endpointUrl, text } from './leaves.ts';

const price = z.strictObject(
  {
    in: real(0, 1e6).describe('USD per million tokens read.'),
    out: real(0, 1e6).describe('USD per million tokens written.'),
    cached: real(0, 1e6)
      .exactOptional()
      .describe('USD per million tokens that the endpoint read from its cache; left out: as `in`.'),
    listed: text('a text', /^.{1,400}$/)
      .exactOptional()
      .describe('The list that it was taken from, with its day, where nobody set a price; it is filled in.'),
  },
  { error: 'a mapping with in and out (USD per million tokens)' },
);

const rate = z
  .strictObject(
    {
      requestsPerMinute: whole(1, 1_000_000).exactOptional().describe('Requests a minute; left out: as many as come.'),
      tokensPerMinute: whole(1, 1e12)
        .exactOptional()
        .describe('Tokens a minute, read and written together; left out: as many as come.'),
    },
    { error: 'a mapping with requestsPerMinute, tokensPerMinute or both' },
  )
  .refine((given) => Object.keys(given).length > 0, 'a mapping with requestsPerMinute, tokensPerMinute or both');

export const model = z.strictObject({
  kind: oneOf('openai', 'offline').describe(
    '`openai`: any endpoint that speaks its protocol. `offline`: the genetic-programming mutator, no language model.',
  ),
  baseUrl: orNull(endpointUrl()).describe(
    'Endpoint, as in OPENAI_BASE_URL. The key is never a setting: it comes from OPENAI_API_KEY.',
  ),
  name: modelName().describe('Model name, as in EVOLVE_MODEL.'),
  alias: modelName()
    .exactOptional()
    .describe(
      'Name by which the run tells it from others (usage, bandit, `remove-model`), where one model is in the run twice, with other settings; left out: its name, and for a second entry of a name its roles too.',
    ),
  temperature: real(0, 2).describe('Sampling temperature.'),
  topP: orNull(above(0, 1)).describe("Nucleus sampling; null: it is not sent, and the endpoint's own holds."),
  maxTokens: whole(1, 10_000_000).describe('Longest answer, tokens.'),
  timeoutSeconds: whole(1, 86_400).describe(
    'Longest wait for one request; of a streamed one a quarter of it, at least a minute, may pass in silence.',
  ),
  nativeN: z
    .union([z.literal('auto'), z.boolean()], { error: 'auto, true or false' })
    .describe('Ask for n responses in one request; `auto` falls back to single requests.'),
  price: orNull(price).describe(
    'USD per million tokens; null: that of the list of prices (docs/models.md), which the run then keeps, else unknown, and cost is reported as 0.',
  ),
  weight: above(0, 1e6).describe(
    "Share of the requests that it gets, relative to the weights of its role's other models.",
  ),
  roles: z
    .array(oneOf('exploit', 'explore', 'meta', 'idea', 'judge', 'repair', 'evaluator'), {
      error: 'a list of exploit, explore, meta, idea, judge, repair, evaluator',
    })
    .min(1, 'at least one role')
    .readonly()
    .describe(
      'What it is asked for: programs when exploiting or exploring (all methods without operators exploit), edited prompts (`meta`, which also writes notes and judges near-duplicates), ideas, judgements, deltas that an answer left out (`repair`: where nobody has the role, whoever exploits), and what the evaluator of the task asks (`evaluator`, with `evaluation.modelCalls`). The judge is never a default, but offline; that of the evaluator never is.',
    ),
  rate: orNull(rate).describe(
    'The most that its endpoint is asked, by all workers and runs together ([operations/sharing.md](operations/sharing.md)); null: as much as comes.',
  ),
  reasoningEffort: orNull(oneOf('none', 'minimal', 'low', 'medium', 'high')).describe(
    'Sent as reasoning_effort where it is set.',
  ),
  trainable: flag().describe(
    "Whether this model is the run's policy: `learning` trains it on what it is asked for (programs, ideas, judgements). At most one model is.",
  ),
  policy: orNull(text('a policy as <run>@<version>, e.g. first@12', /^[a-z0-9-]{1,60}@(0|[1-9][0-9]{0,3})$/)).describe(
    'It is served as this policy of any run or training, `<run>@<version>`; with `trainable`, learning starts from it. Null: no policy of another run.',
  ),
  stream: flag().describe('Whether answers are streamed: for endpoints and proxies that cut long silent calls.'),
});

const MAX_MODELS = 20;

export const modelsOf = <T extends z.ZodType>(entry: T) => {
  const error = `a list of at most ${MAX_MODELS} models, each a mapping with name`;
  return z
    .array(entry, { error })
    .max(MAX_MODELS, error)
    .describe(
      'Further models; each request goes to one of all, drawn by weight. An entry needs a name; what it leaves out is as in `model`, but for price (of the list, or unknown), weight (1) and, at another endpoint, rate (none).',
    );
};

export const modelChoice = oneOf('weighted', 'bandit').describe(
  "How a group of programs gets its model: by weights, or (`bandit`) by what the models' programs were worth and cost (AsymmetricUCB); ideas, judgements and edited prompts by weights always.",
);

export const embedding = z.strictObject({
  model: orNull(modelName()).describe('Embedding model of an OpenAI-compatible endpoint; null: none.'),
  baseUrl: orNull(endpointUrl()).describe('Its endpoint; null: that of `model`.'),
  dimensions: orNull(whole(1, 16_384)).describe("Dimensions asked for; null: the model's own."),
  threshold: orNull(above(0, 1)).describe(
    'Cosine similarity above which a child is a near-duplicate and is not evaluated; null: never.',
  ),
  judge: flag().describe(
    'Whether a model is asked about each near-duplicate, which is then evaluated unless that finds nothing new in it (ShinkaEvolve).',
  ),
  scope: oneOf('island', 'population').describe(
    'Whom a child must differ from: those alive on its island, or all alive.',
  ),
  timeoutSeconds: whole(1, 86_400).describe('Longest wait for one request.'),
  price: orNull(real(0, 1e6)).describe('USD per million tokens; null: unknown, and cost is counted as 0.'),
  rate: orNull(rate)
    .exactOptional()
    .describe(
      'The most that its endpoint is asked for embeddings, by all workers and runs together, in the form of `model.rate`; null or left out: as much as comes.',
    ),
});
