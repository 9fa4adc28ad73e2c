// The activities `openRun`, `changeSettings`, `injectProgram`, `updateTask`, `resample`, `markRun` and `endRun`: how a run's document
// begins, changes and ends.
import { ApplicationFailure } from '@temporalio/activity';
import type { Paid } from '../../evolution/budget/money.ts';
import { KEEPS_STEP_0 } from '../../evolution/first-step.ts';
import { queueOf } from '../../evolution/hosts/needs.ts';
import { hasHoldout } from '../../evolution/scoring/evaluation.ts';
import { restOf } from '../../evolution/sweep/halving.ts';
import type { Task } from '../../evolution/task/task.ts';
import type { RunBrief, StoreActivities } from '../interface/run.ts';
import { hasEnded } from '../../evolution/run-states.ts';
import type { RunDocument } from '../store/documents/documents.ts';
import { paidSoFar } from '../store/steps/paid.ts';
import type { Store } from '../store/store.ts';
import { taskRef } from '../task/kept-task.ts';
import { beginAgain, type BeginAgainDeps } from './begin-again.ts';
import { beginRun, type BeginDeps, requireUnforked } from './begin-run.ts';
import { linked, type LinkDeps } from './links.ts';
import { pausedMsOf } from './reached.ts';
import { applyChange, isObeyed, requireSameSettings, startKey, withStart } from './start-object.ts';
import { changeSettings, injectProgram } from './steering.ts';
import { updateTask } from './task-update.ts';
import { humanGoal, refusing, requiredRun, settingsBrief } from './step-summary.ts';

type RunActivities = Pick<
  StoreActivities,
  'openRun' | 'changeSettings' | 'injectProgram' | 'updateTask' | 'resample' | 'markRun' | 'endRun'
>;

export const createRunActivities = ({ store, loadTask, ...deps }: BeginDeps & LinkDeps): RunActivities => ({
  openRun: async (input) => linked(deps, await openRun({ store, loadTask, ...deps }, input)),

  async changeSettings({ run, change, by }) {
    const { version, changed } = await refusing('BadRequest', () =>
      changeSettings({ store, loadTask }, run, change, by),
    );
    const document = await requiredRun(store, run);
    const { beatsHuman = false } = humanGoal(document.best, document.config, await loadTask(taskRef(document)));
    return { version, changed, settings: { ...(await settingsBrief(store, document)), beatsHuman } };
  },

  injectProgram: ({ run, island, program }) =>
    refusing('BadRequest', () => injectProgram({ store, loadTask }, run, island, program)),

  updateTask: ({ run, task }) => refusing('ConfigError', () => updateTask({ store, loadTask, ...deps }, run, task)),

  async resample({ run, step, by }): Promise<Paid> {
    const document = await requiredRun(store, run);
    // The step was committed while the command was on its way, so there is nothing to ask again for.
    if (document.committedStep < step)
      await (step === 0 ? beginAgain({ store, loadTask, ...deps }, document, by) : store.resample(run, step, by));
    return paidSoFar(await requiredRun(store, run), await store.owed(run));
  },

  async markRun({ run, status, reason, parked, stopReason, pausedMs }) {
    const ended = hasEnded({ status });
    // A run that was stopped before it was first opened has no document to mark.
    if (ended && (await store.readRun(run)) === null) return;
    await store.setStatus(run, status, {
      reason: reason ?? null,
      parked: parked ?? null,
      stopReason: stopReason ?? null,
      endedAt: ended ? new Date() : null,
      pausedMs,
    });
  },

  async endRun({ run, reason }) {
    const before = await store.readRun(run);
    if (before === null) return null;
    if (!hasEnded(before))
      await store.setStatus(run, 'terminated', { reason: null, parked: null, stopReason: reason, endedAt: new Date() });
    const document = await requiredRun(store, run);
    const { status, stopReason } = document;
    // A task that was removed since has no words for the end.
    const task = await loadTask(taskRef(document)).catch(() => null);
    return { status, stopReason, brief: task && linked(deps, await briefOf(store, document, task)) };
  },
});

