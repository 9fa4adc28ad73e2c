// Three models read prompts under `research` (AlphaResearch Eq. 1 and 2, Appendix B): the idea model, the program model
// that carries an idea out, and the reward model that judges it. Beside these prompts stands the idea of the initial
// program, which nobody proposed.
import { bestOf } from '../scoring/ranking.ts';
import type { Task } from '../task.ts';
import { type Metrics, metricsText } from './metrics-text.ts';
import { editRules, type EditSettings, fencedProgram, hintSection } from './sections.ts';
import { render, renderSection, type Template, type TemplateOf, type ValuesOf } from './template.ts';

/** A sampled state (i_t, p_t, r_t): its idea and its result. */
export type Proposed = { readonly proposal: string; readonly metrics: Metrics };

export type IdeaPrompt = Proposed & {
  readonly task: Pick<Task, 'scoreName' | 'direction'>;
  /** The task's drawn prompt text; the method's own template does not show it. */
  readonly promptText: string;
  readonly code: string;
  /** Further states, from 0 to 3; the method shows none. */
  readonly inspirations?: readonly Proposed[] | undefined;
  /** What people ask of the model. */
  readonly hints?: readonly string[] | undefined;
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
  proposal,
  code,
  metrics,
  inspirations = [],
  hints = [],
  digits,
}: IdeaPrompt): ValuesOf<'idea'> => ({
  task: promptText.trim(),
  previous_idea: proposal,
  code: fencedProgram(code),
  metrics: metricsText(metrics, digits),
  programs: inspirations
    .map(
      (other, index) =>
        `# Earlier Proposal ${index + 1}\n\n${other.proposal}\n\nIts metrics: ${metricsText(other.metrics, digits)}`,
    )
    .join('\n\n'),
  hints: hints.length === 0 ? '' : hintSection(hints),
  score_name: task.scoreName,
  direction: task.direction,
});

/** What the program model reads: it carries an idea out on the sampled program (AlphaResearch Eq. 2, Appendix B). */
export type IdeaProgramPrompt = {
  readonly task: Pick<Task, 'scoreName' | 'direction'>;
  /** The task's drawn prompt text, or the evolved prompt; the method's own template does not show the former. */
  readonly promptText: string;
  /** Null where prompts do not evolve. */
  readonly evolvedPrompt: string | null;
  /** The state i_t, p_t and r_t. */
  readonly previous: {
    readonly proposal: string;
    readonly code: string;
    readonly metrics: Metrics;
    /** What went wrong, as sections; left out or empty where nothing did, and in the paper's form. */
    readonly failure?: string | undefined;
  };
  /** i_k: the idea to carry out. */
  readonly proposal: string;
  /** What was tried on the previous program, and the best program; left out or empty in the paper's form. */
  readonly tried?: string | undefined;
  readonly best?: string | undefined;
  readonly settings: EditSettings;
  /** What people ask of the model. */
  readonly hints?: readonly string[] | undefined;
  /** The significant digits of metrics. */
  readonly digits?: number | undefined;
};

const goal = ({ accept = 'edits' }: EditSettings): string => `# Task

Change the previous program so that it carries out the current proposal and its metrics improve on the previous ones. Say first in a few sentences what you change and why, then write the ${accept === 'program' ? 'whole new program' : 'edits'}.
${accept === 'edits' ? 'Do not rewrite the whole program: edit the parts that the proposal touches. ' : ''}The program that you edit, the current program of the rules below, is the one under Previous Program.`;

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
  evolvedPrompt,
  previous,
  proposal,
  tried = '',
  best = '',
  settings,
  hints = [],
  digits,
}: IdeaProgramPrompt): ValuesOf<'proposal'> => {
  const [code, results] = [fencedProgram(previous.code), metricsText(previous.metrics, digits)];
  const metrics = [results, previous.failure ?? ''].filter((text) => text !== '').join('\n\n');
  return {
    tried,
    best,
    task: promptText.trim(),
    evolved_prompt: evolvedPrompt ?? '',
    previous_idea: previous.proposal,
    idea: proposal,
    parent: `${metrics}\n\n${code}`,
    code,
    metrics,
    hints: hints.length === 0 ? '' : hintSection(hints),
    goal: goal(settings),
    answer_form: ANSWER_FORM[settings.accept ?? 'edits'],
    edit_rules: editRules(previous.code, settings),
    score_name: task.scoreName,
    direction: task.direction,
  };
};

/**
 * What the reward model reads (AlphaResearch Appendix B). Gate, evaluation and exported training data share this one
 * form, so that a model is asked as it was trained.
 */
export type Judged = {
  /** Empty at run time, because ideas have no title. */
  readonly title?: string | undefined;
  readonly idea: string;
};

/**
 * The one user message of the request; there is no system message. The idea is shown whole. The placeholder `proposal`
 * is title and idea with a line end between them.
 */
export const buildJudgePrompt = ({ title = '', idea }: Judged, template: TemplateOf<'judge'>): string => {
  const values: ValuesOf<'judge'> = { proposal: `${title}\n${idea}`, title, idea };
  return renderSection(template, 'user', values);
};

/**
 * What the idea of a program that nobody proposed one for is made of: problem, constraints, metric, best known value
 * and baseline, from the task alone (AlphaResearch Appendix D: Initial Proposal).
 */
type InitialIdea = {
  readonly task: Pick<Task, 'title' | 'prompts' | 'references' | 'direction' | 'scoreName' | 'entry' | 'limits'>;
  /** The raw objective of the initial program; null where it has none. */
  readonly baseline: number | null;
  /** The significant digits of scores. */
  readonly digits?: number | undefined;
  /** Whether scores must not stand in prompts. */
  readonly masked?: boolean | undefined;
};

/** The text is the same for the whole run. */
export const initialIdea = ({ task, baseline, digits, masked = false }: InitialIdea): string => {
  const { title, scoreName, direction, entry, limits } = task;
  const value = (score: number): string => metricsText({ [scoreName]: score }, digits);
  return [
    `Problem: ${title}.`,
    problem(task),
    `Constraints: the program defines ${entry}(instance); it has ${limits.cpuSeconds} seconds of CPU time and ${Math.floor(limits.memoryBytes / 2 ** 20)} MiB of memory, and neither network nor files.`,
    `Metric: ${scoreName}, to ${direction}; a result that violates a constraint counts for nothing.`,
    ...(masked
      ? []
      : [
          ...known(task).map(({ what, name, score }) => `${what}: ${value(score)} (${name}).`),
          `Baseline: ${baseline === null ? 'the initial program gives no valid result.' : `the initial program reaches ${value(baseline)}.`}`,
        ]),
  ].join('\n\n');
};

/** The part of the task's prompt text that is drawn most often, and of equal ones the first. */
const problem = ({ prompts }: InitialIdea['task']): string =>
  prompts.reduce((best, part) => (part.weight > best.weight ? part : best), prompts[0]!).text.trim();

/**
 * The best result by human hands, and the best known where that is another one: the reference that is marked so, else
 * the best of all.
 */
const known = ({
  references,
  direction,
}: InitialIdea['task']): readonly { readonly what: string; readonly name: string; readonly score: number }[] => {
  const human = references.find(({ name, human: marked }) => marked === true || name === 'human');
  const best =
    references.find((reference) => reference.best === true) ??
    bestOf(direction, references, (reference) => reference.value);
  if (best === null) return [];
  return [
    ...(human === undefined ? [] : [{ what: 'Best by human hands', name: human.source, score: human.value }]),
    ...(best === human ? [] : [{ what: 'Best known', name: best.name, score: best.value }]),
  ];
};
