// A panel of a paper's figure as a plot: lines with the least and the most over the seeds, the paper's numbers, names.
import type { Panel, PanelLine } from '../../../evolution/experiments/figure.ts';
import { score } from '../../../evolution/reports/number-text.ts';
import { colourOf, dashOf } from '../base/ink.ts';
import { alongAxis } from './axis.ts';
import type { Titled } from './files.ts';
import type { Drawing, Line } from './types.ts';

const TITLES: { readonly [shows in Panel['shows']]: string } = {
  score: 'best so far',
  tokensEach: 'tokens for a program',
  costUsd: 'US dollars',
  rounds: 'ideas',
  share: 'share of ideas with at most this score',
};

const alongPanel = (axis: Panel['axis']): Pick<Drawing, 'xText' | 'xTitle' | 'xSteps'> =>
  axis === 'idea' ? { xText: String, xTitle: 'score of an idea', xSteps: 'decimal' } : alongAxis(axis);

/** Three lines for each with a range: itself, and the edges of its tint. */
const linesOf = (lines: readonly PanelLine[]): readonly Line[] => {
  const drawn: Line[] = [];
  for (const [index, { name, as, values, range }] of lines.entries()) {
    const colour = colourOf(index);
    const at = drawn.length;
    drawn.push({
      ...{ name, colour, values, end: name },
      ...(as === 'points' ? { as } : { dash: dashOf(index) }),
      ...(range === undefined ? {} : { band: [at + 1, at + 2] as const }),
    });
    if (range === undefined) continue;
    drawn.push({ name: 'most', colour, values: range.high, as: 'bound' });
    drawn.push({ name: 'least', colour, values: range.low, as: 'bound' });
  }
  return drawn;
};

export const drawingOf = ({ title, axis, shows, x, lines, levels }: Panel): Titled => ({
  title,
  kind: `${axis} ${shows} ${lines.map(({ name }) => name).join('|')}`,
  x,
  lines: linesOf(lines),
  ...alongPanel(axis),
  yText: (value) => score(value, 6),
  yTitle: TITLES[shows],
  levels: levels.map(({ name, value }) => ({ value, name: `${name} ${score(value)}`, colour: '--soft' })),
  height: 320,
});
