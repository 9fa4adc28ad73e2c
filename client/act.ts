// Carries out a verb on a run or a sweep by its name, with the same words about it for commands and the page.
import {
  type Body,
  doneText,
  isSweepVerb,
  type Result,
  type RunVerb,
  type VerbName,
  VERBS,
} from '../evolution/steering/verbs.ts';
import type { SweepHandle } from './sweeps/sweep-handle.ts';

type Act<V extends VerbName> = (sweep: SweepHandle, body: Body<V>) => Promise<Result<V>>;

const ELSEWHERE = ['terminate', 'fork', 'export'] as const satisfies readonly RunVerb[];
/** The verbs of a run that need nothing but the run. */
export type RunAct = Exclude<RunVerb, (typeof ELSEWHERE)[number]>;
export type SweepAct = keyof typeof SWEEP_ACTS;

const SWEEP_ACTS = {
  'sweep-pause': async (sweep, body) => (await sweep.pause(body), {}),
  'sweep-resume': (sweep) => sweep.resume(),
  'sweep-stop': async (sweep, body) => (await sweep.stop(body), {}),
} as const satisfies { readonly [V in VerbName]?: Act<V> };

export const isRunAct = (name: string): name is RunAct =>
  Object.hasOwn(VERBS, name) && !isSweepVerb(name as VerbName) && !(ELSEWHERE as readonly string[]).includes(name);
export const isSweepAct = (name: string): name is SweepAct => Object.hasOwn(SWEEP_ACTS, name);

export const actOnSweep = async <V extends SweepAct>(sweep: SweepHandle, name: V, body: Body<V>) => {
  const result = await (SWEEP_ACTS[name] as unknown as Act<V>)(sweep, body);
  return { result, text: doneText(name, { run: sweep.name }, body, result) };
};
