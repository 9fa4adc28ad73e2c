// All verbs, by the name that the command and the page have for them. A verb is one file here and one line below.
import { bodyProblems, isObject } from './base/check.ts';
import type { BodyOf, Fields } from './base/fields.ts';
import type { Acted, Message, Situation, Standing, Verb, Words } from './base/verb.ts';
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
export const commandOf = (name: VerbName): string => name.replace(/^sweep-/, 'sweep ');

/** Why a verb makes no sense now, as a clause; null where it does. */
export const refusalOf = <V extends VerbName>(name: V, now: Situated<V>): string | null =>
  (VERBS[name].refuses as (now: Situation) => string | null)(now as Situation);
export const wordsOf = <V extends VerbName>(name: V, now: Situated<V>): Words =>
  (VERBS[name].words as (now: Situation) => Words)(now as Situation);
/** One sentence about what was done, without its full stop. */
export const doneText = <V extends VerbName>(name: V, now: Acted, body: Body<V>, result: Result<V>): string =>
  (VERBS[name].done as (...given: unknown[]) => string)(now, body, result);

/** The verbs whose message has this name; a message may stand for several. */
const withMessage = (message: string, of: 'run' | 'sweep'): readonly VerbName[] =>
  verbNames.filter((name) => verbOf(name).message?.name === message && isSweepVerb(name) === (of === 'sweep'));

export const messagesOf = (of: 'run' | 'sweep'): readonly Message[] => [
  ...new Map(
    verbNames.flatMap((name) => {
      const { message } = verbOf(name);
      return message === null || isSweepVerb(name) !== (of === 'sweep') ? [] : [[message.name, message] as const];
    }),
  ).values(),
];

/** The description of a message with an example, for the Temporal UI. */
export const descriptionOf = (message: string, of: 'run' | 'sweep'): string =>
  withMessage(message, of)
    .map((name) => {
      const { brief, fields, message: sent } = verbOf(name);
      const takes = Object.entries(fields)
        .filter(([, { label, flag }]) => label !== undefined || flag !== undefined)
        .map(([key, { meaning }]) => `"${key}": ${meaning}`);
      return `${brief[0]!.toUpperCase()}${brief.slice(1)}.${takes.length === 0 ? '' : ` Takes ${takes.join('; ')}.`} Example: ${JSON.stringify(sent!.examples[0])}`;
    })
    .join(' ');

/** The problems of a verb's body, in the words of its fields. */
export const problemsOf = (name: VerbName, body: unknown, also: Fields = {}): readonly string[] => {
  const { fields, open, rule, message } = verbOf(name);
  const problems = bodyProblems({ ...also, ...fields }, body, message?.examples[0] ?? {}, open);
  const own = Object.entries(isObject(body) ? body : {}).filter(([key]) => !Object.hasOwn(also, key));
  const together = problems.length > 0 ? null : (rule?.(Object.fromEntries(own) as never) ?? null);
  return together === null ? problems : [together];
};

/** Why a message makes no sense now, in words for people; null where it does. */
export const messageRefusal = (message: string, of: 'run' | 'sweep', now: Situation): string | null => {
  const [name] = withMessage(message, of);
  const why = name === undefined ? null : refusalOf(name, now);
  return why === null ? null : `${message}: ${why.replace(/\bit\b/, `the ${of}`)}`;
};

/** The problem of a message's body. A message of several verbs counts as the one whose key it has. */
export const messageProblem = (message: string, of: 'run' | 'sweep', body: unknown): string | null => {
  const names = withMessage(message, of);
  const keyOf = (name: VerbName) => Object.entries(verbOf(name).fields).find(([, { needed }]) => needed)?.[0] ?? '';
  const meant = names.filter(
    (name) => names.length === 1 || (typeof body === 'object' && body !== null && keyOf(name) in body),
  );
  if (meant.length === 1) return problemsOf(meant[0]!, body)[0] ?? null;
  return (
    bodyProblems(
      Object.assign({}, ...names.map((name) => optional(verbOf(name).fields))),
      body,
      verbOf(names[0]!).message!.examples[0],
    )[0] ?? `expected either ${names.map((name) => `"${keyOf(name)}"`).join(' or ')}`
  );
};

const optional = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([key, { needed: _, ...field }]) => [key, field]));
