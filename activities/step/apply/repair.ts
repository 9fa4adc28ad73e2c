// Further requests for answers that were no good (`repair.rounds`; docs/prompts.md, Mending at once). Each goes on with
// the conversation: the answer, what was wrong with it, and the question. It is written when responses are applied, from
// what is stored alone, so that whatever is done twice asks the same and pays once.
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { readAnswer } from '../../../evolution/edits/diff.ts';
import { answeredId } from '../../../evolution/ids.ts';
import { errorOf, maskOf } from '../../../evolution/prompts/parts/program-card.ts';
import { printedOf } from '../../../evolution/prompts/parts/printed.ts';
import { type Fault, repairText } from '../../../evolution/prompts/parts/repair-text.ts';
import { range } from '../../../evolution/schedule/slots.ts';
import type { Task } from '../../../evolution/task/task.ts';
import type { ProgramId } from '../../../evolution/types.ts';
import { programMessages, storeMessages } from '../../llm/chat/messages.ts';
import { artifactsForModels } from '../../store/content/artifacts.ts';
import { missing } from '../../run/step-summary.ts';
import type {
  CallDocument,
  PromptDocument,
  RequestDocument,
  StoredMessage,
} from '../../store/documents/step-documents.ts';
import type { Store } from '../../store/store.ts';
import type { Form } from './forms.ts';

/** The further answers of each program that are stored, in their order. */
export const furtherAnswers = async (
  store: Pick<Store, 'getCalls'>,
  ids: readonly ProgramId[],
  { repair }: Pick<RunConfig, 'repair'>,
): Promise<ReadonlyMap<ProgramId, readonly CallDocument[]>> => {
  if (repair.rounds === 0) return new Map();
  const rounds = range(1, repair.rounds);
  const calls = await store.getCalls(ids.flatMap((id) => rounds.map((round) => answeredId(id, 'repair', round))));
  return new Map(ids.map((id) => [id, rounds.flatMap((round) => calls.get(answeredId(id, 'repair', round)) ?? [])]));
};

export type ToAsk = Pick<RequestDocument, 'run' | 'step' | 'epoch' | 'group'> & {
  readonly program: ProgramId;
  readonly slot: number;
  readonly prompt: PromptDocument;
  readonly round: number;
  readonly form: Form;
};

export const writeRepairRequests = async (
  {
    store,
    taskOf,
    config,
  }: { readonly store: Store; readonly taskOf: () => Promise<Task>; readonly config: RunConfig },
  wanted: readonly ToAsk[],
): Promise<void> => {
  if (wanted.length === 0) return;
  const earlier = await store.getRequests(
    wanted.flatMap(({ program, round }) => (round === 1 ? [] : [answeredId(program, 'repair', round - 1)])),
  );
  const task = wanted.some(({ form }) => form.evaluation !== null) ? await taskOf() : null;
  const ran = wanted.flatMap(({ form }) => form.evaluation ?? []);
  const showed =
    task === null ? new Map<string, string>() : await artifactsForModels(store, { task, prompt: config.prompt }, ran);
  const turns = await storeMessages(
    store,
    wanted.map(({ form }) => [
      { role: 'assistant', content: readAnswer(form.response, 'answer').trim() || 'No answer.' },
      { role: 'user', content: repairText(faultOf(form, task, config, showed.get(form.evaluation?._id ?? '') ?? '')) },
    ]),
  );
  const requests: RequestDocument[] = [];
  for (const [index, { program, prompt, round, run, step, epoch, group }] of wanted.entries()) {
    const before: readonly StoredMessage[] | null | undefined =
      round === 1
        ? await programMessages(store, prompt)
        : earlier.get(answeredId(program, 'repair', round - 1))?.messages;
    if (before === null || before === undefined) throw missing(`the request that ${program} answered`);
    const messages = [...before, ...turns[index]!];
    requests.push({ _id: answeredId(program, 'repair', round), run, step, epoch, group, stage: 'repair', messages });
  }
  await store.putRequests(requests);
};

const faultOf = (
  { read: { result }, evaluation }: Form,
  task: Task | null,
  { prompt }: RunConfig,
  showed: string,
): Fault => {
  const { code, reason, unmatched, unbound, nothingTaken } = result;
  if (nothingTaken === true || code === null) return { kind: 'untaken', reason, unmatched };
  if (evaluation === null)
    return unbound === undefined
      ? { kind: 'refused', code, reason: reason ?? '' }
      : { kind: 'unbound', code, names: unbound };
  const { outcome, reasons, metrics, score } = evaluation;
  const told =
    prompt.feedback === 'full'
      ? errorOf({ reasons: [...reasons, showed], stderrTail: printedOf(task!, evaluation) })
      : '';
  return { kind: 'failed', outcome, error: maskOf([{ score, metrics }], prompt.scores).output(told) };
};
