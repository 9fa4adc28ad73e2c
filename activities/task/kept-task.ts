// The content of a task that a run needs, kept in the database by its digest when the run begins: what becomes of the
// folder later does not reach the run, and a worker on another machine needs no folder.
import type { Task } from '../../evolution/task/task.ts';
import { AS_IT_IS, type TaskChoice } from '../../evolution/task/task-choice.ts';
import type { TaskDocument } from '../store/documents/documents.ts';
import type { Store } from '../store/store.ts';
import { sha256 } from '../sha256.ts';
import { RESTORE, taskId } from '../store/content/texts.ts';
import { folderOf, loadTask, taskOf, TASKS_ROOT } from './load-task.ts';
import { filesIn, filesOf, noting, TaskError } from './task-files.ts';
import { choiceIn, digestIn } from './task-ref.ts';
import { unlockedProblem } from './task-world.ts';

/** A task as it was in its folder when it was read, with the text of every file that was needed. */
export type TakenTask = { readonly task: Task; readonly digest: string; readonly texts: ReadonlyMap<string, string> };

/** `named`: an id of tasks/, or the absolute path of a folder. Throws TaskError. */
export const takeTask = async (
  named: string,
  root: string = TASKS_ROOT,
  choice: TaskChoice = AS_IT_IS,
): Promise<TakenTask> => {
  const texts = new Map<string, string>();
  const files = filesIn(await folderOf(named, root), root);
  const task = await taskOf(noting(files, texts), choice);
  const unlocked = unlockedProblem(task.world);
  if (unlocked !== null) throw new TaskError(files.place(unlocked));
  const kept = inOrder([...texts].map(([path, text]) => ({ path, blob: sha256(text) })));
  return { task, digest: taskId({ task: task.id, files: kept }), texts };
};

/** Two folders of one name and content are one task; README, fixtures and what else no run needs do not count. */
const inOrder = (files: TaskDocument['files']): TaskDocument['files'] =>
  [...files].sort((a, b) => (a.path < b.path ? -1 : 1));

/** Stores it where it is not stored yet; resolves to its digest. The texts come first: a stored task is whole. */
export const keepTask = async (
  store: Pick<Store, 'putTexts' | 'putTask'>,
  { task: { id }, digest, texts }: TakenTask,
): Promise<string> => {
  const refs = await store.putTexts([...texts.values()]);
  const files = inOrder([...texts.keys()].map((path, index) => ({ path, blob: refs[index]! })));
  await store.putTask({ _id: digest, task: id, files });
  return digest;
};

type Kept = Pick<Store, 'readTask' | 'getTexts'>;

/** Throws TaskError where the database has no such task, or has lost a part of it. */
export const keptTask = async (store: Kept, digest: string, choice: TaskChoice = AS_IT_IS): Promise<Task> => {
  const document = await store.readTask(digest);
  if (document === null)
    throw new TaskError(
      `expected the task ${digest} in the database, where the run's start left it, but there is none. ${RESTORE}`,
    );
  const texts = await store.getTexts(document.files.map(({ blob }) => blob));
  const found = document.files.flatMap(({ path, blob }): [string, string][] => {
    const text = texts.get(blob);
    return text === undefined ? [] : [[path, text]];
  });
  return taskOf(
    filesOf(document.task, new Map(found), `task ${document.task} as kept with the run (${digest.slice(0, 12)})`),
    choice,
  );
};

/** Tasks by what `taskRef` says. */
export const taskLoader =
  (store: Kept, root: string = TASKS_ROOT) =>
  (ref: string): Promise<Task> => {
    const { named, choice } = choiceIn(ref);
    const digest = digestIn(named);
    return digest === null ? loadTask(ref, root) : keptTask(store, digest, choice);
  };

export { isKept, keptRef, taskRef } from './task-ref.ts';
