// Evaluates one program: gate, execution, collection of its claim, score.
import type { Evaluation } from '../../../evolution/scoring/evaluation.ts';
import { scoreAskedFor, type Scoring } from '../../../evolution/scoring/ranking.ts';
import { filesProblem, splitFiles } from '../../../evolution/files/program-files.ts';
import { withoutMarkers } from '../../../evolution/edits/language.ts';
import { toolchainOf } from '../../../evolution/task/languages.ts';
import { type Task, timeLimitTold } from '../../../evolution/task/task.ts';
import type { ExecutionKind, Json } from '../../../evolution/types.ts';
import type { Execution, Gate, Models, Sandbox, SandboxJob, Score, Scorer, Verdict } from '../contract/types.ts';
import { type Built, Builds } from '../foreign/builds.ts';
import { tooPlain } from './gate.ts';
import { reasonFor } from './outcome.ts';
import { fileRules, knownFiles } from '../../program-paths.ts';
import { sha256 } from '../../sha256.ts';
import { count } from '../../telemetry/metrics.ts';
import { hiddenDraws, type HiddenDraws } from './hidden-draws.ts';

export type EvaluationJob = {
  /** Is unique for each evaluation. A second run under the same key replaces the first. */
  readonly key: string;
  readonly run: string;
  readonly code: string;
  readonly seed: number;
  readonly acceptSavedOnTimeout: boolean;
  /**
   * The name of the program's draws in a `function` task: jobs that name the same get the same data. Left out, it is
   * the run.
   */
  readonly draws?: string;
  /** Draws the hidden data of a `function` task anew. 0 is the ordinary evaluation. */
  readonly redraw?: number;
  /**
   * For a `function` task, its `evaluate_hidden` over instances that never decide a ranking. The score is only
   * reported.
   */
  readonly holdout?: boolean;
  /** The objective that must be finite for the program to be valid. */
  readonly scoring: Scoring;
  readonly onOutput?: SandboxJob['onOutput'];
  /** Where the evaluator of a `script` task may ask a model. */
  readonly models?: Models | undefined;
};

export type Evaluator = {
  /** Throws InfrastructureError, or the signal's reason; never for a program's own failure. */
  evaluate(job: EvaluationJob, signal: AbortSignal): Promise<Evaluation>;
  /** Null where a source compiles and defines the entry; otherwise a short reason. */
  checkSources(codes: readonly string[], signal: AbortSignal): Promise<readonly (string | null)[]>;
  readonly isolation: Sandbox['level'];
};

const nothing = { metrics: {}, score: null, strictScore: null, solution: null } as const;

const rejected = (reason: string, sandbox: Sandbox): Evaluation => ({
  ...nothing,
  outcome: 'no_solution',
  execution: 'rejected',
  reasons: [reason],
  exitCode: null,
  cpuMs: null,
  wallMs: 0,
  peakBytes: null,
  stdoutTail: '',
  stderrTail: '',
  isolation: sandbox.level,
  imageId: sandbox.imageId,
});

const seen = (execution: Execution) => {
  const { kind, exitCode, cpuMs, wallMs, peakBytes, stdoutTail, stderrTail, isolation, imageId } = execution;
  const { loadTail, profile } = execution;
  const printed = {
    ...{ stdoutTail, stderrTail },
    ...(loadTail === undefined ? {} : { loadTail }),
    ...(profile === undefined ? {} : { profile }),
  };
  return { execution: kind, exitCode, cpuMs, wallMs, peakBytes, ...printed, isolation, imageId };
};

const scored = (
  execution: Execution,
  solution: Json | null,
  score: Score,
  scoring: EvaluationJob['scoring'],
): Evaluation => {
  const objective = scoreAskedFor(score, scoring);
  const finite = objective !== null && Number.isFinite(objective);
  const valid = score.valid && finite;
  const reasons = score.valid && !finite ? [...score.reasons, 'expected a finite objective'] : score.reasons;
  return {
    ...seen(execution),
    outcome: valid ? 'valid' : 'invalid',
    score: valid ? score.score : null,
    strictScore: valid ? score.strictScore : null,
    metrics: score.metrics,
    reasons,
    ...(score.artifacts === undefined ? {} : { artifacts: score.artifacts }),
    solution: solution === null ? null : JSON.stringify(solution),
  };
};

/** Scoring what a program saved on its way takes no longer, or is left out. */
const SAVES_MS = 1_000;

