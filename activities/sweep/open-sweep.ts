// Activity `openSweep`: checks and expands a sweep, and creates the documents of its runs or finds those that are
// there.
import { ApplicationFailure } from '@temporalio/activity';
import { setLimits } from '../../evolution/budget/limits.ts';
import type { Layer } from '../../evolution/config/problems.ts';
import { expandSweep, sweptRunId, type ExpandedRun, type ExpandedSweep } from '../../evolution/sweep/expand.ts';
import { rungs } from '../../evolution/sweep/halving.ts';
import { modelBegunWith, withModel } from '../../evolution/sweep/model.ts';
import { sweepName } from '../../evolution/sweep/name.ts';
import { checkSweep, type SweepSpec } from '../../evolution/sweep/spec.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { Task } from '../../evolution/task/task.ts';
import { modelNames } from '../../evolution/models/ensemble.ts';
import { commonScoring } from '../../evolution/scoring/ranking.ts';
import { taskName } from '../../evolution/task/task.ts';
import type { Direction, Json } from '../../evolution/types.ts';
import type { SweepActivities, SweepPage, SweepPlan } from '../interface/sweep.ts';
import { linked, type LinkDeps } from '../run/links.ts';
import { refusing } from '../run/step-summary.ts';
import type { RunDocument, SweepDocument } from '../store/documents/documents.ts';
import type { Store } from '../store/store.ts';
import { keepTask, type TakenTask, taskRef } from '../task/kept-task.ts';
import { type Checked, standingOf, taskDigest } from '../task/task-digest.ts';
import { slotsIn } from '../../evolution/schedule/slots.ts';

export type OpenSweepDeps = LinkDeps & {
  readonly store: Store;
  readonly loadTask: (ref: string) => Promise<Task>;
  /** Reads a task that runs begin with, so that it is kept with them. When left out, no task is kept. */
  readonly takeTask?: (named: string) => Promise<TakenTask>;
  /** The model of runs that name none, as in BeginDeps (activities/run/begin-run.ts). */
  readonly installationModel?: () => Layer | null;
  readonly checked?: Checked;
};

type SweptTasks = {
  /** The content kept for each task, by the name in the settings. */
  readonly kept: NonNullable<SweepSpec['tasks']>;
  readonly of: (config: RunConfig) => Task;
};

/** Keeps the tasks with which the sweep's new runs begin, and loads those of all its runs. */
const sweptTasks = async (
  { store, loadTask, takeTask }: OpenSweepDeps,
  before: SweepSpec['tasks'],
  runs: readonly { readonly config: RunConfig }[],
): Promise<SweptTasks> => {
  const kept = { ...before };
  for (const named of new Set(runs.map(({ config }) => config.task))) {
    const taskSnapshot =
      kept[named] ?? (takeTask && (await keepTask(store, await refusing('ConfigError', () => takeTask(named)))));
    if (taskSnapshot !== undefined) kept[named] = taskSnapshot;
  }
  const refOf = (config: RunConfig): string => taskRef({ config, ...snapshotOf(kept, config) });
  const tasks = new Map<string, Task>();
  for (const { config } of runs)
    if (!tasks.has(refOf(config)))
      tasks.set(refOf(config), await refusing('ConfigError', () => loadTask(refOf(config))));
  return { kept, of: (config) => tasks.get(refOf(config))! };
};

/** Creates the documents of the sweep's runs, or finds those that are there. */
const sweptDocuments = async (
  store: Store,
  sweep: string,
  runs: readonly ExpandedRun[],
  tasks: SweptTasks,
  { createdAt, checked }: { readonly createdAt: Date; readonly checked: Checked | undefined },
): Promise<readonly RunDocument[]> => {
  const documents: RunDocument[] = [];
  for (const { run, config } of runs) {
    const task = tasks.of(config);
    const { taskSnapshot } = snapshotOf(tasks.kept, config);
    const { run: document } = await refusing('ConfigError', () =>
      store.createRun({
        run,
        config,
        ...standingOf(task, checked),
        taskSnapshot,
        offlineModel: config.model.kind === 'offline',
        createdAt,
        status: 'queued',
        sweep,
      }),
    );
    documents.push(document);
    if (document.sweep !== sweep)
      throw configError(
        `run ${run} exists and belongs to ${document.sweep === null ? 'no sweep' : `sweep ${document.sweep}`}: choose another name for this sweep`,
      );
  }
  return documents;
};

