// The drawing of a plot, as options of uPlot. Colours are names of the stylesheet, so that they follow the theme.
import uPlot from 'uplot';
import { drawEnds, roomForEnds } from './line-ends.ts';

/** The height of a plot that names none. */
export const HEIGHT = 260;

export type Line = {
  readonly name: string;
  /** A colour of the stylesheet, such as `--s0`. */
  readonly colour: string;
  readonly values: readonly (number | null)[];
  /** `stepped` holds each value until the next; `points` draws no line, `bound` nothing: it is the edge of a band. */
  readonly as?: 'stepped' | 'points' | 'straight' | 'bound';
  /** Lengths that are drawn and left out in turn; none for a whole line. */
  readonly dash?: readonly number[];
  /** The name that stands at its end. */
  readonly end?: string;
  /** Filled down to the axis. */
  readonly filled?: true;
  /** The lines above and below it, by their places in `lines`, between which it is tinted. */
  readonly band?: readonly [number, number];
};
/** A value across the whole plot. */
export type Level = { readonly value: number; readonly name: string; readonly colour: string };
/** A place on the axis. */
export type Mark = { readonly x: number; readonly name: string };

export type Drawing = {
  /** Changes when lines, scales or names do, and not with their values. */
  readonly kind: string;
  readonly x: readonly number[];
  readonly lines: readonly Line[];
  readonly xText: (value: number) => string;
  /** Distances between its marks that are easy to read, where they are not decimal, as of time. */
  readonly xSteps?: readonly number[];
  readonly yText: (value: number) => string;
  readonly levels?: readonly Level[];
  readonly marks?: readonly Mark[];
  readonly logarithmic?: boolean;
  /** The range of values; left out: that of the lines, and of levels that are near. */
  readonly range?: readonly [number, number];
  readonly height?: number;
};

const FONT = '12px system-ui, sans-serif';

export const draftOf = (
  now: () => Drawing,
  place: HTMLElement,
): { readonly options: Omit<uPlot.Options, 'width'>; readonly data: () => uPlot.AlignedData } => {
  const { lines, logarithmic = false, height = HEIGHT } = now();
  // A colour of the stylesheet depends on the theme; an element says what it came to.
  const colour = (name: string, share = 1): string => {
    place.style.color = `var(${name})`;
    const rgb = getComputedStyle(place).color;
    place.style.color = '';
    return share === 1 ? rgb : rgb.replace(/^rgb\((.+)\)$/, `rgba($1, ${share})`);
  };
  const axis = (text: (value: number) => string, side: 0 | 1): uPlot.Axis => ({
    stroke: () => colour('--soft'),
    font: FONT,
    grid: { stroke: () => colour('--line'), width: 1 },
    ticks: { show: false },
    gap: 6,
    ...(side === 0 && now().xSteps !== undefined ? { incrs: [...now().xSteps!] } : {}),
    ...(side === 0
      ? { size: 30, space: 70 }
      : { size: (_, values) => 16 + 7 * Math.max(4, ...(values ?? []).map((one) => one?.length ?? 0)), space: 36 }),
    values: (_, values) => values.map((value) => (value == null ? '' : text(value))),
  });
  return {
    data: () => [now().x, ...now().lines.map(({ values }) => values)] as unknown as uPlot.AlignedData,
    options: {
      height,
      legend: { show: false },
      padding: [12, (self) => roomForEnds(now().lines, self.width), 0, 0],
      cursor: {
        y: false,
        drag: { x: true, y: false },
        points: { size: 9, fill: (_, series) => colour(lines[series - 1]?.colour ?? '--text') },
      },
      scales: {
        x: { time: false },
        y: logarithmic
          ? { distr: 3, range: (_, min, max) => (min == null || max == null ? [0.1, 1] : [min / 1.15, max * 1.15]) }
          : { range: (_, min, max) => (now().range ?? rangeOf(now(), min, max)) as [number, number] },
      },
      axes: [axis((value) => now().xText(value), 0), axis((value) => now().yText(value), 1)],
      series: [
        {},
        ...lines.map(({ name, colour: of, as = 'stepped', dash, filled }): uPlot.Series => ({
          label: name,
          stroke: () => colour(of),
          width: as === 'points' || as === 'bound' ? 0 : 2,
          ...(dash === undefined ? {} : { dash: [...dash] }),
          ...(filled === undefined ? {} : { fill: () => colour(of) }),
          spanGaps: as !== 'points',
          ...(as === 'stepped' || as === 'bound'
            ? { paths: uPlot.paths.stepped!({ align: 1 }) }
            : as === 'points'
              ? { paths: () => null }
              : {}),
          points: { show: as === 'points', size: 8, fill: () => colour('--card'), stroke: () => colour(of), width: 2 },
        })),
      ],
      bands: lines.flatMap(({ band, colour: of }) =>
        band === undefined
          ? []
          : [{ series: [band[0] + 1, band[1] + 1] as [number, number], fill: () => colour(of, 0.14) }],
      ),
      hooks: {
        draw: [
          (self) => {
            drawBeside(self, now(), colour);
            drawEnds(self, now(), colour);
          },
        ],
      },
    },
  };
};