/** The saves with their scores. Each was a solution as good as any, and none of them decides anything. */
const savesOf = async (
  { saves }: Pick<Execution, 'saves'>,
  scoreOf: (solution: Json) => Promise<Score>,
  /** What the scoring of its result took. */
  lastMs = 0,
): Promise<Pick<Evaluation, 'saves'>> => {
  if (saves === undefined) return {};
  if (lastMs * saves.kept.length > SAVES_MS) return { saves: { count: saves.count } };
  const beganAt = performance.now();
  const scores: { seconds: number | null; score: number | null }[] = [];
  for (const { seconds, solution } of saves.kept) {
    if (performance.now() - beganAt > SAVES_MS) return { saves: { count: saves.count } };
    const { valid, score } = await scoreOf(solution);
    scores.push({ seconds, score: valid && score !== null && Number.isFinite(score) ? score : null });
  }
  return { saves: { count: saves.count, scores } };
};

/** The `invoke` of a task without a harness of its own: the program answers every call. */
const PLAIN_HARNESS = 'def invoke(function, request, ask):\n    return function(*request)\n';

const FAILED: { readonly [failure in NonNullable<Verdict['failure']>]: ExecutionKind } = {
  raised: 'program_error',
  malformed: 'invalid_output',
  late: 'timeout_wall',
  gone: 'program_error',
};

/**
 * A program that stopped answering has no solution. One whose answers are wrong is invalid. One that the evaluator
 * scored nevertheless counts.
 */
const called = (
  execution: Execution,
  verdict: Verdict | undefined,
  task: Task,
  scoring: EvaluationJob['scoring'],
): Evaluation => {
  if (verdict !== undefined && (verdict.valid || (verdict.failure === null && execution.kind === 'ok')))
    return scored(execution, null, verdict, scoring);
  const kind = execution.kind !== 'ok' ? execution.kind : FAILED[verdict?.failure ?? 'gone'];
  const told = verdict?.failure === 'raised' || verdict?.failure === 'malformed' ? verdict.reasons[0] : undefined;
  return {
    ...nothing,
    ...seen(execution),
    execution: kind,
    outcome: 'no_solution',
    reasons: [told ?? reasonFor({ ...execution, kind }, task.limits)],
  };
};

/**
 * Further runs of a program that was killed or stopped though it kept its limits. The memory of the machine may have run
 * out, or somebody ended it; a program that ends so each time does it itself.
 */
const AFTER_A_KILL = 2;

const surviving = async (run: () => Promise<Execution>): Promise<Execution> => {
  for (let again = 0; ; again += 1) {
    const execution = await run();
    const { kind, killed, stopped } = execution;
    const wasEnded = stopped || (kind === 'program_error' && killed);
    if (!wasEnded || again === AFTER_A_KILL) return execution;
    count('sandboxFailures', {});
  }
};

const isPython = ({ script, world, initialProgram }: Task): boolean =>
  (world?.language ?? 'python') === 'python' &&
  (script === undefined || script.program.endsWith('.py') || splitFiles(initialProgram) !== null);

const sourcesCheck = (task: Task, gate: Gate): Evaluator['checkSources'] => {
  // The evaluator of a script says itself what it misses, and a program in another language answers lines.
  const python = isPython(task);
  const entry = task.kind === 'script' || !python ? '' : task.entry;
  const own = splitFiles(task.initialProgram)?.length;
  const rules = fileRules(knownFiles(task));
  return async (codes, signal) => {
    const said = python ? await gate.check(codes, { entry, own }, signal) : codes.map((code) => tooPlain(code, entry));
    // Of other kinds no file is put anywhere.
    if (task.script === undefined) return said;
    return codes.map((code, index) => filesProblem(task.initialProgram, code, rules) ?? said[index] ?? null);
  };
};

type EvaluatorParts = {
  readonly sandbox: Sandbox;
  readonly scorer: Scorer;
  readonly gate: Gate;
  readonly task: Task;
  /** Where built programs in other languages are kept; left out: nowhere. */
  readonly builds?: string | undefined;
  /** By default made from a secret of this process. */
  readonly hidden?: HiddenDraws;
};

/** Makes of a source what the sandbox runs: a program in another language is built first, a text loses its markers. */
const builderOf = ({ sandbox, task, builds: folder }: EvaluatorParts) => {
  const language = task.world?.language;
  const toolchain = task.kind === 'script' ? undefined : toolchainOf(language);
  const builds =
    language === undefined || toolchain === undefined
      ? null
      : new Builds({
          run: (job, signal) => surviving(() => sandbox.run(job, signal)),
          reasonFor,
          imageId: () => sandbox.imageId,
          ...{ language, toolchain, folder, limits: task.limits },
        });
  return async (job: EvaluationJob, source: string, signal: AbortSignal): Promise<Built> =>
    builds?.of({ key: job.key, run: job.run, source }, signal) ?? {
      code: language === 'text' ? withoutMarkers(source) : source,
      said: '',
    };
};

/** The words of the compiler stand before what the program printed. */
const withWarnings = (evaluation: Evaluation, said: string): Evaluation => {
  if (said.trim() === '') return evaluation;
  const { stderrTail, loadTail } = evaluation;
  const before = `${said.trimEnd()}\n`;
  return {
    ...evaluation,
    stderrTail: before + stderrTail,
    // No drawn data are in them.
    loadTail: before + (loadTail ?? ''),
  };
};

