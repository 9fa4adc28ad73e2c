// The map on a canvas: cells of a grid or around points, coloured by the level of their best program, with the borders
// of the bins at the axes.
import { levelOf } from '../../api/pictures/ranked.ts';
import type { MapFold } from '../../api/pictures/map.ts';
import { LEVEL_NAMES } from '../base/ink.ts';
import { type Grid, type Place, textOf, ticksOf, titleOf } from './cells.ts';

const LEFT = 84;
const BOTTOM = 40;
const TOP = 10;
const RIGHT = 24;

export const INKS = [...LEVEL_NAMES, '--text', '--soft', '--line', '--accent'] as const;

export type Drawing = {
  readonly grid: Grid;
  readonly sign: 1 | -1;
  readonly fold: MapFold;
  readonly borders: readonly number[];
  /** The cells of the Pareto front, in its order; none for no front. */
  readonly front: readonly number[];
  /** The cell that is looked at; -1 for none. */
  readonly cell: number;
  readonly inks: { readonly [name in (typeof INKS)[number]]: string };
};

/** The part of the canvas that the cells take. */
export const placeOn = ({ clientWidth, clientHeight }: HTMLCanvasElement): Place => ({
  left: LEFT,
  top: TOP,
  width: clientWidth - LEFT - RIGHT,
  height: clientHeight - TOP - BOTTOM,
});

/** The outline of a cell, `by` pixels larger on each side. */
const outline = ({ x, y, cells }: Grid, { left, top, width, height }: Place, cell: number, by = 0): Path2D => {
  const path = new Path2D();
  const point = cells.points?.[cell];
  if (point !== undefined) {
    const [least, most] = cells.areSingle ? [2.5, 6] : [4, 13];
    const radius = Math.max(least, Math.min(most, Math.sqrt((width * height) / cells.count) / 2.6));
    path.arc(left + point[0] * width, top + (1 - point[1]) * height, radius + by, 0, 7);
    return path;
  }
  const [nx, ny] = [x.axis.bins, y.axis.bins];
  const [w, h] = [width / nx, height / ny];
  const margin = (w > 6 && h > 6 ? 0.5 : 0) - by;
  const [column, line] = [Math.floor(cell / ny), ny - 1 - (cell % ny)];
  path.rect(left + column * w + margin, top + line * h + margin, w - 2 * margin, h - 2 * margin);
  return path;
};

const drawCells = (context: CanvasRenderingContext2D, place: Place, drawing: Drawing): void => {
  const { grid, fold, borders, cell, inks } = drawing;
  context.strokeStyle = inks['--line'];
  context.lineWidth = 1;
  context.strokeRect(place.left, place.top, place.width, place.height);
  for (let index = 0; index < grid.cells.count; index++) {
    const best = fold.best[index]!;
    // An empty cell of a grid is seen by its neighbours.
    if (best < 0 && (grid.cells.points === null || grid.cells.areSingle)) continue;
    const path = outline(grid, place, index);
    if (best < 0) {
      context.stroke(path);
      continue;
    }
    context.fillStyle = inks[LEVEL_NAMES[levelOf(fold.rows.fit[best]!, borders)]!]!;
    context.fill(path);
  }
  if (cell < 0) return;
  context.strokeStyle = inks['--text'];
  context.lineWidth = 2.5;
  context.stroke(outline(grid, place, cell, 1));
};

/** The border of what the front beats: along one axis, then along the other. */
const drawFront = (context: CanvasRenderingContext2D, place: Place, { grid, front, inks }: Drawing): void => {
  const { left, top, width, height } = place;
  context.strokeStyle = inks['--text'];
  context.lineWidth = 1.5;
  context.beginPath();
  let level: number | null = null;
  for (const cell of front) {
    const [sx, sy] = grid.cells.points![cell]!;
    const [x, y] = [left + sx * width, top + (1 - sy) * height];
    if (level !== null) context.lineTo(x, level);
    context.lineTo(x, y);
    level = y;
  }
  context.stroke();
  for (const cell of front) context.stroke(outline(grid, place, cell));
};

const drawAxes = (context: CanvasRenderingContext2D, place: Place, { grid, sign, inks }: Drawing): void => {
  const { left, top, width, height } = place;
  const { x, y } = grid;
  context.fillStyle = inks['--soft'];
  context.font = '12px system-ui, sans-serif';
  context.textBaseline = 'top';
  for (const { share, value, end } of ticksOf(x, width / 64)) {
    context.textAlign = end === 'first' ? 'left' : end === 'last' ? 'right' : 'center';
    context.fillText(textOf(x.axis, sign)(value), left + share * width, top + height + 5);
  }
  context.textAlign = 'right';
  for (const { share, value, end } of ticksOf(y, height / 26)) {
    context.textBaseline = end === 'first' ? 'bottom' : share === 1 ? 'top' : 'middle';
    context.fillText(textOf(y.axis, sign)(value), left - 6, top + (1 - share) * height);
  }
  context.fillStyle = inks['--text'];
  context.textAlign = 'center';
  context.textBaseline = 'bottom';
  context.fillText(titleOf(x.axis), left + width / 2, top + height + BOTTOM - 2);
  context.save();
  context.translate(12, top + height / 2);
  context.rotate(-Math.PI / 2);
  context.textBaseline = 'middle';
  context.fillText(titleOf(y.axis), 0, 0);
  context.restore();
};

export const drawMap = (canvas: HTMLCanvasElement, drawing: Drawing): void => {
  const ratio = devicePixelRatio;
  const { clientWidth, clientHeight } = canvas;
  const [w, h] = [Math.round(clientWidth * ratio), Math.round(clientHeight * ratio)];
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  const context = canvas.getContext('2d')!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, clientWidth, clientHeight);
  drawCells(context, placeOn(canvas), drawing);
  drawFront(context, placeOn(canvas), drawing);
  drawAxes(context, placeOn(canvas), drawing);
};
