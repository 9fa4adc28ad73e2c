// Reads answers beside their parents: the text in which edits are looked for, and the programs that the
// model was shown, from which the lines of a block may come.
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import type { OtherProgram } from '../../../evolution/edits/apply.ts';
import { splitFiles } from '../../../evolution/files/program-files.ts';
import { patchedDiff } from '../../../evolution/prompts/patch.ts';
import type { Task } from '../../../evolution/task/task.ts';
import type { BlobRef } from '../../../evolution/types.ts';
import { knownFiles } from '../../program-paths.ts';
import { type Read, readTexts } from '../../reading/reading.ts';
import type { AnswerRead } from '../../reading/readings.ts';
import type { PromptDocument, RolloutDocument, Shown } from '../../store/documents/step-documents.ts';
import type { Store } from '../../store/store.ts';

type Answered = Pick<RolloutDocument, 'response' | 'reasoning'>;

/**
 * The texts of an answer that are read, in the order in which they came. With `diff.parse: whole` the reasoning is one
 * of them, also where the endpoint sent it in a field of its own and not in the answer.
 */
export const textsOfAnswer = (
  { response, reasoning }: Answered,
  { diff }: Pick<RunConfig, 'diff'>,
): readonly BlobRef[] => (diff.parse === 'whole' && reasoning !== null ? [reasoning, response] : [response]);

export const answerOf = (
  answered: Answered,
  config: Pick<RunConfig, 'diff'>,
  texts: ReadonlyMap<BlobRef, string>,
): string =>
  textsOfAnswer(answered, config)
    .map((ref) => texts.get(ref) ?? '')
    .join('\n');

const NAMES: { readonly [role in Shown['role']]: string } = {
  elite: 'one of the other programs of the prompt, which did well',
  diverse: 'one of the other programs of the prompt',
  inspiration: 'an inspiration',
  best: 'the best program',
  ancestor: 'an earlier version of the program',
};

/** The programs that the prompts showed beside the parent, by the prompt's id. */
export const othersShown = async (
  store: Pick<Store, 'getPrograms' | 'getTexts'>,
  prompts: readonly Pick<PromptDocument, '_id' | 'priorPrograms' | 'context'>[],
): Promise<ReadonlyMap<string, readonly OtherProgram[]>> => {
  const shown = prompts.map(({ _id, priorPrograms, context = [] }) => ({
    _id,
    others: [...context, ...priorPrograms.map((id): Shown => ({ id, role: 'diverse' }))],
  }));
  const programs = await store.getPrograms([...new Set(shown.flatMap(({ others }) => others.map(({ id }) => id)))]);
  const texts = await store.getTexts([...programs.values()].flatMap(({ code }) => (code === null ? [] : [code])));
  return new Map(
    shown.map(({ _id, others }) => [
      _id,
      others.flatMap(({ id, role }) => {
        const code = texts.get(programs.get(id)?.code ?? '');
        return code === undefined ? [] : [{ name: NAMES[role], code }];
      }),
    ]),
  );
};

type ToRead = {
  readonly response: string;
  readonly parentCode: string;
  /** As in applyResponse. */
  readonly base: string | undefined;
  readonly prompt: Pick<PromptDocument, '_id' | 'priorPrograms' | 'context' | 'patch'>;
};

/**
 * Reads answers in threads. Those of which a block stands nowhere in the parent are read once more beside the other
 * programs of their prompt; that changes no more than what is said of the block.
 */
export const readAnswers = async (
  store: Pick<Store, 'getPrograms' | 'getTexts'>,
  answers: readonly ToRead[],
  config: RunConfig,
  taskOf: () => Promise<Task>,
): Promise<readonly Read<AnswerRead>[]> => {
  // A short example in a fence is told from a program by what the task asks a program to define.
  const several = answers.some(({ parentCode }) => splitFiles(parentCode) !== null);
  const task = config.diff.accept === 'either' || several ? await taskOf() : undefined;
  const files = task && knownFiles(task);
  const toRead = ({ response, parentCode, base, prompt: { patch } }: ToRead) => {
    const diff = patchedDiff(config.diff, patch);
    return {
      ...{ response, parentCode, base, findsUnbound: config.repair.rounds > 0 },
      ...{ config: { prompt: { style: config.prompt.style }, diff } },
      ...{ entry: diff.accept === 'either' ? task?.entry : undefined, files },
    };
  };
  const reads = await readTexts('answer', answers.map(toRead));
  const again = answers.filter((_, index) =>
    reads[index]!.value?.result.unmatched.some(({ reason }) => reason.startsWith('no match')),
  );
  const others = await othersShown(store, [...new Set(again.map(({ prompt }) => prompt))]);
  const beside = again.filter(({ prompt }) => (others.get(prompt._id) ?? []).length > 0);
  const second = await readTexts(
    'answer',
    beside.map((answer) => ({ ...toRead(answer), others: others.get(answer.prompt._id) })),
  );
  const better = new Map(beside.map((answer, index) => [answer, second[index]!]));
  return answers.map((answer, index) => better.get(answer) ?? reads[index]!);
};
