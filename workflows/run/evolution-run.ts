// This is the workflow of one run, with id `run/<id>`. It carries out one action after the other (evolution/run/next.ts)
// until a limit is reached or somebody stops it. It holds control state only; programs and population are in the
// database.
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  makeContinueAsNewFunc,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { RunBrief } from '../../activities/interface/run.ts';
import { type Action, isSame, next, type Situation } from '../../evolution/run/next.ts';
import { stopReasonOf } from '../../evolution/sweep/halving.ts';
import { ATTRIBUTES } from '../engine/attributes.ts';
import { learning, urgent } from '../engine/proxies.ts';
import { summary } from '../engine/telling.ts';
import { internal } from '../engine/form.ts';
import { AT_REST, type RunInput } from '../messages/run-input.ts';
import { refusable } from '../messages/refusals.ts';
import { evaluationBatching } from '../messages/step-input.ts';
import { pinnedUntilRest, Upgrade } from '../messages/upgrade.ts';
import { validateRunInput } from '../messages/validate-inputs.ts';
import { openRun } from './open-run.ts';
import { atRest, goToRest, leaveFiles, type RunResult } from './rest.ts';
import { attributesOf } from './run-attributes.ts';
import { listen } from './run-messages.ts';
import { runStep } from './run-step.ts';
import { RunState } from './run-state.ts';
import { endOf } from './spending.ts';

/** The number of steps between two continue-as-new, whatever the server suggests. */
const STEPS_PER_EXECUTION = 50;
/** A run that has reached its end waits so long for the score of its best program on hidden instances. */
const HOLDOUT_PATIENCE = '1 hour';

export async function evolutionRun(input: RunInput): Promise<RunResult> {
  validateRunInput(input, workflowInfo().workflowId, workflowInfo().memo?.[AT_REST] === true);
  return input.rest === undefined ? new Run(input).work() : atRest(input.run, input.rest);
}
pinnedUntilRest(evolutionRun);

/** One execution that does the work of a run. It ends with an error that continues it as new. */
class Run {
  readonly #input: RunInput;
  readonly #owner = workflowInfo().runId;
  readonly #state: RunState;
  readonly #upgrade: Upgrade;
  #steps = 0;
  #resamples = 0;
  /** The mean evaluation time of the last step; null before anything is known. */
  #evaluationMs: number | null;

  constructor(input: RunInput) {
    this.#input = input;
    this.#state = new RunState(input);
    this.#upgrade = new Upgrade(input.carry?.from);
    this.#evaluationMs = input.carry?.evaluationMs ?? null;
  }

  async work(): Promise<never> {
    const state = this.#state;
    listen(
      state,
      () => state.brief !== null && this.#reached() !== null,
      () => this.#leavesAtOnce,
    );
    state.begin();
    try {
      await this.#open();
      for (;;) {
        state.follow();
        await this.#carryOut(next(this.#situation));
      }
    } catch (error) {
      // Cancelled from outside (the UI's Cancel): a person ended the run. What is committed stays, and `evolve resume`
      // goes on.
      if (isCancellation(error))
        await CancellationScope.nonCancellable(() => this.#finish('stopped', 'cancelled in the workflow engine'));
      throw error;
    }
  }

  async #open(): Promise<void> {
    const state = this.#state;
    const opened = await state.opening.run(() =>
      refusable(() => state.park.phase('open', () => openRun(this.#input, this.#owner), ['ConfigError', 'BadRequest'])),
    );
    if (opened === null) return this.#finish('stopped', stopReasonOf(state.stopping!));
    state.brief = withPauses(opened, this.#input.carry?.brief ?? null);
    // A sweep does not start again what a person ended: nothing of the run is changed.
    if (opened.stays !== undefined) return goToRest(state, resultOf(opened, opened.stays.status, opened.stays.reason));
    upsertSearchAttributes(attributesOf(state.brief));
    state.mark();
    state.holdout.follow(state.brief);
  }

  get #leavesAtOnce(): boolean {
    return this.#upgrade.due || workflowInfo().continueAsNewSuggested;
  }

  #reached(): ReturnType<typeof endOf> {
    return endOf(this.#state.brief!, this.#input.until ?? null);
  }

  get #situation(): Situation {
    const { brief, learner, paused, stopping, rewinding, resampling, storedAsPaused } = this.#state;
    return {
      paused: paused === null ? null : (paused.mode ?? 'step'),
      stopping: stopping !== null,
      rewinding: rewinding !== null,
      resampling,
      committedStep: brief!.committedStep,
      learning: brief!.learning,
      update: learner.current && { step: learner.current.step, parked: learner.attention !== null },
      leaves: this.#leavesAtOnce ? 'at once' : this.#steps >= STEPS_PER_EXECUTION ? 'before a step' : null,
      storedAsPaused,
      reached: () => this.#reached(),
    };
  }

  async #carryOut(action: Action): Promise<void> {
    const state = this.#state;
    switch (action.do) {
      case 'rest':
        return this.#rest(action);
      case 'await update':
        return this.#otherThan(action);
      case 'await document':
        return state.marked;
      case 'begin update':
        return state.learner.begin(state.brief!, action.step);
      case 'cancel update':
        return state.learner.cancel();
      case 'resample':
        return this.#resample();
      case 'stop':
        return this.#stop();
      case 'rewind':
        return this.#rewind();
      case 'go on':
        return this.#goOn();
      case 'end':
        return this.#end(action);
      case 'step':
        return this.#step(action);
    }
  }

  /** Waits until there is something else to do. */
  #otherThan(action: Action): Promise<void> {
    return condition(() => !isSame(next(this.#situation), action));
  }

  async #rest(action: Action): Promise<void> {
    const fromMs = Date.now();
    await this.#otherThan(action);
    this.#state.rested(Date.now() - fromMs);
  }

  async #resample(): Promise<void> {
    const state = this.#state;
    const { run, committedStep } = state.brief!;
    state.resampling = false;
    state.working = true;
    this.#resamples += 1;
    const by = `${this.#owner}:${this.#resamples}`;
    const paid = await state.park.phase('resample', () => urgent.resample({ run, step: committedStep + 1, by }));
    state.working = false;
    state.brief = { ...state.brief!, paid };
  }

  async #step({ step, leavesOut }: Extract<Action, { do: 'step' }>): Promise<void> {
    if (leavesOut) await this.#leaveOut(step - 1);
    const batching = evaluationBatching(this.#evaluationMs);
    const done = await runStep(this.#state, { step, owner: this.#owner, batching, until: this.#input.until ?? null });
    if (done === null) return;
    this.#steps += 1;
    this.#evaluationMs = done.evaluationMs ?? this.#evaluationMs;
    this.#state.committed(done);
  }

  /** Steps that are made while learning is switched off are settled one by one, in case it is switched on again. */
  async #leaveOut(step: number): Promise<void> {
    const order = { run: this.#input.run, step, owner: this.#owner };
    const plan = await this.#state.park.phase('learning', () =>
      learning.planUpdate.executeWithOptions({ summary: `leave step ${step} out` }, [order]),
    );
    if ('settled' in plan) this.#state.learned(plan.settled);
  }

  async #goOn(): Promise<void> {
    await this.#state.learner.cancel();
    await this.#continue(whyOnward(this.#steps, this.#upgrade), {});
  }

