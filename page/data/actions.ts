// What can be done from the page, in one table: of it are made the server's checks, the types of what dialogs send, and a
// table in the docs.
// Each verb is the command of its name, and takes the same JSON object as the library.
import type { Json } from '../../evolution/types.ts';
import { COMMANDS, type VerbName } from './verb-names.ts';

export type { VerbName } from './verb-names.ts';

export type Field = {
  readonly type: 'text' | 'long-text' | 'whole' | 'flag' | 'choice' | 'settings' | 'limits';
  readonly meaning: string;
  readonly needed?: true;
  readonly orNull?: true;
  readonly min?: number;
  readonly max?: number;
  readonly options?: readonly string[];
  /** The form of a text, and in words. */
  readonly pattern?: RegExp;
  readonly expected?: string;
};

const NAME = { pattern: /^[a-z0-9-]{1,60}$/, expected: '1 to 60 of the characters a-z, 0-9 and -' } as const;
const run = { type: 'text', needed: true, meaning: 'id of the run', ...NAME } as const;
const sweep = { type: 'text', needed: true, meaning: 'name of the sweep', ...NAME } as const;
const mode = {
  type: 'choice',
  options: ['step', 'now'],
  meaning: '`step`: after the current step; `now`: interrupts it, and what was not finished is repeated on resume',
} as const;
const reason = { type: 'text', max: 500, meaning: 'shown beside the state' } as const;
const island = { type: 'whole', min: 0, max: 999, meaning: 'number of the island, from 0 on' } as const;
const resample = {
  type: 'flag',
  meaning: 'the model is asked afresh; answers so far are set aside and stay paid',
} as const;
const step = { type: 'whole', needed: true, min: 0, max: 999_999 } as const;
const dry = { type: 'flag', meaning: 'only checks, and says what would be done' } as const;
const yaml = {
  type: 'long-text',
  max: 200_000,
  meaning: 'the same as the text of a file in YAML or JSON, instead of the mapping',
} as const;

export const VERBS = {
  start: {
    fields: {
      run: { ...run, needed: undefined, meaning: 'id of the new run; chosen when left out' },
      settings: { type: 'settings', meaning: 'settings as in a configuration file' },
      yaml,
      dry,
    },
  },
  sweep: {
    fields: { spec: { type: 'settings', meaning: 'the sweep as in a sweep file' }, yaml, dry },
  },
  pause: { fields: { run, mode, reason } },
  resume: { fields: { run } },
  stop: { fields: { run, mode, reason } },
  extend: {
    fields: {
      run,
      limits: { type: 'limits', needed: true, meaning: 'new limits by name; null removes one' },
      add: { type: 'flag', meaning: 'the numbers are added to the present limits' },
      dry,
    },
  },
  set: {
    fields: {
      run,
      patch: { type: 'settings', needed: true, meaning: 'settings as in a configuration file, only those that change' },
      dry,
    },
  },
  hint: {
    fields: {
      run,
      hint: { type: 'long-text', needed: true, orNull: true, max: 2_000, meaning: 'the text; null removes it' },
      island,
    },
  },
  inject: {
    fields: {
      run,
      program: {
        type: 'long-text',
        needed: true,
        max: 1_000_000,
        meaning: 'the whole program, with its EVOLVE-BLOCK lines',
      },
      island,
    },
  },
  retry: { fields: { run, resample } },
  rewind: {
    fields: {
      run,
      toStep: { ...step, meaning: 'this step and all later ones are done again' },
      resample,
    },
  },
  fork: {
    fields: {
      run,
      step: { ...step, meaning: 'the committed step after which the new run goes on' },
      as: { ...run, needed: undefined, meaning: 'id of the new run; chosen when left out' },
      set: { type: 'settings', meaning: 'settings that differ from those of the other run' },
      yaml,
    },
  },
  export: { fields: { run } },
  'sweep-pause': { fields: { sweep, mode, reason } },
  'sweep-resume': { fields: { sweep } },
  'sweep-stop': { fields: { sweep, mode, reason } },
} as const satisfies { readonly [verb in VerbName]: VerbShape };

type VerbShape = {
  readonly fields: { readonly [name: string]: Omit<Field, 'needed'> & { readonly needed?: true | undefined } };
};

export const isVerb = (name: string): name is VerbName => Object.hasOwn(VERBS, name);
export const fieldsOf = (verb: VerbName): { readonly [name: string]: Field } =>
  VERBS[verb].fields as { readonly [name: string]: Field };

type Mapping = { readonly [key: string]: Json };
type PlainOf<F> = F extends { readonly type: 'text' | 'long-text' }
  ? string
  : F extends { readonly type: 'choice'; readonly options: readonly (infer O)[] }
    ? O
    : F extends { readonly type: 'whole' }
      ? number
      : F extends { readonly type: 'flag' }
        ? boolean
        : F extends { readonly type: 'limits' }
          ? { readonly [limit: string]: number | null }
          : Mapping;
type ValueOf<F> = PlainOf<F> | (F extends { readonly orNull: true } ? null : never);
type FieldsOf<V extends VerbName> = (typeof VERBS)[V]['fields'];
type Needed<T> = { [K in keyof T]: T[K] extends { readonly needed: true } ? K : never }[keyof T];

/** What a verb is asked with. */
export type Body<V extends VerbName> = {
  readonly [K in Needed<FieldsOf<V>>]: ValueOf<FieldsOf<V>[K]>;
} & { readonly [K in Exclude<keyof FieldsOf<V>, Needed<FieldsOf<V>>>]?: ValueOf<FieldsOf<V>[K]> };

/** A mistake in settings: the key beside which it is shown, or null where it is about the whole. */
export type Problem = { readonly key: string | null; readonly message: string };

/** What would be started. */
export type Plan = {
  /** Sentences for people: the first says what it is, the others how large. */
  readonly lines: readonly string[];
  /** What it may cost, in one sentence. */
  readonly cost: string;
  /** The settings that were given, as a mapping: those of a file that was pasted are taken into the form from here. */
  readonly given: Mapping;
  /** All settings of the run, or of the first run of a sweep. Null where there are problems. */
  readonly config: Mapping | null;
};

/** POST actions/<verb>. */
export type Done = {
  /** What the command says when it is done. */
  readonly text: string;
  /** The run to look at: of `start` and `fork` the new one. */
  readonly run: string | null;
  readonly warnings: readonly string[];
  /** Of a `dry` one: what is wrong, and what would be done. */
  readonly problems: readonly Problem[];
  readonly plan: Plan | null;
};

/** One row for each verb in docs/page.md. */
export const verbsTable = (): string =>
  [
    '| verb | command | takes |',
    '| --- | --- | --- |',
    ...(Object.keys(VERBS) as VerbName[]).map((verb) => {
      const fields = Object.entries(fieldsOf(verb)).map(
        ([name, field]) => `\`${name}\`${field.needed ? '' : '?'}: ${field.meaning}`,
      );
      return `| \`${verb}\` | \`evolve ${COMMANDS[verb]}\` | ${fields.join('; ')} |`;
    }),
  ].join('\n');
