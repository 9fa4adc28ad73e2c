// The figure of an experiment: lines over the seeds on the paper's scale, the paper's numbers in it, points, shares of
// ideas, wins; and its drawing as a file.
import { describe, expect, it } from 'vitest';
import { cellReport } from '../../../evolution/experiments/beside.ts';
import { type DrawnCell, figureOf, type RunSeries, winsOf } from '../../../evolution/experiments/figure.ts';
import { type ExperimentFile, experimentFromFile } from '../../../evolution/experiments/spec.ts';
import type { RunId } from '../../../evolution/types.ts';
import { figureSvg } from '../../../page/export/figure-svg.ts';

const fileOf = (figure: string): ExperimentFile =>
  experimentFromFile(
    'x.yaml',
    `format: 1
paper: deltaevolve
id: figure-9
title: A figure
source: Figure 9
seeds: [1, 2]
figure: ${figure}
common: { method: delta, model: { name: m }, limits: { steps: 25 } }
cases:
  - { id: a, title: Case A, task: hexagon-packing-11, shown: { kind: ratio, of: 8 } }
  - { id: b, title: Case B, task: hexagon-packing-12 }
ablated: [prompt.scores]
rows:
  - { name: full, 1, values: { a: { best: 4, tokens: 300 } } }
  - { name: masked, settings: { prompt: { scores: masked } }, values: { a: { best: 3 } } }
  - { name: early, readAt: { row: full, steps: { a: 10 } } }
`.replace('full, 1,', 'full,'),
    () => {
      throw new Error('reads nothing');
    },
  );

const step = (at: number, best: number | null, rounds?: RunSeries['points'][number]['rounds']) => ({
  ...{ programs: at, tokens: 100 * at, costUsd: at / 10, seconds: at, best },
  ...(rounds === undefined ? {} : { rounds }),
});
const runs: readonly RunSeries[] = [
  { points: [step(0, null), step(1, 4), step(2, 2)], ideas: [3, 6] },
  { points: [step(0, null), step(1, 8), step(2, 4), step(3, 4)], ideas: [6, 9] },
];

/** Row `full` has two runs of a task that is minimised; in one case, row `masked` has the second alone. */
const cellsOf = ({ experiment }: ExperimentFile): readonly DrawnCell[] =>
  experiment.cases.flatMap((of) =>
    experiment.rows.map((row, at): DrawnCell => {
      const own = of.id === 'b' ? [] : at === 1 ? runs.slice(1) : runs;
      const scored = own.map(({ points }, index) => ({
        ...{ run: `r${index}` as RunId, seed: index, state: 'finished', score: points.at(-1)!.best },
        ...{ programs: 3, tokens: 300, costUsd: 0.3, hours: 1 },
      }));
      return {
        cell: { row, of, group: 0, atStep: row.readAt === undefined ? null : 1 },
        report: cellReport({ row, of }, scored, 'minimise'),
        ...{ direction: 'minimise', runs: own },
      };
    }),
  );
const panelsOf = (figure: string) => {
  const file = fileOf(figure);
  return figureOf(file.experiment, cellsOf(file));
};

