// A call's tokens: estimated where the endpoint names none, shared out among its responses; and what is stored of how
// the model was asked.
import { modelId } from '../../../evolution/models/ensemble.ts';
import type { Message, Usage } from '../../../evolution/types.ts';
import type { Asked, Sent } from '../../store/documents/step-documents.ts';
import { estimatedTokens } from '../transport/numbers.ts';
import type { ChatResponse } from './client.ts';

/** Whole numbers in proportion to the weights. They add up to the total exactly. */
export const shares = (total: number, weights: readonly number[]): number[] => {
  const sum = weights.reduce((a, b) => a + b, 0);
  let seen = 0;
  let given = 0;
  return weights.map((weight) => {
    seen += weight;
    const upTo = Math.round((total * seen) / sum);
    const share = upTo - given;
    given = upTo;
    return share;
  });
};

/** A call's usage by response. The prompt is paid once for each call, and counts with the first response. */
export const usageShares = (usage: Usage, weights: readonly number[]): readonly Usage[] => {
  const out = shares(usage.out, weights);
  const reasoning = usage.reasoning === undefined ? null : shares(usage.reasoning, weights);
  return weights.map((_, index) => ({
    in: index === 0 ? usage.in : 0,
    out: out[index]!,
    ...(usage.cached === undefined ? {} : { cached: index === 0 ? usage.cached : 0 }),
    ...(reasoning === null ? {} : { reasoning: reasoning[index]! }),
  }));
};

/** The part of a request that is stored with its answer. */
export const askedWith = (
  settings: { readonly name: string; readonly alias?: string },
  { model, unsent }: Pick<ChatResponse, 'model' | 'unsent'>,
): Asked => ({
  ...(model === modelId(settings) ? {} : { asked: modelId(settings) }),
  ...(unsent === undefined ? {} : { unsent }),
});

/** All that came, answers and reasoning. */
const textOf = ({ choices }: Pick<ChatResponse, 'choices'>): string =>
  choices.map(({ text, reasoning }) => `${reasoning ?? ''}${text}`).join('\n');

export const promptTokens = (messages: readonly Message[]): number =>
  estimatedTokens(messages.reduce((sum, { content }) => sum + content.length, 0));

/**
 * The answer with our estimate of its tokens, where the endpoint names zero. A refusal for its content was not worked
 * on, and stays free.
 */
export const withUsage = (answer: ChatResponse, prompt: number): ChatResponse => {
  const { usage, choices } = answer;
  const text = textOf(answer);
  if (usage.in + usage.out > 0) return answer;
  if (text.trim() === '' && choices.some(({ finishReason }) => finishReason === 'content_filter')) return answer;
  return { ...answer, usage: { in: prompt, out: estimatedTokens(text.length) }, estimated: true };
};

/** The cost of an answer that is not stored: without a usage where the endpoint named none. */
export const costOfAnswer = (answer: ChatResponse): { readonly usage: Usage | null; readonly text: string } => ({
  usage: answer.estimated === true ? null : answer.usage,
  text: textOf(answer),
});

/** The number of the sending and the estimate, as they are stored with an answer. */
export const sentAs = (sending: number, { estimated }: Pick<ChatResponse, 'estimated'>): Sent => ({
  ...(sending === 1 ? {} : { sending }),
  ...(estimated === true ? { estimated } : {}),
});
