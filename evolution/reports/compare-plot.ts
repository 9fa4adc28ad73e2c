// A comparison of runs is drawn as a plain SVG, with the best score so far, or what it still lacks, against programs,
// tokens, cost or time. Each group is one line (the mean over its runs) with a band of one standard deviation.
import { spreadOf } from '../statistics.ts';
import { inXml } from '../visible.ts';
import { gainOver } from '../scoring/ranking.ts';
import type { Direction } from '../types.ts';
import { type Axis, bestAt, checkpoints, type ComparedRun, groupsOf } from './compare.ts';

type Plot = {
  readonly title: string;
  readonly scoreName: string;
  readonly labels: readonly string[];
  /** What runs to the right; `programs` where it is left out. */
  readonly axis?: Axis;
  /**
   * Draws how far the best is from this value, on a logarithmic axis (CodeEvolve 5.4 draws -log(M - y + epsilon)): near
   * a record a linear axis shows nothing any more.
   */
  readonly gapTo?: { readonly value: number; readonly direction: Direction };
};

/** The axes by the names under which people choose them. */
export const PLOT_AXES = { programs: 'programs', tokens: 'tokens', cost: 'costUsd', time: 'seconds' } as const;
export type PlotAxis = keyof typeof PLOT_AXES;

const AXIS_NAMES: { readonly [axis in Axis]: string } = {
  programs: 'programs',
  tokens: 'tokens',
  costUsd: 'cost, USD',
  seconds: 'seconds',
};

const WIDTH = 900;
const HEIGHT = 520;
const BOX = { left: 90, right: 30, top: 50, bottom: 60 };
const SAMPLES = 200;
const TICKS = 5;
/** The colours of Okabe and Ito, which colour-blind readers tell apart. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000'];

/** `labels` are those of the groups, in their order. */
export const comparisonSvg = (
  runs: readonly ComparedRun[],
  { title, scoreName, labels, axis = 'programs', gapTo }: Plot,
): string => {
  const at = [0, ...checkpoints(runs, axis, SAMPLES)];
  const height = gapTo === undefined ? (best: number) => best : gapHeight(runs, gapTo);
  const lines = groupsOf(runs).map((members) =>
    at.flatMap((value) => {
      const bests = members.flatMap((series) => bestAt(series, axis, value) ?? []);
      const { mean, sd } = spreadOf(bests.map(height));
      return mean === null ? [] : [{ x: value, mean, low: mean - (sd ?? 0), high: mean + (sd ?? 0) }];
    }),
  );
  const end = at.length > 1 ? at.at(-1)! : 1;
  const [min, max] = range(lines.flat());
  const x = (value: number): string => (BOX.left + (value / end) * (WIDTH - BOX.left - BOX.right)).toFixed(1);
  const y = (value: number): string =>
    (HEIGHT - BOX.bottom - ((value - min) / (max - min)) * (HEIGHT - BOX.top - BOX.bottom)).toFixed(1);
  const steps = (points: readonly { readonly x: number; readonly value: number }[]): string =>
    points
      .map((point, index) =>
        index === 0
          ? `${x(point.x)},${y(point.value)}`
          : `${x(point.x)},${y(points[index - 1]!.value)} ${x(point.x)},${y(point.value)}`,
      )
      .join(' ');
  const ticks = Array.from({ length: TICKS + 1 }, (_, index) => index / TICKS);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT + 22 * lines.length}" font-family="sans-serif" font-size="13">`,
    '<rect width="100%" height="100%" fill="white"/>',
    text(WIDTH / 2, 26, title, 'font-size="16" text-anchor="middle"'),
    ...ticks.flatMap((share) => {
      const [value, along] = [min + share * (max - min), share * end];
      const shown = gapTo === undefined ? Number(value.toPrecision(6)) : (10 ** value).toExponential(1);
      return [
        `<line x1="${BOX.left}" x2="${WIDTH - BOX.right}" y1="${y(value)}" y2="${y(value)}" stroke="#ddd"/>`,
        text(BOX.left - 8, Number(y(value)) + 4, String(shown), 'text-anchor="end"'),
        text(Number(x(along)), HEIGHT - BOX.bottom + 20, tick(along, axis), 'text-anchor="middle"'),
      ];
    }),
    text((WIDTH + BOX.left - BOX.right) / 2, HEIGHT - 18, AXIS_NAMES[axis], 'text-anchor="middle"'),
    text(
      BOX.left,
      BOX.top - 10,
      gapTo === undefined
        ? `best ${scoreName} so far`
        : `distance of the best ${scoreName} so far to ${Number(gapTo.value.toPrecision(10))}, logarithmic`,
      '',
    ),
    ...lines.flatMap((line, index) => {
      const colour = COLOURS[index % COLOURS.length]!;
      const band = [...corners(line, ({ low }) => low), ...corners(line, ({ high }) => high).toReversed()]
        .map((corner) => `${x(corner.x)},${y(corner.value)}`)
        .join(' ');
      return [
        ...(line.some(({ low, high }) => low < high)
          ? [`<polygon points="${band}" fill="${colour}" fill-opacity="0.15"/>`]
          : []),
        ...(line.length === 0
          ? []
          : [
              `<polyline points="${steps(line.map((point) => ({ x: point.x, value: point.mean })))}" fill="none" stroke="${colour}" stroke-width="2"/>`,
            ]),
        `<line x1="${BOX.left}" x2="${BOX.left + 24}" y1="${HEIGHT + 22 * index}" y2="${HEIGHT + 22 * index}" stroke="${colour}" stroke-width="3"/>`,
        text(BOX.left + 32, HEIGHT + 4 + 22 * index, labels[index] ?? '', ''),
      ];
    }),
    '</svg>',
    '',
  ].join('\n');
};

