// The idea that stands for the initial program, which nobody proposed (AlphaResearch Appendix D).
import { bestOf, isBetter } from '../scoring/ranking.ts';
import type { Task } from '../task/task.ts';
import { metricsText } from './parts/metrics-text.ts';

/** The task's parts of an idea that nobody proposed (AlphaResearch Appendix D: Initial Proposal). */
type InitialIdea = {
  readonly task: Pick<
    Task,
    'title' | 'problem' | 'prompts' | 'partsOf' | 'references' | 'direction' | 'scoreName' | 'entry' | 'limits'
  >;
  /** The raw objective of the initial program; null where it has none. */
  readonly baseline: number | null;
  /** The significant digits of scores. */
  readonly digits?: number | undefined;
  /** Prompts show no scores. */
  readonly masked?: boolean | undefined;
  /** The prompt has problem and limits beside it. */
  readonly beside?: boolean | undefined;
};

/** The text is the same for the whole run. */
export const initialIdea = ({ task, baseline, digits, masked = false, beside = false }: InitialIdea): string => {
  if (beside) return 'No proposal was written for this program.';
  const { title, scoreName, direction, entry, limits } = task;
  const value = (score: number): string => metricsText({ [scoreName]: score }, digits);
  const results = masked
    ? []
    : [
        ...known(task).map(({ what, name, score }) => `${what}: ${value(score)} (${name}).`),
        `Baseline: ${baseline === null ? 'the initial program gives no valid result.' : `the initial program reaches ${value(baseline)}.`}`,
      ];
  return [
    `Problem: ${title}.`,
    problem(task),
    ...(task.partsOf === undefined ? [] : task.prompts.map(({ text }) => text)),
    `Constraints: the program defines ${entry}(instance); it has ${limits.cpuSeconds} seconds of CPU time and ${Math.floor(limits.memoryBytes / 2 ** 20)} MiB of memory, and neither network nor files.`,
    `Metric: ${scoreName}, to ${direction}; a result that violates a constraint counts for nothing.`,
    ...results,
  ].join('\n\n');
};

/** The problem statement; without one, the part of the prompt that is drawn most often. */
const problem = ({ problem: stated, prompts }: InitialIdea['task']): string =>
  stated == null
    ? prompts.reduce((best, part) => (part.weight > best.weight ? part : best), prompts[0]!).text.trim()
    : stated.trim();

type Known = readonly { readonly what: string; readonly name: string; readonly score: number }[];

/**
 * The best by human hands, and the best known where that is another; nothing beside the parts of a paper, which say what
 * it told. With a statement, only values that this form of
 * the task can reach (not beyond the reference with `best: true`) and that it does not say.
 */
const known = (task: InitialIdea['task']): Known => {
  if (task.partsOf !== undefined) return [];
  if (task.problem == null) return knownOf(task);
  const { references, direction, problem: stated } = task;
  const best = references.find((reference) => reference.best === true);
  if (best === undefined) return [];
  return knownOf({
    references: references.filter(({ value }) => !isBetter(direction, value, best.value)),
    direction,
  }).filter(({ score }) => !stated.includes(String(score)));
};

/** A task without a problem statement may mark no best; then it is the best of all. */
const knownOf = ({ references, direction }: Pick<InitialIdea['task'], 'references' | 'direction'>): Known => {
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
