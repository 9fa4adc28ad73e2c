// What a refusal of an endpoint means, by the words and codes of those that people use (docs/shapes.md).

/** As the endpoint said it. */
export type Refused = {
  readonly status: number;
  /** One line or more, not yet cleaned of keys. */
  readonly words: string;
  readonly codes: readonly string[];
  /** The parameters of the request that are named. */
  readonly params: readonly string[];
  readonly retryAfterMs: number | null;
};

const CONTENT_STATUS = new Set([400, 403, 422, 451]);
const CONTENT_CODES =
  /^(content_?filter|content_?policy|invalid_prompt|responsible_?ai|data_?inspection|moderation|flagged|safety|(public_error_)?unsafe|sensitive|prompt_?blocked|guardrail|1301$)/i;
const CONTENT_WORDS =
  /content.{0,12}(filter|polic)|usage polic|safety (system|filter|polic|settings)|moderation|\bflagged\b|inappropriate content|sensitive (content|word)|responsible ai|prohibited (content|use)|violat\w+ .{0,40}(polic|guideline)|content exists risk|敏感/i;

/** The endpoint refuses this prompt for what it says. Another prompt may pass. */
export const isAboutContent = ({ status, words, codes }: Refused): boolean =>
  CONTENT_STATUS.has(status) && (codes.some((code) => CONTENT_CODES.test(code)) || CONTENT_WORDS.test(words));

const QUOTA_STATUS = new Set([400, 401, 402, 403, 429]);
const QUOTA =
  /insufficient.{0,3}(quota|balance|credit|funds)|credit balance|(no|out of) credits?\b|more credits|exceeded your current quota|key limit exceeded|balance (is )?(empty|too low|insufficient|exhausted)|billing.{0,20}(limit|inactive|not active)|payment required|arrears|arrearage|overdue|余额不足|欠费/i;

/** No credit is left, which no wait cures. A quota of time names when it is there again. */
export const isAboutQuota = ({ status, words, codes, retryAfterMs }: Refused): boolean =>
  status === 402 || (QUOTA_STATUS.has(status) && retryAfterMs === null && QUOTA.test([words, ...codes].join(' ')));

const LENGTH_STATUS = new Set([400, 413, 422, 500]);
const LENGTH =
  /context.{0,3}(length|limit|size|window|shift)|max_(completion_|new_|output_)?tokens.{0,60}(large|exceed|less|at most|valid range|maximum|[<>])|(prompt|input|request).{0,30}too (long|large)|token count exceeds/i;

/** Prompt and answer do not fit into the model's window, or the answer may not have so many tokens. */
export const isAboutLength = ({ status, words, codes }: Refused): boolean =>
  LENGTH_STATUS.has(status) && LENGTH.test([words, ...codes].join(' '));

/** An answer of fewer tokens holds no program. */
const FEWEST_TOKENS = 256;
const NUMBER = '(\\d[\\d,]{1,9})';
const WINDOW = new RegExp(
  `(?:context (?:length|limit|size|window)|maximum context length)[^\\d]{0,40}${NUMBER}(?![\\d,]*\\s*\\+)|\\+ [\\d,]+ > ${NUMBER}|> ${NUMBER}$|(?:<=|with) ${NUMBER}(?: maximum context|\\. Given)|n_ctx[^\\d]{0,5}${NUMBER}`,
  'i',
);
const PROMPT = new RegExp(
  `${NUMBER}\\s*(?:tokens? )?(?:in the messages|from the input|input tokens|\`?inputs?\`? tokens|in your prompt|in the prompt)|(?:limit|prompt contains|n_prompt_tokens)[^\\d]{0,5}${NUMBER}`,
  'i',
);
const LARGEST = new RegExp(
  `(?:at most|maximum (?:value|allowed number of output tokens)?[^\\d]{0,20}|supports (?:at most )?|less than or equal to|up to|valid range[^\\d]{0,40}\\[\\d+,|> )[^\\d]{0,3}${NUMBER}`,
  'i',
);

const AT_LEAST = /contains at least/i;

const numberIn = (pattern: RegExp, words: string): number | null => {
  const found = pattern
    .exec(words)
    ?.slice(1)
    .find((group) => group !== undefined);
  return found === undefined ? null : Number(found.replaceAll(',', ''));
};

/**
 * The tokens that an answer may have where the endpoint names its limit and refused so many; null where it names none,
 * or an answer of that length holds no program.
 */
export const fittingTokens = (refused: Refused, asked: number): number | null => {
  if (!isAboutLength(refused)) return null;
  const words = [refused.words, ...refused.codes].join(' ');
  const window = numberIn(WINDOW, words);
  const prompt = numberIn(PROMPT, words);
  const named = window !== null && prompt !== null ? window - prompt : numberIn(LARGEST, words);
  // vLLM stops counting where a prompt is too long already: what would be left is one token less than was asked for.
  const most = named !== null && AT_LEAST.test(words) ? Math.min(named, Math.floor(asked / 2)) : named;
  return most !== null && most >= FEWEST_TOKENS && most < asked ? most : null;
};

/** Settings of a request that an endpoint may refuse, so that it is asked without them. */
export type Setting =
  | 'temperature'
  | 'top_p'
  | 'seed'
  | 'reasoning_effort'
  | 'stream_options'
  | 'max_tokens'
  | 'n'
  | 'system';

const NAMED: readonly Setting[] = ['temperature', 'top_p', 'seed', 'reasoning_effort', 'stream_options'];
const SYSTEM =
  /system.{0,20}(role|message|prompt|instruction)|(developer|system) instruction|roles must alternate|role.{0,20}\bsystem\b/i;
/** A template of a chat that fails is told as a failure of the server. */
const TEMPLATE = /jinja|template/i;
/** A value out of range is a mistake to mend, and no reason to leave the setting out. */
const RANGE = /\b(maximum|minimum|range|between|less than|greater than|at most|at least|above|below|decimal)\b|[<>]=/i;
/** Several answers to one request, where no other setting is named. */
const SEVERAL = /(?<![\\\w])n(?![\w\\])|\bchoices\b/;
const NOT_TAKEN = /unsupported|not support|only the default|does not accept|deprecated|cannot both/i;

/** The sent setting that is refused, whatever the words or the language; null where the refusal is about something else. */
export const refusedSetting = (
  { status, words, codes, params }: Refused,
  sent: ReadonlySet<Setting>,
): Setting | null => {
  const isTemplate = status === 500 && TEMPLATE.test(words);
  if (sent.has('system') && (status === 400 || status === 422 || isTemplate) && SYSTEM.test(words)) return 'system';
  if (status !== 400 && status !== 422) return null;
  if (sent.has('max_tokens') && words.includes('max_completion_tokens')) return 'max_tokens';
  const isNamed = (name: Setting): boolean =>
    params.includes(name) || [words, ...codes].some((text) => new RegExp(`\\b${name}\\b`).test(text));
  const named = NAMED.filter((name) => sent.has(name) && isNamed(name));
  if (sent.has('n') && (params.includes('n') || (named.length === 0 && SEVERAL.test(words)))) return 'n';
  if (RANGE.test(words) && !NOT_TAKEN.test(words)) return null;
  // Of two settings that exclude each other, the temperature stays.
  if (/cannot both/i.test(words) && named.includes('top_p')) return 'top_p';
  return named.find((name) => params.includes(name)) ?? named[0] ?? null;
};
