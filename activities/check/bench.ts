// Benches on a sandbox and a gate that several tasks share; each task has a scorer of its own.
import type { Task } from '../../evolution/task/task.ts';
import type { Gate, Sandbox, Scorer } from '../sandbox/contract/types.ts';
import { createEvaluator } from '../sandbox/host/evaluator.ts';
import type { MakeBench } from './findings.ts';

export type Benches = { readonly make: MakeBench; close(): Promise<void> };

/** All programs of a check get the same hidden data, on every machine, so that their scores can be compared. */
const HIDDEN = { hidden_key: '2718281828459045'.repeat(4), hidden_seed: 2_718_281_828 };

export const createBenches = (parts: {
  readonly sandbox: Sandbox;
  readonly gate: Gate;
  readonly scorer: (task: Task) => Scorer;
}): Benches => ({
  make: (task) => {
    const scorer = parts.scorer(task);
    const evaluator = createEvaluator({
      sandbox: parts.sandbox,
      gate: parts.gate,
      scorer,
      task,
      hidden: () => HIDDEN,
    });
    return { evaluator, scorer, close: () => scorer.close() };
  },
  close: async () => {
    await Promise.all([parts.sandbox.close(), parts.gate.close()]);
  },
});
