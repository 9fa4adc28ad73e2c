// A sweep before it exists: checked, expanded, its model taken from the environment, its endpoints asked.
import { usePriceFile } from '../../activities/llm/price-file.ts';
import type { Store } from '../../activities/store/store.ts';
import { keepTask, type TakenTask, taskRef } from '../../activities/task/kept-task.ts';
import { usableTask } from '../../activities/task/usable-task.ts';
import { taskDigest } from '../../activities/task/task-digest.ts';
import { valueAt } from '../../evolution/config/layers.ts';
import type { Whereabouts } from '../../evolution/config/problems.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { environmentLayer } from '../../evolution/config/sources.ts';
import { judgeNotes } from '../../evolution/ideas/idea.ts';
import { phaseNotes } from '../../evolution/methods/size.ts';
import { type ExpandedSweep, expandSweep, sweptRunId } from '../../evolution/sweep/expand.ts';
import { withModel } from '../../evolution/sweep/model.ts';
import { checkSweep, type SweepSpec } from '../../evolution/sweep/spec.ts';
import { taskChoice } from '../../evolution/task/task-choice.ts';
import type { Task } from '../../evolution/task/task.ts';
import type { Json } from '../../evolution/types.ts';
import { machineOf, type Place } from '../connect/connection.ts';
import { FirstRequests } from '../runs/first-request.ts';
import { checkFit, checkModels, statementNotes } from '../runs/preflight.ts';
import { withNamedTasks } from '../tasks/task-folder.ts';
import { lockWorld } from '../tasks/world.ts';

export type PreparedSweep = {
  /**
   * The input of the workflow. It is complete without any environment, and still has `{date}` and `{time}` in its
   * name.
   */
  readonly spec: Json;
  readonly title: string;
  readonly expanded: ExpandedSweep;
  /** Its tasks as they are now, by their names in the settings. */
  readonly taken: ReadonlyMap<string, TakenTask>;
  readonly warnings: readonly string[];
  /** One for each model and its settings, not for each run. */
  readonly first: FirstRequests;
};

/**
 * Everything that can be checked without any part running. Throws ConfigError with every problem; `where` names
 * places in a file, `from` is the directory that relative paths of tasks begin at.
 */
export const prepareSweep = async (
  place: Place,
  value: unknown,
  where?: Whereabouts,
  from: string = process.cwd(),
): Promise<PreparedSweep> => {
  usePriceFile(place.home.root);
  const spec = withEnvironment(checkSweep(withNamedTasks(value, from), where), place.env);
  const expanded = expandSweep(spec, new Date(), [], where);
  const configs = configsOf(expanded);
  const at = (key: string): string | null => where?.(['base', ...key.split('.')]) ?? null;
  const written = (key: string): string | null => {
    const base = (value as { readonly base?: unknown } | null)?.base;
    return valueAt(base, key.split('.')) === undefined ? null : (at(key) ?? 'base');
  };
  const taken = new Map<string, TakenTask>();
  const chosen = new Map<string, Task>();
  for (const task of new Set(configs.map((config) => config.task))) await lockWorld(place, task);
  for (const config of configs) {
    const one = await usableTask(config.task, at, taskChoice(config));
    taken.set(config.task, one);
    chosen.set(taskRef({ config }), one.task);
    checkFit(config, one.task, at, machineOf(place));
  }
  return {
    spec: spec as Json,
    title: spec.name,
    expanded: {
      ...expanded,
      runs: expanded.runs.map((run) => ({
        ...run,
        run: sweptRunId(expanded.name, run, taskDigest(chosen.get(taskRef({ config: run.config }))!)),
      })),
    },
    taken,
    first: new FirstRequests(
      configs.map((config) => ({ config, task: chosen.get(taskRef({ config }))! })),
      place,
    ),
    warnings: [
      ...(await checkModels(configs, place, written)),
      ...new Set(
        configs.flatMap((config) => [
          ...statementNotes(config, chosen.get(taskRef({ config }))!),
          ...phaseNotes(config),
          ...judgeNotes(config),
        ]),
      ),
    ],
  };
};

/** The sweep with the digests of these of its tasks, which are stored. */
export const keepingTasks = async (store: Store, spec: Json, taken: PreparedSweep['taken']): Promise<Json> => {
  const tasks: { [named: string]: string } = {};
  for (const [named, one] of taken) tasks[named] = await keepTask(store, one);
  return { ...(spec as object), tasks };
};

/** The settings of each group, once. */
export const configsOf = ({ groups, runs }: ExpandedSweep): readonly RunConfig[] =>
  groups.flatMap((_, group) => runs.find((run) => run.group === group)?.config ?? []);

/**
 * The environment's model below what the base itself says, so that a worker, which has another environment, expands the
 * same runs.
 */
export const withEnvironment = (spec: SweepSpec, env: NodeJS.ProcessEnv): SweepSpec =>
  withModel(spec, (environmentLayer(env)?.settings as { readonly model: object } | undefined)?.model ?? null);
