// A block of lines that is redrawn in place on a terminal and is never higher than its window. log-update moves the
// cursor; this file adds what a resize needs.
import { createLogUpdate } from 'log-update';
import { visible } from '../../evolution/visible.ts';
import { moveCursor } from './output.ts';
import { blockPaint, clip, isLabelled, LABEL, shown } from './screen.ts';

type Terminal = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };

type LiveBlock = {
  /** `lines` gives the block for a window of so many columns and rows, and is asked again when the window changes. */
  readonly draw: (lines: (columns: number, rows: number) => readonly string[]) => void;
  /** Leaves the last block standing, so that the next text comes below it. */
  readonly end: () => void;
};

export const liveBlock = (terminal: Terminal): LiveBlock => {
  const update = createLogUpdate(terminal as NodeJS.WriteStream, { showCursor: true });
  const paint = blockPaint(terminal);
  let lines: Parameters<LiveBlock['draw']>[0] | null = null;
  let drawn: readonly string[] = [];
  const redraw = (): void => {
    if (lines === null) return;
    const [columns, rows] = [terminal.columns || 80, terminal.rows || 24];
    // The cursor stands in the row below the block.
    const next = within(lines(columns, rows - 1), rows - 1).map((line) => clip(oneLine(line), columns));
    moveCursor(terminal, '\x1b[2K\x1b[1A'.repeat(foldedRows(drawn, columns)));
    update(next.map((line) => shown(paint(line))).join('\n'));
    drawn = next;
  };
  return {
    draw(next) {
      if (lines === null) terminal.on('resize', redraw);
      lines = next;
      redraw();
    },
    end() {
      terminal.off('resize', redraw);
      lines = null;
      drawn = [];
      update.done();
    },
  };
};

/** Made visible before it is cut, because that makes it longer; a line end in it would add a row. */
const oneLine = (line: string): string => visible(line).replaceAll(/[\n\t]/g, ' ');

/** The rows that a window that became narrower has added to what was drawn. log-update does not know of them. */
const foldedRows = (drawn: readonly string[], columns: number): number =>
  drawn.reduce((rows, line) => rows + Math.max(0, Math.ceil(line.length / columns) - 1), 0);

/** Labels of the rows that can be left out, the least needed first. Other rows are left out from below. */
const LEAST_FIRST = ['of', 'model', 'task', 'ui', 'tokens', 'speed', 'runs', 'made'] as const;
const KEPT: readonly string[] = ['run', 'sweep', 'step', 'best', 'look'];

/**
 * Keeps as many lines as there are rows. Empty lines and lines without a label, such as notes and hints, are left out
 * first.
 */
export const within = (lines: readonly string[], rows: number): readonly string[] => {
  const labels = lines.map((line) => (isLabelled(line) ? line.slice(0, LABEL).trim() : ''));
  // A line without a label of its own goes together with the label above it, as the command does under `look`.
  const isNote = (line: string, index: number): boolean =>
    line.startsWith(' '.repeat(LABEL)) && labels.slice(0, index).findLast((label) => label !== '') !== 'look';
  const order = [
    ...indices(lines, (line) => line.trim() === ''),
    ...indices(lines, (line) => line.startsWith('Ctrl-C')),
    ...indices(lines, isNote).reverse(),
    ...indices(lines, (_, index) => labels[index] === '').reverse(),
    ...LEAST_FIRST.flatMap((label) => indices(labels, (one) => one === label)),
    ...indices(labels, (label) => !KEPT.includes(label)).reverse(),
    ...indices(labels, (label) => label === 'look').reverse(),
    ...indices(labels, () => true).reverse(),
  ];
  const gone = new Set([...new Set(order)].slice(0, Math.max(0, lines.length - Math.max(1, rows))));
  return lines.filter((_, index) => !gone.has(index));
};

const indices = <T>(items: readonly T[], test: (item: T, index: number) => boolean): number[] =>
  items.flatMap((item, index) => (test(item, index) ? [index] : []));
