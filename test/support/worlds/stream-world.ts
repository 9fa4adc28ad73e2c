// Streams of a run of `code` over the store in memory: groups are finished in the order that `turn` says, as the step
// workflow does with real parts.
import type { StepPlan } from '../../../activities/interface/step.ts';
import type { StreamTurned } from '../../../activities/interface/stream.ts';
import { groupsLeft, toPlan } from '../../../evolution/schedule/stream.ts';
import type { Stage } from '../../../evolution/stages.ts';
import { calling } from './conducted.ts';
import { type codeWorld, run } from './code-world.ts';

type World = ReturnType<typeof codeWorld>;
/** Which of the groups that are asked for is finished next, by its place among them. */
export type Turn = (open: readonly number[]) => number;
type Streams = {
  /** The step at which the stream ends. */
  readonly steps: number;
  readonly turn: Turn;
  readonly owner?: string;
  /** After so many finished groups everything stops where it is. */
  readonly killedAfter?: number;
  readonly twice?: boolean;
  /** A turn commits so many steps. */
  readonly inTurn?: number;
};

/** Plays on from where the run is, through as many streams as its settings make of it. */
export const playStream = async (
  { store, activities, follow, step: whole }: World,
  { steps, turn, owner = 'first', killedAfter = Infinity, twice = false, inTurn = 1 }: Streams,
): Promise<void> => {
  const again = calling(twice);
  let finishedAll = 0;
  for (;;) {
    const first = (await store.readRun(run))!.committedStep + 1;
    if (first > steps) return;
    if (first === 0) {
      await whole(0, { owner, twice });
      continue;
    }
    const window = { steps: steps - first + 1, programs: null };
    const plan: StepPlan = await again(activities.planStep, { run, step: first, owner, window });
    const { stream, responses, epoch, version } = plan;
    if (stream === undefined) {
      await whole(first, { owner, twice });
      continue;
    }
    const stages = new Map((plan.preludes ?? []).map(({ group, stage }) => [group, stage]));
    const ready = [...stream.pending];
    const open: number[] = [];
    const finished: number[] = [];
    let { planned } = stream;
    let { injected } = plan;
    const ref = { run, epoch, version };
    const last = Math.min(steps, stream.last ?? Infinity);
    if (plan.evaluate.length > 0) await again(activities.evaluate, { ...ref, step: first, slots: plan.evaluate });
    for (let step = first, over = false; !over;) {
      const wanted = () => {
        const left = groupsLeft({
          ...{ batch: stream.batch, responses, programs: Infinity, steps: last - step + 1, closing: false },
          uncommitted: open.length + finished.length,
        });
        return stream.closed === true ? Math.min(left, ready.length) : left;
      };
      while (ready.length > 0 && wanted() > 0 && open.length * responses < stream.inFlight) open.push(ready.shift()!);
      over = open.length === 0 && wanted() === 0;
      if (!over && finished.length < stream.batch * inTurn && open.length > 0) {
        if (finishedAll++ >= killedAfter) return;
        const [group] = open.splice(turn(open), 1);
        await finish(group!, stages.get(group!) ?? null);
        finished.push(group!);
        over = open.length === 0 && wanted() === 0;
      }
      const due = finished.length >= stream.batch * inTurn || (over && finished.length > 0);
      if (!due && (ready.length > 0 || over || wanted() === 0)) continue;
      const groups = due ? finished.splice(0, stream.batch * inTurn) : [];
      const [commit, ...further] = Array.from({ length: Math.ceil(groups.length / stream.batch) }, (_, index) => ({
        groups: groups.slice(index * stream.batch, (index + 1) * stream.batch),
        ...{ injected: index === 0 ? injected : 0, omitted: [], next: owner },
      }));
      const more = Math.min(
        toPlan(
          { ...stream, responses },
          { ready: ready.length, open: open.length + finished.length, held: open.length * responses },
        ),
        wanted() - groups.length - ready.length,
      );
      const count = stream.closed === true ? 0 : Math.max(0, more);
      const turned: StreamTurned = await again(activities.turnStream, {
        ...{ ...ref, step, generation: plan.generation, first: stream.first },
        ...(due ? { commit, further } : {}),
        plan: { from: planned, count },
      });
      for (const { group, stage } of turned.preludes) stages.set(group, stage);
      ready.push(...Array.from({ length: count }, (_, index) => planned + index));
      planned += count;
      if (due) {
        injected = 0;
        step += 1 + further.length;
        over &&= finished.length === 0;
      }
    }

    async function finish(group: number, prelude: Stage | null): Promise<void> {
      const at = { ...ref, step: stream!.first, group };
      for (let stage = prelude; stage !== null;) {
        await again(activities.ask, { ...at, stage });
        stage = (await again(activities.advance, { ...at, stage, failed: null, stream: true })).next;
      }
      const made = await again(activities.generate, { ...at, first: 0, count: responses, responses });
      await follow(again, { plan, apply: true, step: at.step, slots: made.stored, stream: true });
    }
  }
};
