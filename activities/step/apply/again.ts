// One further request where an answer held edits and none of them was taken (`diff.askAgain`; docs/prompts.md, What an
// answer may be). It goes on with the conversation: the answer, what was wrong with it, and the question for all edits.
// The request is written when responses are applied, and its answer takes the place of the first one.
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { readAnswer } from '../../../evolution/edits/diff.ts';
import type { EarlyResult } from '../../../evolution/edits/early-checks.ts';
import { cutShort } from '../../../evolution/models/endings.ts';
import { answeredId } from '../../../evolution/ids.ts';
import { askAgainText } from '../../../evolution/prompts/parts/sections.ts';
import { range } from '../../../evolution/schedule/slots.ts';
import type { ProgramId } from '../../../evolution/types.ts';
import { programMessages, storeMessages } from '../../llm/chat/messages.ts';
import { missing } from '../../run/step-summary.ts';
import type {
  CallDocument,
  PromptDocument,
  RequestDocument,
  StoredMessage,
} from '../../store/documents/step-documents.ts';
import type { Store } from '../../store/store.ts';

/** The further answers of each program that are stored, in their order. */
export const furtherAnswers = async (
  store: Pick<Store, 'getCalls'>,
  ids: readonly ProgramId[],
  { diff }: Pick<RunConfig, 'diff'>,
): Promise<ReadonlyMap<ProgramId, readonly CallDocument[]>> => {
  if (diff.askAgain === 0) return new Map();
  const rounds = range(1, diff.askAgain);
  const calls = await store.getCalls(ids.flatMap((id) => rounds.map((round) => answeredId(id, 'again', round))));
  return new Map(ids.map((id) => [id, rounds.flatMap((round) => calls.get(answeredId(id, 'again', round)) ?? [])]));
};

type Tried = {
  readonly finishReason: string | null;
  readonly result: Pick<EarlyResult, 'nothingTaken'>;
};

/**
 * The answer of a slot that counts: the first of which something was taken, else the first of all. Null where the model
 * is to be asked once more, which it is not after an answer that was cut short.
 */
export const countingAnswer = (tried: readonly Tried[], most: number): number | null => {
  const taken = tried.findIndex(({ result }) => result.nothingTaken !== true);
  if (taken >= 0) return taken;
  return tried.length <= most && cutShort(tried.at(-1)!.finishReason) === null ? null : 0;
};

export type ToAsk = Pick<RequestDocument, 'run' | 'step' | 'epoch' | 'group'> & {
  readonly program: ProgramId;
  readonly slot: number;
  readonly prompt: PromptDocument;
  readonly round: number;
  readonly response: string;
  readonly result: Pick<EarlyResult, 'reason' | 'unmatched'>;
};

export const writeAgainRequests = async (store: Store, wanted: readonly ToAsk[]): Promise<void> => {
  if (wanted.length === 0) return;
  const earlier = await store.getRequests(
    wanted.flatMap(({ program, round }) => (round === 1 ? [] : [answeredId(program, 'again', round - 1)])),
  );
  const turns = await storeMessages(
    store,
    wanted.map(({ response, result }) => [
      { role: 'assistant', content: readAnswer(response, 'answer').trim() || 'No answer.' },
      { role: 'user', content: askAgainText(result) },
    ]),
  );
  const requests: RequestDocument[] = [];
  for (const [index, { program, prompt, round, run, step, epoch, group }] of wanted.entries()) {
    const before: readonly StoredMessage[] | null | undefined =
      round === 1
        ? await programMessages(store, prompt)
        : earlier.get(answeredId(program, 'again', round - 1))?.messages;
    if (before === null || before === undefined) throw missing(`the request that ${program} answered`);
    const messages = [...before, ...turns[index]!];
    requests.push({ _id: answeredId(program, 'again', round), run, step, epoch, group, stage: 'again', messages });
  }
  await store.putRequests(requests);
};
