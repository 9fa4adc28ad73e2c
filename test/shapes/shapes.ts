// The shapes of answers and refusals that endpoints document, or that users of public systems reported. Each row is
// played whole and streamed (play.ts); docs/shapes.md holds the table that is made of them.

/** What becomes of the request. `again` is asked again by itself; `parked` waits for a person. */
export type Outcome =
  | 'whole'
  | 'cut'
  | 'refused'
  | 'called a tool'
  | 'only reasoning'
  | 'again, booked'
  | 'again, free'
  | 'parked';

/** An answer of HTTP: a message that ends for a reason, or a status with a body. */
export type Given =
  | {
      readonly message: Readonly<Record<string, unknown>>;
      readonly finish?: string | null;
      /** In events alone: what follows the last one of the choice. */
      readonly last?: 'nothing' | 'silence' | 'error';
      /** A completion of text has no message. */
      readonly bare?: true;
    }
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly raw: string };

export type Shape = {
  readonly name: string;
  /** An address, or a repository with the number of its thread. */
  readonly source: string;
  readonly given: Given | ((body: Body) => Given);
  readonly outcome: Outcome;
  /** Words of the reason. */
  readonly says?: RegExp;
  /** Only one of the two forms has it. */
  readonly form?: 'whole' | 'stream';
};

export type Body = Readonly<Record<string, any>>;

/** No public report is known; servers may send it. */
const HERE = 'tried here';
const OPENAI = 'platform.openai.com/docs/api-reference/chat';
const OPENROUTER = 'openrouter.ai/docs/api/reference/errors-and-debugging';
const DEEPSEEK = 'api-docs.deepseek.com/api/create-chat-completion';
const GEMINI = 'ai.google.dev/api/generate-content#FinishReason';
const ANTHROPIC = 'docs.anthropic.com/en/api/handling-stop-reasons';
const ZHIPU = 'docs.z.ai/api-reference/llm/chat-completion';
const AZURE = 'learn.microsoft.com/azure/ai-services/openai/concepts/content-filter';
const ALIBABA = 'alibabacloud.com/help/model-studio/error-code';

/** The text of every answer that counts. */
export const TEXT = 'the answer with `code`\n';
const said = (content: unknown, rest: object = {}, finish: string | null = 'stop'): Given => ({
  message: { role: 'assistant', content, ...rest },
  finish,
});
const text = (value: string): object => ({ type: 'text', text: value });
const CALL = [{ id: 'c', type: 'function', function: { name: 'write', arguments: '{"program": "x"}' } }];

const WHERE: readonly Shape[] = [
  { name: 'a string', source: OPENAI, given: said(TEXT), outcome: 'whole' },
  {
    name: 'parts of text',
    source: 'spring-projects/spring-ai#5020',
    given: said([text('the answer '), text('with `code`\n')]),
    outcome: 'whole',
  },
  {
    name: 'a part of thinking before one of text',
    source: 'spring-projects/spring-ai#5020',
    given: said([{ type: 'thinking', thinking: [text('hm')] }, text(TEXT)]),
    outcome: 'whole',
  },
  { name: 'one part without a list', source: HERE, given: said(text(TEXT)), outcome: 'whole' },
  {
    name: 'reasoning_content',
    source: 'langchain-ai/langchain#31065',
    given: said(TEXT, { reasoning_content: 'hm' }),
    outcome: 'whole',
  },
  {
    name: 'reasoning',
    source: 'BerriAI/litellm#8193',
    given: said(TEXT, { reasoning: 'hm' }),
    outcome: 'whole',
  },
  {
    name: 'reasoning and its details',
    source: 'openrouter.ai/docs/use-cases/reasoning-tokens',
    given: said(TEXT, { reasoning: 'hm', reasoning_details: [{ type: 'reasoning.text', text: 'hm' }] }),
    outcome: 'whole',
  },
  {
    name: 'details of reasoning alone',
    source: 'openrouter.ai/docs/use-cases/reasoning-tokens',
    given: said(TEXT, { reasoning_details: [{ type: 'reasoning.summary', summary: 'hm' }] }),
    outcome: 'whole',
  },
  { name: 'a refusal beside no content', source: OPENAI, given: said(null, { refusal: TEXT }), outcome: 'whole' },
  {
    name: 'a completion of text',
    source: 'docs.vllm.ai: completions API',
    given: { message: { text: TEXT }, bare: true },
    outcome: 'whole',
  },
  {
    name: 'text beside a call of a tool',
    source: 'Newelle#354',
    given: said(TEXT, { tool_calls: CALL }, 'tool_calls'),
    outcome: 'whole',
  },
  {
    name: 'a call of a tool alone',
    source: 'LocalAI#6218',
    given: said(null, { tool_calls: CALL }, 'tool_calls'),
    outcome: 'called a tool',
    says: /called a tool/,
  },
  {
    name: 'a call of a function',
    source: OPENAI,
    given: said(null, { function_call: { name: 'f', arguments: '{}' } }, 'function_call'),
    outcome: 'called a tool',
  },
  {
    name: 'reasoning and empty content',
    source: 'TencentCloud/TencentDB-Agent-Memory#168',
    given: said('', { reasoning_content: 'hm' }),
    outcome: 'only reasoning',
    says: /raise model\.maxTokens/,
  },
  {
    name: 'reasoning and no content',
    source: 'Azure/azure-sdk-for-java#46931',
    given: said(null, { reasoning: 'hm' }),
    outcome: 'only reasoning',
  },
  {
    name: 'reasoning up to the limit',
    source: 'skydiscover-ai/skydiscover PR#55',
    given: said('', { reasoning_content: 'hm' }, 'length'),
    outcome: 'cut',
  },
];