  async #rewind(): Promise<void> {
    const rewind = this.#state.rewinding!;
    await condition(allHandlersFinished);
    // An activity that ends while an execution is given up fails the task, and with it the update that asked for it.
    await this.#state.marked;
    await this.#continue(`the run went back to step ${rewind.toStep}`, { rewind });
  }

  async #continue(left: string, more: Pick<RunInput, 'rewind'>): Promise<never> {
    const state = this.#state;
    const { options, carry } = this.#upgrade.onward;
    await condition(allHandlersFinished);
    await state.holdout.cancel();
    state.describe({ left });
    return makeContinueAsNewFunc<typeof evolutionRun>(options)({
      run: this.#input.run,
      ...(this.#input.until && { until: this.#input.until }),
      ...more,
      carry: internal({
        ...{ paused: state.paused, evaluationMs: this.#evaluationMs, ...carry },
        brief: state.latest,
      }),
    });
  }

  async #stop(): Promise<void> {
    await condition(allHandlersFinished);
    await this.#finish('stopped', stopReasonOf(this.#state.stopping!));
  }

  /** A message that is taken while the end is being written down counts. A pause does not: nothing is left to pause. */
  async #end(end: Extract<Action, { do: 'end' }>): Promise<void> {
    const state = this.#state;
    const isOvertaken = (): boolean => !isSame(next({ ...this.#situation, paused: null, leaves: null }), end);
    await condition(allHandlersFinished);
    // An end must not hang on work that only goes on beside it.
    if (state.holdout.busy) await condition(() => !state.holdout.busy || isOvertaken(), HOLDOUT_PATIENCE);
    if (isOvertaken()) return;
    await this.#write(end.status, end.reason);
    await condition(allHandlersFinished);
    if (!isOvertaken()) await goToRest(state, resultOf(state.brief, end.status, end.reason, this.#input.run));
    state.ended = null;
    state.mark();
  }

  async #finish(status: 'finished' | 'stopped', reason: string): Promise<void> {
    await this.#write(status, reason);
    await goToRest(this.#state, resultOf(this.#state.brief, status, reason, this.#input.run));
  }

  /** Writes the end of the run down. */
  async #write(status: 'finished' | 'stopped', reason: string): Promise<void> {
    const state = this.#state;
    const { run } = this.#input;
    await state.holdout.cancel();
    await state.learner.cancel();
    await state.marked;
    const end = {
      run,
      status,
      stopReason: reason,
      reason: null,
      ...(state.brief && { pausedMs: state.brief.pausedMs }),
    };
    const mark = () => urgent.markRun.executeWithOptions({ summary: summary(`${status}: ${reason}`) }, [end]);
    // A run that never opened is to end even where the database, which may be the reason, is away.
    if (state.opening.over) await state.park.phase('finish', mark);
    else await mark().catch(() => undefined);
    state.ended = status;
    upsertSearchAttributes([
      { key: ATTRIBUTES.status, value: status },
      { key: ATTRIBUTES.needsAttention, value: false },
    ]);
    state.describe({ status, reason });
    if (state.brief) await leaveFiles(run);
  }
}

/** The execution before may know of a pause that it could not write down. */
const withPauses = (opened: RunBrief, before: RunBrief | null): RunBrief =>
  before !== null && before.pausedMs > opened.pausedMs ? { ...opened, pausedMs: before.pausedMs } : opened;

const resultOf = (
  brief: RunBrief | null,
  status: RunResult['status'],
  stopReason: string,
  run = brief!.run,
): RunResult => ({ run, status, stopReason, steps: Math.max(0, brief?.committedStep ?? 0) });

const whyOnward = (steps: number, { due }: Upgrade): string =>
  due
    ? 'the run goes on under a newer version of the workflows'
    : `the run goes on after ${steps} steps here, so that no history grows too long`;
