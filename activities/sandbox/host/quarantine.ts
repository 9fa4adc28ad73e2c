// Wraps an evaluator: a score beyond a proven bound, or far beyond the best value known, is evaluated again with other
// seeds, and on other data where the task draws them, before it counts. A score that is held back keeps its program,
// which is marked and never becomes a parent.
import type { Evaluation } from '../../../evolution/scoring/evaluation.ts';
import { QUARANTINED, settled, suspicion } from '../../../evolution/scoring/quarantine.ts';
import type { Task } from '../../../evolution/task/task.ts';
import type { EvaluationJob, Evaluator } from './evaluator.ts';

/** Number of further runs for each suspicious score, with other seeds and in fresh containers. */
const AGAIN = 2;

export const quarantining = (evaluator: Evaluator, task: Task): Evaluator => ({
  ...evaluator,
  evaluate: async (job, signal) => {
    const evaluation = await evaluator.evaluate(job, signal);
    const found = evaluation.score === null || job.holdout ? null : suspicion(task, evaluation.score);
    if (found === null) return evaluation;
    const again = [];
    for (let redraw = 1; redraw <= AGAIN; redraw += 1) {
      const repeated = await evaluator.evaluate(other(job, redraw), signal);
      again.push({ seed: job.seed + redraw, score: repeated.score });
    }
    const quarantine = settled(task, found, evaluation.score!, again);
    return quarantine.held ? held({ ...evaluation, quarantine }) : { ...evaluation, quarantine };
  },
});

const other = (job: EvaluationJob, redraw: number): EvaluationJob => ({
  ...job,
  key: `${job.key}:again${redraw}`,
  seed: job.seed + redraw,
  redraw,
});

const held = (evaluation: Evaluation): Evaluation => ({
  ...evaluation,
  outcome: 'invalid',
  score: null,
  strictScore: null,
  reasons: [`${QUARANTINED}${evaluation.quarantine!.reason}`, ...evaluation.reasons],
});