export const createEvaluator = (parts: EvaluatorParts): Evaluator => {
  const { sandbox, scorer, gate, task, hidden = hiddenDraws() } = parts;
  const build = builderOf(parts);
  const given = (job: EvaluationJob) => ({
    key: job.key,
    run: job.run,
    code: job.code,
    entry: task.entry,
    limits: task.limits,
    gpus: task.needs?.gpu,
    preload: task.preload,
    env: { ...toolchainOf(task.world?.language)?.env, ...task.world?.env },
    onOutput: job.onOutput,
    instance: { ...task.instance, seed: job.seed, time_limit_s: timeLimitTold(task.limits) },
  });
  const solve = async (job: EvaluationJob, signal: AbortSignal): Promise<Evaluation> => {
    const asked = { ...given(job), acceptSavedOnTimeout: job.acceptSavedOnTimeout };
    const execution = await surviving(() => sandbox.run(asked, signal));
    const scoreOf = (solution: Json): Promise<Score> => scorer.score(solution, signal);
    if (execution.solution === undefined) {
      const reasons = [reasonFor(execution, task.limits)];
      return {
        ...nothing,
        ...seen(execution),
        ...(await savesOf(execution, scoreOf)),
        outcome: 'no_solution',
        reasons,
      };
    }
    const beganAt = performance.now();
    const result = scored(execution, execution.solution, await scoreOf(execution.solution), job.scoring);
    const all = { ...result, ...(await savesOf(execution, scoreOf, performance.now() - beganAt)) };
    // What was saved counts, and the next prompt says that the program itself was stopped.
    return execution.kind === 'ok' ? all : { ...all, reasons: [...all.reasons, reasonFor(execution, task.limits)] };
  };
  const converse = async (job: EvaluationJob, signal: AbortSignal): Promise<Evaluation> => {
    let verdict: Verdict | undefined;
    const extra = {
      seed: job.seed,
      ...hidden(task, job),
      ...(job.holdout ? { holdout: true } : {}),
    };
    const timed = task.timed === true;
    const beside = timed ? await build(job, task.initialProgram, signal) : null;
    if (beside !== null && 'refusal' in beside)
      throw new Error(`the initial program of ${task.id}, by which times are measured: ${beside.refusal}`);
    const reference = beside?.code ?? null;
    const asked = {
      ...given(job),
      ...{ harness: task.harness ?? PLAIN_HARNESS, script: task.script, models: job.models, timed },
      reference,
    };
    const talk: Parameters<Sandbox['converse']>[1] = async (candidate, reference) => {
      verdict = await scorer.judge({ candidate, reference, extra }, signal);
      return verdict.failure === null ? '' : verdict.reasons.join('\n');
    };
    const execution = await surviving(() => {
      verdict = undefined;
      return sandbox.converse(asked, talk, signal);
    });
    return called(execution, verdict, task, job.scoring);
  };
  const checkSources = sourcesCheck(task, gate);
  const evaluate = async (job: EvaluationJob, signal: AbortSignal): Promise<Evaluation> => {
    const [refusal] = await checkSources([job.code], signal);
    if (refusal) return rejected(refusal, sandbox);
    const built = await build(job, job.code, signal);
    if ('refusal' in built) return withWarnings(rejected(built.refusal, sandbox), built.said);
    const one = { ...job, code: built.code };
    const evaluation = await (task.kind === 'solution' ? solve(one, signal) : converse(one, signal));
    return withWarnings({ ...evaluation, cpuLimit: task.limits.cpuSeconds }, built.said);
  };
  return { evaluate, checkSources, isolation: sandbox.level };
};

/**
 * Runs nothing and answers `valid` with a small hash of the code as score, to measure the engine around it (npm run
 * bench). With `hold`, each evaluation has a simulated length, which `hold` resolves to, and waits for its turn as real
 * ones do.
 */
export const createNoopEvaluator = (hold: (signal: AbortSignal) => Promise<number> = async () => 0): Evaluator => ({
  isolation: 'fake',
  checkSources: async (codes) => codes.map(() => null),
  evaluate: async (job, signal) => {
    const wallMs = await hold(signal);
    const score = 1 + Number.parseInt(sha256(job.code).slice(0, 8), 16) / 2 ** 32;
    return {
      outcome: 'valid',
      execution: 'ok',
      score,
      strictScore: score,
      metrics: {},
      reasons: [],
      solution: null,
      exitCode: 0,
      cpuMs: 0,
      wallMs,
      peakBytes: null,
      stdoutTail: '',
      stderrTail: '',
      isolation: 'fake',
      imageId: 'none',
    };
  },
});
