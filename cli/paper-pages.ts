// The page of docs/methods that is written from tasks: what the papers told their models beside our own advice.
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
