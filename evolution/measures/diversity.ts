// The feature `diversity`: a text's distance from references (OpenEvolve 0.3.2; docs/methods/controls.md, openevolve).
import { meanOf } from '../statistics.ts';

/** The measured parts of a text, made once and compared often. */
export type Shape = {
  /** The number of characters (code points). */
  readonly length: number;
  /** The number of newlines. */
  readonly lines: number;
  /** Each character of the text once, in ascending order. */
  readonly characters: string;
};

const NEWLINE = 0x0a;
const ASCII = 128;

export const shapeOf = (code: string): Shape => {
  const ascii = new Uint8Array(ASCII);
  const others = new Set<number>();
  let length = 0;
  let lines = 0;
  for (let at = 0; at < code.length; at++, length++) {
    const unit = code.charCodeAt(at);
    if (unit < ASCII) {
      ascii[unit] = 1;
      if (unit === NEWLINE) lines++;
      continue;
    }
    const character = code.codePointAt(at)!;
    others.add(character);
    if (character > 0xffff) at++;
  }
  const characters = [...ascii.keys()].filter((character) => ascii[character] === 1);
  return {
    length,
    lines,
    characters:
      String.fromCodePoint(...characters) +
      [...others]
        .sort((a, b) => a - b)
        .map((character) => String.fromCodePoint(character))
        .join(''),
  };
};

/**
 * The mean over the references of 0.1 * |difference in characters| + 10 * |difference in newlines| + 0.5 * |characters
 * of only one text|; 0 without references. A reference is compared with itself too.
 */
export const diversity = (shape: Shape, references: readonly Shape[]): number =>
  meanOf(references.map((reference) => distance(shape, reference))) ?? 0;

const distance = (a: Shape, b: Shape): number =>
  0.1 * Math.abs(a.length - b.length) + 10 * Math.abs(a.lines - b.lines) + 0.5 * inOnlyOne(a.characters, b.characters);

/** Merges two ascending lists of distinct characters. */
const inOnlyOne = (a: string, b: string): number => {
  let only = 0;
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const left = a.codePointAt(i) ?? Infinity;
    const right = b.codePointAt(j) ?? Infinity;
    if (left !== right) only++;
    if (left <= right) i += left > 0xffff ? 2 : 1;
    if (right <= left) j += right > 0xffff ? 2 : 1;
  }
  return only;
};
