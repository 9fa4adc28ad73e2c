// The policy that a run has, and the earlier one that it goes back to with a rewind.
import type { Guard } from '../documents/collection.ts';
import type { PolicyHead, RunDocument } from '../documents/documents.ts';
import type { PolicyDocument } from '../documents/learning-documents.ts';
import type { StoredRun } from '../documents/stored.ts';
import { RESTORE } from '../content/texts.ts';

/** Policies never change, so this may keep them. */
export type ReadPolicy = (id: string) => Promise<PolicyDocument | null>;

const NOTHING_LEARNED: PolicyHead = { policy: null, learned: -1 };

/** The head of a run, which may not learn at all. */
export const headOf = ({ policy = null, learned = -1 }: Pick<RunDocument, 'policy' | 'learned'>): PolicyHead => ({
  policy,
  learned,
});

/** A guard: nothing was learned since the document was read. */
export const stillAt = ({ policy = null, learned }: StoredRun): Guard<StoredRun> => ({
  policy,
  learned: learned ?? { $exists: false },
});

/** From the policy back to its start. */
export async function* ancestors(read: ReadPolicy, policy: string | null): AsyncGenerator<PolicyDocument> {
  for (let id = policy; id !== null;) {
    const document = await read(id);
    if (document === null)
      throw new Error(
        `expected policy ${id} of the chain of ${policy}, but there is none: the database has lost it. ${RESTORE}`,
      );
    yield document;
    id = document.kind === 'start' ? null : document.parent;
  }
}

export const policyChain = async (read: ReadPolicy, policy: string | null): Promise<readonly PolicyDocument[]> => {
  const chain: PolicyDocument[] = [];
  for await (const document of ancestors(read, policy)) chain.push(document);
  return chain.reverse();
};

/**
 * The fields of a run whose last step this is: the newest policy of its chain that was not trained on a later one. None
 * where the run has never learned.
 */
export const learnedUntil = async (
  read: ReadPolicy,
  run: Pick<RunDocument, 'policy' | 'learned'>,
  step: number,
): Promise<Partial<PolicyHead>> => {
  if (run.policy === undefined && run.learned === undefined) return {};
  const { policy, learned } = headOf(run);
  if (policy === null) return { policy, learned: Math.min(learned, step) };
  for await (const { _id, version, ...its } of ancestors(read, policy.id))
    if (its.step <= step) return { policy: { id: _id, version }, learned: Math.min(learned, step) };
  return NOTHING_LEARNED;
};
