// The prompts of `research` (AlphaResearch Eq. 1 and 2, Appendix B): of idea model, program model and reward model.
import type { Task } from '../task/task.ts';
import { sharedValues } from './parts/contents.ts';
import { type Metrics, metricsText } from './parts/metrics-text.ts';
import { type EditSettings, fencedProgram, type Hint, hintSection, quoted } from './parts/sections.ts';
import { ShownCode } from './parts/shown-code.ts';
import { joined, type Statement } from './parts/statement.ts';
import { render, renderSection, type Template, type TemplateOf, type ValuesOf } from './parts/template.ts';

const NOTHING: Statement = { problem: '', advice: '' };

/** A sampled state (i_t, p_t, r_t): its idea and its result. */
export type Proposed = { readonly proposal: string; readonly metrics: Metrics };

/** The additions of the common frame, empty in the paper's form. */
type Framed = {
  /** The failure of the state's program, as sections. */
  readonly failure?: string | undefined;
  /** The attempts on it. */
  readonly tried?: string | undefined;
};

export type IdeaPrompt = Proposed &
  Framed & {
    readonly task: Pick<Task, 'scoreName' | 'direction'>;
    /** The task's drawn prompt text; the method's own template does not show it. */
    readonly promptText: string;
    /** Left out or empty in the paper's form, whose idea says what the problem is. */
    readonly stated?: Statement | undefined;
    /** The kind of idea, and the better direction of the score. */
    readonly aim?: string | undefined;
    /** The best program of the search; null or left out: it is the shown one, or it is not shown. */
    readonly best?: (Proposed & { readonly code: string; readonly printed: readonly string[] }) | null | undefined;
    readonly code: string;
    /** Further states, from 0 to 3; the method shows none. */
    readonly inspirations?: readonly Proposed[] | undefined;
    readonly hints?: readonly Hint[] | undefined;
    /** The significant digits of metrics. */
    readonly digits?: number | undefined;
  };

/** Proposal and program are shown whole and unchanged. */
export const buildIdeaPrompt = (
  prompt: IdeaPrompt,
  template: Template,
): { readonly system: string; readonly user: string } => render(template, ideaSections(prompt));

const ideaSections = ({
  task,
  promptText,
  stated = NOTHING,
  aim = '',
  proposal,
  code,
  metrics,
  failure = '',
  tried = '',
  best = null,
  inspirations = [],
  hints = [],
  digits,
}: IdeaPrompt): ValuesOf<'idea'> => ({
  task: promptText.trim(),
  ...stated,
  aim,
  previous_idea: proposal,
  code: fencedProgram(code),
  metrics: joined(metricsText(metrics, digits), failure),
  tried,
  best:
    best === null
      ? ''
      : [
          `# Best Program So Far\n\n${best.proposal}`,
          `Its metrics: ${metricsText(best.metrics, digits)}`,
          new ShownCode(code).show(best.code, 'the best program'),
          ...best.printed,
        ].join('\n\n'),
  programs: inspirations
    .map(
      (other, index) =>
        `# Earlier Proposal ${index + 1}\n\n${other.proposal}\n\nIts metrics: ${metricsText(other.metrics, digits)}`,
    )
    .join('\n\n'),
  hints: hintSection(hints),
  score_name: task.scoreName,
  direction: task.direction,
});

/** The prompt of the program model, which carries an idea out (AlphaResearch Eq. 2, Appendix B). */
export type IdeaProgramPrompt = {
  readonly task: Pick<Task, 'scoreName' | 'direction'>;
  /** The task's drawn prompt text, or the evolved prompt; the method's own template does not show the former. */
  readonly promptText: string;
  /** As in IdeaPrompt. */
  readonly stated?: Statement | undefined;
  /** Null where prompts do not evolve, and in the common frame, whose advice it is. */
  readonly evolvedPrompt: string | null;
  /** The state i_t, p_t and r_t. */
  readonly previous: {
    readonly proposal: string;
    readonly code: string;
    readonly metrics: Metrics;
    /** The failure, as sections; empty where there is none, and in the paper's form. */
    readonly failure?: string | undefined;
  };
  /** i_k: the idea to carry out. */
  readonly proposal: string;
  /** The programs above the current proposal; left out: the previous one alone. */
  readonly codes?: ShownCode | undefined;
  /** The attempts on the previous program, and the best program; empty in the paper's form. */
  readonly tried?: string | undefined;
  readonly best?: string | undefined;
  readonly settings: EditSettings;
  readonly hints?: readonly Hint[] | undefined;
  /** The significant digits of metrics. */
  readonly digits?: number | undefined;
};

