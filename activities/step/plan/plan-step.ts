// Activity `planStep`: opens a step behind the fence, samples its parents, writes their prompts and takes in the
// programs that people injected.
import { ApplicationFailure } from '@temporalio/activity';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { repeated } from '../../../evolution/edits/early-checks.ts';
import { normalise } from '../../../evolution/edits/equivalence.ts';
import { judgesInitialIdea } from '../../../evolution/ideas/idea.ts';
import { programId, promptId } from '../../../evolution/ids.ts';
import { policyFor } from '../../../evolution/learning/policies.ts';
import { range, slotsIn } from '../../../evolution/schedule/slots.ts';
import { FIRST_INJECTED } from '../../../evolution/schedule/stream.ts';
import type { Task } from '../../../evolution/task/task.ts';
import type { RunId } from '../../../evolution/types.ts';
import type { StoreActivities } from '../../interface/run.ts';
import type { StepPlan, WindowLimits } from '../../interface/step.ts';
import { readTexts } from '../../reading/reading.ts';
import type { BeginAgainDeps } from '../../run/begin-again.ts';
import { humanGoal, requiredRun, summaryOf } from '../../run/step-summary.ts';
import { sha256 } from '../../sha256.ts';
import type { RunDocument } from '../../store/documents/documents.ts';
import { rescoringAt } from '../../store/documents/lineage.ts';
import { epochAt } from '../../store/steps/paid.ts';
import type { DeltaDocument } from '../../store/documents/step-documents.ts';
import type { Store } from '../../store/store.ts';
import { taskRef } from '../../task/kept-task.ts';
import { perRequestOf, planGroups, preludesOf, requestsOf } from './plan-groups.ts';
import { evaluationQueue } from './hosts.ts';
import { windowEnd } from './plan-island.ts';
import { openStream } from './plan-stream.ts';
import { plantRescored, rescoreIfAsked } from './rescore.ts';
import { beginAgainIfFailed } from '../evaluate/valid-start.ts';

type StepSettings = {
  readonly run: string;
  readonly step: number;
  readonly epoch: number;
  readonly config: RunConfig;
};

/**
 * Turns injected programs into candidates of the step, without a parent and in the slots from `first` on. `count` is
 * how many there are; `evaluate` and `homes` are the slots and islands of those that are to be evaluated.
 */
const takeInjected = async (
  store: Store,
  { run, step, epoch, config }: StepSettings,
  first: number,
): Promise<{ readonly count: number; readonly evaluate: readonly number[]; readonly homes: readonly number[] }> => {
  const injections = await store.takeInjections(run, step);
  if (injections.length === 0) return { count: 0, evaluate: [], homes: [] };
  const texts = await store.getTexts(injections.map(({ code }) => code));
  const reads = await readTexts(
    'canonical',
    injections.map(({ code }) => texts.get(code) ?? ''),
  );
  const hashes = reads.map(({ value }) => value);
  const known =
    config.diff.lazyScope === 'history'
      ? await store.knownHashes(
          run,
          hashes.filter((hash) => hash !== null),
          step,
        )
      : new Map<string, string>();
  const deltas = await store.putDeltas(
    injections.map(({ code, island }, index): DeltaDocument => {
      const slot = first + index;
      const { value: hash, failed } = reads[index]!;
      const duplicateOf = (hash !== null && known.get(hash)) || null;
      return {
        _id: programId(run, step, epoch, slot),
        run,
        step,
        slot,
        parent: null,
        island,
        outcome: hash === null ? 'no_solution' : duplicateOf === null ? null : 'duplicate',
        reason: duplicateOf === null ? failed : repeated(duplicateOf),
        code,
        normHash: hash,
        length: texts.get(code)?.length ?? 0,
        blocks: 0,
        unmatched: [],
        duplicateOf,
      };
    }),
  );
  const fresh = deltas.filter(({ outcome }) => outcome === null);
  return {
    count: deltas.length,
    evaluate: fresh.map(({ slot }) => slot),
    homes: fresh.map(({ island }) => island ?? 0),
  };
};

