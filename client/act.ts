// Carries out a verb on a run or a sweep by its name, with the same words about it for commands and the page.
import {
  type Body,
  doneText,
  isSweepVerb,
  type Result,
  type RunVerb,
  type VerbName,
  verbNames,
} from '../evolution/steering/verbs.ts';
import type { Json } from '../evolution/types.ts';
import type { RunHandle } from './runs/run-handle.ts';
import type { Acted } from './runs/steered-run.ts';
import type { SweepHandle } from './sweeps/sweep-handle.ts';

type Act<V extends VerbName, Handle> = (handle: Handle, body: Body<V>) => Promise<Result<V>>;

const ELSEWHERE = ['terminate', 'fork', 'export'] as const satisfies readonly RunVerb[];
/** The verbs of a run that need nothing but the run. */
export type RunAct = Exclude<RunVerb, (typeof ELSEWHERE)[number]>;
export type SweepAct = keyof typeof SWEEP_ACTS;

const SWEEP_ACTS = {
  'sweep-pause': async (sweep, body) => (await sweep.pause(body), {}),
  'sweep-resume': (sweep) => sweep.resume(),
  'sweep-stop': async (sweep, body) => (await sweep.stop(body), {}),
} as const satisfies { readonly [V in VerbName]?: Act<V, SweepHandle> };

export const isRunAct = (name: string): name is RunAct =>
  verbNames.some((verb) => verb === name && !isSweepVerb(verb) && !(ELSEWHERE as readonly string[]).includes(verb));
export const isSweepAct = (name: string): name is SweepAct => Object.hasOwn(SWEEP_ACTS, name);

export const actOnRun = <V extends RunAct>(run: RunHandle, name: V, body: Body<V>): Promise<Acted<V>> =>
  run.act(name, body);

export const actOnSweep = async <V extends SweepAct>(sweep: SweepHandle, name: V, body: Body<V>) => {
  const result = await (SWEEP_ACTS[name] as unknown as Act<V, SweepHandle>)(sweep, body);
  return { result, text: doneText(name, { run: sweep.name }, body, result) };
};

/** Throws what the run would refuse, and changes nothing. */
export const checkOnRun = async <V extends RunAct>(run: RunHandle, name: V, body: Body<V>): Promise<void> => {
  if (name === 'extend') await run.check({ extend: body as Body<'extend'> });
  if (name === 'set') await run.check({ patch: (body as Body<'set'>).patch as { readonly [key: string]: Json } });
};
