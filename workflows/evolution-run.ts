// One run: loops over steps until a limit is reached or somebody stops it; holds control state only. Id `run/<id>`.
import {
  allHandlersFinished, ApplicationFailure, CancellationScope, ChildWorkflowCancellationType, condition, continueAsNew, executeChild,
  getExternalWorkflowHandle, isCancellation, ParentClosePolicy, setCurrentDetails, setHandler, upsertSearchAttributes, workflowInfo,
} from '@temporalio/workflow';
import type { RunBrief, StepSummary } from '../activities/interface.ts';
import { firstReached } from '../evolution/budget.ts';
import type { Limits, RunConfig } from '../evolution/config/run-config.ts';
import { stepWorkflowId } from '../evolution/ids.ts';
import { ATTRIBUTES } from './attributes.ts';
import { evaluationBatching, type EvaluationBatching } from './batching.ts';
import type { evolutionStep } from './evolution-step.ts';
import { runDetails, runTable, stepSummaryLine } from './legible.ts';
import { extendedLimits, validateExtend } from './limits.ts';
import { extend, pause, resume, retry, status, stepReport, stop, type PauseRequest, type RunProgress, type StopRequest } from './messages.ts';
import { explain, Park } from './park.ts';
import { store } from './proxies.ts';

export type RunInput = {
  readonly run: string;
  /** Complete settings; left out when the run exists already (resume, extend, continue-as-new). */
  readonly config?: RunConfig;
  /** Control state across continue-as-new. */
  readonly carry?: { readonly paused: PauseRequest | null; readonly evaluationMs: number | null };
};

export type RunResult = { readonly run: string; readonly status: 'finished' | 'stopped'; readonly stopReason: string; readonly steps: number };

/** Steps between two continue-as-new, whatever the server suggests. */
const STEPS_PER_EXECUTION = 50;

