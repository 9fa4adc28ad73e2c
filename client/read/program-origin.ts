// All that led to one program: what models were asked, what they answered, and what their edits gave.
import type { ProgramTexts } from '../../activities/results/program-texts.ts';
import { unansweredBy } from '../../activities/store/steps/bookings.ts';
import type { UnansweredSum } from '../../activities/store/documents/documents.ts';
import type { ProgramDocument } from '../../activities/store/documents/step-documents.ts';
import type { Store } from '../../activities/store/store.ts';
import type { ProgramId, Usage } from '../../evolution/types.ts';
import { initialJudgement, promptBehind, type StageSent, stagesSent } from './prompts.ts';

export type Origin = {
  readonly delta: {
    readonly reason: string | null;
    readonly blocks: number;
    readonly duplicateOf: ProgramId | null;
    readonly unmatched: NonNullable<ProgramDocument['edits']>;
    readonly ambiguous?: ProgramDocument['edits'];
    readonly lines?: { readonly deleted: readonly string[] };
  } | null;
  readonly model: string | null;
  /** The version of a model that is trained, where such a one answered. */
  readonly policy: string | null;
  readonly finishReason: string | null;
  /** The usage of the response alone. */
  readonly usage: Usage | null;
  readonly costUsd: number;
  /** The estimate for requests for its response that had no answer. */
  readonly unanswered: UnansweredSum | null;
  /** The parents; `gain` is the program's advantage, null where either is not ranked. */
  readonly parentScores: readonly {
    readonly id: ProgramId;
    readonly score: number | null;
    readonly strictScore: number | null;
    readonly gain: number | null;
  }[];
  readonly shown: readonly { readonly id: string; readonly role: string }[];
  /** The calls before the program, and the request for it. */
  readonly stages: readonly StageSent[];
  readonly texts: { readonly response: string | null; readonly reasoning: string | null };
};

export const readOrigin = async (store: Store, { program }: ProgramTexts): Promise<Origin> => {
  const id = program._id;
  const rollout = (await store.getRollouts([id])).get(id) ?? null;
  const delta = (await store.getDeltas([id])).get(id) ?? null;
  const prompt = await promptBehind(store, program);
  const stages = prompt === null ? await initialJudgement(store, program) : await stagesSent(store, prompt, [id]);
  const parents = await store.getPrograms(program.parents);
  const refs = [rollout?.response, rollout?.reasoning].map((ref) => ref ?? null);
  const lost = (await store.unanswered(program.run)).bookings.filter(({ answer }) => answer === id);
  const texts = await store.getTexts(refs.filter((ref) => ref !== null));
  const [response, reasoning] = refs.map((ref) => (ref === null ? null : (texts.get(ref) ?? null)));
  return {
    delta,
    model: rollout?.model ?? null,
    policy: rollout?.policy ?? null,
    finishReason: rollout?.finishReason ?? null,
    usage: rollout?.usage ?? null,
    costUsd: rollout?.costUsd ?? 0,
    unanswered: unansweredBy('step', lost).get(program.step) ?? null,
    parentScores: program.parents.flatMap((id) => {
      const parent = parents.get(id);
      return parent === undefined ? [] : [scoresBeside(program, parent)];
    }),
    shown:
      prompt === null ? [] : [...prompt.priorPrograms.map((id) => ({ id, role: 'prior' })), ...(prompt.context ?? [])],
    stages,
    texts: { response: response ?? null, reasoning: reasoning ?? null },
  };
};

const scoresBeside = (
  { fit }: ProgramDocument,
  { _id, score, strictScore, fit: parentFit }: ProgramDocument,
): Origin['parentScores'][number] => ({
  id: _id,
  score,
  strictScore,
  gain: fit === undefined || parentFit === undefined ? null : fit - parentFit,
});
