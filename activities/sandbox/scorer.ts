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
import type { Score, Scorer } from './types.ts';

export type TrustedOptions = { readonly dockerHost?: string | undefined; readonly image: string; readonly home: string; readonly log: Log };

const SOURCE = readFileSync(join(import.meta.dirname, 'scorer.py'), 'utf8');
const TIMEOUT_MS = 60_000;

const answerSchema = z.strictObject({
  valid: z.boolean(),
  score: z.number().nullable(),
  metrics: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])),
  reasons: z.array(z.string()),
});

const parseAnswer = (answer: Json, task: Task): Score => {
  const parsed = answerSchema.safeParse(answer);
  if (!parsed.success) throw new InfrastructureError(`the evaluator of ${task.id} answered in an unknown form: ${parsed.error.issues[0]?.message ?? ''}`);
  const { valid, score, metrics, reasons } = parsed.data;
  const strict = metrics[`${task.scoreName}_strict`];
  const strictScore = typeof strict === 'number' ? strict : score;
  return { valid, score: valid ? score : null, strictScore: valid ? strictScore : null, metrics, reasons };
};

/** A solution on which the evaluator dies twice is invalid: it must not park the run. */
const died = (error: ResidentDied): Score =>
  ({ valid: false, score: null, strictScore: null, metrics: {}, reasons: [`the evaluator failed on this solution twice: ${error.message}`.slice(0, 300)] });

export const createScorer = (launcher: Launcher, task: Task, log: Log, timeoutMs = TIMEOUT_MS): Scorer => {
  const resident: Resident = createResident({
    launcher, name: 'scorer', source: SOURCE, boot: { evaluator: task.evaluatorSource, instance: task.instance }, timeoutMs,
  });
  const score = async (solution: Json, signal: AbortSignal): Promise<Score> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return parseAnswer(await resident.ask(solution, signal), task);
      } catch (error) {
        if (!(error instanceof ResidentDied)) throw error;
        log(`scorer of ${task.id}: ${error.message}; started again`);
        if (attempt === 2) return died(error);
      }
    }
  };
  return { score, close: async () => { await resident.close(); await launcher.close(); } };
};

export const createDockerScorer = ({ task, ...options }: TrustedOptions & { readonly task: Task }): Scorer =>
  createScorer(createDockerLauncher({ ...options, docker: connectDocker(options.dockerHost), trusted: true }), task, options.log);
