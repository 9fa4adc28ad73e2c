// Which task a run was begun with: its evaluator and all that models are told of it, templates included. Stored with
// the run; evaluations have a digest of their own, which words do not touch.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { canonicalJson } from '../../evolution/canonical-json.ts';
import type { Task } from '../../evolution/task.ts';
import type { RunDocument } from '../store/documents.ts';
import { TASKS_ROOT } from './load-task.ts';
import { sha256 } from '../sha256.ts';

/** SHA-256, the same however the files are written down. */
export const taskDigest = ({ evaluatorSource: _source, picture: _picture, templates = {}, ...task }: Task): string =>
  sha256(canonicalJson({ ...task, templates }));

/** Of runs from before this digest was kept only the evaluator's is known, and stands in its place. */
export const knowsWords = (run: Pick<RunDocument, 'taskDigest' | 'evaluatorDigest'>): boolean =>
  run.taskDigest !== run.evaluatorDigest;

/** Whether words, templates, initial program or limits are others than when the run began, as far as that is known. */
export const taskChanged = (run: Pick<RunDocument, 'taskDigest' | 'evaluatorDigest'>, task: Task): boolean =>
  knowsWords(run) && run.taskDigest !== taskDigest(task);

// The bounds of a task's shaped reward as a layer of settings below all others: `reward.kind: shaped` needs no
// numbers then. Read before the task is checked, so what cannot be read is left to that check.
type Shaping = { readonly lower: number; readonly upper: number; readonly alpha: number; readonly k: number };

/** Null where the task shapes nothing, or cannot be read. */
export const shapingOf = (id: string, root: string = TASKS_ROOT): Shaping | null => {
  if (!/^[a-z0-9-]+$/.test(id)) return null;
  try {
    const { shaping } = parse(readFileSync(join(root, id, 'task.yaml'), 'utf8')) as { shaping?: Shaping | null };
    return shaping ?? null;
  } catch {
    return null;
  }
};
