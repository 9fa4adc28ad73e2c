// What must hold before a run exists: task, endpoint, key, model, sandbox. Each failure is one message with the fix. Used by launch.ts.
import { listTasks, loadTask } from '../activities/task/load-task.ts';
import type { RunConfig } from '../evolution/config/run-config.ts';
import { didYouMean } from '../evolution/config/nearest.ts';
import { ConfigError } from '../evolution/config/problems.ts';
import type { Task } from '../evolution/task.ts';
import { checkEndpoint } from './endpoint.ts';
import { UsageError } from './exit.ts';
import { knownKey } from './keys.ts';

/** The task, or what is wrong with it; `where` is the place that names it. */
export const checkTask = async (id: string, where: string | null): Promise<Task> => {
  const known = await listTasks();
  if (!known.includes(id)) {
    throw new ConfigError([`${where === null ? '' : `${where}: `}task: there is no task "${id}".${didYouMean(id, known)} Tasks: ${known.join(', ')}.`]);
  }
  try {
    return await loadTask(id);
  } catch (error) {
    throw new UsageError(`task ${id} cannot be used: ${error instanceof Error ? error.message : String(error)}`);
  }
};

/** Asks the endpoint; returns warnings. The offline model is a part like the database and is checked with them. */
export const checkModel = async (model: RunConfig['model'], root: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> => {
  if (model.kind === 'offline' || model.baseUrl === null) return [];
  const apiKey = env['OPENAI_API_KEY'] || knownKey(root, model.baseUrl);
  const warnings = await checkEndpoint({ baseUrl: model.baseUrl, model: model.name, apiKey });
  return model.price === null ? [...warnings, 'the price of the model is not known (model.price): cost is shown as unknown'] : warnings;
};
