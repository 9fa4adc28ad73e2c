// The fallback `sandbox: bubblewrap`: sandbox, scorer and gate on bubblewrap instead of Docker. Every result is marked
// with it.
import type { Task } from '../../../evolution/task.ts';
import type { Gate, Sandbox, Scorer } from '../contract/types.ts';
import { type BubblewrapOptions, createBubblewrapLauncher } from '../launchers/bubblewrap-launcher.ts';
import { createConfinedSandbox } from './confined-sandbox.ts';
import type { Cores } from './cores.ts';
import { createGate } from './gate.ts';
import { createScorer } from './scorer.ts';

export const createBubblewrapSandbox = (
  options: BubblewrapOptions & {
    readonly home: string;
    readonly concurrency: number;
    readonly cores?: Cores | undefined;
    readonly poolSize?: number | undefined;
  },
): Sandbox =>
  createConfinedSandbox({
    launcher: createBubblewrapLauncher(options),
    home: options.home,
    concurrency: options.concurrency,
    cores: options.cores,
    poolSize: options.poolSize ?? options.concurrency + 1,
    log: options.log,
  });

export const createBubblewrapScorer = (options: BubblewrapOptions & { readonly task: Task }): Scorer =>
  createScorer(createBubblewrapLauncher(options), options.task, options.log);

export const createBubblewrapGate = (options: BubblewrapOptions): Gate =>
  createGate(createBubblewrapLauncher(options), options.log);
