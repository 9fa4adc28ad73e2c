// Carries out a verb on a run or a sweep by its name, with the same words about it for commands and the page.
import {
  type Body,
  doneText,
  messagesTo,
  type Result,
  type RunVerb,
  type VerbName,
  verbOf,
} from '../evolution/steering/verbs.ts';
import type { Json } from '../evolution/types.ts';
import type { RunHandle } from './runs/run-handle.ts';
import type { SweepHandle } from './sweeps/sweep-handle.ts';

type Act<V extends VerbName, Handle> = (handle: Handle, body: Body<V>) => Promise<Result<V>>;

/** The verbs of a run that are messages to it. */
export type RunAct = Exclude<RunVerb, 'terminate' | 'fork' | 'export'>;
export type SweepAct = keyof typeof SWEEP_ACTS;

/** The verbs of which more is known than their message; every other one is sent as it is. */
const RUN_ACTS: { readonly [V in RunAct]?: Act<V, RunHandle> } = {
  resume: async (run) => {
    const { opened } = await run.resume();
    return { opened, step: Math.max(0, (await run.document()).committedStep) };
  },
  stop: async (run, body) => (await run.stop(body), {}),
  extend: (run, body) => run.extend(body),
  inject: (run, body) => run.inject(body),
  retry: (run, body) => run.retry(body),
  rewind: (run, body) => run.rewind(body),
};

const SWEEP_ACTS = {
  'sweep-pause': async (sweep, body) => (await sweep.pause(body), {}),
  'sweep-resume': (sweep) => sweep.resume(),
  'sweep-stop': async (sweep, body) => (await sweep.stop(body), {}),
} as const satisfies { readonly [V in VerbName]?: Act<V, SweepHandle> };

export const isRunAct = (name: string): name is RunAct => (messagesTo('run') as readonly string[]).includes(name);
export const isSweepAct = (name: string): name is SweepAct => Object.hasOwn(SWEEP_ACTS, name);

/** The result, and one sentence for people. */
export type Acted<V extends VerbName> = { readonly result: Result<V>; readonly text: string };

export const actOnRun = async <V extends RunAct>(run: RunHandle, name: V, body: Body<V>): Promise<Acted<V>> => {
  const act = RUN_ACTS[name] as Act<V, RunHandle> | undefined;
  const result = await (act === undefined ? run.send(name, body) : act(run, body));
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
