// A sweep rests once it has ended, as runs do: its work continues as new into a last execution, which says how it
// ended and completes, so that the lists of the engine have one row of it. A sweep that was terminated is given such an
// execution too, which writes down its end first.
import {
  CancellationScope,
  makeContinueAsNewFunc,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { Park } from '../engine/park.ts';
import { sweeping } from '../engine/proxies.ts';
import { SWEEP_MESSAGES } from '../messages/descriptions.ts';
import { sweepProgress } from '../messages/messages.ts';
import { AT_REST } from '../messages/run-input.ts';
import type { SweepCarry, SweepResult, SweepRest, SweepWorkflow } from '../messages/sweep-input.ts';
import { SweepState } from './sweep-state.ts';

const AGAIN_MS = 5_000;

/** Does not return: the execution ends here. */
export const goToRest = async (state: SweepState, carry: SweepCarry): Promise<never> => {
  const { status, reason } = state.ended!;
  state.leave('the sweep has ended, and rests');
  return makeContinueAsNewFunc<SweepWorkflow>({ memo: { [AT_REST]: true } })(
    { name: state.name },
    { ...carry, rest: { status, reason } },
  );
};

/** The whole life of the last execution. Messages that still come change nothing, because the sweep has ended. */
export const sweepAtRest = async (
  name: string,
  { status, reason }: SweepRest,
  schedule: string | null,
): Promise<SweepResult> => {
  const state = new SweepState(name, { paused: null, schedule });
  state.ended = { status, reason };
  setHandler(sweepProgress, () => state.progress, { description: SWEEP_MESSAGES.progress });
  // A database that is away is waited for: nothing else knows that a sweep which was terminated has ended.
  const park = new Park({ slowRetryMs: AGAIN_MS, onChange: () => undefined });
  await CancellationScope.nonCancellable(async () => {
    const ending = await park.phase('end', () => sweeping.endSweep({ sweep: name, reason }));
    if (ending === null) return;
    state.ended = { status: ending.status, reason: ending.stopReason };
    state.plan = ending.plan;
    for (const group of ending.plan.stopped) state.out.add(group);
    const runs = ending.plan.runs.map(({ run }) => run);
    const scoring = ending.plan.page.scoring;
    for (const seen of await park.phase('look', () =>
      sweeping.awaitRuns({ runs, known: {}, ...(scoring && { scoring }) }),
    ))
      state.saw(seen);
  });
  upsertSearchAttributes(state.attributes);
  setCurrentDetails(state.details);
  return { sweep: name, status: state.ended.status, runs: state.plan?.runs.length ?? 0 };
};