/** In the common frame, with `task`, it says in which direction the score is better, and each form that is taken. */
const goal = ({ accept = 'edits' }: EditSettings, task: IdeaProgramPrompt['task'] | null): string => {
  const better =
    task === null
      ? 'its metrics improve on the previous ones'
      : `${task.direction === 'maximise' ? 'raises' : 'lowers'} ${task.scoreName}`;
  const form =
    accept === 'program'
      ? 'whole new program'
      : accept === 'either' && task !== null
        ? 'edits or the whole new program'
        : 'edits';
  const asked =
    task === null
      ? `Change the previous program so that it carries out the current proposal and ${better}.`
      : `Change the previous program so that it carries out the current proposal and that way ${better}.`;
  return `# Task

${asked} Say first in a few sentences what you change and why, then write the ${form}.
${accept === 'edits' ? 'Do not rewrite the whole program: edit the parts that the proposal touches. ' : ''}The program that you edit, the current program of the rules ${task === null ? 'below' : 'above'}, is the one under Previous Program.`;
};

/** The words for the form in which an idea becomes code. */
const ANSWER_FORM = {
  edits: 'precise edits',
  either: 'precise edits or a new version',
  program: 'a new version',
} as const;

export const buildIdeaProgramPrompt = (
  prompt: IdeaProgramPrompt,
  template: Template,
): { readonly system: string; readonly user: string } => render(template, proposalSections(prompt));

/** The values of the placeholders. Both proposals and the program are shown whole and unchanged. */
export const proposalSections = ({
  task,
  promptText,
  stated = NOTHING,
  evolvedPrompt,
  previous,
  proposal,
  tried = '',
  best = '',
  codes,
  settings,
  hints = [],
  digits,
}: IdeaProgramPrompt): ValuesOf<'proposal'> => {
  const [code, results] = [fencedProgram(previous.code), metricsText(previous.metrics, digits)];
  const metrics = joined(results, previous.failure ?? '');
  const framed = stated.problem !== '';
  return {
    ...sharedValues({ task, hints, settings, tried: framed || null }, previous.code, codes),
    ...stated,
    tried,
    best,
    task: promptText.trim(),
    evolved_prompt: evolvedPrompt ?? '',
    previous_idea: previous.proposal,
    idea: proposal,
    parent: `${metrics}\n\n${code}`,
    code,
    metrics,
    goal: goal(settings, framed ? task : null),
    answer_form: ANSWER_FORM[settings.accept ?? 'edits'],
  };
};

/** The reward model's input (AlphaResearch Appendix B), in one form for gate, evaluation and training data. */
export type Judged = {
  /** Empty at run time, because ideas have no title. */
  readonly title?: string | undefined;
  readonly idea: string;
  /** The context of a judge that was not trained as a reward model; else empty. */
  readonly context?: string | undefined;
};

/** The one user message, with the whole idea. `proposal` is title and idea with a line end between them. */
export const buildJudgePrompt = ({ title = '', idea, context = '' }: Judged, template: TemplateOf<'judge'>): string => {
  const values: ValuesOf<'judge'> = { context, proposal: `${title}\n${idea}`, title, idea };
  return renderSection(template, 'user', values);
};

type JudgeContext = {
  /** Problem and limits. */
  readonly problem: string;
  readonly task: Pick<Task, 'scoreName' | 'direction'>;
  /** The raw objectives of the program to change and of the best one; null where there is none or it is hidden. */
  readonly parent: number | null;
  readonly best: number | null;
  /** The beginning of the idea that the program to change carries out; null: it has none. */
  readonly idea?: string | null | undefined;
  /** Earlier ideas for the same program, oldest first, in one line each: what they were and what became of them. */
  readonly earlier: readonly string[];
  /** What the best program printed, as sections. */
  readonly printed?: readonly string[] | undefined;
  readonly digits?: number | undefined;
};

/**
 * The context of a judge that is asked by a prompt alone: problem, scores, earlier ideas. It is quoted, so that nothing
 * in it looks like the proposal.
 */
export const judgeContext = ({
  problem,
  task,
  parent,
  best,
  idea = null,
  earlier,
  printed = [],
  digits,
}: JudgeContext): string => {
  const value = (score: number): string => metricsText({ [task.scoreName]: score }, digits);
  return [
    `The proposal is the next step of a search for a program. Judge how promising it is to carry it out here: whether it fits the problem, whether the limits leave room for it, and whether it can ${task.direction} ${task.scoreName} further.`,
    `The problem:\n\n${quoted(problem)}`,
    ...(parent === null && best === null
      ? []
      : [
          [
            ...(parent === null ? [] : [`The program that it changes has ${value(parent)}.`]),
            ...(best === null ? [] : [`The best program so far has ${value(best)}.`]),
          ].join(' '),
        ]),
    ...(idea === null ? [] : [`The program that it changes carries out this proposal:\n\n${quoted(idea)}`]),
    ...printed.map((section) => `Of the best program:\n\n${quoted(section)}`),
    ...(earlier.length === 0
      ? []
      : [
          `Earlier proposals for the same program, oldest first. One that repeats what did not help is not new:\n\n${earlier.map((line) => quoted(`- ${line}`)).join('\n')}`,
        ]),
  ].join('\n\n');
};
