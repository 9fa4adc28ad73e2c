// This is the workflow of a sweep, with id `sweep/<name>`: it starts many runs of one question, a limited number of
// them alive at a time, with successive halving where it is asked for. The input is the sweep file as one JSON object,
// from the CLI, a schedule or the Temporal UI's form. Runs do not share the fate of the sweep: they go on when it ends,
// and a sweep that is started again finds them.
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  makeContinueAsNewFunc,
  ParentClosePolicy,
  startChild,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { SweepPlan, SweptState } from '../../activities/interface/sweep.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import { shareOf } from '../../evolution/schedule/sharing.ts';
import { byPerson } from '../../evolution/sweep/halving.ts';
import type { Json } from '../../evolution/types.ts';
import { ATTRIBUTES } from '../engine/attributes.ts';
import { sweeping } from '../engine/proxies.ts';
import { summary as summarised } from '../engine/telling.ts';
import { internal } from '../engine/form.ts';
import { AT_REST } from '../messages/run-input.ts';
import type { SweepCarry, SweepResult, SweepRest } from '../messages/sweep-input.ts';
import { pinnedUntilRest, Upgrade } from '../messages/upgrade.ts';
import { validateSweepInput } from '../messages/validate-inputs.ts';
import type { evolutionRun } from '../run/evolution-run.ts';
import { scheduleOf, Starter, sweepToStart, withScheduledName } from './starter.ts';
import { listen, tellAlive, tellStop } from './sweep-messages.ts';
import { goToRest, sweepAtRest } from './sweep-rest.ts';
import { SweepState } from './sweep-state.ts';

export async function sweep(input: Json, carry?: SweepCarry): Promise<SweepResult> {
  validateSweepInput(input, carry, workflowInfo().memo?.[AT_REST] === true);
  if (carry?.rest !== undefined) return sweepAtRest(nameIn(input), carry.rest, carry.schedule ?? null);
  const spec = carry === undefined ? withScheduledName(input) : input;
  const schedule = scheduleOf(carry);
  const kept = internal({
    startedAtMs: carry?.startedAtMs ?? workflowInfo().startTime.getTime(),
    paused: carry?.paused ?? null,
    ...(schedule === null ? {} : { schedule }),
  });
  const upgrade = new Upgrade(carry?.from);
  const name = sweepToStart(spec);
  const waiting = { ...kept, joined: carry?.joined === true, started: carry?.started === true };
  return name === null
    ? new Sweep(spec, kept, upgrade).work()
    : new Starter({ ...(spec as object), name }, name, waiting, upgrade).work();
}
pinnedUntilRest(sweep);

/** One execution that does the work of a sweep. */
class Sweep {
  readonly #spec: Json;
  readonly #kept: SweepCarry;
  readonly #upgrade: Upgrade;
  readonly #state: SweepState;

  constructor(spec: Json, kept: SweepCarry, upgrade: Upgrade) {
    this.#spec = spec;
    this.#kept = kept;
    this.#upgrade = upgrade;
    this.#state = new SweepState(nameIn(spec), { paused: kept.paused, schedule: kept.schedule ?? null });
  }

  async work(): Promise<SweepResult> {
    const state = this.#state;
    listen(state);
    state.show();
    try {
      state.plan = await this.#open();
      if (state.plan !== null) return await this.#allRungs(state.plan);
      state.ended = { status: 'stopped', reason: byPerson(state.stopping?.reason) };
      state.show();
      return { sweep: nameIn(this.#spec), status: 'stopped', runs: 0 };
    } catch (error) {
      if (isCancellation(error) && state.plan)
        await CancellationScope.nonCancellable(() =>
          this.#finish('stopped', 'cancelled in the workflow engine; its runs go on'),
        );
      throw error;
    }
  }

  #open(): Promise<SweepPlan | null> {
    const order = { spec: this.#spec, startedAtMs: this.#kept.startedAtMs };
    return this.#state.opening.run(() =>
      this.#state.park.phase(
        'open',
        () => sweeping.openSweep.executeWithOptions({ summary: 'expand the sweep' }, [order]),
        ['ConfigError'],
      ),
    );
  }