describe('a curve', () => {
  it('is a place at 0 where runs cost nothing, and is drawn', () => {
    const file = fileOf('{ x: costUsd }');
    const free = { points: [step(0, null), step(1, 4)].map((point) => ({ ...point, costUsd: 0 })), ideas: [] };
    const panels = figureOf(
      file.experiment,
      cellsOf(file).map((cell) => ({ ...cell, runs: [free] })),
    );
    expect(panels[1]!).toMatchObject({ x: [0], lines: [{ name: 'full', values: [4] }, { name: 'masked' }] });
    const svg = figureSvg(panels);
    expect(svg).toContain('>full<');
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('is flat where scores differ by rounding alone', () => {
    const file = fileOf('{}');
    const run = { points: [step(0, null), step(1, 0.1 + 0.2), step(2, 0.3)], ideas: [] };
    const cells = cellsOf(file).filter(({ cell }) => cell.of.id === 'b');
    const [panel] = figureOf(
      file.experiment,
      cells.map((cell) => ({ ...cell, runs: [run] })),
    );
    expect(panel!.lines[0]!.values).toEqual([0.3, 0.3]);
  });

  it('is the mean over seeds on the scale of the paper, with the least and the most, as far as there are runs', () => {
    const [panel, ...others] = panelsOf('{}');
    // Case B has no runs, and a row that reads another one has no line of its own.
    expect(others).toEqual([]);
    expect(panel).toMatchObject({ title: 'Case A', axis: 'programs', shows: 'score', x: [1, 2, 3] });
    expect(panel!.lines).toEqual([
      { name: 'full', as: 'curve', values: [1.5, 3, 2], range: { low: [1, 2, 2], high: [2, 4, 2] } },
      { name: 'masked', as: 'curve', values: [1, 2, 2] },
    ]);
    expect(panel!.levels).toEqual([
      { name: 'full (paper)', value: 4 },
      { name: 'masked (paper)', value: 3 },
    ]);
    expect(panel!.says).toEqual(['full: 2', 'masked: 2']);
  });

  it('has the point of the paper where that prints its place too', () => {
    const [panel] = panelsOf('{ x: tokens }');
    expect(panel!.lines.filter(({ ofPaper }) => ofPaper)).toMatchObject([{ name: 'full (paper)', as: 'points' }]);
    const { values } = panel!.lines.at(-1)!;
    expect(values[panel!.x.indexOf(300)]).toBe(4);
    expect(panel!.levels).toEqual([{ name: 'masked (paper)', value: 3 }]);
  });

  it('shows cost, tokens of a program, and what became of ideas', () => {
    const [cost, tokens] = panelsOf('{ y: [costUsd, tokensEach] }');
    expect(cost!.lines[0]!.values).toEqual([0.1, 0.2, 0.3]);
    expect(cost!.levels).toEqual([]);
    expect(tokens!.lines[1]!.values).toEqual([100, 100, 100]);
    const file = fileOf('{ y: [rounds] }');
    const rounds = { scrapped: 1, success: 2, failure: 3 };
    const cells = cellsOf(file).map((one) => ({
      ...one,
      runs: one.runs.map(({ ideas }) => ({ ideas, points: [step(1, null, rounds)] })),
    }));
    expect(figureOf(file.experiment, cells)[0]!.says.slice(0, 3)).toEqual([
      'full, scrapped: 1',
      'full, success: 2',
      'full, failure: 3',
    ]);
  });
});

it('a point is a row at the end of its runs; rows that begin alike are one series', () => {
  const [panel] = panelsOf('{ kind: points, x: tokens, series: [ma] }');
  expect(panel!.lines.map(({ name }) => name)).toEqual(['full', 'full (paper)', 'ma', 'early']);
  expect(panel!.says).toEqual(['full: 3 at 250', 'full (paper): 4 at 300', 'masked: 2 at 300', 'early: 3 at 250']);
});

it('a distribution is the share of ideas that have at most a score', () => {
  const [panel] = panelsOf('{ kind: distribution }');
  expect(panel).toMatchObject({ axis: 'idea', shows: 'share', x: [0, 3, 6, 9, 10] });
  expect(panel!.lines[0]!.values).toEqual([0, 0.25, 0.75, 1, 1]);
  expect(panel!.says[1]).toBe('masked: 2 ideas with a score, mean 7.5, median 7.5');
});

it('a row wins where its score is the best on the scale of the paper, by ours and by the paper', () => {
  const file = fileOf('{}');
  // Case B has no numbers, and the paper has none of the last row.
  expect(winsOf(file.experiment, cellsOf(file))).toEqual([
    { row: 'full', paper: { won: 1, of: 1 }, ours: { won: 1, of: 1 } },
    { row: 'masked', paper: { won: 0, of: 1 }, ours: { won: 0, of: 1 } },
    { row: 'early', paper: null, ours: { won: 1, of: 1 } },
  ]);
});

it('is drawn as one file, panel below panel, with the names and the numbers of the paper', () => {
  const svg = figureSvg([...panelsOf('{ y: [score, costUsd] }'), ...panelsOf('{ kind: distribution }')]);
  for (const text of ['>Case A<', '>full<', '>full (paper) 4<', '>US dollars<', '>score of an idea<', '<polygon'])
    expect(svg).toContain(text);
  expect(svg.match(/clipPath id="plot-\d"/g)).toEqual([0, 1, 2].map((at) => `clipPath id="plot-${at}"`));
  expect(svg).not.toMatch(/NaN|undefined|Infinity|var\(/);
});
