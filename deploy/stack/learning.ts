// The parts of a home that learns: the Python environment, the trainer's server, and the worker that trains.
// A home learns from the first run that asks for it on, or from `evolve up --learn`.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonOrNull, writeJsonAtomically } from '../host/files.ts';
import type { Home } from '../host/home.ts';
import { isAlive } from '../host/process-identity.ts';
import { runCommand, type Say } from '../host/run-command.ts';
import { ensureTrainer, readyTrainerPython, type TrainerPython } from '../parts/python/trainer-venv.ts';
import { learningChildren, policiesOf, trainerSettings } from '../supervisor/learning-children.ts';
import { type ChildPlan, makePlan, type Parts, type Plan, readUp } from '../supervisor/plan.ts';
import { followPlan, waitHealthy } from '../supervisor/supervisor-control.ts';

const markOf = (home: Home): string => join(home.root, 'learning.json');

/** The trainers that runs of this home have asked for. Empty: the home does not learn. */
export const learningTrainers = (home: Home): readonly string[] => {
  const mark = readJsonOrNull<{ readonly trainers?: unknown }>(markOf(home));
  return Array.isArray(mark?.trainers) ? mark.trainers.filter((name) => typeof name === 'string') : [];
};

/** Makes `evolve up` start what this trainer needs, from now on. */
export const markLearning = (home: Home, trainer: string): void => {
  const before = learningTrainers(home);
  if (!before.includes(trainer)) writeJsonAtomically(markOf(home), { trainers: [...before, trainer].sort() });
};

/** Makes `evolve up` start no part of learning any more. Policies and the environment stay. */
export const unmarkLearning = (home: Home): void => rmSync(markOf(home), { force: true });

/** The processes that a home needs to learn; none where it does not learn. */
export const learningPlans = async (
  home: Home,
  parts: Parts,
  say: Say,
  env: NodeJS.ProcessEnv,
  childEnv: NodeJS.ProcessEnv = env,
): Promise<readonly ChildPlan[]> => {
  const trainers = learningTrainers(home);
  const { trainer } = parts;
  if (trainers.length === 0 || trainer === undefined) return [];
  const python = await ensureTrainer(home, say, env);
  mkdirSync(policiesOf(home), { recursive: true, mode: 0o700 });
  return learningChildren({
    home,
    parts: { ...parts, trainer },
    python,
    reference: trainers.includes('reference'),
    env: childEnv,
  });
};

const isRunning = (home: Home, children: readonly ChildPlan[]): boolean => {
  const up = readUp(home);
  return children.every(({ name, role }) =>
    up?.processes.some((one) => one.name === name && one.role === role && one.healthy && isAlive(one)),
  );
};

/**
 * Starts what `trainer` needs beside the stack that runs, and leaves the rest of it alone: its environment is that of
 * the worker, whichever shell asks. Where nothing is up, it is only noted for the next `evolve up`. The caller holds the
 * set-up lock.
 */
export const startLearning = async (home: Home, say: Say, env: NodeJS.ProcessEnv, trainer: string): Promise<void> => {
  markLearning(home, trainer);
  const plan = readJsonOrNull<Plan>(home.planFile);
  const up = readUp(home);
  if (plan === null || up === null || !isAlive(up.supervisor)) return;
  const envOf = (wanted: string): NodeJS.ProcessEnv | undefined =>
    plan.children.find(({ name }) => name === wanted)?.env;
  // The settings that `up` had for the trainer stay, too.
  const settings = trainerSettings(envOf('learner') ?? env);
  const children = await learningPlans(home, plan.parts, say, env, { ...settings, ...envOf('worker') });
  if (isRunning(home, children)) return;
  const others = plan.children.filter(({ name }) => !children.some((child) => child.name === name));
  const next = makePlan({ children: [...others, ...children], parts: plan.parts, dockerRegister: plan.dockerRegister });
  await followPlan(home, next);
  const names = new Set(children.map(({ name }) => name));
  await waitHealthy(home, next, (name) => {
    if (names.has(name)) say(name, 'started');
  });
};

const DEVICE = 'import torch; print("CUDA, " + torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU")';

type LearningState = {
  readonly trainers: readonly string[];
  /** Null where the environment is not complete, or not wanted. */
  readonly python: (TrainerPython & { readonly works: boolean; readonly device: string }) | null;
};

/** The state for `evolve doctor`. */
export const learningState = async (home: Home, env: NodeJS.ProcessEnv): Promise<LearningState> => {
  const trainers = learningTrainers(home);
  const python = trainers.length === 0 ? null : readyTrainerPython(home, env);
  if (python === null) return { trainers, python };
  const { ok, stdout, error } = await runCommand(python.python, ['-c', DEVICE], { timeoutMs: 60_000 });
  return {
    trainers,
    python: { ...python, works: ok, device: ok ? stdout.trim() : `which cannot be imported (${error})` },
  };
};