  async #allRungs(plan: SweepPlan): Promise<SweepResult> {
    const state = this.#state;
    upsertSearchAttributes([{ key: ATTRIBUTES.sweep, value: plan.name }]);
    for (const group of plan.stopped) state.out.add(group);
    for (const programs of [...plan.rungs.slice(plan.decided), null]) {
      state.rung = programs;
      if (!(await this.#chunk(plan))) return await this.#finish('stopped', byPerson(state.stopping?.reason));
      if (programs !== null) await this.#decide(plan, programs);
    }
    return await this.#finish('finished', null);
  }

  async #decide({ name: sweep }: SweepPlan, programs: number): Promise<void> {
    const losers = await this.#state.park.phase('decide', () =>
      sweeping.decideRung.executeWithOptions({ summary: `successive halving at ${programs} programs` }, [
        { sweep, programs },
      ]),
    );
    for (const group of losers) this.#state.out.add(group);
  }

  async #finish(status: 'finished' | 'stopped', reason: SweepRest['reason']): Promise<never> {
    const state = this.#state;
    const end = { sweep: state.plan!.name, status, stopReason: reason };
    await state.park.phase('finish', () => sweeping.markSweep(end));
    state.ended = { status, reason };
    state.show();
    return goToRest(state, { ...this.#kept, paused: null });
  }

  /**
   * Lets every run that is still in the sweep come to the rung, or to its own end. False when the sweep was stopped.
   */
  async #chunk({ runs }: SweepPlan): Promise<boolean> {
    const state = this.#state;
    await this.#look(
      runs.map(({ run }) => run),
      {},
    );
    for (;;) {
      if (state.stopping && state.alive.length === 0) return false;
      if (!state.stopping && !state.paused) await this.#startWaiting();
      state.show();
      if (state.alive.length > 0) await this.#watch();
      else if (state.waiting.length === 0) return true;
      else await this.#rest();
    }
  }

  async #startWaiting(): Promise<void> {
    const state = this.#state;
    const free = Math.max(0, state.plan!.maxParallel - state.alive.length);
    for (const next of state.waiting.slice(0, free)) {
      await this.#start(next);
      // A message that came meanwhile did not reach this run, and is for those that wait, too.
      if (state.stopping !== null) return void (await tellStop(state));
      if (state.paused !== null) return void (await tellAlive(state, 'pause', state.paused));
    }
  }

  get #leaves(): boolean {
    return workflowInfo().continueAsNewSuggested || this.#upgrade.due;
  }

  /** Nothing is alive, and nothing may begin. Messages make the history longer too. */
  async #rest(): Promise<void> {
    const state = this.#state;
    await condition(() => !state.paused || state.stopping !== null || this.#leaves);
    if (state.paused && !state.stopping) await this.#goOn();
  }

  async #watch(): Promise<void> {
    const state = this.#state;
    if (this.#leaves && !state.stopping) await this.#goOn();
    const { watched } = state;
    await this.#look(
      watched.map(({ run }) => run),
      Object.fromEntries(watched.map(({ run, state: seen }) => [run, seen])),
      Object.fromEntries(watched.map(({ run, word }) => [run, word])),
    );
  }

  async #goOn(): Promise<void> {
    await condition(allHandlersFinished);
    if (this.#state.stopping) return;
    const { options, carry } = this.#upgrade.onward;
    this.#state.leave('the sweep goes on in another one, so that no history grows too long');
    const kept = { ...this.#kept, paused: this.#state.paused, ...carry };
    await makeContinueAsNewFunc<typeof sweep>(options)(this.#spec, kept);
  }

  async #look(
    runs: readonly string[],
    known: { readonly [run: string]: SweptState },
    words?: { readonly [run: string]: string },
  ): Promise<void> {
    const scoring = this.#state.plan?.page.scoring;
    const order = { runs, known, ...(words && { words }), ...(scoring && { scoring }) };
    const states = await this.#state.park.phase('look', () =>
      sweeping.awaitRuns.executeWithOptions({ summary: `watch ${runs.length} runs` }, [order]),
    );
    for (const seen of states) this.#state.saw(seen);
  }

  async #start({ run, summary }: SweepPlan['runs'][number]): Promise<void> {
    const { plan, rung } = this.#state;
    try {
      await startChild<typeof evolutionRun>('evolutionRun', {
        workflowId: runWorkflowId(run),
        args: [{ run, sweep: plan!.name, ...(rung === null ? {} : { until: { programs: rung } }) }],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        priority: shareOf({ run, sweep: plan!.name }),
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        staticSummary: summarised(`sweep ${plan!.name}: ${summary}`),
        typedSearchAttributes: [
          { key: ATTRIBUTES.run, value: run },
          { key: ATTRIBUTES.sweep, value: plan!.name },
        ],
      });
    } catch (error) {
      // The run is alive already: a person, or another execution of this sweep, started it.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
    this.#state.started(run);
  }
}

const nameIn = (spec: Json): string => {
  const name = (spec as { readonly name?: unknown }).name;
  return typeof name === 'string' ? name : '';
};
