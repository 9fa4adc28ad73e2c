// A plot as files: a picture as SVG, of the same ticks, lines and signs that the canvas has, and its points as CSV.
import { inXml } from '../../../evolution/visible.ts';
import { csvOf, type Picture } from '../base/save.ts';
import { HEIGHT, rangeOf, roomFor, ticksOf } from './drawing.ts';
import { roomForEnds } from './line-ends.ts';
import { type Sign, signsOf } from './signs.ts';
import type { Drawing, Frame, Line } from './types.ts';

export type Titled = Drawing & { readonly title: string };
/** The width of the picture, the part of the axis that is seen, and what the names of colours stand for. */
export type Shown = {
  readonly width: number;
  readonly x: readonly [number, number];
  readonly colour: (name: string) => string;
};

const TOP = 30;
const BOTTOM = 48;
const KEYS = 20;

const short = (value: number): string => String(Number(value.toFixed(1)));
const place = (x: number, y: number): string => `${short(x)},${short(y)}`;

const frameFor = (drawing: Titled, { width: across, x }: Shown): Frame => {
  const { lines, logarithmic = false, height: whole = HEIGHT } = drawing;
  const seen = lines.flatMap(({ values }) =>
    values.filter((value, at): value is number => value !== null && drawing.x[at]! >= x[0] && drawing.x[at]! <= x[1]),
  );
  const [min, max] = seen.reduce(([least, most], one) => [Math.min(least, one), Math.max(most, one)], [
    Infinity,
    -Infinity,
  ] as readonly [number, number]);
  const y = rangeOf(drawing, min <= max ? min : null, min <= max ? max : null);
  const [top, height] = [TOP, whole - 30];
  const texts = ticksOf(drawing, { x, y, width: across, height }).y.map(drawing.yText);
  const left = roomFor(texts) + 18;
  const width = across - left - roomForEnds(lines, across);
  const share = (value: number, [low, high]: readonly [number, number]): number => (value - low) / (high - low || 1);
  const scaled = logarithmic ? Math.log : (value: number): number => value;
  return {
    ...{ left, top, width, height, across, x, y },
    placeX: (value) => left + width * share(value, x),
    placeY: (value) => top + height * (1 - share(scaled(value), [scaled(y[0]), scaled(y[1])])),
  };
};

/** The corners of a line, in the order of the axis. What has no value is passed over. */
const cornersOf = ({ as = 'stepped', values }: Line, x: readonly number[], frame: Frame): readonly string[] => {
  const corners: string[] = [];
  let before: number | null = null;
  for (const [at, value] of values.entries()) {
    if (value === null) continue;
    const [px, py] = [frame.placeX(x[at]!), frame.placeY(value)];
    if (before !== null && as !== 'straight') corners.push(place(px, before));
    corners.push(place(px, py));
    before = py;
  }
  return corners;
};

const lineSvg = (index: number, drawing: Titled, frame: Frame, colour: Shown['colour']): string => {
  const line = drawing.lines[index]!;
  const { as = 'stepped', band, dash = [], filled, striped, values } = line;
  const ink = inXml(colour(line.colour));
  const corners = cornersOf(line, drawing.x, frame);
  if (as === 'points')
    return values
      .map((value, at) =>
        value === null
          ? ''
          : `<circle cx="${short(frame.placeX(drawing.x[at]!))}" cy="${short(frame.placeY(value))}" r="4" fill="${inXml(colour('--card'))}" stroke="${ink}" stroke-width="2"/>`,
      )
      .join('');
  if (band !== undefined) {
    const [upper, lower] = band.map((one) => cornersOf(drawing.lines[one]!, drawing.x, frame));
    const tint = `<polygon points="${[...upper!, ...lower!.toReversed()].join(' ')}" fill="${ink}" fill-opacity="0.14"/>`;
    return `${tint}${polyline(corners, ink, dash)}`;
  }
  if (as === 'bound' || corners.length === 0) return '';
  if (filled === undefined) return polyline(corners, ink, dash);
  const bottom = short(frame.top + frame.height);
  const [first, last] = [corners[0]!, corners.at(-1)!].map((corner) => `${corner.split(',')[0]},${bottom}`);
  const points = [first, ...corners, last].join(' ');
  const over = `<pattern id="stripes-${index}" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2" height="8" fill="${inXml(colour('--card'))}"/></pattern><polygon points="${points}" fill="url(#stripes-${index})"/>`;
  return `<polygon points="${points}" fill="${ink}"/>${striped ? over : ''}`;
};