export async function evolutionRun(input: RunInput): Promise<RunResult> {
  const { run } = input;
  let paused = input.carry?.paused ?? null;
  const control: { stopping: StopRequest | null } = { stopping: null };
  let stepAttention: string | null = null;
  let current: { step: number; scope: CancellationScope } | null = null;
  let interrupted = false;
  let brief: RunBrief | null = null;
  const park = new Park({ slowRetryMs: 30_000, onChange: () => show() });

  const attention = (): string | null => park.attention ?? stepAttention;
  const state = (): RunProgress['status'] =>
    control.stopping ? 'stopping' : attention() !== null ? 'needs attention' : paused ? 'paused' : 'running';
  const show = (): void => {
    upsertSearchAttributes([
      { key: ATTRIBUTES.status, value: state() },
      { key: ATTRIBUTES.needsAttention, value: attention() !== null },
    ]);
    if (brief) setCurrentDetails(runDetails(brief, state(), attention(), paused?.reason ?? null));
  };
  const interrupt = (): void => { interrupted = true; current?.scope.cancel(); };
  /** The run document follows what people see; a store that is away must not hold up the handler. */
  const mark = (): void => {
    show();
    if (!brief) return;
    const next = state();
    if (next === 'stopping') return;
    void store.markRun({ run, status: next, reason: attention() ?? paused?.reason ?? null }).catch(() => undefined);
  };

  setHandler(status, (): RunProgress => ({ status: state(), step: current?.step ?? brief?.committedStep ?? 0, attention: attention(), inStep: null }));
  setHandler(pause, (request) => { paused = request ?? {}; if (paused.mode === 'now') interrupt(); mark(); });
  setHandler(resume, () => { paused = null; mark(); });
  setHandler(stop, (request) => { control.stopping = request ?? {}; if (control.stopping.mode === 'now') interrupt(); show(); });
  setHandler(retry, async () => {
    park.release();
    if (current) await getExternalWorkflowHandle(stepWorkflowId(run, current.step)).signal('retry', {}).catch(() => undefined);
  });
  setHandler(stepReport, (report) => { if (report.step === current?.step) { stepAttention = report.attention; mark(); } });
  setHandler(extend, async (request): Promise<Limits> => {
    await condition(() => brief !== null);
    const limits = await store.changeLimits({ run, limits: extendedLimits(brief!.limits, request) });
    brief = { ...brief!, limits };
    show();
    return limits;
  }, { validator: validateExtend });

  const finish = async (status: RunResult['status'], stopReason: string): Promise<RunResult> => {
    await park.phase('finish', () => store.markRun({ run, status, stopReason, reason: null }));
    upsertSearchAttributes([{ key: ATTRIBUTES.status, value: status }, { key: ATTRIBUTES.needsAttention, value: false }]);
    if (brief) setCurrentDetails(runDetails(brief, status, null, stopReason));
    return { run, status, stopReason, steps: Math.max(0, brief?.committedStep ?? 0) };
  };

  try {
    brief = await park.phase('open', () => store.openRun.executeWithOptions(
      { summary: `open run ${run}` }, [{ run, config: input.config }]), ['ConfigError']);
    upsertSearchAttributes([
      { key: ATTRIBUTES.run, value: run }, { key: ATTRIBUTES.task, value: brief.task }, { key: ATTRIBUTES.method, value: brief.method },
      { key: ATTRIBUTES.step, value: Math.max(0, brief.committedStep) }, { key: ATTRIBUTES.programs, value: brief.totals.programs },
      ...(brief.best ? [{ key: ATTRIBUTES.bestScore, value: brief.best.score }] : []),
    ]);
    mark();

    let evaluationMs = input.carry?.evaluationMs ?? null;
    for (let steps = 0; ; ) {
      await condition(() => !paused || control.stopping !== null);
      if (control.stopping) {
        await condition(allHandlersFinished);
        return await finish('stopped', `stopped by a person${control.stopping.reason ? `: ${control.stopping.reason}` : ''}`);
      }
      if (steps >= STEPS_PER_EXECUTION || workflowInfo().continueAsNewSuggested) {
        await condition(allHandlersFinished);
        await continueAsNew<typeof evolutionRun>({ run, carry: { paused, evaluationMs } });
      }
      const step: number = brief.committedStep + 1;
      const reached = step === 0 ? null : firstReached(brief.limits, spentBy(brief), { programs: brief.batch * brief.responses }, brief.direction);
      if (reached) {
        const version = brief.limits;
        await condition(allHandlersFinished);
        if (brief.limits === version && !control.stopping) return await finish('finished', reached);
        continue;
      }
      const summary = await oneStep(step, evaluationBatching(evaluationMs));
      if (!summary) continue;
      steps += 1;
      evaluationMs = summary.evaluationMs ?? evaluationMs;
      brief = { ...brief, committedStep: step, totals: summary.totals, best: summary.best };
      upsertSearchAttributes([
        { key: ATTRIBUTES.step, value: step }, { key: ATTRIBUTES.programs, value: summary.totals.programs },
        { key: ATTRIBUTES.spend, value: summary.totals.costUsd },
        ...(summary.best ? [{ key: ATTRIBUTES.bestScore, value: summary.best.score }] : []),
      ]);
      show();
    }
  } catch (error) {
    // Cancelled from outside (the UI's Cancel): a person ended the run. What is committed stays; `evolve resume` goes on.
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => finish('stopped', 'cancelled in the workflow engine'));
    throw error;
  }

  /** Runs a step to its commit. Null: it was interrupted by pause, stop or hand, and is to be run again or not at all. */
  async function oneStep(step: number, batching: EvaluationBatching): Promise<StepSummary | null> {
    stepAttention = null;
    interrupted = false;
    const scope = new CancellationScope();
    current = { step, scope };
    try {
      return await scope.run(() => executeChild<typeof evolutionStep>('evolutionStep', {
        workflowId: stepWorkflowId(run, step),
        args: [{ run, step, epoch: 0, batching }],
        workflowIdReusePolicy: 'TERMINATE_IF_RUNNING',
        cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
        parentClosePolicy: ParentClosePolicy.TERMINATE,
        staticSummary: stepSummaryLine(brief!, step),
        staticDetails: runTable(brief!),
        typedSearchAttributes: [
          { key: ATTRIBUTES.run, value: run }, { key: ATTRIBUTES.task, value: brief!.task },
          { key: ATTRIBUTES.method, value: brief!.method }, { key: ATTRIBUTES.step, value: step },
        ],
      }));
    } catch (error) {
      if (interrupted) return null;
      if (isCancellation(error) && CancellationScope.current().consideredCancelled) throw error;
      // Terminated, cancelled or failed by somebody else: wait for a person, then run the same step again.
      let first = true;
      await park.phase(`step ${step}`, async () => {
        if (first) { first = false; throw ApplicationFailure.nonRetryable(`step ${step} ended without a result (${explain(error)})`, 'StepLost'); }
      });
      return null;
    } finally {
      current = null;
      stepAttention = null;
    }
  }
}

const spentBy = (brief: RunBrief) => ({
  steps: brief.committedStep,
  programs: brief.totals.programs,
  tokens: brief.totals.tokens.in + brief.totals.tokens.out,
  costUsd: brief.totals.costUsd,
  wallSeconds: (Date.now() - brief.createdAtMs) / 1000,
  best: brief.best?.score ?? null,
});
