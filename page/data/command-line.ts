// The command that does the same as a dialog of the page: it is shown there, so that people learn it.
import { LIMIT_FLAGS } from '../../evolution/budget/limits.ts';
import type { Json } from '../../evolution/types.ts';
import type { Body, VerbName } from './actions.ts';
import { flat } from './settings-values.ts';
import { COMMANDS } from './verb-names.ts';

/** A word of a command line, in quotes where a shell would read more into it. */
export const word = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

const valueWord = (value: Json): string => (typeof value === 'string' ? plain(value) : JSON.stringify(value));
/** A text that YAML would read as something else is written as JSON. */
const plain = (text: string): string =>
  /^[A-Za-z/][\w./:-]*$/.test(text) && !/^(true|false|null|yes|no|on|off)$/i.test(text) ? text : JSON.stringify(text);

const assignments = (settings: { readonly [key: string]: Json } = {}): readonly string[] =>
  Object.entries(flat(settings)).map(([key, value]) => `${key}=${valueWord(value)}`);

const named = (flag: string, value: string | number | undefined): readonly string[] =>
  value === undefined ? [] : [flag, String(value)];
const whether = (flag: string, value: boolean | undefined): readonly string[] => (value ? [flag] : []);

type Line<V extends VerbName> = (body: Body<V>) => readonly string[];

const wait = ({ mode, reason }: { readonly mode?: 'step' | 'now'; readonly reason?: string }): readonly string[] => [
  ...whether('--now', mode === 'now'),
  ...named('--reason', reason),
];

const LINES: { readonly [V in VerbName]: Line<V> } = {
  start: ({ run, settings, yaml }) => {
    const { method, task, ...rest } = (settings ?? {}) as { readonly [key: string]: Json };
    return [
      ...named('--run', run),
      ...(yaml === undefined ? [] : ['--config', 'run.yaml']),
      ...named('--task', task as string | undefined),
      ...named('--method', method as string | undefined),
      ...assignments(rest).flatMap((one) => ['--set', one]),
      '--detach',
    ];
  },
  sweep: ({ spec }) => [`${typeof spec?.['name'] === 'string' ? spec['name'] : 'sweep'}.yaml`, '--detach'],
  pause: ({ run, ...how }) => [run, ...wait(how)],
  resume: ({ run }) => [run],
  stop: ({ run, ...how }) => [run, ...wait(how)],
  extend: ({ run, limits, add }) => [
    run,
    ...Object.entries(limits).flatMap(([limit, value]) => [
      LIMIT_FLAGS[limit as keyof typeof LIMIT_FLAGS] ?? `--${limit}`,
      value === null ? 'none' : String(value),
    ]),
    ...whether('--add', add),
  ],
  set: ({ run, patch }) => [run, ...assignments(patch)],
  hint: ({ run, hint, island }) => [run, ...(hint === null ? ['--remove'] : [hint]), ...named('--island', island)],
  inject: ({ run, island }) => [run, 'program.py', ...named('--island', island)],
  retry: ({ run, resample }) => [run, ...whether('--resample', resample)],
  rewind: ({ run, toStep, resample }) => [run, '--to-step', String(toStep), ...whether('--resample', resample)],
  fork: ({ run, step, as, set, yaml }) => [
    run,
    '--at-step',
    String(step),
    ...named('--run', as),
    ...(yaml === undefined ? [] : ['--config', 'fork.yaml']),
    ...assignments(set).flatMap((one) => ['--set', one]),
    '--detach',
  ],
  export: ({ run }) => [run],
  'sweep-pause': ({ sweep, ...how }) => [sweep, ...wait(how)],
  'sweep-resume': ({ sweep }) => [sweep],
  'sweep-stop': ({ sweep, ...how }) => [sweep, ...wait(how)],
};

/** `npx evolve pause demo --now`. */
export const commandLine = <V extends VerbName>(verb: V, body: Body<V>): string =>
  ['npx evolve', COMMANDS[verb], ...(LINES[verb] as Line<V>)(body).map(word)].join(' ');
