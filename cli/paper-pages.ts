// Pages of docs/methods that are written from tasks and experiments: what the papers told their models beside our own
// advice, and in what the arms of each experiment differ.
import { armsOf } from '../evolution/experiments/plan.ts';
import type { Experiment } from '../evolution/experiments/spec.ts';
import type { Paper, Part, Task } from '../evolution/task/task.ts';

const NAMES: { readonly [paper in Paper]: string } = {
  theta: 'ThetaEvolve',
  delta: 'DeltaEvolve',
  research: 'AlphaResearch',
  code: 'CodeEvolve',
};

const quoted = (text: string): string =>
  text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');

const partsText = (parts: readonly Part[]): string =>
  parts.map(({ name, weight, text }) => `**${name}**, weight ${weight}\n\n${quoted(text)}`).join('\n\n');

/** `tasks` are as they stand with their own parts. */
export const paperPartsPage = (tasks: readonly Task[]): string =>
  tasks
    .flatMap(({ id, prompts, paperParts = {} }) => {
      const papers = Object.entries(paperParts) as [Paper, NonNullable<(typeof paperParts)[Paper]>][];
      if (papers.length === 0) return [];
      return [
        `## ${id}`,
        ...papers.map(
          ([paper, { place, parts }]) => `### ${id}: ${paper} (${NAMES[paper]}, ${place})\n\n${partsText(parts)}`,
        ),
        `### ${id}: own\n\n${partsText(prompts)}`,
      ];
    })
    .join('\n\n');

const value = (of: unknown): string => `\`${JSON.stringify(of).replaceAll('|', '\\|')}\``;

/** Of each experiment with several arms: the settings in which each is not as the first. Readings have the arms of theirs. */
export const armsPage = (experiments: readonly Experiment[]): string =>
  experiments
    .filter(({ reads }) => reads === undefined)
    .flatMap((experiment) => {
      const [first, ...others] = armsOf(experiment);
      if (others.length === 0) return [];
      const rows = others.flatMap(({ name, differences }) =>
        differences.map(
          ({ key, cases, first: of, own }) =>
            `| ${name} | \`${key}\` | ${cases?.join(', ') ?? 'all'} | ${value(of)} | ${value(own)} |`,
        ),
      );
      const head = ['| arm | setting | columns | first arm | this arm |', '| --- | --- | --- | --- | --- |'];
      return [`## ${experiment.paper} ${experiment.id}`, `First arm: ${first!.name}.`, [...head, ...rows].join('\n')];
    })
    .join('\n\n');
