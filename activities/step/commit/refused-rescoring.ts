// A new version of the task is refused where it scores the initial program or every candidate as not valid. Then nothing
// has changed: the run has its task of before, and the step is done again as any other.
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import type { Task } from '../../../evolution/task/task.ts';
import { humanGoal, requiredRun, type StepDeps, summarise } from '../../run/step-summary.ts';
import type { RunDocument } from '../../store/documents/documents.ts';
import { rescoringAt } from '../../store/documents/lineage.ts';
import { epochAt } from '../../store/steps/paid.ts';
import type { Store } from '../../store/store.ts';
import { taskRef } from '../../task/kept-task.ts';
import { evaluationKey } from '../evaluate/evaluate.ts';
import { wordsOf } from '../evaluate/valid-start.ts';
import type { Made } from './program-documents.ts';

/** An earlier attempt at this commit refused it, and the step has another epoch since. */
export const isRefused = ({ rescorings = [], epochs }: RunDocument, step: number, epoch: number): boolean =>
  epochAt(epochs, step) !== epoch && rescorings.some((one) => one.step === step && one.refused !== undefined);

/** Null for any other step, and where the new version can be used. */
export const refusalOf = (
  run: RunDocument,
  step: number,
  config: RunConfig,
  { deltas, evaluations }: Made,
): string | null => {
  if (rescoringAt(run, step) === undefined) return null;
  const [initial, ...others] = deltas.map((delta) => evaluations.get(evaluationKey(delta, { ...run, config })));
  if (initial === undefined) return null;
  if (initial.outcome !== 'valid' && config.evaluation.invalidStart === 'park')
    return `the initial program is not valid under it: ${wordsOf(initial)}`;
  return [initial, ...others].some((one) => one?.outcome === 'valid') ? null : 'no program is valid under it';
};

export const refused = async ({ store, loadTask }: StepDeps, run: string, step: number, reason: string) => {
  await store.refuseRescoring(run, step, reason);
  const kept = await requiredRun(store, run);
  return asBefore(store, kept, await loadTask(taskRef(kept)));
};

/** What the run is told: the step before is still its last one. */
export const asBefore = async (store: Store, document: RunDocument, task: Task) => ({
  summary: {
    ...(await summarise(store, document, document.committedStep, null)),
    ...humanGoal(document.best, document.config, task),
  },
  document,
});
