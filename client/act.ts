// Carries out a verb on a run or a sweep by its name, with the same words about it for commands and the page.
import { type Body, doneText, type Result, type VerbName, verbOf } from '../evolution/steering/verbs.ts';
import type { Json } from '../evolution/types.ts';
import type { RunHandle } from './runs/run-handle.ts';
import type { SweepHandle } from './sweeps/sweep-handle.ts';

type Act<V extends VerbName, Handle> = (handle: Handle, body: Body<V>) => Promise<Result<V>>;

/** The verbs of a run whose work is one message to it. */
export type RunAct = keyof typeof RUN_ACTS;
export type SweepAct = keyof typeof SWEEP_ACTS;

const RUN_ACTS = {
  pause: async (run, body) => (await run.pause(body), {}),
  resume: async (run) => {
    const { opened } = await run.resume();
    return { opened, step: Math.max(0, (await run.document()).committedStep) };
  },
  stop: async (run, body) => (await run.stop(body), {}),
  extend: (run, body) => run.extend(body),
  set: (run, { patch }) => run.setConfig(patch),
  inject: (run, body) => run.inject(body),
  hint: (run, body) => run.hint(body),
  'add-model': (run, body) => run.addModel(body),
  'remove-model': (run, { name }) => run.removeModel(name),
  retry: (run, body) => run.retry(body),
  rewind: (run, body) => run.rewind(body),
} as const satisfies { readonly [V in VerbName]?: Act<V, RunHandle> };

const SWEEP_ACTS = {
  'sweep-pause': async (sweep, body) => (await sweep.pause(body), {}),
  'sweep-resume': (sweep) => sweep.resume(),
  'sweep-stop': async (sweep, body) => (await sweep.stop(body), {}),
} as const satisfies { readonly [V in VerbName]?: Act<V, SweepHandle> };

export const isRunAct = (name: string): name is RunAct => Object.hasOwn(RUN_ACTS, name);
export const isSweepAct = (name: string): name is SweepAct => Object.hasOwn(SWEEP_ACTS, name);

/** The result, and one sentence for people. */
export type Acted<V extends VerbName> = { readonly result: Result<V>; readonly text: string };

export const actOnRun = async <V extends RunAct>(run: RunHandle, name: V, body: Body<V>): Promise<Acted<V>> => {
  const result = await (RUN_ACTS[name] as unknown as Act<V, RunHandle>)(run, body);
  // It only words what was sent, so a database that is away fails nothing.
  const stream = verbOf(name).halts === true && (await run.streams().catch(() => false));
  return { result, text: doneText(name, { run: run.id, stream }, body, result) };
};

export const actOnSweep = async <V extends SweepAct>(sweep: SweepHandle, name: V, body: Body<V>): Promise<Acted<V>> => {
  const result = await (SWEEP_ACTS[name] as unknown as Act<V, SweepHandle>)(sweep, body);
  return { result, text: doneText(name, { run: sweep.name }, body, result) };
};

/** Throws what the run would refuse, and changes nothing. */
export const checkOnRun = async <V extends RunAct>(run: RunHandle, name: V, body: Body<V>): Promise<void> => {
  if (name === 'extend') await run.check({ extend: body as Body<'extend'> });
  if (name === 'set') await run.check({ patch: (body as Body<'set'>).patch as { readonly [key: string]: Json } });
};
