// Activity `planIsland`: plans the groups of one island's next step within a window, as soon as its own step before is
// evaluated, wherever the other islands are (docs/methods/codeevolve.md, Migration). The plan is the same as without a
// window, because the island is as the commits of its steps will leave it. `planOverlapping` plans a whole step from
// what is committed. This file also decides how far a window goes.
import { requiredRun, type StepDeps } from '../../run/step-summary.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { promptId } from '../../../evolution/ids.ts';
import { groupsOn, windowInterval } from '../../../evolution/population/island-coupling.ts';
import type { StoreActivities } from '../../interface/run.ts';
import type { IslandPlan, StepRef, WindowLimits } from '../../interface/step.ts';
import type { RunDocument } from '../../store/documents/documents.ts';
import { epochAt } from '../../store/steps/paid.ts';
import type { Store } from '../../store/store.ts';
import { taskRef } from '../../task/kept-task.ts';
import { createIsland, requireGeneration } from '../commit/ahead.ts';
import { planGroups, preludesOf, requestsOf } from './plan-groups.ts';
import { range, slotsIn } from '../../../evolution/schedule/slots.ts';

export const createPlanIsland = (deps: StepDeps): Pick<StoreActivities, 'planIsland' | 'planOverlapping'> => {
  const { store, loadTask } = deps;
  const islandOf = createIsland(deps);
  /** Writes the prompts of these groups, drawn from what `from` finds, unless an earlier attempt has written them. */
  const planned = async (
    { run, step, epoch, version }: StepRef,
    groupsIn: (config: RunConfig) => readonly number[],
    from: () => ReturnType<typeof islandOf>,
  ): Promise<IslandPlan> => {
    const config = await store.readConfig(run, version);
    const groups = groupsIn(config);
    const ids = groups.map((group) => promptId(run, step, epoch, group));
    if ((await store.getPrompts(ids)).size < ids.length) {
      const { document, ...found } = await from();
      const task = await loadTask(taskRef({ ...document, config }));
      await planGroups({ ...found, task, run: document, step, epoch, config, version, groups });
    }
    return { groups, preludes: await preludesOf(store, { config, run, step, epoch, groups }) };
  };
  const committed = async ({ run, step, generation }: Parameters<StoreActivities['planOverlapping']>[0]) => {
    const document = await requiredRun(store, run);
    requireGeneration(document, step, generation);
    const ahead = { base: store, committed: document.committedStep, steps: [] };
    return { store, document, population: await store.population(document), ahead };
  };
  return {
    planIsland: (at) =>
      planned(
        at,
        (config) => groupsOn(at.island, at.step, config),
        () => islandOf(at),
      ),
    planOverlapping: (at) =>
      planned(
        at,
        ({ batch }) => range(0, batch),
        () => committed(at),
      ),
  };
};

/** Bounds of a window, because its workflow is to end before its history grows long. Batched requests have few events. */
const MOST = { groups: 500, programs: 2_000 } as const;

type WindowOf = {
  readonly store: Store;
  readonly run: RunDocument;
  readonly config: RunConfig;
  readonly version: number;
  readonly step: number;
  readonly epoch: number;
  readonly limits: WindowLimits;
  /** Number of injected programs that the first step takes. */
  readonly injected: number;
};

/**
 * The last step of the window; `step` itself means that there is none. A window of islands lasts up to the next migration
 * at most (docs/population.md, Islands and migration), and no program is evicted in it. All steps of a window have one
 * epoch and one version of the settings, and no limit is passed.
 */
export const windowEnd = async ({
  store,
  run,
  config,
  version,
  step,
  epoch,
  limits,
  injected,
}: WindowOf): Promise<number> => {
  const overlaps = config.schedule === 'overlapping';
  const interval = overlaps ? Infinity : windowInterval(config);
  if (interval === null) return step;
  const {
    batch,
    population: { cap },
  } = config;
  const room = overlaps ? Infinity : cap - run.population.size;
  const programs = Math.min(limits.programs ?? Infinity, MOST.programs, room) - injected;
  const groups = overlaps && requestsOf(run.config, config).batched ? MOST.programs : MOST.groups;
  const steps = Math.floor(Math.min(limits.steps ?? Infinity, groups / batch, programs / slotsIn(config)));
  const last = Math.min(
    Number.isFinite(interval) ? Math.ceil(step / interval) * interval : Infinity,
    step + steps - 1,
    // Only the first step of a window takes injected programs, and after a rewind such a step takes its own again.
    ...[...(await store.injectedSteps(run.run))].flatMap((taking) => (taking > step ? [taking - 1] : [])),
  );
  for (let next = step + 1; next <= last; next++) {
    if (epochAt(run.epochs, next) !== epoch) return next - 1;
    // The prompts of an attempt that was interrupted, or of one before a rewind.
    const written = [
      ...(await store.getPrompts(range(0, batch).map((group) => promptId(run.run, next, epoch, group)))).values(),
    ];
    if (written.some(({ configVersion }) => configVersion !== version)) return next - 1;
    // A step with prompts keeps the settings that it was planned under; one without takes the newest.
    if (written.length === 0) return version === run.configVersion ? last : next - 1;
  }
  return Math.max(step, last);
};
