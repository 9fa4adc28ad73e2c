// The token ids and logprobs of an answer, read without trust. vLLM gives them where `return_token_ids` and `logprobs`
// are asked for; SGLang gives them as `meta_info.output_token_logprobs`, a list of [logprob, id, text].
import { lasting } from '../transport/model-error.ts';
import { fieldsOf } from '../transport/numbers.ts';
import type { ChatRequest, Sampled } from '../chat/client.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The most token ids of a prompt or an answer: four bytes each, so that the document of a sample stays below 12 MB. */
const MOST_IDS = 1_000_000;
const LARGEST_ID = 2 ** 31 - 1;
/** A logprob is at most 0; rounding may lift it by so much. */
const ROUNDING = 1e-3;

/**
 * One entry for each choice that was asked for. An answer whose tokens cannot be right is `broken` and stays an answer.
 * Throws where the endpoint gives no tokens at all, because asking again would not change that.
 */
export const readSampled = (completion: Fields, request: ChatRequest): readonly Sampled[] => {
  const choices = (completion['choices'] as readonly unknown[]).slice(0, request.n).map(fieldsOf);
  const found = choices.map((choice) => tokensOf(choice, completion));
  if (found.length > 0 && found.every(({ ids, logprobs }) => ids === null || logprobs === null)) {
    const lacks = [
      ...(found.every(({ ids }) => ids === null) ? ['token ids'] : []),
      ...(found.every(({ logprobs }) => logprobs === null) ? ['logprobs'] : []),
    ];
    throw lasting(
      `a model that learns must answer with the token ids and logprobs that it sampled, and ${request.model} answers without ${lacks.join(' and ') || 'both together'}: set model.trainable to false for it, or serve it with the reference trainer, vLLM (return_token_ids) or SGLang (return_meta_info)`,
      200,
    );
  }
  return found.map((one) => sampledOf(one, request));
};

/** Null where the endpoint gives none. */
type Found = {
  readonly prompt: unknown;
  readonly ids: readonly unknown[] | null;
  readonly logprobs: readonly unknown[] | null;
};

const tokensOf = (choice: Fields, completion: Fields): Found => {
  const prompt = choice['prompt_token_ids'] ?? completion['prompt_token_ids'];
  const pairs = listOf(fieldsOf(choice['meta_info'])['output_token_logprobs'])?.map(listOf) ?? null;
  const content = listOf(fieldsOf(choice['logprobs'])['content']);
  return {
    prompt,
    ids: listOf(choice['token_ids']) ?? pairs?.map((pair) => pair?.[1]) ?? null,
    logprobs: content?.map((one) => fieldsOf(one)['logprob']) ?? pairs?.map((pair) => pair?.[0]) ?? null,
  };
};

const listOf = (value: unknown): readonly unknown[] | null => (Array.isArray(value) ? value : null);

const sampledOf = ({ prompt, ids, logprobs }: Found, { maxTokens }: ChatRequest): Sampled => {
  const asked = listOf(prompt);
  if (asked === null || asked.length === 0) return { broken: 'no token ids of the prompt came' };
  if (ids === null || logprobs === null) return { broken: 'no token ids or no logprobs came with this answer' };
  if (ids.length !== logprobs.length)
    return { broken: `expected one logprob for each token, got ${ids.length} tokens and ${logprobs.length} logprobs` };
  if (ids.length === 0) return { broken: 'the answer has no tokens' };
  if (ids.length > Math.min(maxTokens, MOST_IDS))
    return { broken: `expected at most ${Math.min(maxTokens, MOST_IDS)} tokens, got ${ids.length}` };
  if (asked.length > MOST_IDS)
    return { broken: `expected a prompt of at most ${MOST_IDS} tokens, got ${asked.length}` };
  for (const list of [asked, ids]) {
    const at = list.findIndex((id) => !isId(id));
    if (at !== -1) return { broken: `expected token ids from 0 to ${LARGEST_ID}, got ${shownNumber(list[at])}` };
  }
  const wrong = logprobs.findIndex((one) => !isLogprob(one));
  if (wrong !== -1)
    return { broken: `expected finite logprobs of at most 0, got ${shownNumber(logprobs[wrong])} for token ${wrong}` };
  return {
    prompt: Int32Array.from(asked as readonly number[]),
    response: Int32Array.from(ids as readonly number[]),
    logprobs: Float32Array.from(logprobs as readonly number[], (one) => Math.min(0, one)),
  };
};

const isId = (id: unknown): boolean => typeof id === 'number' && Number.isInteger(id) && id >= 0 && id <= LARGEST_ID;

/** Finite in the 32 bits in which it is stored, too. */
const isLogprob = (one: unknown): boolean =>
  typeof one === 'number' && Number.isFinite(Math.fround(one)) && one <= ROUNDING;

const shownNumber = (value: unknown): string =>
  typeof value === 'number' ? String(value) : value === null ? 'null' : `a ${typeof value}`;
