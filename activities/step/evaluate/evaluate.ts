// The activities `evaluate` and `evaluateHidden`: they run programs in the sandbox, on the task and on its hidden
// instances, and store each result as soon as it is there. A program with a stored result is not run again.
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { programId } from '../../../evolution/ids.ts';
import { isBinary } from '../../../evolution/scoring/artifacts.ts';
import { groupOf } from '../../../evolution/schedule/slots.ts';
import { type Evaluation, holdoutKey } from '../../../evolution/scoring/evaluation.ts';
import { sumOf } from '../../../evolution/statistics.ts';
import type { Evaluated, EvaluationActivities, OnHidden, StepRef } from '../../interface/step.ts';
import { createRedactor } from '../../llm/transport/redact.ts';
import { recentRun } from '../../run/recent-run.ts';
import type { EvaluationJob } from '../../sandbox/host/evaluator.ts';
import type { KeptStages } from '../../sandbox/stages/staged.ts';
import { missing, requiredRun } from '../../run/step-summary.ts';
import { readArtifacts } from '../../store/content/artifacts.ts';
import { hasFailed, newestForms } from '../../store/content/mended.ts';
import { hiddenResult, initialProgram } from '../../store/population/hidden-results.ts';
import { scoredFrom } from '../../store/documents/lineage.ts';
import type {
  DeltaDocument,
  EvaluationDocument,
  ProgramDocument,
  StoredArtifact,
} from '../../store/documents/step-documents.ts';
import { drawsOf, type RunDocument } from '../../store/documents/documents.ts';
import type { Store } from '../../store/store.ts';
import { tellInHeartbeats } from '../../telemetry/heartbeat-details.ts';
import { tell } from '../../telemetry/lines.ts';
import { count, timed } from '../../telemetry/metrics.ts';
import { spanned } from '../../telemetry/spans.ts';
import { type AskModel, EvaluatorModel } from './evaluator-model.ts';

/** Heartbeats hold the last lines that at most four programs printed. */
const [MAX_LINES, MAX_CHARS, MAX_PROGRAMS] = [3, 300, 4];

/**
 * The key of a candidate's evaluation is `run:program:evaluator:seed`; digests are cut to 32 hexadecimal digits (128 bits). Equivalent programs
 * share one key, so equal siblings are evaluated once.
 */
export const evaluationKey = (
  { normHash, attempt }: Pick<DeltaDocument, 'normHash' | 'attempt'>,
  { run, evaluatorDigest, config: { evaluation } }: Pick<RunDocument, 'run' | 'evaluatorDigest' | 'config'>,
): string =>
  `${run}:${(normHash ?? '').slice(0, 32)}:${evaluatorDigest.slice(0, 32)}:${evaluation.seed}${attempt === undefined ? '' : `:${attempt}`}`;

/** Evaluates one program. The worker makes one such function for each task and sandbox. */
export type EvaluateProgram = (
  job: Omit<EvaluationJob, 'redraw' | 'scoring'> & { readonly kept?: KeptStages | undefined },
  signal: AbortSignal,
) => Promise<Evaluation>;

export type EvaluateDeps = {
  readonly store: Store;
  readonly evaluatorFor: (
    config: RunConfig,
    of: Pick<RunDocument, 'taskSnapshot'>,
  ) => Promise<{ readonly evaluate: EvaluateProgram; readonly isolation: string }>;
  /** How the evaluator of a task asks a model; left out where none may. */
  readonly askModel?: AskModel | undefined;
};

export const createEvaluate = ({
  store,
  evaluatorFor,
  askModel,
}: EvaluateDeps): Pick<EvaluationActivities, 'evaluate'> => {
  /** Equivalent programs of one step share the evaluation that is under way. */
  const underWay = new Map<string, Promise<void>>();
  const settingsOf = recentRun(store);
  return {
    async evaluate({ run, step, epoch, version, slots, mended = [] }) {
      const known = await settingsOf(run, { step, epoch });
      const { evaluatorDigest } = known;
      const config = await store.readConfig(run, version);
      const models = modelsFor({ store, askModel }, config, { run, step, epoch, version });
      const deltas = await deltasOf(store, { run, step, epoch }, { slots, mended }, config);
      const jobs = deltas.map((delta) => ({
        key: evaluationKey(delta, { run, evaluatorDigest, config }),
        code: delta.code!,
        models: models(delta),
      }));
      const present = await store.getEvaluations(jobs.map((job) => job.key));
      const todo = jobs.filter((job) => !present.has(job.key));
      const failed = () => failedIn(store, deltas, jobs, config);
      if (todo.length === 0) return { evaluated: slots.length, ...(await failed()) };

      const evaluator = await evaluatorFor(config, known);
      const texts = await store.getTexts(todo.map((job) => job.code));
      const context = Context.current();
      const signal = context.cancellationSignal;
      const printed = new Map<string, () => string>();
      tellInHeartbeats(context, () => [...printed.values()].flatMap(lastLines).slice(0, MAX_PROGRAMS));
      const save = savingInBatches(store, run);
      const results = await Promise.allSettled(
        todo.map((job) => {
          const running =
            underWay.get(job.key) ??
            instrumented(evaluator.evaluate)(
              {
                key: job.key,
                run,
                code: texts.get(job.code) ?? '',
                seed: config.evaluation.seed,
                draws: drawsOf(known),
                acceptSavedOnTimeout: config.evaluation.acceptSavedOnTimeout,
                onOutput: (tail) => printed.set(job.key, tail),
                models: job.models,
                kept: keptStages(store, run, job.code),
              },
              signal,
            )
              .then((evaluation) =>
                save.add(
                  job.key,
                  job.code,
                  job.models === undefined ? evaluation : { ...evaluation, modelCalls: job.models.calls },
                ),
              )
              .finally(() => {
                underWay.delete(job.key);
                printed.delete(job.key);
              });
          underWay.set(job.key, running);
          return running;
        }),
      );
      await save.flush();
      if (known.isolation === null) await store.setFields(run, { isolation: evaluator.isolation });
      const broken = results.find((result) => result.status === 'rejected');
      if (broken) {
        Context.current().cancellationSignal.throwIfAborted();
        throw infrastructure(broken.reason);
      }
      return { evaluated: slots.length, ...askedIn(todo), ...(await failed()) };
    },
  };
};