export const createPlanStep = ({ store, loadTask, takeTask }: BeginAgainDeps): Pick<StoreActivities, 'planStep'> => ({
  async planStep({ run, step, owner, window, again }): Promise<StepPlan> {
    if (step === 0) await beginAgainIfFailed({ store, loadTask, ...(takeTask && { takeTask }) }, { run, owner, again });
    else await rescoreIfAsked(store, run, step);
    const generation = await store.openStep(run, step, owner);
    const document = await requiredRun(store, run);
    const epoch = epochAt(document.epochs, step);
    const done = await doneBefore(store, document, step, generation);
    const task = await loadTask(taskRef(document));
    const empty: StepPlan = {
      generation,
      epoch,
      version: document.configVersion,
      groups: 0,
      responses: document.config.responses,
      perRequest: 1,
      injected: 0,
      evaluate: [],
      done: null,
    };
    if (done) return { ...empty, done: { ...done, ...humanGoal(done.best, document.config, task) } };
    const queue = await evaluationQueue(store, document, task);
    const plan = queue === null ? empty : { ...empty, queue };
    if (step === 0) {
      await plantInitialProgram(store, document, task, epoch);
      return {
        ...plan,
        evaluate: [0],
        embeds: document.config.embedding.model !== null,
        ...(judgesInitialIdea(document.config) ? { judgesIdea: true } : {}),
      };
    }
    if (rescoringAt(document, step) !== undefined) {
      const evaluate = await plantRescored(store, document, task, { step, epoch });
      return { ...plan, injected: evaluate.length, evaluate, ...parallelOf(document.config) };
    }
    const streamed = await openStream({ store, run: document, step, epoch, limits: window });
    if (streamed !== null) {
      const { config, version, stream, preludes } = streamed;
      const injected = await takeInjected(store, { run, step, epoch, config }, FIRST_INJECTED);
      return {
        ...plan,
        ...{ version, stream, responses: config.responses, perRequest: perRequestOf(document.config, config) },
        ...{ injected: injected.count, evaluate: injected.evaluate, ...parallelOf(config) },
        ...(preludes.length === 0 ? {} : { preludes }),
      };
    }
    return planWhole({ store, loadTask }, { document, step, epoch, window, plan });
  },
});

const parallelOf = ({ evaluation: { parallel } }: RunConfig) => (parallel == null ? {} : { parallel });

type Whole = {
  readonly document: RunDocument;
  readonly step: number;
  readonly epoch: number;
  readonly window: WindowLimits | undefined;
  readonly plan: StepPlan;
};

/** Plans a step that is no part of a stream. */
const planWhole = async (
  { store, loadTask }: Pick<BeginAgainDeps, 'store' | 'loadTask'>,
  { document, step, epoch, window, plan }: Whole,
): Promise<StepPlan> => {
  const { run } = document;
  const taskUnder = (config: RunConfig): Promise<Task> => loadTask(taskRef({ ...document, config }));
  const version = await writePrompts(store, document, taskUnder, step, epoch);
  const config = await store.readConfig(run, version);
  const groups = range(0, config.batch);
  const preludes = await preludesOf(store, { config, run, step, epoch, groups });
  const injected = await takeInjected(store, { run, step, epoch, config }, slotsIn(config));
  const last =
    window === undefined
      ? step
      : await windowEnd({
          store,
          run: document,
          config,
          version,
          step,
          epoch,
          limits: window,
          injected: injected.count,
        });
  const left = (window?.programs ?? Infinity) - injected.count;
  const programs = await programsLeft(store, { run, step, epoch, config }, left);
  return {
    ...plan,
    version,
    groups: config.batch,
    responses: config.responses,
    ...(programs === null ? {} : { programs }),
    ...requestsOf(document.config, config),
    injected: injected.count,
    evaluate: injected.evaluate,
    embeds: config.embedding.model !== null,
    ...parallelOf(config),
    ...(preludes.length === 0 ? {} : { preludes }),
    ...(last > step ? { window: { last, ...islandsOf(config, injected.homes) } } : {}),
  };
};

