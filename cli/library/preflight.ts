// What must hold before a run exists: task, endpoints, keys, models. Each failure is one message with the fix. Used by start-run.ts and sweeps.
import { listTasks, loadTask } from '../../activities/task/load-task.ts';
import { embeddingEndpoint } from '../../activities/llm/embedding-endpoint.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { didYouMean } from '../../evolution/config/nearest.ts';
import { defaultPrice, PRICES_AS_OF, PRICES_SOURCE } from '../../evolution/config/prices.ts';
import { taskProblem } from '../../evolution/config/task-rules.ts';
import { weightNotes } from '../../evolution/models/notes.ts';
import type { Task } from '../../evolution/task.ts';
import type { Place } from './connection.ts';
import { checkEndpoint } from './endpoint.ts';
import { ConfigError, UsageError } from './errors.ts';
import { keyFor } from './keys.ts';

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

/** Settings that do not fit the task; `whereabouts`: the place of a key. */
export const checkFit = (config: RunConfig, task: Task, whereabouts: (key: string) => string | null): void => {
  const problem = taskProblem(config, task);
  if (problem === null) return;
  const where = whereabouts(problem.key);
  throw new ConfigError([`${where === null ? '' : `${where}: `}${problem.key}: ${problem.message}.`]);
};

/** Asks the endpoint of every model, and that of embeddings, once; returns warnings. The offline model is a part like the database and is checked with them. */
export const checkModels = async (configs: readonly Pick<RunConfig, 'model' | 'models' | 'modelChoice' | 'embedding'>[], { home, env }: Place): Promise<readonly string[]> => {
  const warnings = new Set<string>();
  const asked = new Set<string>();
  for (const config of configs) {
    const { model: first, models, embedding } = config;
    const all = [first, ...models];
    for (const note of weightNotes(config)) warnings.add(note);
    for (const model of all) {
      const { kind, baseUrl, name } = model;
      if (kind === 'offline' || baseUrl === null) continue;
      const assumed = defaultPrice(model);
      if (assumed !== null) warnings.add(`the price of ${name} is taken as ${assumed.in} USD per million tokens in and ${assumed.out} out, the default of ${PRICES_AS_OF} (${PRICES_SOURCE}): model.price overrides it`);
      else if (model.price === null) warnings.add(`the price of ${name} is not known (model.price): cost is shown as unknown`);
      if (asked.has(`${baseUrl} ${name}`)) continue;
      asked.add(`${baseUrl} ${name}`);
      for (const warning of await checkEndpoint({ baseUrl, model: name, apiKey: keyFor(home.root, baseUrl, all, env) })) warnings.add(warning);
    }
    const { kind, baseUrl } = embeddingEndpoint({ embedding, model: first });
    if (embedding.model === null || kind === 'offline' || baseUrl === null) continue;
    if (embedding.price === null) warnings.add(`the price of ${embedding.model} is not known (embedding.price): its tokens count as free`);
    if (all.some((model) => model.baseUrl === baseUrl) || asked.has(`${baseUrl} `)) continue;
    asked.add(`${baseUrl} `);
    // Several endpoints embed with models that they do not list.
    for (const warning of await checkEndpoint({ baseUrl, model: null, apiKey: keyFor(home.root, baseUrl, all, env), setting: 'embedding.baseUrl' })) warnings.add(warning);
  }
  return [...warnings];
};
