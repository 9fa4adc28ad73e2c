// A difference of two texts as lines: blocks of equal and of changed lines, of which a page draws one column or two.
// Everything here is pure; the worker finds the blocks.

/** Lines `beforeFrom` to before `beforeTo` became lines `afterFrom` to before `afterTo`. */
export type Block = {
  readonly same: boolean;
  readonly beforeFrom: number;
  readonly beforeTo: number;
  readonly afterFrom: number;
  readonly afterTo: number;
};

/** Lengths in lines, as pairs: so many that are equal, then so many that went and so many that came, and so on. */
export type Lengths = Uint32Array;

export const linesOf = (text: string): readonly string[] => {
  const lines = text.split('\n');
  // The line feed that ends a text begins no line.
  if (lines.at(-1) === '') lines.pop();
  return lines;
};

/** Triples: lines that are equal, lines that went after them, lines that came in their place. */
export const blocksOf = (lengths: Lengths): readonly Block[] => {
  const blocks: Block[] = [];
  let [before, after] = [0, 0];
  const push = (same: boolean, went: number, came: number): void => {
    if (went + came > 0)
      blocks.push({ same, beforeFrom: before, beforeTo: before + went, afterFrom: after, afterTo: after + came });
    before += went;
    after += came;
  };
  for (let at = 0; at < lengths.length; at += 3) {
    push(true, lengths[at]!, lengths[at]!);
    push(false, lengths[at + 1]!, lengths[at + 2]!);
  }
  return blocks;
};

export type Part = { readonly count: number; readonly added?: boolean; readonly removed?: boolean };

/** The parts of jsdiff as triples. */
export const lengthsOf = (parts: readonly Part[]): Lengths => {
  const lengths: number[] = [];
  let open: [same: number, went: number, came: number] = [0, 0, 0];
  for (const { count, added, removed } of parts) {
    if (added) open[2] += count;
    else if (removed) {
      open[1] += count;
    } else {
      if (open[1] + open[2] > 0) {
        lengths.push(...open);
        open = [0, 0, 0];
      }
      open[0] += count;
    }
  }
  lengths.push(...open);
  return Uint32Array.from(lengths);
};

/** A line of one column: with its number before, after, or both. */
export type DiffLine =
  | { readonly kind: 'same'; readonly before: number; readonly after: number }
  | { readonly kind: 'went'; readonly before: number }
  | { readonly kind: 'came'; readonly after: number }
  /** Equal lines that are left out. */
  | { readonly kind: 'fold'; readonly block: number; readonly count: number };

/** Equal lines that are shown around a change. */
const AROUND = 3;

/** Blocks that are opened show all of their equal lines. */
export const foldedLines = (blocks: readonly Block[], opened: ReadonlySet<number>): readonly DiffLine[] => {
  const lines: DiffLine[] = [];
  for (const [index, { same, beforeFrom, beforeTo, afterFrom, afterTo }] of blocks.entries()) {
    if (!same) {
      for (let at = beforeFrom; at < beforeTo; at++) lines.push({ kind: 'went', before: at });
      for (let at = afterFrom; at < afterTo; at++) lines.push({ kind: 'came', after: at });
      continue;
    }
    const count = beforeTo - beforeFrom;
    const head = index === 0 ? 0 : AROUND;
    const tail = index === blocks.length - 1 ? 0 : AROUND;
    const whole = opened.has(index) || count <= head + tail + 1;
    for (let at = 0; at < count; at++) {
      if (whole || at < head || at >= count - tail)
        lines.push({ kind: 'same', before: beforeFrom + at, after: afterFrom + at });
      else if (at === head) lines.push({ kind: 'fold', block: index, count: count - head - tail });
    }
  }
  return lines;
};

/** Two lines side by side; a side without a line is null. */
export type Pair =
  | { readonly kind: 'pair'; readonly same: boolean; readonly before: number | null; readonly after: number | null }
  | Extract<DiffLine, { readonly kind: 'fold' }>;

/** Lines that went stand beside those that came in their place. */
export const paired = (lines: readonly DiffLine[]): readonly Pair[] => {
  const pairs: Pair[] = [];
  let went: number[] = [];
  let came: number[] = [];
  const flush = (): void => {
    for (let at = 0; at < Math.max(went.length, came.length); at++)
      pairs.push({ kind: 'pair', same: false, before: went[at] ?? null, after: came[at] ?? null });
    [went, came] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === 'went') went.push(line.before);
    else if (line.kind === 'came') came.push(line.after);
    else {
      flush();
      pairs.push(line.kind === 'fold' ? line : { kind: 'pair', same: true, before: line.before, after: line.after });
    }
  }
  flush();
  return pairs;
};

/** The lengths of the beginning and the end that two lines have in common; the middle is marked. */
export const commonEnds = (before: string, after: string): readonly [head: number, tail: number] => {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return [head, tail];
};