/** What is to be evaluated: of mended programs the newest form. */
const deltasOf = async (
  store: Store,
  { run, step, epoch }: Omit<StepRef, 'version'>,
  { slots, mended }: { readonly slots: readonly number[]; readonly mended: readonly number[] },
  config: RunConfig,
): Promise<readonly DeltaDocument[]> => {
  const idsOf = (some: readonly number[]) => some.map((slot) => programId(run, step, epoch, slot));
  const first = await store.getDeltas(idsOf(slots));
  if (first.size !== slots.length) throw missing(`edits of step ${step} slots ${slots.join(', ')}`);
  return [...new Map([...first, ...(await newestForms(store, idsOf(mended), config))]).values()];
};

/** Slots whose program failed, where rounds of repair are left. */
const failedIn = async (
  store: Store,
  deltas: readonly DeltaDocument[],
  jobs: readonly { readonly key: string }[],
  { repair }: RunConfig,
): Promise<Pick<Evaluated, 'failed'>> => {
  const left = deltas.map(({ again = 0, rescored }) => rescored === undefined && again < repair.rounds);
  if (!left.includes(true)) return {};
  const evaluations = await store.getEvaluations(jobs.map(({ key }) => key));
  const failed = deltas.flatMap((delta, index) =>
    left[index] && hasFailed(delta, evaluations.get(jobs[index]!.key)) ? [delta.slot] : [],
  );
  return failed.length === 0 ? {} : { failed };
};

/** How the evaluator of each program asks a model; undefined where it may ask none. */
const modelsFor =
  ({ store, askModel }: Pick<EvaluateDeps, 'store' | 'askModel'>, config: RunConfig, ref: StepRef) =>
  ({ _id, slot }: DeltaDocument): EvaluatorModel | undefined => {
    if (askModel === undefined || !(config.evaluation.modelCalls > 0)) return undefined;
    const of = { ...ref, group: groupOf(slot, config.responses), slot, program: _id };
    return new EvaluatorModel({ store, ask: askModel, of, config });
  };

/** What the requests of these programs' evaluators to models cost. */
const askedIn = (jobs: readonly { readonly models: EvaluatorModel | undefined }[]): Pick<Evaluated, 'asked'> => {
  const paid = jobs.flatMap(({ models }) => models?.paid ?? []);
  if (paid.length === 0) return {};
  return { asked: { tokens: sumOf(paid.map((one) => one.tokens)), costUsd: sumOf(paid.map((one) => one.costUsd)) } };
};

/** The last lines of what one program prints, or nothing. */
const lastLines = (tail: () => string): readonly string[] => {
  const text = tail().trim().split('\n').slice(-MAX_LINES).join('\n').slice(-MAX_CHARS);
  return text === '' ? [] : [text];
};

/** Records each evaluation in the metrics, the traces and the log of the worker. */
const instrumented =
  (evaluate: EvaluateProgram): EvaluateProgram =>
  async (job, signal) => {
    const { key: evaluation, run } = job;
    try {
      const result = await spanned('evaluation', { 'evolve.evaluation': evaluation }, () =>
        timed('evaluationSeconds', {}, () => evaluate(job, signal)),
      );
      const { outcome, execution, cpuMs, wallMs } = result;
      count('evaluations', { outcome, execution });
      count('evaluationCpu', {}, (cpuMs ?? 0) / 1000);
      tell('info', 'program evaluated', { run, evaluation, outcome, execution, wallMs });
      return result;
    } catch (error) {
      if (!signal.aborted) count('sandboxFailures', {});
      throw error;
    }
  };

/**
 * Results are written a quarter of a second after they arrive, or as soon as sixteen wait, so that many quick programs
 * share one write.
 */
