// Text for a terminal: its width, states in colour, folded lines. A pipe or a file gets every line whole and plain.
import { Help } from 'commander';
import { randomInt } from 'node:crypto';
import { stripVTControlCharacters, styleText } from 'node:util';
import type { RunStatus } from '../../evolution/run-states.ts';
import { visible } from '../../evolution/visible.ts';

type Stream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };

/** Columns that a line may take. */
export const widthOf = (stream: Stream): number => (stream.isTTY ? stream.columns || 80 : Infinity);
/** Lines of its window. */
export const heightOf = (stream: Stream): number => (stream.isTTY ? stream.rows || 24 : Infinity);

const STYLES = {
  queued: 'dim',
  opening: 'cyan',
  running: 'cyan',
  pausing: 'yellow',
  paused: 'yellow',
  stopping: 'yellow',
  retrying: 'red',
  'needs attention': 'red',
  resting: 'dim',
  stopped: 'yellow',
  finished: 'green',
  terminated: 'red',
} as const satisfies { readonly [state in RunStatus | 'resting']: string };

export type Paint = (text: string) => string;

/**
 * Colours of this process carry numbers that nobody else knows and that no terminal gets to see, so that `shown` tells
 * them from those that a candidate wrote into a text.
 */
const OURS = Array.from({ length: 4 }, () => randomInt(1000, 10_000)).join(';');
const OUR_COLOUR = new RegExp(`\\x1b\\[(\\d+);${OURS}m`, 'g');

const coloured = (style: Parameters<typeof styleText>[0], text: string, stream: Stream): string => {
  const [before = '', after = ''] = styleText(style, '\0', { stream })
    .split('\0')
    .map((codes) => codes.replaceAll('m', `;${OURS}m`));
  return before + text + after;
};

/** The text as a terminal may get it: with our colours, and with every other character that would act made visible. */
export const shown = (text: string): string => {
  const [first = '', ...rest] = text.split(OUR_COLOUR);
  // A split with a group gives text and number in turn.
  return rest.reduce((all, part, index) => all + (index % 2 === 0 ? `\x1b[${part}m` : visible(part)), visible(first));
};

/**
 * Colours a text that begins with the name of a state, on a terminal that shows colours. It follows NO_COLOR,
 * FORCE_COLOR and TERM.
 */
export const statePaint =
  (stream: Stream): Paint =>
  (text) => {
    const state = Object.keys(STYLES).find((name) => text.startsWith(name)) as keyof typeof STYLES | undefined;
    return state === undefined ? text : coloured(STYLES[state], text, stream);
  };

const HEAD_WITH_STATE = new RegExp(`^((?:run|sweep) +\\S+ +)(${Object.keys(STYLES).join('|')})`);
/** Width of the label column of progress blocks. */
export const LABEL = 8;
export const isLabelled = (line: string): boolean => /^[a-z]{1,7} +$/.test(line.slice(0, LABEL));

/**
 * Paints a line of a progress block: its label dim, its state in colour, and what needs a person's attention in colour
 * too.
 */
export const blockPaint = (stream: Stream): Paint => {
  const state = statePaint(stream);
  return (line) => {
    if (!isLabelled(line)) return line;
    const [label, text] = [line.slice(0, LABEL), line.slice(LABEL)];
    const dim = coloured('dim', label, stream);
    if (label.trim() === 'look') return dim + coloured('red', text, stream);
    const head = HEAD_WITH_STATE.exec(line);
    return head === null ? dim + text : dim + head[1]!.slice(LABEL) + state(head[2]!) + line.slice(head[0].length);
  };
};

/** Cut to the width, with an ellipsis where something is lost. */
export const clip = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;

/** Cuts a text in the middle, because both ends of an id tell something. */
export const cutMiddle = (text: string, width: number): string => {
  if (text.length <= width) return text;
  const end = Math.floor((width - 1) / 2);
  return `${text.slice(0, Math.max(0, width - 1 - end))}…${end > 0 ? text.slice(-end) : ''}`;
};

/**
 * An address of the Temporal UI. Where it does not fit, the UI and what to look for there, because half an address
 * leads nowhere.
 */
export const urlText = (url: string, width: number): string => {
  const [, base, id] = /^(.*)\/namespaces\/[^/]+\/workflows\/([^/]+)$/.exec(url) ?? [];
  return url.length <= width || base === undefined ? url : clip(`${base}  workflow ${decodeURIComponent(id!)}`, width);
};

const wrapped = (head: string, body: string, width: number): readonly string[] =>
  Object.assign(new Help(), { minWidthToWrap: 1 })
    .boxWrap(body, width - head.length)
    .split('\n')
    .map((text, index) => (index === 0 ? head : ' '.repeat(head.length)) + text.trimEnd());

/**
 * Folds a line at spaces into lines that fit; what follows stands under the second column, or two columns further in. A
 * command stays one command: each of its lines but the last ends in a backslash, and what it does comes below. A single
 * word that is longer than the line stays whole.
 */
export const folded = (line: string, width: number): readonly string[] => {
  if (stripVTControlCharacters(line).length <= width) return [line];
  const indent = /^ */.exec(line)![0];
  const command = /^ *(npx evolve (?:\S+ ?)*\S+)(?: {2,}(.*))?$/.exec(line);
  if (command !== null) {
    const parts = wrapped(indent, command[1]!, width - 2);
    return [
      ...parts.map((part, index) => (index < parts.length - 1 ? `${part} \\` : part)),
      ...(command[2] ? wrapped(`${indent}    `, command[2], width) : []),
    ];
  }
  const column = /^ *\S+ {2,}/.exec(line)?.[0] ?? indent;
  return column.length > width / 2
    ? wrapped(indent, line.slice(indent.length), width)
    : wrapped(column, line.slice(column.length), width);
};