const polyline = (corners: readonly string[], ink: string, dash: readonly number[]): string =>
  `<polyline points="${corners.join(' ')}" fill="none" stroke="${ink}" stroke-width="2"${dash.length === 0 ? '' : ` stroke-dasharray="${dash.join(' ')}"`}/>`;

const text = (x: number, y: number, words: string, more: string): string =>
  `<text x="${short(x)}" y="${short(y)}" ${more}>${inXml(words)}</text>`;

const signSvg = (sign: Sign, colour: Shown['colour']): string => {
  const ink = inXml(colour(sign.colour));
  if (sign.kind === 'text')
    return text(
      ...[sign.x, sign.y + 4, sign.text],
      `fill="${ink}" text-anchor="${sign.anchor}" stroke="${inXml(colour('--card'))}" stroke-width="3" paint-order="stroke"`,
    );
  const [[x1, y1], [x2, y2]] = [sign.from.map(short), sign.to.map(short)] as [string[], string[]];
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${ink}" stroke-dasharray="2 3"/>`;
};

const axesSvg = (drawing: Titled, frame: Frame, colour: Shown['colour']): string => {
  const { left, top, width, height } = frame;
  const [soft, line] = [`fill="${inXml(colour('--soft'))}"`, `stroke="${inXml(colour('--line'))}"`];
  const ticks = ticksOf(drawing, frame);
  const [bottom, middle] = [top + height, top + height / 2];
  return [
    ...ticks.x.map((value) => {
      const x = short(frame.placeX(value));
      const grid = `<path d="M${x},${short(top)}V${short(bottom)}" ${line}/>`;
      return `${grid}${text(Number(x), bottom + 17, drawing.xText(value), `${soft} text-anchor="middle"`)}`;
    }),
    ...ticks.y.map((value) => {
      const y = short(frame.placeY(value));
      const grid = `<path d="M${short(left)},${y}H${short(left + width)}" ${line}/>`;
      return `${grid}${text(left - 6, Number(y) + 4, drawing.yText(value), `${soft} text-anchor="end"`)}`;
    }),
    text(left + width / 2, bottom + 36, drawing.xTitle, `${soft} text-anchor="middle"`),
    text(12, middle, drawing.yTitle, `${soft} text-anchor="middle" transform="rotate(-90 12 ${short(middle)})"`),
  ].join('');
};

/** The names of the lines with their colours, where there is more than one, below the plot. */
const keysSvg = (drawing: Titled, frame: Frame, colour: Shown['colour']): string => {
  const named = drawing.lines.filter(({ as, end }) => as !== 'points' && as !== 'bound' && end === undefined);
  let x = frame.left;
  return (named.length < 2 ? [] : named.toReversed())
    .map(({ name, colour: of }) => {
      const key = `<rect x="${short(x)}" y="${short(frame.top + frame.height + BOTTOM)}" width="10" height="10" fill="${inXml(colour(of))}"/>${text(x + 14, frame.top + frame.height + BOTTOM + 10, name, `fill="${inXml(colour('--text'))}"`)}`;
      x += 34 + 6.8 * name.length;
      return key;
    })
    .join('');
};

export const svgOf = (drawing: Titled, shown: Shown): Picture => {
  const { colour, width } = shown;
  const frame = frameFor(drawing, shown);
  const height = frame.top + frame.height + BOTTOM + KEYS;
  const clip = `<clipPath id="plot"><rect x="${short(frame.left)}" y="${short(frame.top - 4)}" width="${short(frame.width + 4)}" height="${short(frame.height + 8)}"/></clipPath>`;
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>${inXml(drawing.title)}</title>${clip}<rect width="100%" height="100%" fill="${inXml(colour('--card'))}"/>`,
    text(frame.left, 18, drawing.title, `fill="${inXml(colour('--text'))}" font-weight="600"`),
    axesSvg(drawing, frame, colour),
    `<g clip-path="url(#plot)">${drawing.lines.map((_, index) => lineSvg(index, drawing, frame, colour)).join('')}</g>`,
    ...signsOf(drawing, frame).map((sign) => signSvg(sign, colour)),
    `${keysSvg(drawing, frame, colour)}</svg>`,
  ].join('');
  return { svg, width, height };
};

/** The points of all lines, a row for each place of the axis. */
export const pointsOf = ({ xTitle, x, lines }: Drawing): string => {
  const named = lines.filter(
    ({ as, name }, index) => as !== 'points' || lines.findIndex((one) => one.name === name) === index,
  );
  const head = [xTitle, ...named.map(({ name }) => name)];
  const rows = x.map((value, at) => [value, ...named.map(({ values }) => values[at] ?? null)]);
  return csvOf([head, ...rows]);
};
