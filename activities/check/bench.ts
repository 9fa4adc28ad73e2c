// Benches on a sandbox and a gate that several tasks share; each task has a scorer of its own.
import type { Task } from '../../evolution/task/task.ts';
import type { Gate, Sandbox, Scorer } from '../sandbox/contract/types.ts';
import { createStaged } from '../sandbox/stages/staged.ts';
import type { MakeBench } from './findings.ts';

export type Benches = { readonly make: MakeBench; close(): Promise<void> };

/** All programs of a check get the same hidden data, on every machine, so that their scores can be compared. */
const HIDDEN = { hidden_key: '2718281828459045'.repeat(4), hidden_seed: 2_718_281_828 };

export const createBenches = (parts: {
  readonly sandbox: Sandbox;
  readonly gate: Gate;
  readonly scorer: (task: Task) => Scorer;
  readonly builds?: string;
}): Benches => ({
  make: (task) => {
    const { sandbox, gate, scorer: scorerFor, builds } = parts;
    return createStaged({ sandbox, gate, scorerFor, task, builds, hidden: () => HIDDEN });
  },
  close: async () => {
    await Promise.all([parts.sandbox.close(), parts.gate.close()]);
  },
});