/** A level belongs to the plot where it is not so far away that the lines would become flat. */
const rangeOf = ({ levels = [] }: Drawing, min: number | null, max: number | null): readonly [number, number] => {
  if (min == null || max == null) return [0, 1];
  const span = max - min || Math.abs(max) * 0.01 || 1;
  const near = levels.map(({ value }) => value).filter((value) => value > min - span && value < max + span);
  const [low, high] = [Math.min(min, ...near), Math.max(max, ...near)];
  const margin = (high - low || span) * 0.06;
  return [low - margin, high + margin];
};

const drawBeside = (self: uPlot, { levels = [], marks = [] }: Drawing, colour: (name: string) => string): void => {
  const { ctx, bbox } = self;
  const { min, max } = self.scales['y']!;
  const { min: from, max: to } = self.scales['x']!;
  if (min == null || max == null || from == null || to == null) return;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = `${12 * ratio}px system-ui, sans-serif`;
  ctx.lineWidth = ratio;
  let beside: { readonly y: number; readonly left: number } | null = null;
  for (const { value, name, colour: of } of levels) {
    if (value < min || value > max) continue;
    const y = self.valToPos(value, 'y', true);
    ctx.strokeStyle = ctx.fillStyle = colour(of);
    ctx.setLineDash([2 * ratio, 3 * ratio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.textAlign = 'left';
    const above = y - bbox.top > 18 * ratio;
    ctx.textBaseline = above ? 'bottom' : 'top';
    // Names of levels that lie on each other stand side by side.
    const left: number = beside !== null && Math.abs(beside.y - y) < 16 * ratio ? beside.left : bbox.left + 4 * ratio;
    ctx.fillText(name, left, y + (above ? -3 : 3) * ratio);
    beside = { y, left: left + ctx.measureText(name).width + 16 * ratio };
  }
  ctx.strokeStyle = ctx.fillStyle = colour('--soft');
  ctx.textBaseline = 'top';
  for (const { x, name } of marks) {
    if (x < from || x > to) continue;
    const left = self.valToPos(x, 'x', true);
    ctx.setLineDash([ratio, 3 * ratio]);
    ctx.beginPath();
    ctx.moveTo(left, bbox.top);
    ctx.lineTo(left, bbox.top + bbox.height);
    ctx.stroke();
    const right = left > bbox.left + bbox.width * 0.85;
    ctx.textAlign = right ? 'right' : 'left';
    ctx.fillText(name, left + (right ? -4 : 4) * ratio, bbox.top + bbox.height - 18 * ratio);
  }
  ctx.restore();
};
