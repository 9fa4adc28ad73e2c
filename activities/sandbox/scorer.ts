// Scores solutions in a trusted container that holds the task's evaluator and never sees candidate code
// (reference `sandbox`, section 4). Called by evaluate.ts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Task } from '../../evolution/task.ts';
import type { Json } from '../../evolution/types.ts';
import type { Launcher, Log } from './confined.ts';
import { connectDocker } from './docker-connection.ts';
import { createDockerLauncher } from './docker-launcher.ts';
import { createResident, ResidentDied } from './resident.ts';
import type { Resident } from './resident.ts';
import { InfrastructureError } from './types.ts';
import { createJudge } from './judge.ts';
import type { Score, Scorer, Verdict } from './types.ts';

export type TrustedOptions = { readonly dockerHost?: string | undefined; readonly image: string; readonly home: string; readonly log: Log };

const SOURCE = ['wire.py', 'candidate.py', 'scorer.py'].map(file => readFileSync(join(import.meta.dirname, file), 'utf8')).join('\n');
const TIMEOUT_MS = 60_000;

const answerSchema = z.strictObject({
  valid: z.boolean(),
  score: z.number().nullable(),
  metrics: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])),
  reasons: z.array(z.string()),
  failure: z.enum(['raised', 'malformed', 'late', 'gone']).nullable(),
});

const parseAnswer = (answer: Json, task: Task): Verdict => {
  const parsed = answerSchema.safeParse(answer);
  if (!parsed.success) throw new InfrastructureError(`the evaluator of ${task.id} answered in an unknown form: ${parsed.error.issues[0]?.message ?? ''}`);
  const { valid, score, metrics, reasons, failure } = parsed.data;
  const strict = metrics[`${task.scoreName}_strict`];
  const strictScore = typeof strict === 'number' ? strict : score;
  return { valid, score: valid ? score : null, strictScore: valid ? strictScore : null, metrics, reasons, failure };
};

/** A solution on which the evaluator dies twice is invalid: it must not park the run. */
const died = (error: ResidentDied): Verdict =>
  ({ valid: false, score: null, strictScore: null, metrics: {}, reasons: [`the evaluator failed on this solution twice: ${error.message}`.slice(0, 300)], failure: null });

/** The evaluator's own time on top of the program's wall limit. */
const JUDGE_MARGIN_MS = 120_000;

/** One trusted process scores solutions; a `function` task has as many as programs run at a time, since each talks to one until it is done. */
export const createScorer = (launcher: Launcher, task: Task, log: Log, timeoutMs = TIMEOUT_MS): Scorer => {
  const make = (): Resident => createResident({
    launcher, name: 'scorer', source: SOURCE, timeoutMs,
    boot: { evaluator: task.evaluatorSource, library: task.library ?? [], instance: { ...task.hidden, ...task.instance } },
  });
  const idle: Resident[] = [];
  const all: Resident[] = [];
  const using = async <T>(use: (resident: Resident) => Promise<T>): Promise<T> => {
    const resident = idle.pop() ?? make();
    if (!all.includes(resident)) all.push(resident);
    try {
      return await use(resident);
    } finally {
      idle.push(resident);
    }
  };
  const first = make();
  all.push(first);
  const score = async (solution: Json, signal: AbortSignal): Promise<Score> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { failure: _, ...scored } = parseAnswer(await first.ask({ solution }, signal), task);
        return scored;
      } catch (error) {
        if (!(error instanceof ResidentDied)) throw error;
        log(`scorer of ${task.id}: ${error.message}; started again`);
        if (attempt === 2) {
          const { failure: _, ...scored } = died(error);
          return scored;
        }
      }
    }
  };
  const judge: Scorer['judge'] = ({ candidate, reference, extra }, signal) => using(async resident => {
    const relay = createJudge(candidate, reference);
    try {
      return parseAnswer(await resident.ask({ extra }, signal, { onFrame: relay.onFrame, timeoutMs: task.limits.wallSeconds * 1000 + JUDGE_MARGIN_MS }), task);
    } catch (error) {
      if (!(error instanceof ResidentDied)) throw error;
      log(`scorer of ${task.id}: ${error.message}`);
      return { ...died(error), reasons: [`the evaluator failed on this program: ${error.message}`.slice(0, 300)] };
    } finally {
      relay.close();
    }
  });
  return { score, judge, close: async () => { await Promise.all(all.map(resident => resident.close())); await launcher.close(); } };
};

export const createDockerScorer = ({ task, ...options }: TrustedOptions & { readonly task: Task }): Scorer =>
  createScorer(createDockerLauncher({ ...options, docker: connectDocker(options.dockerHost), trusted: true }), task, options.log);