const ended = (reason: string, source: string, outcome: Outcome): Shape => ({
  name: `ended by ${reason}`,
  source,
  given: said(TEXT, {}, reason),
  outcome,
});

const ENDINGS: readonly Shape[] = [
  ended('eos_token', 'huggingface.co/docs/text-generation-inference', 'whole'),
  ended('end_turn', ANTHROPIC, 'whole'),
  ended('STOP', GEMINI, 'whole'),
  ended('a reason of tomorrow', OPENAI, 'whole'),
  { name: 'no reason', source: 'vllm-project/vllm#52852', given: said(TEXT, {}, null), outcome: 'whole' },
  ended('length', OPENAI, 'cut'),
  ended('model_length', 'docs.mistral.ai/api', 'cut'),
  ended('MAX_TOKENS', GEMINI, 'cut'),
  ended('model_context_window_exceeded', 'anomalyco/opencode#18813', 'cut'),
  ended('content_filter', AZURE, 'refused'),
  ended('SAFETY', GEMINI, 'refused'),
  ended('PROHIBITED_CONTENT', GEMINI, 'refused'),
  ended('refusal', ANTHROPIC, 'refused'),
  ended('sensitive', ZHIPU, 'refused'),
  ended('insufficient_system_resource', DEEPSEEK, 'again, booked'),
  ended('network_error', ZHIPU, 'again, booked'),
  ended('error', OPENROUTER, 'again, booked'),
  ended('abort', 'docs.sglang.ai and vLLM: an aborted request', 'again, booked'),
  {
    name: 'a last word without a reason',
    source: 'vllm-mlx#628',
    given: said(TEXT, {}, null),
    outcome: 'whole',
    form: 'stream',
  },
  {
    name: 'neither reason nor last word',
    source: 'vllm-project/vllm#52852',
    given: { ...said(TEXT, {}, null), last: 'nothing' },
    outcome: 'again, booked',
    form: 'stream',
  },
  {
    name: 'a reason and no last word',
    source: 'vllm-project/vllm#52852',
    given: { ...said(TEXT), last: 'nothing' },
    outcome: 'whole',
    form: 'stream',
  },
  {
    name: 'a reason, then an open connection',
    source: 'vllm-project/vllm#52852',
    given: { ...said(TEXT), last: 'silence' },
    outcome: 'whole',
    form: 'stream',
  },
  {
    name: 'an error after some text',
    source: OPENROUTER,
    given: { ...said(TEXT, {}, null), last: 'error' },
    outcome: 'again, booked',
    form: 'stream',
    says: /answered 502: upstream/,
  },
];

const page = (title: string): string => `<!doctype html><html><head><title>${title}</title></head></html>`;
const inAnswer = (error: unknown): Given => ({ status: 200, body: { error } });

