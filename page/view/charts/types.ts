// A plot as data: what its canvas and its files draw.
import type { TickSteps } from './ticks.ts';

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
  /** Stripes over what is filled, for what went wrong. */
  readonly striped?: boolean;
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
  /** What is counted or measured, with its unit. */
  readonly xTitle: string;
  /** Left out: things are counted. */
  readonly xSteps?: TickSteps;
  readonly yText: (value: number) => string;
  readonly yTitle: string;
  readonly ySteps?: TickSteps;
  readonly levels?: readonly Level[];
  readonly marks?: readonly Mark[];
  readonly logarithmic?: boolean;
  /** The range of values; left out: that of the lines, and of levels that are near. */
  readonly range?: readonly [number, number];
  readonly height?: number;
};

/** The part of a picture that the lines take, in pixels of the page, and the places of values in it. */
export type Frame = {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Of the whole picture. */
  readonly across: number;
  readonly x: readonly [min: number, max: number];
  readonly y: readonly [min: number, max: number];
  readonly placeX: (value: number) => number;
  readonly placeY: (value: number) => number;
};
