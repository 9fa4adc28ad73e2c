// The digest of the task with which a run was begun: its evaluator and everything that models are told of it, templates
// included. It is stored with the run. Evaluations have a digest of their own, on which prompt texts have no influence.
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../evolution/canonical-json.ts';
import type { Task } from '../../evolution/task.ts';
import type { RunDocument } from '../store/documents.ts';

/** SHA-256. It is the same however the files are written. */
export const taskDigest = ({ evaluatorSource: _source, picture: _picture, templates = {}, ...task }: Task): string =>
  createHash('sha256')
    .update(canonicalJson({ ...task, templates }))
    .digest('hex');

/**
 * Whether the run's digest covers the prompt texts. Runs from before this digest have the evaluator's digest in its
 * place.
 */
export const knowsWords = (run: Pick<RunDocument, 'taskDigest' | 'evaluatorDigest'>): boolean =>
  run.taskDigest !== run.evaluatorDigest;

/**
 * Whether prompt texts, templates, initial program or limits have changed since the run began, as far as that is known.
 */
export const taskChanged = (run: Pick<RunDocument, 'taskDigest' | 'evaluatorDigest'>, task: Task): boolean =>
  knowsWords(run) && run.taskDigest !== taskDigest(task);
