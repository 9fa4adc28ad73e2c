// This is the workflow of a sweep, with id `sweep/<name>`: it starts many runs of one question, a limited number of
// them alive at a time, with successive halving where it is asked for. The input is the sweep file as one JSON object,
// from the CLI, a schedule or the Temporal UI's form. Runs do not share the fate of the sweep: they go on when it ends,
// and a sweep that is started again finds them.
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  patched,
  setCurrentDetails,
  setHandler,
  startChild,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { SweepPlan, SweptRun, SweptState } from '../../activities/interface/sweep.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import { byPerson } from '../../evolution/sweep/halving.ts';
import type { Json } from '../../evolution/types.ts';
import { ATTRIBUTES } from '../engine/attributes.ts';
import { Opening } from '../engine/opening.ts';
import { Park } from '../engine/park.ts';
import { sweeping } from '../engine/proxies.ts';
import { summary as summarised } from '../engine/telling.ts';
import { SWEEP_MESSAGES } from '../messages/descriptions.ts';
import { listenTo } from '../messages/listening.ts';
import { pause, resume, stop, type StopRequest, sweepProgress, type SweepProgress } from '../messages/messages.ts';
import { validatePause } from '../messages/validate.ts';
import type { SweepCarry, SweepResult } from '../messages/sweep-input.ts';
import { validateSweepInput } from '../messages/validate-inputs.ts';
import type { evolutionRun } from '../run/evolution-run.ts';
import { withScheduledName } from './scheduled.ts';
import { scheduleOf, startOrJoin, sweepToStart } from './starter.ts';
import { openingDetails, sweepDetails } from './sweep-details.ts';

const SLOW_RETRY_MS = 30_000;