export const createOpenSweep = (deps: OpenSweepDeps): Pick<SweepActivities, 'openSweep' | 'endSweep'> => ({
  openSweep: async (asked) => linked(deps, await openSweep(deps, asked)),
  endSweep: async (asked) => {
    const end = await endSweep(deps, asked);
    return end && { ...end, plan: linked(deps, end.plan) };
  },
});

const openSweep = async (
  deps: OpenSweepDeps,
  { spec: given, startedAtMs }: Parameters<SweepActivities['openSweep']>[0],
): Promise<SweepPlan> => {
  const { store, installationModel = () => null } = deps;
  const createdAt = new Date(startedAtMs);
  const written = await refusing('ConfigError', () => checkSweep(given));
  const before = await store.readSweep(sweepName(written.name, createdAt));
  const spec = withModel(written, before === null ? modelIn(installationModel()) : modelBegunWith(before.spec));
  const expanded = await refusing('ConfigError', () => expandSweep(spec, createdAt));
  const { name, groups } = expanded;
  const tasks = await sweptTasks(deps, { ...spec.tasks, ...keptBefore(before) }, expanded.runs);
  if (spec.stopWhen !== undefined)
    requireOneDirection([...new Set(expanded.runs.map(({ config }) => tasks.of(config)))]);
  const runs = await withIds(store, before, expanded, (config) => taskDigest(tasks.of(config)));
  const documents = await sweptDocuments(store, name, runs, tasks, { createdAt, checked: deps.checked });
  const stored = await store.putSweep({
    _id: name,
    run: `sweep:${name}`,
    spec: { ...spec, ...(Object.keys(tasks.kept).length === 0 ? {} : { tasks: tasks.kept }) } as unknown as Json,
    groups,
    runs: runs.map(({ run, group, seed, repeat }) => ({ run, group, seed, repeat })),
    status: 'running',
    stopReason: null,
    decisions: [],
    createdAt,
    endedAt: null,
  });
  const directions = new Map(runs.map(({ run, config }) => [run, tasks.of(config).direction]));
  const halving = spec.stopWhen?.halving;
  const at = halving === undefined ? [] : rungs(halving.first, halving.factor, limitOf(expanded.runs), groups.length);
  return planOf(stored, pageOf(stored, documents, directions), spec.maxParallel, at);
};

const endSweep = async (
  { store, loadTask }: OpenSweepDeps,
  { sweep, reason }: Parameters<SweepActivities['endSweep']>[0],
): ReturnType<SweepActivities['endSweep']> => {
  const stored = await store.readSweep(sweep);
  if (stored === null) return null;
  const end = ENDS.find((status) => status === stored.status) ?? 'terminated';
  if (end !== stored.status) await store.setSweep(sweep, { status: end, stopReason: reason, endedAt: new Date() });
  const documents = (await Promise.all(stored.runs.map(({ run }) => store.readRun(run)))).filter((one) => one !== null);
  const directions = new Map<string, Direction>();
  for (const document of documents) {
    // A task that was removed since has no direction.
    const task = await loadTask(taskRef(document)).catch(() => null);
    if (task !== null) directions.set(document.run, task.direction);
  }
  const { maxParallel = 1 } = stored.spec as { readonly maxParallel?: number };
  return {
    status: end,
    stopReason: end === stored.status ? stored.stopReason : reason,
    plan: planOf(stored, pageOf(stored, documents, directions), maxParallel, []),
  };
};

const ENDS = ['finished', 'stopped', 'terminated'] as const;

const modelIn = (layer: Layer | null): object | null =>
  (layer?.settings as { readonly model: object } | undefined)?.model ?? null;

/** The content kept for a run's task, where there is some. */
const snapshotOf = (kept: SweepSpec['tasks'], { task }: RunConfig): { readonly taskSnapshot?: string } => {
  const taskSnapshot = kept?.[task];
  return taskSnapshot === undefined ? {} : { taskSnapshot };
};

/**
 * A sweep compares scores, so until it has finished it keeps the tasks that it began with, even if their folders have
 * changed. A sweep that is started again after that takes the tasks as they are now.
 */
