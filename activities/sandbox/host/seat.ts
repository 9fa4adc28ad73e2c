// A process that waits for its program: started for it, with what it imports imported.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TaskLimits } from '../../../evolution/task/task.ts';
import type { Confined, Launcher } from '../contract/confined.ts';
import { MOST_STRETCH, steadyNow } from '../contract/fair-clock.ts';
import { modulesOf } from '../contract/imports.ts';
import { InfrastructureError, type SandboxJob } from '../contract/types.ts';
import { CandidateOutput } from './candidate-output.ts';

export type Seat = { readonly confined: Confined; readonly output: CandidateOutput };

const RUNNER = ['wire.py', 'files.py', 'runner/profile.py', 'runner/runner.py']
  .map((file) => readFileSync(join(import.meta.dirname, '..', 'guest', file), 'utf8'))
  .join('\n');
const BOOT_TIMEOUT_MS = 180_000;
/** More than the start and the end of a process take, for the reaper. */
const SPARE_MS = BOOT_TIMEOUT_MS + 120_000;

export type Boot = {
  readonly launcher: Launcher;
  readonly limits: TaskLimits;
  readonly devices: readonly string[];
  readonly code: string;
  readonly preload?: SandboxJob['preload'];
};

/** Starts a process and waits until it is ready. Throws InfrastructureError. */
export const boot = async ({ launcher, limits, devices, code, preload = [] }: Boot): Promise<Seat> => {
  const output = new CandidateOutput(limits.outputBytes);
  const confined = await launcher.launch({
    source: RUNNER,
    args: [...new Set([...preload, ...modulesOf(code)])],
    preload,
    limits,
    ...(devices.length === 0 ? {} : { devices }),
    run: 'programs',
    activity: 'candidate',
    deadline: new Date(steadyNow().getTime() + limits.wallSeconds * 1000 * MOST_STRETCH + SPARE_MS),
    onStdout: output.onStdout,
    onStderr: output.onStderr,
  });
  if (confined.takesAllAtOnce) return { confined, output };
  const state = await Promise.race([
    output.ready.then(() => 'ready' as const),
    confined.ended.then(
      (ending) => ending.lost ?? `it ended with exit code ${ending.exitCode}: ${output.stderrTail().slice(-300)}`,
    ),
    sleep(BOOT_TIMEOUT_MS, `it was not ready after ${BOOT_TIMEOUT_MS / 1000} s`, { ref: false }),
  ]);
  if (state === 'ready') {
    await confined.sample?.();
    return { confined, output };
  }
  await confined.remove();
  throw new InfrastructureError(`a candidate's process did not boot: ${state}`);
};
