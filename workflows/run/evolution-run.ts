// This is the workflow of one run, with id `run/<id>`. It loops over steps until a limit is reached or somebody stops
// it, and holds control state only; programs and population are in the database.
import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
  makeContinueAsNewFunc,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { RunBrief } from '../../activities/interface/run.ts';
import type { StepSummary } from '../../activities/interface/step.ts';
import { stopReasonOf } from '../../evolution/sweep/halving.ts';
import { ATTRIBUTES } from '../engine/attributes.ts';
import { explain } from '../engine/park.ts';
import { learning, urgent } from '../engine/proxies.ts';
import { summary } from '../engine/telling.ts';
import { pinnedUntilRest, Upgrade } from '../messages/upgrade.ts';
import { AT_REST, type RunInput } from '../messages/run-input.ts';
import { refusable } from '../messages/shape.ts';
import { evaluationBatching, type EvaluationBatching } from '../messages/step-input.ts';
import { validateRunInput } from '../messages/validate-inputs.ts';
import { beginStep } from './begin-step.ts';
import { awaits, isLeftOut, learnsAtEnd, nextUpdate } from './learned.ts';
import { aboutStep } from './legible.ts';
import { atRest, goToRest, leaveFiles, type RunResult } from './rest.ts';
import { attributesOf } from './run-attributes.ts';
import { openRun } from './open-run.ts';
import { listen } from './run-messages.ts';
import { RunState } from './run-state.ts';
import { Windows } from './windows.ts';
import { endOf, leftToMake, leftToSpend } from './spending.ts';

/** The number of steps between two continue-as-new, whatever the server suggests. */
const STEPS_PER_EXECUTION = 50;
/** How long a run that has reached its end waits for the score of its best program on hidden instances. */
const HOLDOUT_PATIENCE = '1 hour';

