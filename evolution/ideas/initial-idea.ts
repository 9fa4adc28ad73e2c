// The idea of a program that nobody proposed one for: problem, constraints, metric, best known value and baseline, from the task alone
// (AlphaResearch, section 2, i0). Called when the prompts of `research` are made.
import type { Task } from '../task.ts';
import { metricsText } from './metrics-text.ts';

export type InitialIdea = {
  readonly task: Pick<Task, 'title' | 'prompts' | 'references' | 'direction' | 'scoreName' | 'entry' | 'limits'>;
  /** Raw objective of the initial program; null: it has none. */
  readonly baseline: number | null;
  /** Significant digits of scores. */
  readonly digits?: number | undefined;
  /** Whether scores may stand in prompts. */
  readonly masked?: boolean | undefined;
};

/** The same for the whole run. */
export const initialIdea = ({ task, baseline, digits, masked = false }: InitialIdea): string => {
  const { title, scoreName, direction, entry, limits } = task;
  const value = (score: number): string => metricsText({ [scoreName]: score }, digits);
  return [
    `Problem: ${title}.`, problem(task),
    `Constraints: the program defines ${entry}(instance); it has ${limits.cpuSeconds} seconds of CPU time and ${Math.floor(limits.memoryBytes / 2 ** 20)} MiB of memory, and neither network nor files.`,
    `Metric: ${scoreName}, to ${direction}; a result that violates a constraint counts for nothing.`,
    ...(masked ? [] : [
      ...known(task).map(({ what, name, score }) => `${what}: ${value(score)} (${name}).`),
      `Baseline: ${baseline === null ? 'the initial program gives no valid result.' : `the initial program reaches ${value(baseline)}.`}`,
    ]),
  ].join('\n\n');
};

/** The part of the task's words that is drawn most often, of equal ones the first. */
const problem = ({ prompts }: InitialIdea['task']): string =>
  prompts.reduce((best, part) => (part.weight > best.weight ? part : best), prompts[0]!).text.trim();

/** The best by human hands, and the best known where that is another: the one marked so, else the best of all. */
const known = ({ references, direction }: InitialIdea['task']): readonly { readonly what: string; readonly name: string; readonly score: number }[] => {
  const human = references.find(({ name, human: marked }) => marked === true || name === 'human');
  const sign = direction === 'maximise' ? 1 : -1;
  const [first, ...rest] = references;
  if (first === undefined) return [];
  const best = references.find((reference) => reference.best === true)
    ?? rest.reduce((winner, reference) => (sign * (reference.value - winner.value) > 0 ? reference : winner), first);
  return [
    ...(human === undefined ? [] : [{ what: 'Best by human hands', name: human.source, score: human.value }]),
    ...(best === human ? [] : [{ what: 'Best known', name: best.name, score: best.value }]),
  ];
};
