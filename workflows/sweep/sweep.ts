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
import { pinnedUntilRest, Upgrade } from '../messages/upgrade.ts';
import { AT_REST } from '../messages/run-input.ts';
import type { SweepCarry, SweepResult } from '../messages/sweep-input.ts';
import { validateSweepInput } from '../messages/validate-inputs.ts';
import type { evolutionRun } from '../run/evolution-run.ts';
import { scheduleOf, startOrJoin, sweepToStart, withScheduledName } from './starter.ts';
import { listen, tellAlive, tellStop } from './sweep-messages.ts';
import { goToRest, sweepAtRest } from './sweep-rest.ts';
import { SweepState } from './sweep-state.ts';

export async function sweep(given: Json, carry?: SweepCarry): Promise<SweepResult> {
  validateSweepInput(given, carry, workflowInfo().memo?.[AT_REST] === true);
  if (carry?.rest !== undefined) return sweepAtRest(nameIn(given), carry.rest, carry.schedule ?? null);
  const spec = carry === undefined ? withScheduledName(given) : given;
  const startedAtMs = carry?.startedAtMs ?? workflowInfo().startTime.getTime();
  const schedule = scheduleOf(carry);
  const kept = { startedAtMs, ...(schedule === null ? {} : { schedule }) };
  const upgrade = new Upgrade(carry?.from);
  const toStart = sweepToStart(spec);
  if (toStart !== null)
    return startOrJoin(
      spec,
      toStart,
      { ...kept, paused: carry?.paused ?? null, joined: carry?.joined === true, started: carry?.started === true },
      upgrade,
    );
  const state = new SweepState(nameIn(spec), { paused: carry?.paused ?? null, schedule });
  const { park, opening } = state;
  listen(state);
  state.show();

  const finish = async (status: 'finished' | 'stopped', reason: string | null): Promise<SweepResult> => {
    await park.phase('finish', () => sweeping.markSweep({ sweep: state.plan!.name, status, stopReason: reason }));
    state.ended = { status, reason };
    state.show();
    return goToRest(state, { ...kept, paused: null });
  };

  try {
    state.plan = await opening.run(() =>
      park.phase(
        'open',
        () => sweeping.openSweep.executeWithOptions({ summary: 'expand the sweep' }, [{ spec, startedAtMs }]),
        ['ConfigError'],
      ),
    );
    const { plan } = state;
    if (plan === null) {
      state.ended = { status: 'stopped', reason: byPerson(state.stopping?.reason) };
      state.show();
      return { sweep: nameIn(spec), status: 'stopped', runs: 0 };
    }
    upsertSearchAttributes([{ key: ATTRIBUTES.sweep, value: plan.name }]);
    for (const group of plan.stopped) state.out.add(group);
    for (const programs of [...plan.rungs.slice(plan.decided), null]) {
      state.rung = programs;
      if (!(await stretch(plan))) return await finish('stopped', byPerson(state.stopping?.reason));
      if (programs === null) break;
      const losers = await park.phase('decide', () =>
        sweeping.decideRung.executeWithOptions({ summary: `successive halving at ${programs} programs` }, [
          { sweep: plan.name, programs },
        ]),
      );
      for (const group of losers) state.out.add(group);
    }
    return await finish('finished', null);
  } catch (error) {
    if (isCancellation(error) && state.plan)
      await CancellationScope.nonCancellable(() =>
        finish('stopped', 'cancelled in the workflow engine; its runs go on'),
      );
    throw error;
  }

  /**
   * Lets every run that is still in the sweep come to the rung, or to its own end. False when the sweep was stopped.
   */
  async function stretch({ runs, maxParallel }: SweepPlan): Promise<boolean> {
    await look(
      runs.map(({ run }) => run),
      {},
    );
    for (;;) {
      if (state.stopping && state.alive.length === 0) return false;
      if (!state.stopping && !state.paused) {
        for (const next of state.waiting.slice(0, Math.max(0, maxParallel - state.alive.length))) {
          await start(next);
          // A message that came meanwhile did not reach this run, and is for those that wait, too.
          if (state.stopping !== null || state.paused !== null) {
            await (state.stopping ? tellStop(state) : tellAlive(state, 'pause', state.paused!));
            break;
          }
        }
      }
      state.show();
      if (state.alive.length === 0) {
        if (state.waiting.length === 0) return true;
        await condition(() => !state.paused || state.stopping !== null || mustContinue() || upgrade.due);
        if (state.paused && !state.stopping) await goOn();
        continue;
      }
      if ((workflowInfo().continueAsNewSuggested || upgrade.due) && !state.stopping) await goOn();
      const watched = state.watched;
      await look(
        watched.map(({ run }) => run),
        Object.fromEntries(watched.map(({ run, state: seen }) => [run, seen])),
        Object.fromEntries(watched.map(({ run, word }) => [run, word])),
      );
    }
  }

  async function goOn(): Promise<void> {
    await condition(allHandlersFinished);
    if (state.stopping) return;
    const { options, carry: told } = upgrade.onward;
    await makeContinueAsNewFunc<typeof sweep>(options)(spec, { ...kept, paused: state.paused, ...told });
  }

  async function look(
    runs: readonly string[],
    known: { readonly [run: string]: SweptState },
    words?: { readonly [run: string]: string },
  ): Promise<void> {
    const scoring = state.plan?.page.scoring;
    const states = await park.phase('look', () =>
      sweeping.awaitRuns.executeWithOptions({ summary: `watch ${runs.length} runs` }, [
        { runs, known, ...(words && { words }), ...(scoring && { scoring }) },
      ]),
    );
    for (const seen of states) state.saw(seen);
  }

  async function start({ run, summary }: SweepPlan['runs'][number]): Promise<void> {
    const { plan, rung } = state;
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
    state.started(run);
  }
}

pinnedUntilRest(sweep);

/** Messages to a sweep that is paused make its history longer too, and the engine ends what grows too long. */
const mustContinue = (): boolean => workflowInfo().continueAsNewSuggested;

const nameIn = (spec: Json): string => {
  const name = (spec as { readonly name?: unknown }).name;
  return typeof name === 'string' ? name : '';
};
