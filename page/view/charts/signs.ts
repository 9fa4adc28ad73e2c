// What a plot has beside its lines: levels, marks, the names at the ends of lines. Each is a line or a text at a place of
// its own, so that no two texts overlap. The canvas and the file draw the same signs.
import { endsOf } from './line-ends.ts';
import type { Drawing, Frame, Level, Mark } from './types.ts';

export type Sign =
  | {
      readonly kind: 'line';
      readonly from: readonly [number, number];
      readonly to: readonly [number, number];
      readonly colour: string;
    }
  | {
      readonly kind: 'text';
      /** The middle of its height. */
      readonly y: number;
      readonly x: number;
      readonly text: string;
      readonly colour: string;
      readonly anchor: 'start' | 'end';
    };
type Text = Extract<Sign, { kind: 'text' }>;

/** Of a letter at the size of the signs, about, and of their lines. */
const LETTER = 6.6;
const LINE = 15;
/** Rows in which the names of marks stand above each other. */
const ROWS = 4;

type Box = readonly [left: number, right: number, middle: number];
const boxOf = ({ x, y, text, anchor }: Text): Box => {
  const width = LETTER * text.length;
  return anchor === 'start' ? [x, x + width, y] : [x - width, x, y];
};

/** The texts that have a place. */
class Placed {
  readonly #boxes: Box[] = [];
  readonly #within: readonly [number, number];

  constructor(within: readonly [left: number, right: number]) {
    this.#within = within;
  }

  #isFree([left, right, middle]: Box): boolean {
    return (
      left >= this.#within[0] &&
      right <= this.#within[1] &&
      this.#boxes.every(
        ([from, to, at]) => right + LETTER < from || left > to + LETTER || Math.abs(at - middle) >= LINE,
      )
    );
  }

  /** The first of these places that is free; none where all are taken. */
  first(candidates: readonly Text[]): readonly Text[] {
    const found = candidates.find((one) => this.#isFree(boxOf(one)));
    if (found === undefined) return [];
    this.#boxes.push(boxOf(found));
    return [found];
  }
}

const levelSigns = ({ value, name, colour }: Level, frame: Frame, placed: Placed): readonly Sign[] => {
  const { left, top, width, height } = frame;
  const isAbove = value > frame.y[1];
  const isFar = isAbove || value < frame.y[0];
  const y = frame.placeY(value);
  // A value that is far away is named at the edge behind which it lies.
  const rows = isFar
    ? Array.from({ length: 3 }, (_, row) => (isAbove ? top + 9 + row * LINE : top + height - 9 - row * LINE))
    : [y - 9, y + 9].filter((row) => row - 6 > top && row + 6 < top + height);
  const text = isFar ? `${isAbove ? '↑' : '↓'} ${name}` : name;
  const step = Math.max(40, width / 12);
  const names = rows.flatMap((row) =>
    Array.from({ length: 12 }, (_, index): Text => ({
      ...{ kind: 'text', x: left + 4 + index * step, y: row, text, colour, anchor: 'start' },
    })),
  );
  const line: Sign = { kind: 'line', from: [left, y], to: [left + width, y], colour };
  return [...(isFar ? [] : [line]), ...placed.first(names)];
};

const markSigns = ({ x: value, name }: Mark, frame: Frame, placed: Placed): readonly Sign[] => {
  if (value < frame.x[0] || value > frame.x[1]) return [];
  const [x, { top, height }] = [frame.placeX(value), frame];
  const names = Array.from({ length: ROWS }, (_, row) => row).flatMap((row) =>
    ([4, -4] as const).map((beside): Text => ({
      ...{ kind: 'text', x: x + beside, y: top + height - 10 - row * LINE, text: name, colour: '--soft' },
      anchor: beside > 0 ? 'start' : 'end',
    })),
  );
  return [{ kind: 'line', from: [x, top], to: [x, top + height], colour: '--soft' }, ...placed.first(names)];
};

export const signsOf = (drawing: Pick<Drawing, 'lines' | 'x' | 'levels' | 'marks'>, frame: Frame): readonly Sign[] => {
  const { lines, x, levels = [], marks = [] } = drawing;
  const placed = new Placed([frame.left, frame.left + frame.width]);
  return [
    ...levels.flatMap((level) => levelSigns(level, frame, placed)),
    ...marks.flatMap((mark) => markSigns(mark, frame, placed)),
    ...endsOf(lines, x, frame).map((end): Text => ({ kind: 'text', anchor: 'start', ...end })),
  ];
};