const savingInBatches = (store: Store, run: string) => {
  let waiting: { key: string; code: string; evaluation: Evaluation }[] = [];
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();
  const flush = (): Promise<void> => {
    if (timer) clearTimeout(timer);
    timer = null;
    const batch = waiting;
    waiting = [];
    if (batch.length > 0) writing = writing.then(() => putEvaluated(store, run, batch));
    return writing;
  };
  return {
    add: (key: string, code: string, evaluation: Evaluation): void => {
      waiting.push({ key, code, evaluation });
      if (waiting.length >= 16) void flush().catch(() => undefined);
      else timer ??= setTimeout(() => void flush().catch(() => undefined), 250);
    },
    flush,
  };
};

/** What looks like a key is taken out of artifacts: models, pages and exports show them. */
const { report: withoutKeys } = createRedactor([]);

const putEvaluated = async (
  store: Store,
  run: string,
  batch: readonly { key: string; code: string; evaluation: Evaluation }[],
): Promise<void> => {
  const documents = batch.map(({ key, code, evaluation: { solution, artifacts = [], ...evaluation } }) => {
    const texts = artifacts.map((one) => (isBinary(one) ? one.text : withoutKeys(one.text)));
    return { key, code, evaluation, artifacts, solution, texts: solution === null ? texts : [solution, ...texts] };
  });
  const refs = await store.putTexts(documents.flatMap(({ texts }) => texts));
  let next = 0;
  await store.putEvaluations(
    documents.map(({ key, code, evaluation, artifacts, solution, texts }): EvaluationDocument => {
      const own = refs.slice(next, (next += texts.length));
      const first = solution === null ? 0 : 1;
      const kept = artifacts.map(({ name, kind }, at): StoredArtifact => ({
        ...{ name, kind, text: own[first + at]!, size: texts[first + at]!.length },
      }));
      return {
        ...evaluation,
        ...{ _id: key, run, code, solution: solution === null ? null : own[0]! },
        ...(kept.length === 0 ? {} : { artifacts: kept }),
      };
    }),
  );
};

/** Keeps each stage of a program's evaluation as a document of its own, without its solution. */
const keptStages = (store: Store, run: string, code: EvaluationDocument['code']): KeptStages => ({
  get: async (key) => {
    const known = (await store.getEvaluations([key])).get(key);
    if (known === undefined) return undefined;
    const { artifacts, ...rest } = known;
    return {
      ...rest,
      solution: null,
      ...(artifacts === undefined ? {} : { artifacts: await readArtifacts(store, artifacts) }),
    };
  },
  put: (key, evaluation) => putEvaluated(store, run, [{ key, code, evaluation: { ...evaluation, solution: null } }]),
});

/** The sandbox failed and not the program, so Temporal retries the activity. */
const infrastructure = (reason: unknown): unknown => {
  if (reason instanceof ApplicationFailure) return reason;
  const message = reason instanceof Error ? reason.message : String(reason);
  return ApplicationFailure.create({
    message,
    type: 'SandboxUnavailable',
    ...(reason instanceof Error ? { cause: reason } : {}),
  });
};

export const createEvaluateHidden = ({
  store,
  evaluatorFor,
}: EvaluateDeps): Pick<EvaluationActivities, 'evaluateHidden'> => ({
  async evaluateHidden({ run, program }): Promise<OnHidden> {
    const [document, found] = await Promise.all([
      requiredRun(store, run),
      store.getPrograms([program]).then((programs) => programs.get(program)),
    ]);
    if (!found) throw missing(`program ${program}`);
    if (found.step < scoredFrom(document))
      throw ApplicationFailure.nonRetryable(
        `program ${program} was scored by an earlier version of the task: give the one as which it was scored again`,
        'BadRequest',
      );
    const signal = Context.current().cancellationSignal;
    const scored = async ({ evaluation: known, code: ref, _id }: ProgramDocument) => {
      // The program was never evaluated, so it cannot be evaluated on other instances either.
      if (known === null || ref === null)
        throw ApplicationFailure.nonRetryable(`program ${_id} has no evaluation`, 'BadRequest');
      const before = await hiddenResult(store, known);
      if (before !== null) return before;
      const key = holdoutKey(known);
      const { evaluate } = await evaluatorFor(document.config, document);
      const code = (await store.getTexts([ref])).get(ref) ?? '';
      const evaluation = await instrumented(evaluate)(
        {
          key,
          run,
          code,
          seed: document.config.evaluation.seed,
          draws: drawsOf(document),
          acceptSavedOnTimeout: false,
          holdout: true,
        },
        signal,
      );
      await putEvaluated(store, run, [{ key, code: ref, evaluation }]);
      return evaluation;
    };
    try {
      // The initial program's score says what the other one is worth, and usually it is there already.
      const initial = await initialProgram(store, run);
      const ofInitial = initial?.outcome === 'valid' ? (await scored(initial)).score : null;
      const { outcome, score } = await scored(found);
      return { program, outcome, score, initial: ofInitial };
    } catch (error) {
      signal.throwIfAborted();
      throw infrastructure(error);
    }
  },
});