const UNMADE: readonly Shape[] = [
  {
    name: "a gateway's page",
    source: HERE,
    given: { status: 200, body: page('Sign in') },
    outcome: 'again, free',
    says: /a page with the title "Sign in"/,
  },
  {
    name: "a gateway's page with its status",
    source: 'nginx.org',
    given: { status: 503, body: page('503 Service Unavailable') },
    outcome: 'again, free',
  },
  {
    name: 'an overload in a 200',
    source: OPENROUTER,
    given: inAnswer({ code: 429, message: 'Rate limit exceeded' }),
    outcome: 'again, free',
    says: /answered 429/,
  },
  {
    name: 'a failure in a 200',
    source: OPENROUTER,
    given: inAnswer({ code: 502, message: 'Provider returned error' }),
    outcome: 'again, free',
    says: /answered 502/,
  },
  {
    name: 'a wrong key in a 200',
    source: OPENROUTER,
    given: inAnswer({ code: 401, message: 'No auth credentials found' }),
    outcome: 'parked',
    says: /set OPENAI_API_KEY/,
  },
  {
    name: 'no credit in a 200',
    source: OPENROUTER,
    given: inAnswer({ code: 402, message: 'Insufficient credits' }),
    outcome: 'parked',
    says: /no credit is left/,
  },
  {
    name: 'a text for an error',
    source: 'inspect_ai PR#1536',
    given: inAnswer('model is overloaded'),
    outcome: 'again, free',
    says: /answered 503: model is overloaded/,
  },
  {
    name: 'an empty body',
    source: 'ben-vargas/ai-sdk-provider-opencode-sdk#21',
    given: { raw: 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 0\r\n\r\n' },
    outcome: 'again, free',
    form: 'whole',
  },
  {
    name: 'a compression that is none',
    source: 'nodejs.org/api/zlib',
    given: { status: 200, body: { choices: [] }, headers: { 'content-encoding': 'gzip' } },
    outcome: 'again, free',
    says: /compression/,
  },
  {
    name: 'another protocol',
    source: 'nodejs/undici',
    given: { raw: 'SSH-2.0-OpenSSH_9.6\r\n' },
    outcome: 'again, free',
    says: /does not speak HTTP/,
  },
];

const refusal = (status: number, error: unknown): Given => ({ status, body: { error } });

const PROMPTS: readonly Shape[] = [
  {
    name: 'a content filter',
    source: AZURE,
    given: refusal(400, {
      code: 'content_filter',
      message: 'The response was filtered',
      innererror: { code: 'ResponsibleAIPolicyViolation' },
    }),
    outcome: 'refused',
  },
  {
    name: 'an invalid prompt',
    source: OPENAI,
    given: refusal(400, {
      code: 'invalid_prompt',
      message: 'Your prompt was flagged as potentially violating our usage policy',
    }),
    outcome: 'refused',
  },
  {
    name: 'a moderation',
    source: OPENROUTER,
    given: refusal(403, {
      code: 403,
      message: 'Your chosen model requires moderation and your input was flagged',
      metadata: { reasons: ['violence'], flagged_input: 'x' },
    }),
    outcome: 'refused',
  },
  {
    name: 'an inspection of data',
    source: ALIBABA,
    given: refusal(400, { code: 'data_inspection_failed', message: 'Input data may contain inappropriate content.' }),
    outcome: 'refused',
  },
  {
    name: 'a sensitive word',
    source: ZHIPU,
    given: refusal(400, { code: '1301', message: '系统检测到输入或生成内容可能包含不安全或敏感内容' }),
    outcome: 'refused',
  },
  {
    name: 'a refusal that a gateway wraps',
    source: OPENROUTER,
    given: refusal(400, {
      code: 400,
      message: 'Provider returned error',
      metadata: { raw: '{"error":{"code":"content_policy_violation"}}' },
    }),
    outcome: 'refused',
  },
];

/** Refused as long as the request has the setting. */
const unless =
  (isFine: (body: Body) => boolean, refused: Given) =>
  (body: Body): Given =>
    isFine(body) ? said(TEXT) : refused;
const without = (name: string, error: unknown, status = 400) =>
  unless((body) => !(name in body), refusal(status, error));
const setting = (name: string, source: string, given: Shape['given']): Shape => ({
  name,
  source,
  given,
  outcome: 'whole',
});
const SYSTEM = (body: Body): boolean => !body['messages'].some(({ role }: Body) => role === 'system');

const SETTINGS: readonly Shape[] = [
  setting(
    'temperature: only the default',
    OPENAI,
    without('temperature', {
      param: 'temperature',
      code: 'unsupported_value',
      message: "Unsupported value: 'temperature' does not support 0.7 with this model.",
    }),
  ),
  setting('temperature: must be 1', HERE, without('temperature', { message: 'invalid temperature: must be 1' })),
  setting(
    'temperature: in another language',
    ZHIPU,
    without('temperature', { code: '1210', message: 'API 调用参数 temperature 有误' }),
  ),
  setting(
    'seed: no valid parameter',
    'ai.google.dev/gemini-api/docs/openai',
    without('seed', { message: '`seed` is not a valid parameter' }),
  ),
  setting(
    'seed: named by place',
    'FastAPI: 422 of a validator',
    unless((body) => !('seed' in body), {
      status: 422,
      body: {
        detail: [{ type: 'extra_forbidden', loc: ['body', 'seed'], msg: 'Extra inputs are not permitted', input: 5 }],
      },
    }),
  ),
  setting(
    'seed: within a wrapped error',
    'open-webui/computer#293',
    without('seed', {
      message: 'Provider returned error',
      metadata: { raw: '{"error":{"message":"Unknown parameter: seed"}}' },
    }),
  ),
  setting(
    'top_p beside temperature',
    'docs.anthropic.com: Claude Opus 4.1',
    unless(
      (body) => !('top_p' in body),
      refusal(400, { message: '`temperature` and `top_p` cannot both be specified for this model' }),
    ),
  ),
  setting(
    'max_completion_tokens',
    OPENAI,
    without('max_tokens', {
      param: 'max_tokens',
      code: 'unsupported_parameter',
      message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
    }),
  ),
  setting(
    'no system role',
    'huggingface.co/google/gemma-2-9b-it: chat template',
    unless(SYSTEM, refusal(400, { message: 'System role not supported' })),
  ),
  setting(
    'no system role, as a failure',
    'vllm-project/vllm#6862',
    unless(SYSTEM, refusal(500, { message: 'jinja2 TemplateError: System role not supported' })),
  ),
  setting(
    'strict turns',
    'huggingface/chat-ui#1386',
    unless(SYSTEM, refusal(400, { message: 'Conversation roles must alternate user/assistant/user/assistant/...' })),
  ),
  {
    name: 'a failure that speaks of a system',
    source: 'vllm-project/vllm#6862',
    given: refusal(500, { message: 'Internal system error, message 17' }),
    outcome: 'again, booked',
  },
  {
    name: 'a temperature out of range',
    source: OPENAI,
    given: refusal(400, {
      param: 'temperature',
      message: "Invalid 'temperature': decimal above maximum value. Expected a value <= 2.",
    }),
    outcome: 'parked',
  },
];

const QUOTAS: readonly Shape[] = [
  {
    name: '429 without quota',
    source: 'openai/codex PR#6340',
    given: refusal(429, {
      code: 'insufficient_quota',
      message: 'You exceeded your current quota, please check your plan and billing details.',
    }),
    outcome: 'parked',
    says: /no credit is left/,
  },
  {
    name: '429 with a balance that is used up',
    source: 'docs.z.ai/api-reference/api-code',
    given: refusal(429, { code: '1113', message: 'Your account balance is exhausted, please recharge' }),
    outcome: 'parked',
    says: /no credit is left/,
  },
  {
    name: '402',
    source: 'platform.deepseek.com/api-docs/quick_start/error_codes',
    given: refusal(402, { message: 'Insufficient Balance' }),
    outcome: 'parked',
    says: /no credit is left/,
  },
  {
    name: '400 without credit',
    source: 'docs.anthropic.com/en/api/errors',
    given: refusal(400, {
      type: 'invalid_request_error',
      message: 'Your credit balance is too low to access the Anthropic API.',
    }),
    outcome: 'parked',
    says: /no credit is left/,
  },
  {
    name: 'an overdue account',
    source: ALIBABA,
    given: refusal(400, {
      code: 'Arrearage',
      message: 'Access denied, please make sure your account is in good standing.',
    }),
    outcome: 'parked',
    says: /no credit is left/,
  },
  {
    name: '401 with an empty balance',
    source: 'langchain-ai/langchainjs#1929',
    given: refusal(401, { message: 'Your balance is empty' }),
    outcome: 'parked',
    says: /no credit is left/,
  },
  {
    name: '403 with the limit of a key',
    source: OPENROUTER,
    given: refusal(403, { message: 'Key limit exceeded' }),
    outcome: 'parked',
    says: /no credit is left/,
  },
  {
    name: '401',
    source: OPENAI,
    given: refusal(401, { code: 'invalid_api_key', message: 'Incorrect API key provided' }),
    outcome: 'parked',
    says: /set OPENAI_API_KEY/,
  },
  {
    name: '403 without permission',
    source: OPENAI,
    given: refusal(403, { message: 'Country, region, or territory not supported' }),
    outcome: 'parked',
    says: /may not do this/,
  },
  {
    name: 'a rate',
    source: OPENAI,
    given: refusal(429, { code: 'rate_limit_exceeded', message: 'Rate limit reached for gpt-5' }),
    outcome: 'again, free',
  },
  {
    name: 'a quota of a minute',
    source: 'ai.google.dev/gemini-api/docs/rate-limits',
    given: refusal(429, {
      status: 'RESOURCE_EXHAUSTED',
      message: 'You exceeded your current quota, please check your plan and billing details',
      details: [{ retryDelay: '34s' }],
    }),
    outcome: 'again, free',
  },
  {
    name: 'an overload',
    source: 'docs.anthropic.com/en/api/errors',
    given: refusal(529, { type: 'overloaded_error', message: 'Overloaded' }),
    outcome: 'again, free',
  },
];

/** Refused as long as the answer may be longer. */
const longest = (most: number, name: string, source: string, message: string, rest: object = {}): Shape =>
  setting(
    name,
    source,
    unless((body) => body['max_tokens'] <= most, refusal(400, { message, ...rest })),
  );

const LENGTHS: readonly Shape[] = [
  longest(
    3_192,
    'window of vLLM',
    'vllm-project/vllm#33418',
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (5000 in the messages, 4000 in the completion).",
  ),
  longest(
    3_192,
    'window of vLLM, newer',
    'vllm-project/vllm#4667',
    "'max_tokens' or 'max_completion_tokens' is too large: 4000. This model's maximum context length is 8192 tokens and your request has 5000 input tokens (4000 > 8192 - 5000).",
  ),
  longest(
    3_192,
    'window of SGLang',
    'docs.sglang.ai',
    "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 9000 tokens: 5000 tokens from the input messages and 4000 tokens for the completion.",
  ),
  longest(
    3_192,
    'window of llama.cpp',
    'ggml-org/llama.cpp server README',
    'the request exceeds the available context size (8192 tokens), try increasing it',
    { type: 'exceed_context_size_error', n_prompt_tokens: 5000, n_ctx: 8192 },
  ),
  longest(
    3_192,
    'window of TGI',
    'huggingface.co/docs/text-generation-inference',
    '`inputs` tokens + `max_new_tokens` must be <= 8192. Given: 5000 `inputs` tokens and 4000 `max_new_tokens`',
  ),
  longest(
    3_000,
    'largest answer of OpenAI',
    OPENAI,
    'max_tokens is too large: 4000. This model supports at most 3000 completion tokens, whereas you provided 4000.',
  ),
  longest(
    3_000,
    'largest answer of Anthropic',
    'docs.anthropic.com/en/api/errors',
    'max_tokens: 4000 > 3000, which is the maximum allowed number of output tokens for claude-3',
  ),
  longest(
    3_000,
    'largest answer of DeepSeek',
    'repowise-dev/repowise#987',
    'Invalid max_tokens value, the valid range of max_tokens is [1, 3000]',
  ),
  longest(
    3_000,
    'largest answer of Groq',
    'console.groq.com/docs/errors',
    '`max_tokens` must be less than or equal to `3000`, the maximum value for `max_tokens` is less than the `context_window` for this model',
  ),
  {
    name: 'a prompt that fills the window',
    source: 'zoedolan/Vybn PR#3030',
    given: refusal(400, {
      code: 'context_length_exceeded',
      message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    }),
    outcome: 'parked',
    says: /model\.maxTokens.*prompt\.maxTokens.*evolve rewind/,
  },
];

export const SHAPES: readonly Shape[] = [
  ...WHERE,
  ...ENDINGS,
  ...UNMADE,
  ...PROMPTS,
  ...SETTINGS,
  ...QUOTAS,
  ...LENGTHS,
];
