// The digest of the task that a run was begun with: of its evaluator and all that models are told of it, templates
// included. Stored with the run; evaluations have a digest of their own, which prompt texts do not touch.
import { canonicalJson } from '../../evolution/canonical-json.ts';
import type { Task } from '../../evolution/task.ts';
import type { RunDocument } from '../store/documents/documents.ts';
import { sha256 } from '../sha256.ts';

/** SHA-256. It is the same however the files are written. */
export const taskDigest = ({ evaluatorSource: _source, picture: _picture, templates = {}, ...task }: Task): string =>
  sha256(canonicalJson({ ...task, templates }));

/** Of runs from before this digest was kept only the evaluator's is known, and stands in its place. */
export const knowsPromptText = (run: Pick<RunDocument, 'taskDigest' | 'evaluatorDigest'>): boolean =>
  run.taskDigest !== run.evaluatorDigest;

/**
 * Whether prompt text, templates, initial program or limits are others than when the run began, as far as that is
 * known. Not where the task is kept with the run (kept-task.ts).
 */
export const taskChanged = (
  run: Pick<RunDocument, 'taskDigest' | 'evaluatorDigest' | 'taskSnapshot'>,
  task: Task,
): boolean => run.taskSnapshot === undefined && knowsPromptText(run) && run.taskDigest !== taskDigest(task);
