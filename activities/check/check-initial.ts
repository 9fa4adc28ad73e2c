// Runs the initial program and compares its score with task.yaml, its time and memory with the limits. Called by check-task.ts.
import type { Evaluation } from '../../evolution/evaluation.ts';
import type { InitialScore, Task } from '../../evolution/task.ts';
import { near, told, within } from './numbers.ts';
import { notOnThisLevel } from './level.ts';
import type { Context } from './types.ts';

const MIB = 2 ** 20;
/** The seed of the catalogue's values. */
const SEED = 42;

type Trial = { readonly name: string; readonly task: Task; readonly band: readonly [number, number] | undefined; readonly score: number | undefined };

/** Long programs run with less time where task.yaml says what they score then. */
const trialOf = (task: Task, { score, band, quick }: InitialScore, full: boolean): Trial => {
  if (!quick || full) return { name: 'initial', task, band, score };
  const scale = task.limits.wallSeconds / task.limits.cpuSeconds;
  return { name: `initial, ${quick.cpuSeconds} s`, task: { ...task, limits: { ...task.limits, cpuSeconds: quick.cpuSeconds, wallSeconds: quick.cpuSeconds * scale } }, band: quick.band, score: undefined };
};

const scoreFits = ({ band, score }: Trial, got: number): readonly [boolean, string] =>
  (score !== undefined ? [near(got, score), `${got}, expected ${score}`] : band ? [within(got, band), `${got}, expected ${band[0]} to ${band[1]}`] : [true, `${got}`]);

const noteUse = ({ note }: Context, { name, task }: Trial, { cpuMs, wallMs, peakBytes }: Evaluation): void => {
  const { cpuSeconds, wallSeconds, memoryBytes } = task.limits;
  const seconds = (cpuMs ?? wallMs) / 1000;
  note(`${name}: time`, seconds <= cpuSeconds && wallMs / 1000 <= wallSeconds, `${seconds.toFixed(1)} s of ${cpuSeconds} s of CPU, ${(wallMs / 1000).toFixed(1)} s of ${wallSeconds} s`);
  if (peakBytes !== null) note(`${name}: memory`, peakBytes <= memoryBytes, `${Math.round(peakBytes / MIB)} of ${Math.round(memoryBytes / MIB)} MiB`);
};

export const checkInitial = async (context: Context): Promise<void> => {
  const { task, note, options, signal } = context;
  if (!task.initial || notOnThisLevel(context, 'initial')) return;
  const trial = trialOf(task, task.initial, options.full === true);
  const result = await context.bench(trial.task).evaluator.evaluate(
    { key: `${task.id}:${trial.name}`, run: 'check', code: task.initialProgram, seed: SEED, acceptSavedOnTimeout: true, scoring: 'tolerant' }, signal);
  note(`${trial.name}: valid`, result.outcome === 'valid', told(result));
  if (result.score === null) return;
  note(`${trial.name}: score`, ...scoreFits(trial, result.score));
  noteUse(context, trial, result);
};
