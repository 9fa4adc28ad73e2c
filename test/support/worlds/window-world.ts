// Windows of a run of `code` over the store in memory: each island goes on as far as `turn` lets it, as the step
// workflow does with real parts. For tests of islands that do not wait for each other.
import type { IslandPlan, StepPlan } from '../../../activities/interface/step.ts';
import { groupsOn } from '../../../evolution/population/island-coupling.ts';
import type { Stage } from '../../../evolution/stages.ts';
import { calling } from './conducted.ts';
import { type codeWorld, configOf, run } from './code-world.ts';

type World = ReturnType<typeof codeWorld>;
/** Who goes on next: one of the islands that can, or -1, the commit of the oldest step, where it is among them. */
export type Turn = (can: readonly number[], reached: readonly number[]) => number;

type Windows = {
  readonly steps: number;
  readonly turn: Turn;
  readonly owner?: string;
  /** After so many turns of the run everything stops where it is. */
  readonly killedAfter?: number;
  readonly twice?: boolean;
};

/** The windows that were run through: their first and last steps. Null in place of the last one: it was killed. */
export const playWindows = async (
  world: World,
  settings: object,
  { steps, turn, owner = 'first', killedAfter = Infinity, twice = false }: Windows,
): Promise<readonly (readonly [number, number] | null)[]> => {
  const { store, activities, follow, step } = world;
  const config = configOf(settings);
  const again = calling(twice);
  const windows: (readonly [number, number])[] = [];
  let turns = 0;
  for (
    let first = (await store.readRun(run))!.committedStep + 1;
    first <= steps;
    first = (await store.readRun(run))!.committedStep + 1
  ) {
    const plan: StepPlan =
      first === 0
        ? ({ window: undefined } as never)
        : await again(activities.planStep, {
            run,
            step: first,
            owner,
            window: { steps: steps - first + 1, programs: null },
          });
    if (plan.window === undefined) {
      await step(first, { owner, twice });
      windows.push([first, first]);
      continue;
    }
    const { last, islands = 1 } = plan.window;
    const reached = Array.from({ length: islands }, () => first - 1);
    let committed = first - 1;
    while (committed < last) {
      if (turns++ >= killedAfter) return [...windows, null];
      const can = reached.flatMap((at, island) => (at < last ? [island] : []));
      if (Math.min(...reached) > committed) can.push(-1);
      const island = turn(can, reached);
      const ref = { run, epoch: plan.epoch, version: plan.version };
      if (island === -1) {
        committed += 1;
        await again(activities.commitStep, {
          ...ref,
          step: committed,
          generation: plan.generation,
          injected: committed === first ? plan.injected : 0,
          omitted: [],
          ...(committed < last ? { next: owner } : {}),
        });
        continue;
      }
      const at = reached[island]! + 1;
      const ahead = {
        generation: plan.generation,
        island,
        ...(at > first && plan.injected > 0
          ? { told: [{ step: first, injected: plan.injected, unrepaired: [] }] }
          : {}),
      };
      if (at === first) {
        const slots = plan.evaluate.filter((_, index) => plan.window!.homes![index] === island);
        await follow(again, { plan, apply: false, step: at, slots, ahead });
      }
      const planned: IslandPlan =
        at === first
          ? { groups: groupsOn(island, at, config), preludes: plan.preludes ?? [] }
          : await again(activities.planIsland, { ...ref, step: at, ...ahead });
      for (const group of planned.groups) {
        for (
          let stage: Stage | null = planned.preludes.find((one) => one.group === group)?.stage ?? null;
          stage !== null;
        ) {
          await again(activities.ask, { ...ref, step: at, group, stage });
          stage = (await again(activities.advance, { ...ref, step: at, group, stage, failed: null, ahead })).next;
        }
        const made = await again(activities.generate, {
          ...ref,
          step: at,
          group,
          first: 0,
          count: plan.responses,
          responses: plan.responses,
        });
        await follow(again, { plan, apply: true, step: at, slots: made.stored, ahead });
      }
      reached[island] = at;
    }
    windows.push([first, last]);
  }
  return windows;
};
