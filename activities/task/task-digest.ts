// The digest of the task that a run was begun with: of its evaluator and all that models are told of it, templates
// included. Stored with the run; evaluations have a digest of their own, which prompt texts do not touch.
import { canonicalJson } from '../../evolution/canonical-json.ts';
import type { Task } from '../../evolution/task.ts';
import type { RunDocument } from '../store/documents/documents.ts';
import { sha256 } from '../sha256.ts';

/** SHA-256. It is the same however the files are written. */
export const taskDigest = ({ evaluatorSource: _source, picture: _picture, templates = {}, ...task }: Task): string =>
  sha256(canonicalJson({ ...task, templates }));

/** The run has a digest of its prompt texts, and not the evaluator's in its place. */
export const knowsPromptText = (run: Pick<RunDocument, 'taskDigest' | 'evaluatorDigest'>): boolean =>
  run.taskDigest !== run.evaluatorDigest;

/** Prompt text, templates, initial program or limits have changed since the run began; never of a kept task. */
export const taskChanged = (
  run: Pick<RunDocument, 'taskDigest' | 'evaluatorDigest' | 'taskSnapshot'>,
  task: Task,
): boolean => run.taskSnapshot === undefined && knowsPromptText(run) && run.taskDigest !== taskDigest(task);