const keptBefore = (sweep: SweepDocument | null): SweepSpec['tasks'] =>
  sweep === null || sweep.status === 'finished' ? {} : (sweep.spec as Pick<SweepSpec, 'tasks'>).tasks;

/**
 * Ids depend on the task's prompt text. A stored run is found again with the prompt text of today or, while the sweep
 * has not finished, with any, so that it goes on.
 */
const withIds = async (
  store: Store,
  sweep: SweepDocument | null,
  { name, runs }: ExpandedSweep,
  promptTextOf: (config: RunConfig) => string,
): Promise<readonly ExpandedRun[]> => {
  const documents = await Promise.all((sweep?.runs ?? []).map(({ run }) => store.readRun(run)));
  const stored = new Map(documents.flatMap((one) => (one === null ? [] : [[one.run, one.taskDigest] as const])));
  const earlier = [...new Set(stored.values())];
  return runs.map((run) => {
    const promptText = promptTextOf(run.config);
    const mine = sweptRunId(name, run, promptText);
    const id = stored.has(mine)
      ? mine
      : earlier
          .map((digest) => sweptRunId(name, run, digest))
          .find((other) => stored.has(other) && (sweep?.status !== 'finished' || stored.get(other) === promptText));
    return { ...run, run: id ?? mine };
  });
};

/** Groups are those of the stored sweep, which keep their numbers when the file has changed. */
const planOf = (
  { _id: name, runs, groups, decisions }: SweepDocument,
  page: SweepPage,
  maxParallel: number,
  at: readonly number[],
): SweepPlan => ({
  name,
  maxParallel,
  rungs: at,
  runs: runs.map(({ run, group, seed, repeat }) => ({
    run,
    group,
    summary: [...settingsOf(groups[group] ?? {}), `seed ${seed}`, ...(repeat > 1 ? [`repetition ${repeat}`] : [])].join(
      ', ',
    ),
  })),
  stopped: decisions.flatMap(({ stopped }) => stopped),
  decided: at.filter((programs) => decisions.some((decision) => decision.programs === programs)).length,
  page,
});

const settingsOf = (group: SweepDocument['groups'][number]): readonly string[] =>
  Object.entries(group).map(([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`);

/** The sweep's page on the runs that it has now; `directions` are those of the runs that are known. */
const pageOf = (
  { runs, groups }: SweepDocument,
  documents: readonly RunDocument[],
  directions: ReadonlyMap<string, Direction>,
): SweepPage => {
  const [first = 'maximise'] = directions.values();
  const common = (text: (config: RunConfig) => string): string | null => {
    const [one, ...others] = new Set(documents.map(({ config }) => text(config)));
    return one === undefined || others.length > 0 ? null : one;
  };
  return {
    groups: groups.map((group, at) => {
      const ofGroup = runs.find((run) => run.group === at && directions.has(run.run));
      return {
        settings: settingsOf(group).join(', ') || 'as the base',
        direction: (ofGroup && directions.get(ofGroup.run)) ?? first,
      };
    }),
    scoring: commonScoring(documents.map(({ config }) => config.evaluation.scoring)),
    task: common(({ task }) => taskName(task)),
    method: common(({ method }) => method),
    model: common((config) => modelNames(config)),
    limits: common(({ limits }) =>
      setLimits(limits)
        .map(([key, limit]) => `${key} ${limit}`)
        .join(', '),
    ),
  };
};

/** The number of programs that the longest run makes, or null where no run's number is limited. */
const limitOf = (runs: readonly ExpandedRun[]): number | null => {
  const most = Math.max(
    ...runs.map(({ config }) => {
      const { programs, steps } = config.limits;
      return Math.min(programs ?? Infinity, steps === null ? Infinity : steps * slotsIn(config));
    }),
  );
  return most === Infinity ? null : most;
};

const requireOneDirection = (tasks: readonly Task[]): void => {
  if (new Set(tasks.map(({ direction }) => direction)).size > 1)
    throw configError(
      `stopWhen.halving compares scores: expected tasks that all maximise or all minimise, got ${tasks.map(({ id, direction }) => `${id} (${direction})`).join(', ')}`,
    );
};

const configError = (message: string): ApplicationFailure => ApplicationFailure.nonRetryable(message, 'ConfigError');
