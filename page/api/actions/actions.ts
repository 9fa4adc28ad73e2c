// The actions of the page: the verbs of evolution/steering with their run or sweep, and the starts of runs and sweeps.
// Each is the command of its name.
import { bodyProblems as problemsIn } from '../../../evolution/steering/base/check.ts';
import type { BodyOf, Fields } from '../../../evolution/steering/base/fields.ts';
import type { Situation, Standing } from '../../../evolution/steering/base/verb.ts';
import { assignments, commandLine as lineOf, shellLine } from '../../../evolution/steering/base/command-line.ts';
import {
  isSweepVerb,
  problemsOf,
  refusalOf,
  type RunVerb,
  type SweepVerb,
  type Body as VerbBody,
  type VerbName as AnyVerb,
  verbNames,
  verbOf,
  type VERBS,
} from '../../../evolution/steering/verbs.ts';
import type { Json } from '../../../evolution/types.ts';

type Mapping = { readonly [key: string]: Json };

const NAME = {
  type: 'text',
  pattern: /^[a-z0-9-]{1,60}$/,
  expected: '1 to 60 of the characters a-z, 0-9 and -',
} as const;
const RUN = { run: { ...NAME, needed: true, meaning: 'id of the run' } } as const satisfies Fields;
const SWEEP = { sweep: { ...NAME, needed: true, meaning: 'name of the sweep' } } as const satisfies Fields;
const DRY = { dry: { type: 'flag', meaning: 'only checks, and says what would be done' } } as const satisfies Fields;
const YAML = {
  yaml: {
    type: 'long-text',
    max: 200_000,
    meaning: 'the same as the text of a file in YAML or JSON, instead of the mapping',
  },
} as const satisfies Fields;
/** The name of a request: a second one with it (another click, a repeated request) does not act again. */
const REQUEST = {
  request: {
    type: 'text',
    needed: true,
    pattern: /^[A-Za-z0-9-]{8,64}$/,
    expected: '8 to 64 letters, digits and - that name this asking',
    meaning: 'a name of this asking',
  },
} as const satisfies Fields;

/** The starts of something new. */
const STARTS = {
  start: {
    title: 'Start a run',
    fields: {
      run: { ...NAME, meaning: 'id of the new run; chosen when left out' },
      settings: { type: 'settings', meaning: 'settings as in a configuration file' },
      ...YAML,
      files: {
        type: 'settings',
        min: 1,
        meaning: 'the texts of the files of a task by their names, in place of the setting `task`; the home keeps them',
      },
      ...DRY,
    },
  },
  sweep: {
    title: 'Start a sweep',
    fields: { spec: { type: 'settings', meaning: 'the sweep as in a sweep file' }, ...YAML, ...DRY },
  },
} as const satisfies {
  readonly [name: string]: { readonly title: string; readonly fields: Fields };
};
type StartName = keyof typeof STARTS;

type Offered<V extends AnyVerb> = V extends AnyVerb
  ? (typeof VERBS)[V] extends { readonly commandOnly: true }
    ? never
    : V
  : never;
export type RunAction = Offered<RunVerb>;
export type SweepAction = Offered<SweepVerb>;
export type VerbName = StartName | RunAction | SweepAction;

/** The fields of a verb's request. */
export type Body<V extends VerbName> = V extends StartName
  ? BodyOf<(typeof STARTS)[V]['fields']>
  : V extends SweepAction
    ? { readonly sweep: string } & VerbBody<V>
    : V extends RunAction
      ? { readonly run: string; readonly dry?: boolean } & VerbBody<V>
      : never;

const isStart = (name: VerbName): name is StartName => Object.hasOwn(STARTS, name);
const offered = verbNames.filter((name): name is RunAction | SweepAction => verbOf(name).commandOnly !== true);
export const verbs: readonly VerbName[] = [...(Object.keys(STARTS) as StartName[]), ...offered];

export const titleOf = (name: VerbName): string => (isStart(name) ? STARTS[name] : verbOf(name)).title;
/** Sets aside or ends work, so its button stands out. */
export const isGrave = (name: VerbName): boolean => !isStart(name) && verbOf(name).grave === true;
/** Waits for no other action. */
export const isHalt = (name: VerbName): boolean => !isStart(name) && verbOf(name).halts === true;

/** Beside the fields of a verb itself. Fields that are neither a flag nor in a form are for workflows. */
const targetOf = (name: RunAction | SweepAction): Fields => ({
  ...(isSweepVerb(name) ? SWEEP : RUN),
  ...(verbOf(name).dry ? DRY : {}),
});
const isForPeople = ({ flag, label }: Fields[string]): boolean => flag !== undefined || label !== undefined;

const fieldsOf = (name: VerbName): Fields =>
  isStart(name)
    ? STARTS[name].fields
    : {
        ...targetOf(name),
        ...Object.fromEntries(Object.entries(verbOf(name).fields).filter(([, field]) => isForPeople(field))),
      };

/** All that is sent for it: what its path says, too. */
export const bodyFields = (name: VerbName): Fields => ({ ...REQUEST, ...fieldsOf(name) });

