// The calls of a model beside programs, one entry each: `before` a group's programs, or once one is `answered`.
import type { RunConfig } from './config/run-config.ts';
import { styleOf } from './config/styles.ts';
import type { Role } from './types.ts';

export type StageSettings = Pick<
  RunConfig,
  'batch' | 'responses' | 'ideation' | 'exploration' | 'delta' | 'prompt' | 'repair' | 'embedding'
> & { readonly evaluation: Pick<RunConfig['evaluation'], 'modelCalls'> };

/** A group as far as it decides which stages come before its programs. */
export type StagedGroup = {
  readonly step: number;
  readonly group: number;
  readonly operator?: 'exploit' | 'explore' | undefined;
  readonly founding?: true | undefined;
};

type Before = {
  readonly when: 'before';
  readonly role: Role;
  /** The settings ask for it in some groups. */
  readonly asks: (config: StageSettings) => boolean;
  /** It comes before the programs of this group. Left out, before those of each. */
  readonly of?: (config: StageSettings, group: StagedGroup) => boolean;
};

type Answered = {
  readonly when: 'answered';
  /** Null: the role of the group. */
  readonly role: Role | null;
  readonly asks: (config: StageSettings) => boolean;
  /** The most calls for one program, numbered from 1; left out: one call without a number. */
  readonly rounds?: (config: StageSettings) => number;
  /** The phase that goes on with the program once the answer is there; null: the commit alone reads it. */
  readonly resumes: 'apply' | 'embed' | null;
};

const hasIdeas = ({ ideation }: StageSettings): boolean => ideation.kind === 'proposal';

/** In the order in which a group makes them. Ideas come before prompts are edited. */
export const STAGES = {
  notes: {
    when: 'before',
    role: 'meta',
    asks: ({ prompt }) => prompt.notes !== null,
    // The group whose programs are the tenth, the twentieth and so on of the run, where `prompt.notes` is 10.
    of: ({ batch, responses, prompt: { notes } }, { step, group }) => {
      const first = ((step - 1) * batch + group) * responses;
      const every = notes ?? Infinity;
      return Math.floor((first + responses - 1) / every) > Math.floor(Math.max(0, first - 1) / every);
    },
  },
  idea: { when: 'before', role: 'idea', asks: hasIdeas },
  judge: { when: 'before', role: 'judge', asks: (config) => hasIdeas(config) && config.ideation.gate !== 'off' },
  meta: {
    when: 'before',
    role: 'meta',
    asks: ({ exploration }) => exploration.metaPrompt,
    of: ({ exploration }, { operator, founding }) =>
      operator === 'explore' && (founding === undefined || exploration.initMetaPrompt),
  },
  repair: {
    when: 'answered',
    role: null,
    asks: ({ repair }) => repair.rounds > 0,
    rounds: ({ repair }) => repair.rounds,
    resumes: 'apply',
  },
  delta: {
    when: 'answered',
    role: 'repair',
    asks: (config) => config.delta.missing === 'repair' && styleOf(config).asksForDelta,
    resumes: null,
  },
  novelty: {
    when: 'answered',
    role: 'meta',
    asks: ({ embedding: { model, threshold, judge } }) => model !== null && threshold !== null && judge,
    resumes: 'embed',
  },
  // What the task's own evaluator asks while the program is evaluated.
  evaluator: {
    when: 'answered',
    role: 'evaluator',
    asks: ({ evaluation }) => evaluation.modelCalls > 0,
    rounds: ({ evaluation }) => evaluation.modelCalls,
    resumes: null,
  },
} as const satisfies { readonly [stage: string]: Before | Answered };

type Entries = typeof STAGES;
/** The calls of a group before its programs are asked for. */
export type Stage = { [S in keyof Entries]: Entries[S]['when'] extends 'before' ? S : never }[keyof Entries];
/** The calls for one program once its answer is there. */
export type AnsweredStage = Exclude<keyof Entries, Stage>;

const entryOf = (stage: Stage | AnsweredStage): Before | Answered => STAGES[stage];
const namesOf = (when: 'before' | 'answered') =>
  (Object.keys(STAGES) as (keyof Entries)[]).filter((stage) => STAGES[stage].when === when);

export const BEFORE = namesOf('before') as readonly Stage[];
export const ANSWERED = namesOf('answered') as readonly AnsweredStage[];

export const isAsked = (stage: Stage | AnsweredStage, config: StageSettings): boolean => entryOf(stage).asks(config);

/** The role whose models answer; null: that of the group. */
export const roleOf = (stage: Stage | AnsweredStage): Role | null => entryOf(stage).role;

/** The stages of a group before its programs, in order. */
export const stagesOf = (config: StageSettings, group: StagedGroup): readonly Stage[] =>
  BEFORE.filter((stage) => {
    const { asks, of }: Before = STAGES[stage];
    return asks(config) && (of === undefined || of(config, group));
  });

/** The numbers of the calls of an answered stage for one program; undefined stands for one without a number. */
export const roundsOf = (stage: AnsweredStage, config: StageSettings): readonly (number | undefined)[] => {
  const { asks, rounds }: Answered = STAGES[stage];
  return !asks(config)
    ? []
    : rounds === undefined
      ? [undefined]
      : Array.from({ length: rounds(config) }, (_, index) => index + 1);
};
