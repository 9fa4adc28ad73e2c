// Decides whether a new run can have the task that its settings name: asked by commands before anything exists, and by
// the worker for runs that were started by hand, in the same words.
import { ConfigError } from '../../evolution/config/config-error.ts';
import { didYouMean } from '../../evolution/config/nearest.ts';
import { AS_IT_IS, type TaskChoice } from '../../evolution/task/task-choice.ts';
import { ChoiceError } from './choice.ts';
import { type TakenTask, takeTask } from './kept-task.ts';
import { listTasks } from './load-task.ts';
import { folderProblem } from './task-files.ts';

/**
 * The task as it is now and as `choice` makes it, to be kept with what is started. `whereabouts` gives the place of a
 * key, for the message. Throws ConfigError, which says what is wrong with the task or the choice.
 */
export const usableTask = async (
  id: string,
  whereabouts: (key: string) => string | null = () => null,
  choice: TaskChoice = AS_IT_IS,
): Promise<TakenTask> => {
  const placeOf = (key: string): string => {
    const where = whereabouts(key);
    return where === null ? '' : `${where}: `;
  };
  const at = placeOf('task');
  const known = await listTasks();
  if (id.includes('/')) {
    const problem = folderProblem(id);
    if (problem !== null) throw new ConfigError([`${at}task: ${problem}.`]);
  } else if (!known.includes(id)) {
    throw new ConfigError([
      `${at}task: there is no task "${id}".${didYouMean(id, known)} Tasks: ${known.join(', ')}; the path of a folder names one anywhere.`,
    ]);
  }
  try {
    return await takeTask(id, undefined, choice);
  } catch (error) {
    if (error instanceof ChoiceError) throw new ConfigError([`${placeOf(error.key)}${error.message}.`]);
    throw new ConfigError([`task ${id} cannot be used: ${error instanceof Error ? error.message : String(error)}`]);
  }
};
