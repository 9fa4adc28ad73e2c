// Whether a new run can have the task that its settings name: asked by commands before anything exists, and by the
// worker for runs that were started by hand, in the same words.
import { ConfigError } from '../../evolution/config/config-error.ts';
import { didYouMean } from '../../evolution/config/nearest.ts';
import { type TakenTask, takeTask } from './kept-task.ts';
import { listTasks } from './load-task.ts';
import { folderProblem } from './task-files.ts';

/**
 * The task as it is now, to be kept with what is started. `where` is the place that names it, for the message. Throws
 * ConfigError, which says what is wrong with the task.
 */
export const usableTask = async (id: string, where: string | null = null): Promise<TakenTask> => {
  const at = where === null ? '' : `${where}: `;
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
    return await takeTask(id);
  } catch (error) {
    throw new ConfigError([`task ${id} cannot be used: ${error instanceof Error ? error.message : String(error)}`]);
  }
};
