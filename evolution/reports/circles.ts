// The picture of a packing of circles: the unit square, the circles and their score, as SVG. All functions are pure.
import { inXml } from '../visible.ts';

type Circle = readonly [x: number, y: number, r: number];
type Caption = {
  readonly title: string;
  readonly score: number;
  readonly strictScore: number | null;
  readonly detail: string;
};

const SIDE = 600;
const MARGIN = 30;
const CAPTION = 64;

/** The circles of a solution as its JSON holds them, or null when it has another shape. */
export const circlesOf = (solution: unknown): readonly Circle[] | null => {
  const circles = (solution as { circles?: unknown } | null)?.circles;
  if (!Array.isArray(circles) || circles.length === 0) return null;
  return circles.every(
    (circle) =>
      Array.isArray(circle) &&
      circle.length === 3 &&
      circle.every((value) => typeof value === 'number' && Number.isFinite(value)),
  )
    ? (circles as Circle[])
    : null;
};

/** Ten significant digits, because three decimals hide all progress near a record. */
const digits = (value: number): string => String(Number(value.toPrecision(10)));
const px = (value: number): string => value.toFixed(2);

export const circlesSvg = (circles: readonly Circle[], caption: Caption): string => {
  const largest = Math.max(...circles.map(([, , r]) => r), Number.MIN_VALUE);
  const drawn = circles.map(([x, y, r], index) => {
    const [cx, cy, radius] = [MARGIN + x * SIDE, MARGIN + (1 - y) * SIDE, Math.max(0, r) * SIDE];
    const hue = Math.round(205 - 165 * Math.sqrt(Math.max(0, r) / largest));
    const label =
      radius >= 18
        ? `<text x="${px(cx)}" y="${px(cy + 4)}" font-size="${radius >= 34 ? 13 : 10}" text-anchor="middle" fill="#1d2733">${r.toFixed(4)}</text>`
        : '';
    return (
      `<g><title>circle ${index + 1}: centre (${x}, ${y}), radius ${r}</title>` +
      `<circle cx="${px(cx)}" cy="${px(cy)}" r="${px(radius)}" fill="hsl(${hue} 70% 82%)" stroke="hsl(${hue} 45% 38%)" stroke-width="1.2"/>${label}</g>`
    );
  });
  const [width, height] = [SIDE + 2 * MARGIN, SIDE + 2 * MARGIN + CAPTION];
  const strict = caption.strictScore === null ? '' : `, strict ${digits(caption.strictScore)}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif">`,
    `<title>${inXml(caption.title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<rect x="${MARGIN}" y="${MARGIN}" width="${SIDE}" height="${SIDE}" fill="#f6f8fa" stroke="#1d2733" stroke-width="1.5"/>`,
    ...drawn,
    `<text x="${MARGIN}" y="${SIDE + 2 * MARGIN + 18}" font-size="17" font-weight="600" fill="#1d2733">sum of radii ${digits(caption.score)}${strict}, ${circles.length} circles</text>`,
    `<text x="${MARGIN}" y="${SIDE + 2 * MARGIN + 42}" font-size="12" fill="#57606a">${inXml(caption.detail)}</text>`,
    '</svg>',
    '',
  ].join('\n');
};
