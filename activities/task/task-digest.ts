// The digest of the task that a run was begun with: of its evaluator and all that models are told of it, templates
// included. Stored with the run; evaluations have a digest of their own, which prompt texts do not touch.
import { canonicalJson } from '../../evolution/canonical-json.ts';
import type { Task } from '../../evolution/task/task.ts';
import { type Trust, trustAtStart } from '../../evolution/task/trust.ts';
import { sha256 } from '../sha256.ts';

/** SHA-256. It is the same however the files are written. */
export const taskDigest = ({
  evaluatorSource: _source,
  script: _script,
  picture: _picture,
  templates = {},
  ...task
}: Task): string => sha256(canonicalJson({ ...task, templates }));

/** What a check found of the evaluator with this digest, where the run begins. */
export type Checked = (evaluatorDigest: string) => Trust | null;

/** What a run keeps of its task beside the files. */
export const standingOf = (task: Task, checked: Checked = () => null) => ({
  taskDigest: taskDigest(task),
  evaluatorDigest: task.evaluatorDigest,
  trust: trustAtStart(task, checked(task.evaluatorDigest)),
});
