// The drawing of a plot, as options of uPlot. Colours are names of the stylesheet, so that they follow the theme.
import uPlot from 'uplot';
import { inkAt } from '../base/ink.ts';
import { roomForEnds } from './line-ends.ts';
import { type Sign, signsOf } from './signs.ts';
import { logTicks, ticksBetween } from './ticks.ts';
import type { Drawing, Frame, Line } from './types.ts';

/** The height of a plot that names none. */
export const HEIGHT = 260;

const FONT = '12px system-ui, sans-serif';
/** Pixels from one number at an axis to the next, at least. */
const APART = { x: 66, y: 30 };

/** The numbers at both axes of a plot whose lines take so many pixels. */
export const ticksOf = (
  { xSteps = 'whole', ySteps = 'decimal', logarithmic = false }: Pick<Drawing, 'xSteps' | 'ySteps' | 'logarithmic'>,
  { x, y, width, height }: Pick<Frame, 'x' | 'y' | 'width' | 'height'>,
): { readonly x: readonly number[]; readonly y: readonly number[] } => ({
  x: ticksBetween(x, width / APART.x, xSteps),
  y: logarithmic ? logTicks(y) : ticksBetween(y, height / APART.y, ySteps),
});

/** The room for the numbers at the left. */
export const roomFor = (texts: readonly (string | null)[]): number =>
  16 + 7 * Math.max(4, ...texts.map((one) => one?.length ?? 0));

const frameOf = (self: uPlot): Frame | null => {
  const { bbox, scales, width } = self;
  const ratio = devicePixelRatio;
  const [x, y] = [scales['x']!, scales['y']!];
  if (x.min == null || x.max == null || y.min == null || y.max == null) return null;
  const [left, top] = [bbox.left / ratio, bbox.top / ratio];
  return {
    ...{ left, top, width: bbox.width / ratio, height: bbox.height / ratio, across: width },
    ...{ x: [x.min, x.max], y: [y.min, y.max] },
    placeX: (value) => left + self.valToPos(value, 'x'),
    placeY: (value) => top + self.valToPos(value, 'y'),
  };
};

/** What is painted beside numbers: a colour of the stylesheet depends on the theme. */
type Colour = (name: string, share?: number) => string;

/** The colours of the stylesheet under the theme of an element, which says what each came to. */
export const colourAt =
  (place: HTMLElement): Colour =>
  (name, share = 1) => {
    const rgb = inkAt(place, name);
    return share === 1 ? rgb : rgb.replace(/^rgb\((.+)\)$/, `rgba($1, ${share})`);
  };

/** Stripes over a colour. */
const stripes = (self: uPlot, colour: string, over: string): CanvasPattern => {
  const size = 8 * devicePixelRatio;
  const tile = document.createElement('canvas');
  [tile.width, tile.height] = [size, size];
  const context = tile.getContext('2d')!;
  context.fillStyle = colour;
  context.fillRect(0, 0, size, size);
  context.strokeStyle = over;
  context.lineWidth = size / 5;
  for (const from of [-size, 0, size]) {
    context.moveTo(from - 2, size + 2);
    context.lineTo(from + size + 2, -2);
  }
  context.stroke();
  return self.ctx.createPattern(tile, 'repeat')!;
};

const seriesOf = ({ name, colour: of, as = 'stepped', dash, filled, striped }: Line, colour: Colour): uPlot.Series => ({
  label: name,
  stroke: () => colour(of),
  width: as === 'points' || as === 'bound' ? 0 : 2,
  ...(dash === undefined ? {} : { dash: [...dash] }),
  ...(filled === undefined
    ? {}
    : { fill: (self) => (striped ? stripes(self, colour(of), colour('--card')) : colour(of)) as string }),
  spanGaps: as !== 'points',
  ...(as === 'stepped' || as === 'bound'
    ? { paths: uPlot.paths.stepped!({ align: 1 }) }
    : as === 'points'
      ? { paths: () => null }
      : {}),
  points: { show: as === 'points', size: 8, fill: () => colour('--card'), stroke: () => colour(of), width: 2 },
});

