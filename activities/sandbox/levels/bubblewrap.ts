// The level without an engine: sandbox, scorer and gate in namespaces that bubblewrap makes. Every result is marked
// with it.
import type { Task } from '../../../evolution/task/task.ts';
import type { Gate, Sandbox, Scorer } from '../contract/types.ts';
import { type BubblewrapOptions, createBubblewrapLauncher } from '../launchers/bubblewrap-launcher.ts';
import { createConfinedSandbox } from '../host/confined-sandbox.ts';
import type { Cores } from '../host/cores.ts';
import { createGate } from '../host/gate.ts';
import { createScorer } from '../host/scorer.ts';
import { isolation, type OpenLevel } from './level.ts';

export const createBubblewrapSandbox = (
  options: BubblewrapOptions & {
    readonly home: string;
    readonly concurrency: number;
    readonly cores?: Cores | undefined;
  },
): Sandbox => createConfinedSandbox({ ...options, launcher: createBubblewrapLauncher(options) });

export const createBubblewrapScorer = (options: BubblewrapOptions & { readonly task: Task }): Scorer =>
  createScorer(createBubblewrapLauncher(options), options.task, options.log);

export const createBubblewrapGate = (options: BubblewrapOptions): Gate =>
  createGate(createBubblewrapLauncher(options), options.log);

export const open: OpenLevel = async ({ rootfs, home, concurrency, cores, log }) => {
  const { path, id } = await rootfs();
  const options = { rootfs: path, imageId: id, log };
  return isolation({
    sandbox: createBubblewrapSandbox({ ...options, home, concurrency, cores }),
    gate: createBubblewrapGate(options),
    scorerFor: (task) => createBubblewrapScorer({ ...options, task }),
  });
};