export async function sweep(given: Json, carry?: SweepCarry): Promise<SweepResult> {
  validateSweepInput(given, carry);
  const spec = carry === undefined && patched('scheduled-name') ? withScheduledName(given) : given;
  const startedAtMs = carry?.startedAtMs ?? workflowInfo().startTime.getTime();
  const schedule = scheduleOf(carry);
  const kept = { startedAtMs, ...(schedule === null ? {} : { schedule }) };
  const toStart = sweepToStart(spec, startedAtMs);
  // Sweeps that version 0.5.0 began under an id that a schedule made go on as they are, until they continue as new.
  if (toStart !== null && patched('starter'))
    return startOrJoin(spec, toStart, { ...kept, paused: carry?.paused ?? null, joined: carry?.joined === true });
  let paused = carry?.paused ?? null;
  // A handler sets it; it is an object so that the compiler does not take it for null throughout.
  const control: { stopping: StopRequest | null } = { stopping: null };
  let plan: SweepPlan | null = null;
  let rung: number | null = null;
  let refusal: string | null = null;
  const swept = new Map<string, SweptRun>();
  /** Runs that this execution started or found alive. One of them that is lost was ended by hand, and stays so. */
  const ours = new Set<string>();
  const out = new Set<number>();
  const opening = new Opening();
  const park = new Park({ slowRetryMs: SLOW_RETRY_MS, onChange: () => show() });

  const members = () => (plan?.runs ?? []).filter(({ group }) => !out.has(group));
  const isDone = (run: string): boolean => {
    const seen = swept.get(run);
    if (!seen) return false;
    if (seen.state === 'lost') return ours.has(run);
    return seen.state === 'ended' && (seen.rung === null || (rung !== null && seen.rung >= rung));
  };
  const alive = () => members().filter(({ run }) => swept.get(run)?.state === 'alive');
  const waiting = () => members().filter(({ run }) => !isDone(run) && swept.get(run)?.state !== 'alive');
  const state = (): SweepProgress['status'] => (control.stopping ? 'stopping' : paused ? 'paused' : 'running');
  const describe = (status: string): void => {
    if (plan === null) setCurrentDetails(openingDetails(status, park.attention, refusal));
    else setCurrentDetails(sweepDetails({ plan, status, rung, swept, out, attention: park.attention, refusal }));
  };
  const show = (ended?: 'finished' | 'stopped'): void => {
    const status = ended ?? state();
    upsertSearchAttributes([
      { key: ATTRIBUTES.status, value: park.attention === null ? status : 'needs attention' },
      {
        key: ATTRIBUTES.needsAttention,
        value: park.attention !== null || [...swept.values()].some((run) => run.attention),
      },
    ]);
    describe(status);
  };
  const tellAlive = (signal: 'pause' | 'resume' | 'stop', body: object): Promise<unknown> =>
    Promise.all(
      alive().map(({ run }) =>
        getExternalWorkflowHandle(runWorkflowId(run))
          .signal(signal, body)
          .catch(() => undefined),
      ),
    );

  const tellStop = (): Promise<unknown> => tellAlive('stop', { ...control.stopping, sweep: plan?.name });

  const said = (): SweepProgress => ({
    status: state(),
    runs: plan?.runs.length ?? 0,
    waiting: waiting().length,
    alive: alive().length,
    done: members().filter(({ run }) => isDone(run)).length,
    rung,
    paused: paused !== null,
    stopping: control.stopping !== null,
    opening: plan === null,
    refusal,
    attention: park.attention,
  });
  setHandler(sweepProgress, said, { description: SWEEP_MESSAGES.progress });
  const answer = (refused: string | null): void => {
    refusal = refused;
    if (refused === null) return;
    if (patched('quiet-refusals')) describe(state());
    else show();
  };
  listenTo(pause, {
    description: SWEEP_MESSAGES.pause,
    answer,
    check: (request) => validatePause(request),
    async handle(request) {
      paused = request ?? {};
      show();
      await tellAlive('pause', paused);
    },
  });
  listenTo(resume, {
    description: SWEEP_MESSAGES.resume,
    answer,
    check: () => undefined,
    async handle() {
      paused = null;
      show();
      await tellAlive('resume', {});
    },
  });
  listenTo(stop, {
    description: SWEEP_MESSAGES.stop,
    answer,
    check: (request) => validatePause(request, 'stop'),
    async handle(request) {
      control.stopping = request ?? {};
      if (!opening.over && patched('give-up-opening')) opening.giveUp();
      show();
      await tellStop();
    },
  });

  const finish = async (status: 'finished' | 'stopped', stopReason: string | null): Promise<SweepResult> => {
    await park.phase('finish', () => sweeping.markSweep({ sweep: plan!.name, status, stopReason }));
    show(status);
    return { sweep: plan!.name, status, runs: plan!.runs.length };
  };

  try {
    plan = await opening.run(() =>
      park.phase(
        'open',
        () => sweeping.openSweep.executeWithOptions({ summary: 'expand the sweep' }, [{ spec, startedAtMs }]),
        ['ConfigError'],
      ),
    );
    if (plan === null) return { sweep: nameIn(spec), status: 'stopped', runs: 0 };
    upsertSearchAttributes([{ key: ATTRIBUTES.sweep, value: plan.name }]);
    for (const group of plan.stopped) out.add(group);
    for (const programs of [...plan.rungs.slice(plan.decided), null]) {
      rung = programs;
      if (!(await stretch())) return await finish('stopped', byPerson(control.stopping?.reason));
      if (programs === null) break;
      const losers = await park.phase('decide', () =>
        sweeping.decideRung.executeWithOptions({ summary: `successive halving at ${programs} programs` }, [
          { sweep: plan!.name, programs },
        ]),
      );
      for (const group of losers) out.add(group);
    }
    return await finish('finished', null);
  } catch (error) {
    if (isCancellation(error) && plan)
      await CancellationScope.nonCancellable(() =>
        finish('stopped', 'cancelled in the workflow engine; its runs go on'),
      );
    throw error;
  }

  /**
   * Lets every run that is still in the sweep come to the rung, or to its own end. False when the sweep was stopped.
   */
  async function stretch(): Promise<boolean> {
    await look(
      members().map(({ run }) => run),
      {},
    );
    for (;;) {
      if (control.stopping && alive().length === 0) return false;
      if (!control.stopping && !paused) {
        for (const next of waiting().slice(0, Math.max(0, plan!.maxParallel - alive().length))) {
          await start(next);
          // A message that came meanwhile did not reach this run, and is for those that wait, too.
          if ((control.stopping !== null || paused !== null) && patched('told-while-starting')) {
            await (control.stopping ? tellStop() : tellAlive('pause', paused!));
            break;
          }
        }
      }
      show();
      if (alive().length === 0) {
        if (waiting().length === 0) return true;
        await condition(() => !paused || control.stopping !== null);
        continue;
      }
      if (workflowInfo().continueAsNewSuggested && !control.stopping) {
        await condition(allHandlersFinished);
        if (!control.stopping) await continueAsNew<typeof sweep>(spec, { ...kept, paused });
      }
      const awaited = alive().map(({ run }) => run);
      await look(awaited, Object.fromEntries(awaited.map((run) => [run, 'alive' as SweptState])));
    }
  }

  async function look(runs: readonly string[], known: { readonly [run: string]: SweptState }): Promise<void> {
    const states = await park.phase('look', () =>
      sweeping.awaitRuns.executeWithOptions({ summary: `watch ${runs.length} runs` }, [{ runs, known }]),
    );
    for (const seen of states) {
      swept.set(seen.run, seen);
      if (seen.state === 'alive') ours.add(seen.run);
    }
  }

  async function start({ run, summary }: SweepPlan['runs'][number]): Promise<void> {
    ours.add(run);
    try {
      await startChild<typeof evolutionRun>('evolutionRun', {
        workflowId: runWorkflowId(run),
        args: [{ run, sweep: plan!.name, ...(rung === null ? {} : { until: { programs: rung } }) }],
        parentClosePolicy: ParentClosePolicy.ABANDON,
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
    swept.set(run, {
      run,
      state: 'alive',
      attention: false,
      programs: swept.get(run)?.programs ?? 0,
      best: swept.get(run)?.best ?? null,
      rung: null,
    });
  }
}

const nameIn = (spec: Json): string => {
  const name = (spec as { readonly name?: unknown }).name;
  return typeof name === 'string' ? name : '';
};
