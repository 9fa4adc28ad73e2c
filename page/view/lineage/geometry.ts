// The lineage in its window: the view that it begins with, the program under a finger, the program that a key goes to.
import type { Box, Mark, Placed } from '../../api/pictures/lineage-picture.ts';
import type { Point, View } from './pan-zoom.ts';
import { FAR } from './drawing.ts';

export type Size = { readonly width: number; readonly height: number };

/** A small picture is made larger than it is by this at most. */
const LARGEST = 1.3;
/** A picture that does not fit is not made smaller than this at first, so that its words can be read. */
const LEGIBLE = 0.9;
/** A program is brought into sight when it is nearer to an edge of the window. */
const EDGE_PX = 30;
/** The reach of a finger. */
const REACH_PX = 14;

const middle = (room: number, start: number, length: number, k: number): number => (room - length * k) / 2 - start * k;

/** The view with all of the picture. */
export const wholeView = ({ left, top, width, height }: Box, window: Size): View => {
  const k = Math.min(LARGEST, window.width / width, window.height / height);
  return { k, x: middle(window.width, left, width, k), y: middle(window.height, top, height, k) };
};

/** The first view of a picture. One that is too wide to be read at once is read from its end. */
export const firstView = ({ left, top, width, height }: Box, window: Size): View => {
  const fits = Math.min(window.width / width, window.height / height);
  const k = Math.min(LARGEST, Math.max(fits, Math.min(LEGIBLE, window.height / height)));
  const isWide = width * k > window.width;
  return {
    k,
    x: isWide ? window.width - (left + width) * k : middle(window.width, left, width, k),
    y: middle(window.height, top, height, k),
  };
};

export const isInSight = (place: Point, view: View, { width, height }: Size): boolean => {
  const [x, y] = [view.x + place.x * view.k, view.y + place.y * view.k];
  return x >= EDGE_PX && y >= EDGE_PX && x <= width - EDGE_PX && y <= height - EDGE_PX;
};

export type Hit = { readonly row: number; /** It was on words that open something. */ readonly opens: boolean };

/** The program, or the words that open something, under a point of the window. */
export const hitAt = (marks: readonly Mark[], placed: readonly Placed[], view: View, point: Point): Hit | null => {
  const [x, y] = [(point.x - view.x) / view.k, (point.y - view.y) / view.k];
  for (const mark of view.k < FAR ? [] : marks) {
    if (mark.kind !== 'words' || mark.opens === null) continue;
    const half = 4 * mark.text.length;
    const centre = mark.x + (mark.anchor === 'start' ? half : 0);
    if (Math.abs(x - centre) < half + 4 && Math.abs(y - mark.y + 4) < 9) return { row: mark.opens, opens: true };
  }
  let [nearest, least] = [-1, REACH_PX / view.k];
  for (const at of placed) {
    const distance = Math.hypot(at.x - x, at.y - y);
    if (distance < least) [nearest, least] = [at.node.row, distance];
  }
  return nearest < 0 ? null : { row: nearest, opens: false };
};

/** The program that an arrow key goes to. Up and down stay in the column. */
export const neighbour = (placed: readonly Placed[], here: Placed, key: string): Placed | undefined => {
  const inColumn = (by: number): Placed | undefined => {
    const column = placed.filter(({ x }) => x === here.x).sort((a, b) => a.y - b.y);
    return column[column.indexOf(here) + by];
  };
  switch (key) {
    case 'ArrowLeft':
      return placed[here.parent];
    case 'ArrowRight': {
      const children = here.children.map((index) => placed[index]!);
      return children.find(({ node }) => node.trunk) ?? children[children.length >> 1];
    }
    case 'ArrowUp':
      return inColumn(-1);
    case 'ArrowDown':
      return inColumn(1);
    case 'Home':
      return placed[0];
    default:
      return undefined;
  }
};