/** Where it is asked for; the part behind a colon is a field. */
export const pathOf = (name: VerbName): `/${string}` =>
  name === 'start'
    ? '/runs'
    : name === 'sweep'
      ? '/sweeps'
      : isSweepVerb(name)
        ? `/sweeps/:sweep/${name.replace(/^sweep-/, '')}`
        : `/runs/:run/${name}`;

/** The path of this asking, and what is sent there. */
export const askingOf = (name: VerbName, asked: object): { readonly path: string; readonly body: object } => {
  const body: { [key: string]: unknown } = { ...asked };
  const path = pathOf(name).replace(/:(\w+)/, (_, field: string) => {
    const value = String(body[field]);
    delete body[field];
    return encodeURIComponent(value);
  });
  return { path: path.slice(1), body };
};

/** One sentence for each mistake in what is sent; none where all is well. */
export const bodyProblems = (name: VerbName, body: unknown): readonly string[] => {
  const problems = problemsIn(bodyFields(name), body, {});
  return problems.length > 0 || isStart(name) ? problems : problemsOf(name, body, { ...REQUEST, ...targetOf(name) });
};

/** `npx evolve pause demo --now`; `runs` are all runs on which it is done, where these are several. */
export const commandLine = <V extends VerbName>(name: V, body: Body<V>, runs?: readonly string[]): string => {
  if (isStart(name)) return startLine(name, body as Body<StartName>);
  const { run, sweep, ...rest } = body as { readonly run?: string; readonly sweep?: string };
  return lineOf<AnyVerb>(name as RunAction | SweepAction, runs ?? [run ?? sweep ?? ''], rest);
};

const startLine = (name: StartName, body: Body<StartName>): string => {
  const { run, settings = {}, spec, yaml } = body as Partial<Body<'start'> & Body<'sweep'>>;
  if (name === 'sweep')
    return shellLine(['sweep', `${typeof spec?.['name'] === 'string' ? spec['name'] : 'sweep'}.yaml`, '--detach']);
  const { method, task, ...rest } = settings;
  const named = (flag: string, value: Json | undefined) => (value === undefined ? [] : [flag, String(value)]);
  return shellLine([
    'run',
    ...named('--run', run),
    ...(yaml === undefined ? [] : ['--config', 'run.yaml']),
    ...named('--task', task),
    ...named('--method', method),
    ...assignments(rest).flatMap((one) => ['--set', one]),
    '--detach',
  ]);
};

/** The actions that make sense now: the one or two that matter most, and the others, for a menu. */
export const actionsFor = (
  run: Situation,
): { readonly first: readonly RunAction[]; readonly more: readonly RunAction[] } => {
  const all = offered
    .filter((name): name is RunAction => !isSweepVerb(name))
    .filter((name) => refusalOf(name, run) === null);
  const rankOf = (name: RunAction): number => verbOf(name).rank ?? Infinity;
  const first = all
    .filter((name) => Number.isFinite(rankOf(name)))
    .sort((a, b) => rankOf(a) - rankOf(b))
    .slice(0, 2);
  return { first, more: all.filter((name) => !first.includes(name)) };
};

/** An action on several runs, with those for which it makes sense, and why it makes none for the others. */
export type OnMany<R extends Situation> = {
  readonly verb: Exclude<RunAction, 'set'>;
  readonly on: readonly R[];
  readonly leftAlone: readonly string[];
};

export const actionsForMany = <R extends Situation>(runs: readonly R[]): readonly OnMany<R>[] =>
  offered
    .filter((name): name is OnMany<R>['verb'] => verbOf(name).many === true && name !== 'set')
    .map((verb) => ({
      verb,
      on: runs.filter((run) => refusalOf(verb, run) === null),
      leftAlone: runs.flatMap((run) => {
        const why = refusalOf(verb, run);
        return why === null ? [] : [`${run.run} is left alone: ${why}`];
      }),
    }))
    .filter(({ on }) => on.length > 0);

export const sweepActionsFor = (sweep: Standing): readonly SweepAction[] =>
  offered.filter((name): name is SweepAction => isSweepVerb(name)).filter((name) => refusalOf(name, sweep) === null);

/** A mistake in settings: the key beside which it is shown, or null where it is about the whole. */
export type Problem = { readonly key: string | null; readonly message: string };

/** The run or sweep that would be started. */
export type Plan = {
  /** Sentences for people: the first says what it is, the others how large. */
  readonly lines: readonly string[];
  /** Its largest cost, in one sentence. */
  readonly cost: string;
  /** The settings that were given, as a mapping: those of a file that was pasted are taken into the form from here. */
  readonly given: Mapping;
  /** All settings of the run, or of the first run of a sweep. Null where there are problems. */
  readonly config: Mapping | null;
};

/** The answer to an action. */
export type Done = {
  /** The words of the command when it is done. */
  readonly text: string;
  /** The run to look at: of `start` and `fork` the new one. */
  readonly run: string | null;
  readonly warnings: readonly string[];
  /** The mistakes and the plan of a `dry` request. */
  readonly problems: readonly Problem[];
  readonly plan: Plan | null;
};
