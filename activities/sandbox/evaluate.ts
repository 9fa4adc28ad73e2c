// Evaluates one program: gate, execute, collect, score (reference `sandbox`, sections 4 and 5). Called by the evaluation activity.
import { createHash } from 'node:crypto';
import type { Evaluation } from '../../evolution/evaluation.ts';
import type { Task } from '../../evolution/task.ts';
import type { Json } from '../../evolution/types.ts';
import { reasonFor } from './outcome-text.ts';
import type { Execution, Gate, Sandbox, Score, Scorer } from './types.ts';

export type EvaluationJob = {
  /** Unique per evaluation: a second run under the same key replaces the first. */
  readonly key: string;
  readonly run: string;
  readonly code: string;
  readonly seed: number;
  readonly acceptSavedOnTimeout: boolean;
  /** Which objective must be finite for the program to be valid. */
  readonly scoring: 'tolerant' | 'strict';
};

export type Evaluator = {
  /** Throws InfrastructureError, or the signal's reason; never for a program's own failure. */
  evaluate(job: EvaluationJob, signal: AbortSignal): Promise<Evaluation>;
  /** Null where a source compiles and defines the entry; otherwise a short reason. */
  checkSources(codes: readonly string[], signal: AbortSignal): Promise<readonly (string | null)[]>;
  readonly isolation: Sandbox['level'];
};

/** ThetaEvolve tells the program 6/7 of what is enforced: 60 of 70 s, 300 of 350 s. */
export const timeLimitTold = (cpuSeconds: number): number => Math.floor((cpuSeconds * 6) / 7);

const nothing = { metrics: {}, score: null, strictScore: null, solution: null } as const;

const rejected = (reason: string, sandbox: Sandbox): Evaluation => ({
  ...nothing, outcome: 'no_solution', execution: 'rejected', reasons: [reason], exitCode: null, cpuMs: null, wallMs: 0, peakBytes: null,
  stdoutTail: '', stderrTail: '', isolation: sandbox.level, imageId: sandbox.imageId,
});

const seen = (execution: Execution): Pick<Evaluation, 'execution' | 'exitCode' | 'cpuMs' | 'wallMs' | 'peakBytes' | 'stdoutTail' | 'stderrTail' | 'isolation' | 'imageId'> => ({
  execution: execution.kind, exitCode: execution.exitCode, cpuMs: execution.cpuMs, wallMs: execution.wallMs, peakBytes: execution.peakBytes,
  stdoutTail: execution.stdoutTail, stderrTail: execution.stderrTail, isolation: execution.isolation, imageId: execution.imageId,
});

const scored = (execution: Execution, solution: Json, score: Score, scoring: EvaluationJob['scoring']): Evaluation => {
  const objective = scoring === 'strict' ? score.strictScore : score.score;
  const finite = objective !== null && Number.isFinite(objective);
  const valid = score.valid && finite;
  const reasons = score.valid && !finite ? [...score.reasons, 'expected a finite objective'] : score.reasons;
  return {
    ...seen(execution), outcome: valid ? 'valid' : 'invalid', score: valid ? score.score : null, strictScore: valid ? score.strictScore : null,
    metrics: score.metrics, reasons, solution: JSON.stringify(solution),
  };
};

export const createEvaluator = (parts: { readonly sandbox: Sandbox; readonly scorer: Scorer; readonly gate: Gate; readonly task: Task }): Evaluator => {
  const { sandbox, scorer, gate, task } = parts;
  const evaluate = async (job: EvaluationJob, signal: AbortSignal): Promise<Evaluation> => {
    const [refusal] = await gate.check([job.code], task.entry, signal);
    if (refusal) return rejected(refusal, sandbox);
    const execution = await sandbox.run({
      key: job.key, run: job.run, code: job.code, entry: task.entry, limits: task.limits, acceptSavedOnTimeout: job.acceptSavedOnTimeout,
      instance: { ...task.instance, seed: job.seed, time_limit_s: timeLimitTold(task.limits.cpuSeconds) },
    }, signal);
    if (execution.solution === undefined) return { ...nothing, ...seen(execution), outcome: 'no_solution', reasons: [reasonFor(execution, task.limits)] };
    return scored(execution, execution.solution, await scorer.score(execution.solution, signal), job.scoring);
  };
  return { evaluate, checkSources: (codes, signal) => gate.check(codes, task.entry, signal), isolation: sandbox.level };
};

/** Runs nothing and answers `valid` with a small hash of the code as score: for measuring the engine around it (npm run bench). */
export const createNoopEvaluator = (): Evaluator => ({
  isolation: 'fake',
  checkSources: async codes => codes.map(() => null),
  evaluate: async job => {
    const score = 1 + createHash('sha256').update(job.code).digest().readUInt32BE(0) / 2 ** 32;
    return {
      outcome: 'valid', execution: 'ok', score, strictScore: score, metrics: {}, reasons: [], solution: null, exitCode: 0, cpuMs: 0, wallMs: 0,
      peakBytes: null, stdoutTail: '', stderrTail: '', isolation: 'fake', imageId: 'none',
    };
  },
});
