// Redraws a block of lines in place on a terminal, with plain ANSI.
type Terminal = { write(text: string): unknown; readonly columns?: number };

/** Rows that a line takes at a width. */
const rowsOf = (line: string, width: number): number => Math.max(1, Math.ceil(line.length / width));

/** Width of the label column of progress.ts. */
const LABEL = 8;
const DIM = '\x1b[2m';
const PLAIN = '\x1b[0m';

/** A label column is dimmed; NO_COLOR leaves it plain. */
const paint = (line: string, colour: boolean): string =>
  colour && /^[a-z]{1,7} +$/.test(line.slice(0, LABEL))
    ? `${DIM}${line.slice(0, LABEL)}${PLAIN}${line.slice(LABEL)}`
    : line;

type LiveBlock = {
  readonly draw: (lines: readonly string[]) => void;
  /** Leaves the last block standing; what is written next comes below it. */
  readonly end: () => void;
};

export const liveBlock = (terminal: Terminal, colour: boolean): LiveBlock => {
  let drawn: readonly string[] = [];
  return {
    draw(lines) {
      const width = terminal.columns || 80;
      const up = drawn.reduce((rows, line) => rows + rowsOf(line, width), 0);
      terminal.write(
        `${up > 0 ? `\x1b[${up}A\r` : ''}\x1b[0J${lines.map((line) => `${paint(line, colour)}\n`).join('')}`,
      );
      drawn = lines;
    },
    end() {
      drawn = [];
    },
  };
};
