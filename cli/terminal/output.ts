// The only place that writes to the terminal: lines for people, JSON for machines. Characters that would act on the
// terminal are made visible. Here are also the numbers that commands read from flags.
import { writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { UsageError } from '../../client/connect/errors.ts';
import { IS_INSTALLED, PROJECT_ROOT } from '../../deploy/host/home.ts';
import type { Say } from '../../deploy/host/run-command.ts';
import type { TimeText } from '../../evolution/run-states.ts';
import { inJson } from '../../evolution/visible.ts';
import { folded, heightOf, shown, widthOf } from './screen.ts';

type Sink = Pick<NodeJS.WritableStream, 'write'>;

/** Writes a line to a stream that shows progress; `line` and `note` are for the two usual ones. */
export const lineTo = (sink: Sink, text: string): void => {
  sink.write(`${shown(text)}\n`);
};
/** Our command outside of the clone, where `npx evolve` would fetch a stranger's package and `npm start` start another one. */
const COMMAND = IS_INSTALLED ? 'npx durable-evolve' : join(PROJECT_ROOT, 'node_modules', '.bin', 'evolve');
/** Commands in a text as they are typed in this folder. */
export const typedIn = (folder: string, text: string): string =>
  `${folder}${sep}`.startsWith(`${PROJECT_ROOT}${sep}`)
    ? text
    : text.replaceAll('npx evolve', COMMAND).replaceAll('npm start', `${COMMAND} start`);
const STARTED_IN = process.cwd();
const typedHere = (text: string): string => typedIn(STARTED_IN, text);
export const line = (text = ''): void => lineTo(process.stdout, typedHere(text));
/** Prints progress and warnings, apart from the result. */
export const note = (text: string): void => lineTo(process.stderr, typedHere(text));
/** Prose for a stream, folded where a line is wider than the terminal. */
const prose = (texts: readonly string[], sink: NodeJS.WriteStream): readonly string[] =>
  texts.flatMap((text) => folded(typedHere(text), widthOf(sink)));
export const lines = (texts: readonly string[]): void => {
  for (const text of prose(texts, process.stdout)) line(text);
};
/** Does the same, apart from the result. */
export const notes = (texts: readonly string[]): void => {
  for (const text of prose(texts, process.stderr)) note(text);
};
/** The help of a command, as commander has written it. */
export const help = (text: string): void => {
  process.stdout.write(shown(prose(text.split('\n'), process.stdout).join('\n')));
};
/** Prints the message of commander on a wrong command line. */
export const complaint = (text: string): void => {
  process.stderr.write(shown(typedHere(text)));
};
/** Prints a program, a solution or an artifact: byte for byte into a pipe or a file, and visible on a terminal. */
export const content = (text: string | Buffer): void => {
  if (typeof text !== 'string' && process.stdout.isTTY)
    throw new UsageError('a picture is no text for a terminal: write it into a file (> picture.png)');
  process.stdout.write(process.stdout.isTTY ? `${shown(String(text).trimEnd())}\n` : text);
};
/** Prints a document that ends its own lines, such as CSV. */
export const document = (text: string): void => {
  process.stdout.write(process.stdout.isTTY ? shown(text.replaceAll('\r\n', '\n')) : text);
};
/** Writes such a document into a file and says so, or prints it where the file is `-`. */
export const writeText = (file: string, text: string, done = `wrote ${file}`): void => {
  if (file === '-') return document(text);
  writeFileSync(file, text);
  note(done);
};
/** The text of a JSON document for people and machines. */
export const jsonText = (value: unknown, indent?: number): string => inJson(JSON.stringify(value, null, indent));
export const json = (value: unknown): void => lineTo(process.stdout, jsonText(value, 2));
/**
 * Prints the value with `--json`, else its lines, which are made for the window of the terminal. `whole`: they hold
 * programs or addresses, which are not folded.
 */
export const answer = (
  { json: asJson }: { readonly json: boolean },
  value: unknown,
  linesOf: (width: number, height: number) => readonly string[],
  { whole = false }: { readonly whole?: boolean } = {},
): void => {
  if (asJson) return json(value);
  const texts = linesOf(widthOf(process.stdout), heightOf(process.stdout));
  if (whole) for (const text of texts) line(text);
  else lines(texts);
};
/** Prints one object a line. */
export const jsonLine = (value: unknown): void => lineTo(process.stdout, jsonText(value));
/** Moves the cursor of a terminal, by a sequence that this program made. */
export const moveCursor = (sink: Sink, sequence: string): void => {
  sink.write(sequence);
};
/** Ends the process when all that was printed has left it. */
export const endWhenWritten = (): void => {
  process.stdout.write('', () => process.exit());
};

/** Shows a score with 10 significant digits, because three decimals hide all progress near a record. */
export const score = (value: number | null | undefined): string =>
  value === null || value === undefined ? 'none' : String(Number(value.toPrecision(10)));

/** The tolerant and the strict score, or one number where they are written alike. */
export const scores = (best: { readonly score: number; readonly strictScore: number | null }): string =>
  score(best.score) === score(best.strictScore)
    ? score(best.score)
    : `${score(best.score)} tolerant, ${score(best.strictScore)} strict`;

/** The texts of a local time: `2026-11-21 10:01`, with or without its seconds. The zone is named once beside them. */
export const secondText = (at: Date): string => at.toLocaleString('sv-SE');
export const minuteText = (at: Date): string => secondText(at).slice(0, 16);
/** `CET`; a table names it in its head. */
export const zoneText = (at = new Date()): string =>
  new Intl.DateTimeFormat('en', { timeZoneName: 'short' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')!.value;
/** The local time, for texts that evolution/ makes. */
export const LOCAL: TimeText = (iso) => [secondText(new Date(iso)), zoneText(new Date(iso))];

/** Prints one line of progress: the part in a column, then the choice and its reason. */
export const sayer =
  (print: (text: string) => void): Say =>
  (part, message) =>
    print(`${part.padEnd(10)} ${message}`);

/** A whole number of at least `min`. */
export const wholeFrom = (text: string, flag: string, min: number): number => {
  const value = /^\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(value >= min))
    throw new UsageError(`${flag}: expected a whole number of at least ${min}, got ${JSON.stringify(text)}`);
  return value;
};

/** A number above 0. */
export const positiveFrom = (text: string, flag: string): number => {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!(Number.isFinite(value) && value > 0))
    throw new UsageError(`${flag}: expected a positive number, got ${JSON.stringify(text)}`);
  return value;
};
