// All verbs, by the name that the command and the page have for them. A verb is one file here and one line below.
import type { BodyOf } from './base/fields.ts';
import type { Acted, Message, Situation, Standing, Verb } from './base/verb.ts';
import { exportRun } from './export.ts';
import { extend } from './extend.ts';
import { fork } from './fork.ts';
import { hint } from './hint.ts';
import { inject } from './inject.ts';
import { pause, sweepPause } from './pause.ts';
import { addModel, removeModel } from './models.ts';
import { resume, sweepResume } from './resume.ts';
import { retry } from './retry.ts';
import { rewind } from './rewind.ts';
import { set } from './set.ts';
import { stop, sweepStop } from './stop.ts';
import { sweepTerminate, terminate } from './terminate.ts';

/** In the order in which `--help`, menus and docs list them. */
export const VERBS = {
  pause,
  resume,
  stop,
  terminate,
  extend,
  set,
  inject,
  hint,
  'add-model': addModel,
  'remove-model': removeModel,
  retry,
  rewind,
  fork,
  export: exportRun,
  'sweep-pause': sweepPause,
  'sweep-resume': sweepResume,
  'sweep-stop': sweepStop,
  'sweep-terminate': sweepTerminate,
} as const;

type All = typeof VERBS;
export type VerbName = keyof All;
export type SweepVerb = Extract<VerbName, `sweep-${string}`>;
/** What a verb takes, without the run or the sweep that it is for. */
export type Body<V extends VerbName> = BodyOf<All[V]['fields']>;
/** What is known when it is done. */
export type Result<V extends VerbName> = All[V]['done'] extends (now: never, body: never, result: infer R) => string
  ? unknown extends R
    ? object
    : R
  : object;
export type Situated<V extends VerbName> = V extends SweepVerb ? Standing : Situation;

export const verbOf = (name: VerbName): Verb => VERBS[name];
export const verbNames = Object.keys(VERBS) as readonly VerbName[];
export const isSweepVerb = (name: VerbName): name is SweepVerb => name.startsWith('sweep-');
/** The words after `npx evolve`. */
export const commandOf = (name: VerbName): string => name.replace(/^sweep-/, 'sweep ');

/** Why a verb makes no sense now, as a clause; null where it does. */
export const refusalOf = <V extends VerbName>(name: V, now: Situated<V>): string | null =>
  (VERBS[name].refuses as (now: Situation) => string | null)(now as Situation);
/** One sentence about what was done, without its full stop. */
export const doneText = <V extends VerbName>(name: V, now: Acted, body: Body<V>, result: Result<V>): string =>
  (VERBS[name].done as (...given: unknown[]) => string)(now, body, result);

export const messagesOf = (of: 'run' | 'sweep'): readonly Message[] => [
  ...new Map(
    verbNames.flatMap((name) => {
      const { message } = verbOf(name);
      return message === null || isSweepVerb(name) !== (of === 'sweep') ? [] : [[message.name, message] as const];
    }),
  ).values(),
];