/** In a window whose steps overlap, islands wait for each other. */
const islandsOf = ({ schedule, population: { islands } }: RunConfig, homes: readonly number[]) =>
  schedule === 'overlapping' ? {} : { islands, homes };

/**
 * The summary of a step that was committed before. Throws SupersededError where the run was rewound after this owner
 * opened the step.
 */
const doneBefore = async (store: Store, document: RunDocument, step: number, generation: number) => {
  const { run, committedStep } = document;
  if (committedStep >= step) {
    if ((await store.readStep(run, step, generation))?.state === 'committed')
      return summaryOf(store, document, step, generation);
  } else if (document.generation === generation && committedStep === step - 1) return null;
  throw ApplicationFailure.nonRetryable(
    `step ${step} of run ${run} was opened as generation ${generation}, and the run has gone on since as generation ${document.generation}, step ${committedStep}: nothing is changed here`,
    'SupersededError',
  );
};

/** The initial program is slot 0 of step 0: a delta without a parent, evaluated and committed like any other. */
const plantInitialProgram = async (store: Store, { run }: RunDocument, task: Task, epoch: number): Promise<void> => {
  const [code] = await store.putTexts([task.initialProgram]);
  const initial: DeltaDocument = {
    _id: programId(run, 0, epoch, 0),
    ...(epoch === 0 ? {} : { attempt: epoch }),
    run,
    step: 0,
    slot: 0,
    parent: null,
    outcome: null,
    reason: null,
    code: code!,
    normHash: sha256(normalise(task.initialProgram)),
    length: task.initialProgram.length,
    blocks: 0,
    unmatched: [],
    duplicateOf: null,
  };
  await store.putDeltas([initial]);
};

/** Returns the version of the settings that the step uses, which is the one that it was first planned under. */
const writePrompts = async (
  store: Store,
  document: RunDocument,
  taskUnder: (config: RunConfig) => Promise<Task>,
  step: number,
  epoch: number,
): Promise<number> => {
  const { run, config: newest, configVersion } = document;
  const written = await store.getPrompts(idsOf(run, step, epoch, newest));
  const [first] = written.values();
  const version = first?.configVersion ?? configVersion;
  const config = version === configVersion ? newest : await store.readConfig(run, version);
  const ids = idsOf(run, step, epoch, config);
  if ((version === configVersion ? written : await store.getPrompts(ids)).size === ids.length) return version;
  await planGroups({
    store,
    policy: first?.policy ?? (await policyOfStep(store, document, config, step)),
    task: await taskUnder(config),
    run: document,
    step,
    epoch,
    config,
    version,
    population: await store.population(document),
    groups: range(0, config.batch),
  });
  return version;
};

const policyOfStep = async (
  store: Store,
  { policy = null }: RunDocument,
  { learning: { lag } }: RunConfig,
  step: number,
): Promise<string | undefined> =>
  policy === null ? undefined : policyFor(step, lag, await store.policyChain(policy.id))?._id;

/**
 * The number of responses that the step asks for where a limit leaves `left` programs; null means all. An answer that
 * an attempt under a higher limit stored is paid for and counts. Every group is planned all the same, so that under a
 * higher limit the step goes on as if there had been none.
 */
const programsLeft = async (
  store: Store,
  { run, step, epoch, config }: StepSettings,
  left: number,
): Promise<number | null> => {
  const all = slotsIn(config);
  const first = Math.max(0, left);
  if (first >= all) return null;
  const beyond = range(first, all - first).map((slot) => programId(run, step, epoch, slot));
  const stored = await store.getRollouts(beyond);
  const most = first + beyond.findLastIndex((id) => stored.has(id)) + 1;
  return most >= all ? null : most;
};

const idsOf = (run: RunId, step: number, epoch: number, { batch }: RunConfig): string[] =>
  range(0, batch).map((group) => promptId(run, step, epoch, group));
