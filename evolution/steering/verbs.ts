// All verbs, by the name that the command and the page have for them. A verb is one file here and one line below.
import { bodyProblems, isObject } from './base/check.ts';
import type { BodyOf, Fields } from './base/fields.ts';
import type { Acted, Situation, Standing, Verb, Words } from './base/verb.ts';
import { exportRun } from './export.ts';
import { extend } from './extend.ts';
import { fork } from './again/fork.ts';
import { hint } from './hint.ts';
import { inject } from './inject.ts';
import { mark } from './mark.ts';
import { pause, sweepPause } from './pause.ts';
import { addModel, removeModel } from './models.ts';
import { resume, sweepResume } from './resume.ts';
import { retry } from './again/retry.ts';
import { rewind } from './again/rewind.ts';
import { set } from './set.ts';
import { stop, sweepStop } from './stop.ts';
import { taskUpdate } from './again/task-update.ts';
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
  'task-update': taskUpdate,
  fork,
  export: exportRun,
  mark,
  'sweep-pause': sweepPause,
  'sweep-resume': sweepResume,
  'sweep-stop': sweepStop,
  'sweep-terminate': sweepTerminate,
} as const;

type All = typeof VERBS;
export type VerbName = keyof All;
export type SweepVerb = Extract<VerbName, `sweep-${string}`>;
export type RunVerb = Exclude<VerbName, SweepVerb>;
/** The body of a verb, without the run or sweep. */
export type Body<V extends VerbName> = BodyOf<All[V]['fields']>;
/** The result of a verb. */
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
export const commandOf = (name: VerbName): string => name.replace(/^(sweep|task)-/, '$1 ');

/** Why a verb makes no sense now, as a clause; null where it does. */
export const refusalOf = <V extends VerbName>(name: V, now: Situated<V>): string | null =>
  (VERBS[name].refuses as (now: Situation) => string | null)(now as Situation);
export const wordsOf = <V extends VerbName>(name: V, now: Situated<V>): Words =>
  (VERBS[name].words as (now: Situation) => Words)(now as Situation);
/** One sentence about what was done, without its full stop. */
export const doneText = <V extends VerbName>(name: V, now: Acted, body: Body<V>, result: Result<V>): string =>
  (VERBS[name].done as (...given: unknown[]) => string)(now, body, result);

type Of = 'run' | 'sweep';

/** The name of its message to a run or a sweep. */
export const messageName = (name: VerbName): string => name.replace(/^sweep-/, '');

/** The verbs that are messages to a run or a sweep. */
export const messagesTo = (of: Of): readonly VerbName[] =>
  verbNames.filter((name) => verbOf(name).message !== null && isSweepVerb(name) === (of === 'sweep'));

const verbOfMessage = (message: string, of: Of): VerbName | undefined =>
  messagesTo(of).find((name) => messageName(name) === message);

/** The description of a verb's message with an example, for the Temporal UI. */
export const descriptionOf = (name: VerbName): string => {
  const { brief, fields, message } = verbOf(name);
  const takes = Object.entries(fields)
    .filter(([, { label, flag }]) => label !== undefined || flag !== undefined)
    .map(([key, { meaning }]) => `"${key}": ${meaning}`);
  return `${brief[0]!.toUpperCase()}${brief.slice(1)}.${takes.length === 0 ? '' : ` Takes ${takes.join('; ')}.`} Example: ${JSON.stringify(message!.examples[0])}`;
};

/** The problems of a verb's body, in the words of its fields. */
export const problemsOf = (name: VerbName, body: unknown, also: Fields = {}): readonly string[] => {
  const { fields, open, rule, message } = verbOf(name);
  const problems = bodyProblems({ ...also, ...fields }, body, message?.examples[0] ?? {}, open);
  const own = Object.entries(isObject(body) ? body : {}).filter(([key]) => !Object.hasOwn(also, key));
  const together = problems.length > 0 ? null : (rule?.(Object.fromEntries(own) as never) ?? null);
  return together === null ? problems : [together];
};

/** Why a message makes no sense now, in words for people; null where it does. */
export const messageRefusal = (message: string, of: Of, now: Situation): string | null => {
  const name = verbOfMessage(message, of);
  const why = name === undefined ? null : refusalOf(name, now);
  return why === null ? null : `${message}: ${why.replace(/\bit\b/, `the ${of}`)}`;
};

/** The first problem of a message's body; null where it is right. */
export const messageProblem = (message: string, of: Of, body: unknown): string | null => {
  const name = verbOfMessage(message, of);
  return name === undefined ? `a ${of} has no such message` : (problemsOf(name, body)[0] ?? null);
};