const axisOf = (now: () => Drawing, side: 0 | 1, colour: Colour): uPlot.Axis => ({
  stroke: () => colour('--soft'),
  font: FONT,
  grid: { stroke: () => colour('--line'), width: 1 },
  ticks: { show: false },
  gap: 6,
  label: side === 0 ? now().xTitle : now().yTitle,
  labelFont: FONT,
  labelSize: 18,
  labelGap: 0,
  size: side === 0 ? 26 : (_, values) => roomFor(values ?? []),
  splits: (self, _, min, max) => {
    const ticks = ticksOf(now(), {
      ...{ x: [min, max], y: [min, max] },
      ...{ width: self.bbox.width / devicePixelRatio, height: self.bbox.height / devicePixelRatio },
    });
    return [...(side === 0 ? ticks.x : ticks.y)];
  },
  filter: (_, splits) => splits,
  values: (_, splits) => splits.map(side === 0 ? now().xText : now().yText),
});

export const draftOf = (
  now: () => Drawing,
  place: HTMLElement,
): { readonly options: Omit<uPlot.Options, 'width'>; readonly data: () => uPlot.AlignedData } => {
  const { lines, logarithmic = false, height = HEIGHT } = now();
  const colour = colourAt(place);
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
        y: { distr: logarithmic ? 3 : 1, range: (_, min, max) => [...rangeOf(now(), min, max)] },
      },
      axes: [axisOf(now, 0, colour), axisOf(now, 1, colour)],
      series: [{}, ...lines.map((line) => seriesOf(line, colour))],
      bands: lines.flatMap(({ band, colour: of }) =>
        band === undefined
          ? []
          : [{ series: [band[0] + 1, band[1] + 1] as [number, number], fill: () => colour(of, 0.14) }],
      ),
      hooks: {
        draw: [
          (self) => {
            const frame = frameOf(self);
            if (frame !== null) drawSigns(self.ctx, signsOf(now(), frame), colour);
          },
        ],
      },
    },
  };
};

/** The range of values. A level belongs to the plot where it is not so far away that the lines would become flat. */
export const rangeOf = (
  { levels = [], range, logarithmic = false }: Drawing,
  min: number | null,
  max: number | null,
): readonly [number, number] => {
  if (logarithmic) return min == null || max == null ? [0.1, 1] : [min / 1.15, max * 1.15];
  if (range !== undefined) return range;
  if (min == null || max == null) return [0, 1];
  const span = max - min || Math.abs(max) * 0.01 || 1;
  const near = levels.map(({ value }) => value).filter((value) => value > min - span && value < max + span);
  const [low, high] = [Math.min(min, ...near), Math.max(max, ...near)];
  const margin = (high - low || span) * 0.06;
  return [low - margin, high + margin];
};

const drawSigns = (context: CanvasRenderingContext2D, signs: readonly Sign[], colour: Colour): void => {
  context.save();
  context.scale(devicePixelRatio, devicePixelRatio);
  context.font = FONT;
  context.textBaseline = 'middle';
  for (const sign of signs) {
    if (sign.kind === 'line') {
      context.lineWidth = 1;
      context.strokeStyle = colour(sign.colour);
      context.setLineDash([2, 3]);
      context.beginPath();
      context.moveTo(...sign.from);
      context.lineTo(...sign.to);
      context.stroke();
      continue;
    }
    context.setLineDash([]);
    context.lineWidth = 3;
    context.strokeStyle = colour('--card');
    context.fillStyle = colour(sign.colour);
    context.textAlign = sign.anchor === 'start' ? 'left' : 'right';
    // With forced colours the rim has the colour of the text.
    if (!matchMedia('(forced-colors: active)').matches) context.strokeText(sign.text, sign.x, sign.y);
    context.fillText(sign.text, sign.x, sign.y);
  }
  context.restore();
};