export async function evolutionRun(input: RunInput): Promise<RunResult> {
  validateRunInput(input, workflowInfo().workflowId, workflowInfo().memo?.[AT_REST] === true);
  const { run, until, rest } = input;
  if (rest !== undefined) return atRest(run, rest);
  const owner = workflowInfo().runId;
  const state = new RunState(input);
  const upgrade = new Upgrade(input.carry?.from);
  const { park, learner } = state;
  listen(
    state,
    () => state.brief !== null && endOf(state.brief, until ?? null) !== null,
    () => upgrade.due || workflowInfo().continueAsNewSuggested,
  );

  const finish = async (status: 'finished' | 'stopped', stopReason: string): Promise<RunResult> => {
    await state.holdout.cancel();
    if (learner.busy) await learner.cancel();
    await state.marked;
    const mark = () =>
      urgent.markRun.executeWithOptions({ summary: summary(`${status}: ${stopReason}`) }, [
        { run, status, stopReason, reason: null, ...(state.brief && { pausedMs: state.brief.pausedMs }) },
      ]);
    // A run that never opened is to end even where the database, which may be the reason, is away.
    if (state.opening.over) await park.phase('finish', mark);
    else await mark().catch(() => undefined);
    state.ended = status;
    upsertSearchAttributes([
      { key: ATTRIBUTES.status, value: status },
      { key: ATTRIBUTES.needsAttention, value: false },
    ]);
    state.describe({ status, reason: stopReason });
    if (state.brief) state.files = await leaveFiles(run);
    return { run, status, stopReason, steps: Math.max(0, state.brief?.committedStep ?? 0) };
  };

  const ended = (result: RunResult): Promise<never> => goToRest(state, result);

  state.begin();
  try {
    const opened = await state.opening.run(() =>
      refusable(() => park.phase('open', () => openRun(input, owner), ['ConfigError', 'BadRequest'])),
    );
    if (opened === null) return await ended(await finish('stopped', stopReasonOf(state.stopping!)));
    state.brief = withPauses(opened, input.carry?.brief ?? null);
    if (opened.stays !== undefined) return await ended(stayEnded(opened, opened.stays));
    upsertSearchAttributes(attributesOf(state.brief));
    state.mark();
    state.holdout.follow(state.brief);

    let evaluationMs = input.carry?.evaluationMs ?? null;
    let resamples = 0;
    for (let steps = 0; ;) {
      state.follow();
      const restsFromMs = Date.now();
      await condition(
        () =>
          [state.stopping, state.rewinding].some((asked) => asked !== null) ||
          !state.paused ||
          mustContinue() ||
          upgrade.due ||
          state.yields,
      );
      state.rested(Date.now() - restsFromMs);
      if (state.yields) {
        await learner.cancel();
        continue;
      }
      const next = () => ({
        run,
        ...(until ? { until } : {}),
        carry: {
          ...{ paused: state.paused, evaluationMs, ...upgrade.onward.carry },
          ...state.page.told(state.brief, state.onHidden),
        },
      });
      const goOn = makeContinueAsNewFunc<typeof evolutionRun>(upgrade.onward.options);
      if (state.stopping) {
        await condition(allHandlersFinished);
        return await ended(await finish('stopped', stopReasonOf(state.stopping)));
      }
      if (state.rewinding) {
        await condition(allHandlersFinished);
        // What ends while an execution is given up fails the task, and with it the update that asked for the rewind.
        await state.marked;
        await state.holdout.cancel();
        state.describe({ left: `the run went back to step ${state.rewinding.toStep}` });
        await goOn({ ...next(), rewind: state.rewinding });
      }
      if (steps >= STEPS_PER_EXECUTION || workflowInfo().continueAsNewSuggested || upgrade.due) {
        if (learner.busy && learner.attention === null) {
          await condition(() => !learner.busy || learner.attention !== null || state.yields);
          continue;
        }
        if (learner.busy) await learner.cancel();
        await condition(allHandlersFinished);
        await state.holdout.cancel();
        state.describe({ left: whyOnward(steps, upgrade) });
        await goOn(next());
      }
      const step: number = state.brief.committedStep + 1;
      if (state.resampling) {
        state.resampling = false;
        resamples += 1;
        state.working = true;
        const paid = await park.phase('resample', () => urgent.resample({ run, step, by: `${owner}:${resamples}` }));
        state.working = false;
        state.brief = { ...state.brief, paid };
        // Nothing begins after a message that came meanwhile.
        if (state.paused !== null || state.stopping !== null || state.rewinding !== null) continue;
      }
      const reached = step === 0 ? null : endOf(state.brief, until ?? null);
      const update = learner.busy ? null : nextUpdate(state.brief);
      if (update !== null && (reached === null || learnsAtEnd(state.brief, reached))) {
        if (state.storedAsPaused) await state.marked;
        else learner.begin(state.brief, update);
        continue;
      }
      if (learner.current !== null && (reached !== null || awaits(state.brief, learner.current.step))) {
        await updated();
        continue;
      }
      if (reached) {
        const version = state.brief.configVersion;
        const overtaken = async (): Promise<boolean> => {
          await condition(allHandlersFinished);
          return state.brief!.configVersion !== version || state.stopping !== null || state.rewinding !== null;
        };
        // An end must not hang on work that only goes on beside it.
        if (state.holdout.busy)
          await condition(
            () => !state.holdout.busy || state.stopping !== null || state.rewinding !== null,
            HOLDOUT_PATIENCE,
          );
        if (await overtaken()) continue;
        const result = await finish(reached.status, reached.reason);
        if (!(await overtaken())) return await ended(result);
        // A message was taken while the end was being written down, and it counts.
        state.ended = null;
        state.mark();
        continue;
      }
      // The store is not to say that the run is paused while a step is under way.
      if (state.storedAsPaused) {
        await state.marked;
        continue;
      }
      if (isLeftOut(state.brief)) await leaveOut(state.brief);
      const done = await oneStep(step, evaluationBatching(evaluationMs));
      if (!done) continue;
      steps += 1;
      evaluationMs = done.evaluationMs ?? evaluationMs;
      state.committed(done);
    }
  } catch (error) {
    // Cancelled from outside (the UI's Cancel): a person ended the run. What is committed stays, and `evolve resume`
    // goes on.
    if (isCancellation(error))
      await CancellationScope.nonCancellable(async () =>
        ended(await finish('stopped', 'cancelled in the workflow engine')),
      );
    throw error;
  }

  /** Steps that are made while learning is switched off are settled one by one, in case it is switched on again. */
  async function leaveOut({ committedStep: step }: RunBrief): Promise<void> {
    const plan = await park.phase('learning', () =>
      learning.planUpdate.executeWithOptions({ summary: `leave step ${step} out` }, [{ run, step, owner }]),
    );
    if ('settled' in plan) state.learned(plan.settled);
  }

  /** Waits for the update that is under way; less long where a message changes what the run is to do. */
  async function updated(): Promise<void> {
    const { configVersion } = state.brief!;
    const changed = () => state.brief!.configVersion !== configVersion || workflowInfo().continueAsNewSuggested;
    await condition(() => !learner.busy || state.yields || changed());
  }

  /**
   * Runs a step to its commit. Null: it was interrupted by a message or by hand, and is to be run again or not at all.
   */
  async function oneStep(step: number, batching: EvaluationBatching): Promise<StepSummary | null> {
    const brief = state.brief!;
    state.stepAttention = state.stepParked = null;
    state.interrupted = false;
    state.inWindow = false;
    const scope = new CancellationScope();
    const input = { run, owner, batching, about: aboutStep(brief) };
    const begin = (next: number, continues: number) =>
      beginStep(state.brief!, { ...input, step: next, budget: null, window: null, continues });
    const windows = new Windows(step, scope, begin);
    state.current = { step, scope };
    state.windows = windows;
    state.page.works(step);
    state.describe();
    try {
      const summary = await scope.run(() =>
        beginStep(brief, {
          ...{ ...input, step },
          budget: leftToSpend(brief),
          window: leftToMake(brief, until ?? null),
          continues: null,
        }),
      );
      return windows.more ? await windows.ended(summary) : summary;
    } catch (failure) {
      const error = windows.more ? await windows.lost(failure) : failure;
      if (state.interrupted) return null;
      if (isCancellation(error) && CancellationScope.current().consideredCancelled) throw error;
      // The step was terminated, cancelled or failed by somebody else: wait for a person or a while, then run the same
      // step again.
      let first = true;
      await park.phase(`step ${step}`, async () => {
        if (first) {
          first = false;
          throw ApplicationFailure.nonRetryable(`step ${step} ended without a result (${explain(error)})`, 'StepLost');
        }
      });
      return null;
    } finally {
      state.current = state.windows = null;
      state.page.works(null);
      state.inWindow = false;
      state.stepAttention = state.stepParked = null;
    }
  }
}

/** The execution before may know of a pause that it could not write down. */
const withPauses = (opened: RunBrief, before: RunBrief | null): RunBrief =>
  before !== null && before.pausedMs > opened.pausedMs ? { ...opened, pausedMs: before.pausedMs } : opened;

pinnedUntilRest(evolutionRun);

const whyOnward = (steps: number, { due }: Upgrade): string =>
  due
    ? 'the run goes on under a newer version of the workflows'
    : `the run goes on after ${steps} steps here, so that no history grows too long`;

/** A sweep does not start again what a person ended: nothing of the run is changed. */
const stayEnded = (
  { run, committedStep }: RunBrief,
  { status, reason }: NonNullable<RunBrief['stays']>,
): RunResult => ({ run, status, stopReason: reason, steps: Math.max(0, committedStep) });

/** Messages to a run that rests make its history longer too, and the engine ends what grows too long. */
const mustContinue = (): boolean => workflowInfo().continueAsNewSuggested;
