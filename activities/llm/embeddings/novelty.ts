// Stage `novelty`: a model is asked about a near-duplicate and the program that it is like. The program is evaluated
// unless the answer finds nothing new in it; where nobody could be asked, it is evaluated too.
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { readAnswer } from '../../../evolution/edits/diff.ts';
import { answeredId } from '../../../evolution/ids.ts';
import { buildNoveltyPrompt, isNovel } from '../../../evolution/prompts/novelty.ts';
import { groupOf } from '../../../evolution/schedule/slots.ts';
import { isAsked } from '../../../evolution/stages.ts';
import type { ProgramId } from '../../../evolution/types.ts';
import type { StepRef } from '../../interface/step.ts';
import type { DeltaDocument, EmbeddingDocument } from '../../store/documents/step-documents.ts';
import type { Store } from '../../store/store.ts';
import { storeMessages } from '../chat/messages.ts';

type Embeddings = ReadonlyMap<ProgramId, EmbeddingDocument>;

/** The embeddings of a step, where a near-duplicate that the judge did not reject counts as none. */
export const withVerdicts = async (store: Store, config: RunConfig, embeddings: Embeddings): Promise<Embeddings> => {
  const near = isAsked('novelty', config) ? [...embeddings.values()].filter(({ duplicate }) => duplicate) : [];
  if (near.length === 0) return embeddings;
  const rejected = await rejectedOf(store, near);
  return new Map(
    [...embeddings].map(([id, one]) => [id, one.duplicate && !rejected.has(id) ? { ...one, duplicate: false } : one]),
  );
};

const rejectedOf = async (store: Store, near: readonly EmbeddingDocument[]): Promise<ReadonlySet<ProgramId>> => {
  const calls = await store.getCalls(near.map(({ _id }) => answeredId(_id, 'novelty')));
  const texts = await store.getTexts([...calls.values()].map(({ response }) => response));
  return new Set(
    near.flatMap(({ _id }) => {
      const call = calls.get(answeredId(_id, 'novelty'));
      const answer = call === undefined ? '' : readAnswer(texts.get(call.response) ?? '', 'answer').trim();
      return answer === '' || isNovel(answer) ? [] : [_id];
    }),
  );
};

/**
 * The slots of near-duplicates that the judge is to be asked about, with their requests written. `final` are slots
 * about which nobody could be asked.
 */
export const askAboutNovelty = async (
  store: Store,
  config: RunConfig,
  { run, step, epoch }: StepRef,
  embedded: ReadonlyMap<number, EmbeddingDocument>,
  final: readonly number[],
): Promise<readonly number[]> => {
  if (!isAsked('novelty', config)) return [];
  const near = [...embedded].filter(([slot, { duplicate }]) => duplicate && !final.includes(slot));
  const answered = await store.getCalls(near.map(([, { _id }]) => answeredId(_id, 'novelty')));
  const open = near.filter(([, { _id }]) => !answered.has(answeredId(_id, 'novelty')));
  if (open.length === 0) return [];
  const deltas = await store.getDeltas(open.flatMap(([, { _id, nearest }]) => [_id, nearest!.program]));
  // A program that was mended is not what its first delta made.
  const made = new Map<ProgramId, Pick<DeltaDocument, 'code'>>([
    ...deltas,
    ...(await store.getPrograms(open.map(([, { nearest }]) => nearest!.program))),
  ]);
  const texts = await store.getTexts([...made.values()].flatMap(({ code }) => code ?? []));
  const codeOf = (id: ProgramId): string => texts.get(made.get(id)?.code ?? '') ?? '';
  const messages = await storeMessages(
    store,
    open.map(([, { _id, nearest }]) => {
      const { system, user } = buildNoveltyPrompt(codeOf(nearest!.program), codeOf(_id));
      return [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ];
    }),
  );
  await store.putRequests(
    open.map(([slot, { _id }], index) => ({
      ...{ _id: answeredId(_id, 'novelty'), run, step, epoch, group: groupOf(slot, config.responses) },
      ...{ stage: 'novelty' as const, messages: messages[index]! },
    })),
  );
  return open.map(([slot]) => slot);
};
