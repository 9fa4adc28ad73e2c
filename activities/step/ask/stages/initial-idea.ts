// Activity `initialIdea`: writes what the judge is asked about the initial idea, and reads its answer for the commit of
// step 0. It comes after the evaluation, because the idea states the initial program's result. The idea is scored but
// never gated (AlphaResearch Algorithm 1, line 1; docs/methods/alpharesearch.md, A round).
import type { RunConfig } from '../../../../evolution/config/run-config.ts';
import { readAnswer } from '../../../../evolution/edits/diff.ts';
import { decideGate } from '../../../../evolution/ideas/idea.ts';
import { initialIdeaId, programId } from '../../../../evolution/ids.ts';
import { initialIdea } from '../../../../evolution/prompts/initial-idea.ts';
import { rankingScore } from '../../../../evolution/scoring/ranking.ts';
import type { Task } from '../../../../evolution/task/task.ts';
import type { BlobRef } from '../../../../evolution/types.ts';
import type { StoreActivities } from '../../../interface/run.ts';
import { storeMessages } from '../../../llm/chat/messages.ts';
import { missing, type StepDeps } from '../../../run/step-summary.ts';
import { judgeQuestion, verdictOf } from './judge.ts';
import type { CallDocument, ProgramDocument } from '../../../store/documents/step-documents.ts';
import type { Store } from '../../../store/store.ts';
import { taskRef } from '../../../task/kept-task.ts';
import { evaluationKey } from '../../evaluate/evaluate.ts';
import { requireValidStart } from '../../evaluate/valid-start.ts';

export const createInitialIdea = ({ store, loadTask }: StepDeps): Pick<StoreActivities, 'initialIdea'> => ({
  async initialIdea({ run, step, epoch, version }) {
    const _id = initialIdeaId(run, epoch);
    if ((await store.getRequests([_id])).size > 0) return;
    const [document, config] = [await store.readRun(run), await store.readConfig(run, version)];
    const delta = (await store.getDeltas([programId(run, 0, epoch, 0)])).values().next().value;
    if (document === null || delta === undefined) throw missing(`run ${run} and its initial program`);
    const task = await loadTask(taskRef({ ...document, config }));
    const key = evaluationKey(delta, { run, evaluatorDigest: document.evaluatorDigest, config });
    const evaluation = (await store.getEvaluations([key])).get(key);
    // Before anything is paid for.
    requireValidStart(config, task, evaluation);
    const baseline = evaluation === undefined ? null : rankingScore(evaluation, config.evaluation.scoring);
    const idea = textOf(task, config, baseline);
    const [messages] = await storeMessages(store, [
      [{ role: 'user', content: judgeQuestion(task, config.ideation.judge)({ idea }) }],
    ]);
    await store.putTexts([idea]);
    await store.putRequests([{ _id, run, step, epoch, group: 0, stage: 'judge', messages: messages! }]);
  },
});

const textOf = (task: Task, { ideation, prompt }: RunConfig, baseline: number | null): string =>
  initialIdea({ task, baseline, digits: ideation.digits, masked: prompt.scores === 'masked' });

type Judged = NonNullable<ProgramDocument['idea']>;

/** `calls` are those of step 0. When the answer is not among them, the judge could not be asked. */
export const judgedInitialIdea = async (
  store: Store,
  calls: readonly CallDocument[],
  { task, config, baseline }: { readonly task: Task; readonly config: RunConfig; readonly baseline: number | null },
): Promise<Judged> => {
  const [text] = await store.putTexts([textOf(task, config, baseline)]);
  const [call] = calls;
  const score = call === undefined ? null : await verdictOf(readAnswer(await answerOf(store, call.response), 'answer'));
  return { text: text!, score, would: decideGate(score, config.ideation).would };
};

const answerOf = async (store: Store, ref: BlobRef): Promise<string> => (await store.getTexts([ref])).get(ref) ?? '';