const tick = (value: number, axis: Axis): string =>
  axis === 'costUsd' ? String(Number(value.toPrecision(3))) : String(Math.round(value));

/**
 * The logarithm of the distance. What is as good as the value or better lies at the foot: a tenth of the least distance
 * that any run had, or a billionth of the value where none had one.
 */
const gapHeight = (
  runs: readonly ComparedRun[],
  { value, direction }: NonNullable<Plot['gapTo']>,
): ((best: number) => number) => {
  const gap = (best: number): number => gainOver(direction, value, best);
  const least = runs
    .flatMap(({ points }) => points.flatMap(({ best }) => (best === null ? [] : [gap(best)])))
    .filter((distance) => distance > 0)
    .reduce((a, b) => Math.min(a, b), Infinity);
  const foot = Number.isFinite(least) ? least / 10 : Math.max(Math.abs(value) * 1e-9, Number.MIN_VALUE);
  return (best) => Math.log10(Math.max(foot, Math.min(gap(best), Number.MAX_VALUE)));
};

type Sample = { readonly x: number; readonly mean: number; readonly low: number; readonly high: number };

/** The corners of a line that holds each value until the next. */
const corners = (
  line: readonly Sample[],
  of: (sample: Sample) => number,
): readonly { readonly x: number; readonly value: number }[] =>
  line.flatMap((sample, index) => [
    ...(index === 0 ? [] : [{ x: sample.x, value: of(line[index - 1]!) }]),
    { x: sample.x, value: of(sample) },
  ]);

/** The range of the axis of scores, with a margin; it is never empty. */
const range = (samples: readonly Sample[]): readonly [number, number] => {
  const min = samples.reduce((low, sample) => Math.min(low, sample.low), Infinity);
  const max = samples.reduce((high, sample) => Math.max(high, sample.high), -Infinity);
  if (!(min <= max)) return [0, 1];
  const margin = (max - min) * 0.05 || Math.abs(max) * 0.05 || 1;
  return [min - margin, max + margin];
};

const text = (x: number, y: number, content: string, attributes: string): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${attributes === '' ? '' : ` ${attributes}`}>${inXml(content)}</text>`;
