// A call's tokens shared out among its responses, and what is stored of how the model was asked.
import type { Usage } from '../../../evolution/types.ts';
import type { Asked } from '../../store/step-documents.ts';
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

/** What is stored of how a model was asked. */
export const askedWith = (
  { name }: { readonly name: string },
  { model, unsent }: Pick<ChatResponse, 'model' | 'unsent'>,
): Asked => ({ ...(model === name ? {} : { asked: name }), ...(unsent === undefined ? {} : { unsent }) });
