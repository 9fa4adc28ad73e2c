// Pictures of solutions as SVG text, for a page that shows them as images: circles, points and step functions. The
// shape of the solution decides; what has another shape has no picture. All functions are pure.
import { circlesOf, circlesSvg } from '../../../evolution/reports/circles.ts';
import { inXml } from '../../../evolution/visible.ts';

const WIDTH = 660;
const HEIGHT = 360;
const MARGIN = 30;
/** More columns than the picture is wide cannot be seen. */
const COLUMNS = 600;
/** With more marks than this a picture shows no more than a cloud. */
const MOST_POINTS = 5_000;

const numbersIn = (value: unknown): readonly number[] | null =>
  Array.isArray(value) && value.length > 1 && value.every((one) => typeof one === 'number' && Number.isFinite(one))
    ? (value as number[])
    : null;

const pointsIn = (value: unknown): readonly (readonly [number, number])[] | null =>
  Array.isArray(value) &&
  value.length > 1 &&
  value.length <= MOST_POINTS &&
  value.every((one) => Array.isArray(one) && one.length === 2 && numbersIn(one) !== null)
    ? (value as [number, number][])
    : null;

const framed = (title: string, height: number, inner: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="12" fill="#57606a">` +
  `<title>${inXml(title)}</title><rect width="${WIDTH}" height="${height}" fill="#ffffff"/>${inner}</svg>`;
const label = (value: number): string => String(Number(value.toPrecision(4)));

/** A step function: of many heights in one column of the picture, the lowest and the highest are drawn. */
const stepsSvg = (heights: readonly number[], title: string): string => {
  let [low, high] = [0, 0];
  for (const height of heights) [low, high] = [Math.min(low, height), Math.max(high, height)];
  const span = high - low || 1;
  const inner = { width: WIDTH - 2 * MARGIN, height: HEIGHT - 2 * MARGIN };
  const y = (value: number): string => (MARGIN + inner.height * (1 - (value - low) / span)).toFixed(1);
  const columns = Math.min(COLUMNS, heights.length);
  const bars = Array.from({ length: columns }, (_, column) => {
    const from = Math.floor((column * heights.length) / columns);
    const to = Math.max(from + 1, Math.floor(((column + 1) * heights.length) / columns));
    let [least, most] = [heights[from]!, heights[from]!];
    for (let at = from; at < to; at++) [least, most] = [Math.min(least, heights[at]!), Math.max(most, heights[at]!)];
    const [left, right] = [0, 1].map((end) => (MARGIN + (inner.width * (column + end)) / columns).toFixed(2));
    return `M${left} ${y(0)}V${y(most)}H${right}V${y(least < 0 ? least : 0)}H${left}Z`;
  });
  return framed(
    title,
    HEIGHT,
    `<path d="${bars.join('')}" fill="#7fb2dc" stroke="#0b5cad" stroke-width="0.4"/>` +
      `<path d="M${MARGIN} ${y(0)}H${WIDTH - MARGIN}" stroke="#57606a"/>` +
      `<text x="${MARGIN}" y="18">highest ${label(high)}, lowest ${label(low)}, ${heights.length} heights</text>`,
  );
};

const pointsSvg = (points: readonly (readonly [number, number])[], title: string): string => {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [left, right, bottom, top] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const side = WIDTH - 2 * MARGIN;
  const scale = side / Math.max(right - left, top - bottom, Number.MIN_VALUE);
  const height = Math.ceil((top - bottom) * scale) + 2 * MARGIN + 20;
  const drawn = points.map(
    ([x, y], index) =>
      `<circle cx="${(MARGIN + (x - left) * scale).toFixed(1)}" cy="${(MARGIN + (top - y) * scale).toFixed(1)}" r="5" fill="#7fb2dc" stroke="#0b5cad"><title>point ${index + 1}: (${x}, ${y})</title></circle>`,
  );
  return framed(
    title,
    height,
    `${drawn.join('')}<text x="${MARGIN}" y="${height - 12}">${points.length} points</text>`,
  );
};

type About = {
  readonly title: string;
  readonly score: number | null;
  readonly strictScore: number | null;
  readonly picture: 'circles-in-unit-square' | null;
};

/** The picture, and a description for people who do not see it; null for a solution that has no picture. */
export const pictureOf = (solution: string, about: About): { readonly svg: string; readonly says: string } | null => {
  let value: unknown;
  try {
    value = JSON.parse(solution);
  } catch {
    return null;
  }
  const object = (Array.isArray(value) ? { points: value, heights: value } : value) as {
    readonly [key: string]: unknown;
  } | null;
  const circles = about.picture === 'circles-in-unit-square' ? circlesOf(value) : null;
  if (circles !== null && about.score !== null)
    return {
      svg: circlesSvg(circles, {
        title: about.title,
        score: about.score,
        strictScore: about.strictScore,
        detail: about.title,
      }),
      says: `${circles.length} ${circles.length === 1 ? 'circle' : 'circles'} in the unit square`,
    };
  const heights = numbersIn(object?.['heights']);
  if (heights !== null)
    return { svg: stepsSvg(heights, about.title), says: `a step function of ${heights.length} heights` };
  const points = pointsIn(object?.['points']);
  return points === null ? null : { svg: pointsSvg(points, about.title), says: `${points.length} points in the plane` };
};
