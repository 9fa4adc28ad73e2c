// The programs that people injected, as candidates of a step: slots after the model's, without a parent. Called by plan-step.ts.
import type { RunConfig } from '../evolution/config/run-config.ts';
import { normalise } from '../evolution/equivalence.ts';
import { programId } from '../evolution/ids.ts';
import type { DeltaDocument } from './store/documents.ts';
import { hashText } from './store/hash.ts';
import type { Store } from './store/store.ts';

type Step = { readonly run: string; readonly step: number; readonly epoch: number; readonly config: RunConfig };

/** How many the step has, and the slots of those that are to be evaluated. */
export const takeInjected = async (store: Store, { run, step, epoch, config }: Step): Promise<{ readonly count: number; readonly evaluate: readonly number[] }> => {
  const injections = await store.takeInjections(run, step);
  if (injections.length === 0) return { count: 0, evaluate: [] };
  const texts = await store.getTexts(injections.map(({ code }) => code));
  const hashes = injections.map(({ code }) => hashText(normalise(texts.get(code) ?? '')));
  const known = config.diff.lazyScope === 'history' ? await store.knownHashes(run, hashes, step) : new Map<string, string>();
  const deltas = await store.putDeltas(injections.map(({ code, island }, index): DeltaDocument => {
    const slot = config.batch * config.responses + index;
    const duplicateOf = known.get(hashes[index]!) ?? null;
    return {
      _id: programId(run, step, epoch, slot), run, step, slot, parent: null, island,
      outcome: duplicateOf === null ? null : 'duplicate', reason: duplicateOf === null ? null : `equivalent to ${duplicateOf}`,
      code, normHash: hashes[index]!, length: texts.get(code)?.length ?? 0, blocks: 0, unmatched: [], duplicateOf,
    };
  }));
  return { count: deltas.length, evaluate: deltas.filter(({ outcome }) => outcome === null).map(({ slot }) => slot) };
};