const openRun = async (deps: BeginDeps, input: Parameters<StoreActivities['openRun']>[0]): Promise<RunBrief> => {
  const { store, loadTask } = deps;
  const { run, owner, start, config, fork, rewind, extend, patch, paused } = input;
  const stored = await store.readRun(run);
  const asks = [config, fork, rewind, extend, patch].some((wish) => wish !== undefined);
  const key = asks ? startKey(start, rewind?.by) : null;
  const obeyed = stored !== null && isObeyed(stored, key);
  if (stored !== null && !obeyed)
    await refusing('ConfigError', () => {
      if (fork !== undefined) requireUnforked(stored);
      if (config !== undefined && start !== undefined) requireSameSettings(stored, config);
    });
  // A person may reset by hand what a sweep started, and then it is opened again.
  const stays = input.sweep !== undefined && start === owner && stored !== null ? endOf(stored) : null;
  if (stored !== null && stays !== null)
    return { ...(await brief(store, stored, await loadTask(taskRef(stored)))), stays };
  const document = stored ?? (await refusing('ConfigError', () => beginRun(deps, input, key)));
  const task = await loadTask(taskRef(document));
  if (!obeyed) {
    const present = { ...document, unanswered: await store.owed(run) };
    const change = { extend, patch };
    await refusing('BadRequest', () => applyChange({ store, loadTask }, { document: present, task, key }, change));
    if (rewind) await goBack(deps, document, rewind, owner);
  }
  const starts = key === null || isObeyed(document, key) ? undefined : withStart(document, key);
  await store.setStatus(run, paused === true ? 'pausing' : 'running', {
    reason: null,
    parked: null,
    stopReason: null,
    endedAt: null,
    starts,
    ...(hasEnded(document) ? { pausedMs: pausedMsOf(document, new Date()) } : {}),
    // What waited for its turn in a sweep took no time.
    ...(document.status === 'queued' ? { createdAt: new Date() } : {}),
  });
  const opened = await requiredRun(store, run);
  // A step 0 that is done again may have taken another one.
  const its = opened.taskSnapshot === document.taskSnapshot ? task : await loadTask(taskRef(opened));
  return briefOf(store, opened, its);
};

/**
 * Opening a committed step rewinds it and all later ones. A retry of this activity finds the step opened by the same
 * owner. Step 0 begins again as a whole, while there is no valid program that a mended task would score otherwise.
 */
const goBack = async (
  deps: BeginAgainDeps,
  document: RunDocument,
  { toStep, resample, by }: { readonly toStep: number; readonly resample: boolean; readonly by?: string | undefined },
  owner: string,
): Promise<void> => {
  const { store } = deps;
  const { run, openings, committedStep, best } = document;
  const done = openings?.step === toStep && openings.owner === owner;
  const first = best === null ? 0 : 1;
  // The message was taken when there was no valid program, and a commit that was under way has made one.
  if (!done && toStep === 0 && first === 1 && by !== undefined) return;
  if (!done && (toStep < first || toStep > committedStep))
    throw ApplicationFailure.nonRetryable(
      `rewind: toStep: expected ${first} to ${committedStep}, the last committed step of run ${run}, got ${toStep}${toStep === 0 ? `. ${KEEPS_STEP_0}` : ''}`,
      'BadRequest',
    );
  await store.openStep(run, toStep, owner);
  const key = by === undefined ? `${owner}:rewind` : `update:${by}`;
  if (toStep === 0) await beginAgain(deps, document, key);
  else if (resample) await store.resample(run, toStep, key);
};

/** The end that a run came to on its own. Null where it goes on with its sweep: at a rung, or after a stop of the sweep. */
const endOf = ({ status, stopReason }: RunDocument): NonNullable<RunBrief['stays']> | null =>
  (status === 'finished' || status === 'stopped' || status === 'terminated') && restOf(stopReason) === null
    ? { status, reason: stopReason ?? status }
    : null;

const briefOf = async (store: Store, document: RunDocument, task: Task): Promise<RunBrief> => ({
  ...(await brief(store, document, task)),
  ...(await timesOf(store, document)),
});

const timesOf = async (
  store: Store,
  { run, committedStep, best }: RunDocument,
): Promise<Pick<RunBrief, 'committedAtMs' | 'improvedAtMs'>> => {
  const committed = await store.committedAt(run, committedStep);
  const improved = best === null ? null : await store.committedAt(run, best.step);
  return {
    ...(committed === null ? {} : { committedAtMs: committed.getTime() }),
    ...(improved === null ? {} : { improvedAtMs: improved.getTime() }),
  };
};

const brief = async (store: Store, document: RunDocument, task: Task): Promise<RunBrief> => {
  const { config } = document;
  return {
    ...(await settingsBrief(store, document)),
    run: document.run,
    task: task.id,
    method: config.method,
    direction: task.direction,
    ...(config.evaluation.scoring === 'strict' ? { scoring: 'strict' as const } : {}),
    seed: config.seed,
    sweep: document.sweep,
    committedStep: document.committedStep,
    totals: document.totals,
    paid: paidSoFar(document, await store.owed(document.run)),
    best: document.best,
    ...humanGoal(document.best, config, task),
    ...(task.needs === undefined ? {} : { queue: queueOf(task.needs) }),
    ...(hasHoldout(task) ? { holdout: true as const } : {}),
    createdAtMs: document.createdAt.getTime(),
    pausedMs: document.pausedMs ?? 0,
  };
};
