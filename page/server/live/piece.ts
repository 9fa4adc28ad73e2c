// A piece of news with what comes with it, written once for all who want the same with it.
import type { ColumnSet } from '../../data/columns.ts';
import { editOf } from '../../data/edit.ts';
import type { LiveEvent, ToldAnswer, ToldEdit } from '../../data/live.ts';

/** What a follower of a run may want with its news. */
export type Want = ColumnSet | ToldAnswer;

export type Piece = {
  readonly kind: LiveEvent['kind'];
  /** `known`: answers whose last version the follower has. */
  readonly bytes: (wants: ReadonlySet<Want>, known: ReadonlySet<Want>) => Uint8Array;
  /** Answers that are in it. */
  readonly answers: readonly ToldAnswer[];
};

const eventBytes = (event: LiveEvent): Uint8Array => Buffer.from(`data: ${JSON.stringify(event)}\n\n`);

/** Nothing comes with it. */
export const plainPiece = (event: LiveEvent): Piece => {
  let bytes: Uint8Array | null = null;
  return { kind: event.kind, answers: [], bytes: () => (bytes ??= eventBytes(event)) };
};

/** New rows, with the columns of each set that somebody wants, encoded. */
export const rowsPiece = (
  event: Extract<LiveEvent, { kind: 'rows' }>,
  columns: ReadonlyMap<ColumnSet, Uint8Array>,
): Piece => {
  const sets = [...columns].map(([set, bytes]) => [set, Buffer.from(bytes).toString('base64')] as const);
  const written = new Map<string, Uint8Array>();
  return {
    kind: 'rows',
    answers: [],
    bytes(wants) {
      const wanted = sets.filter(([set]) => wants.has(set));
      const key = wanted.map(([set]) => set).join();
      const bytes =
        written.get(key) ?? eventBytes(wanted.length === 0 ? event : { ...event, columns: Object.fromEntries(wanted) });
      written.set(key, bytes);
      return bytes;
    },
  };
};

/** The answers that were told last, by name, which the next ones are told as edits of. */
export class ToldAnswers {
  readonly #last = new Map<ToldAnswer, { readonly number: number; readonly text: string }>();

  /** That something of the run changed, with answers as they are now, as JSON; null for one that was not looked at. */
  piece(event: Extract<LiveEvent, { kind: 'run' }>, now: ReadonlyMap<ToldAnswer, string | null>): Piece {
    const told = [...now].map(([name, text]) => {
      const before = this.#last.get(name);
      if (text === null) return { name, whole: null, edit: null };
      if (before?.text === text) return { name, whole: wholeOf(before.number, text), edit: null };
      const number = (before?.number ?? 0) + 1;
      this.#last.set(name, { number, text });
      const whole = wholeOf(number, text);
      return { name, whole, edit: before ? { number, of: before.number, edit: editOf(before.text, text) } : whole };
    });
    const written = new Map<string, Uint8Array>();
    return {
      kind: 'run',
      answers: told.flatMap(({ name, whole }) => (whole === null ? [] : [name])),
      bytes(wants, known) {
        const answers = told
          .filter(({ name }) => wants.has(name))
          .map(({ name, whole, edit }) => [name, known.has(name) ? edit : whole] as const);
        const key = answers.map(([name]) => (known.has(name) ? `${name} edited` : name)).join();
        const bytes =
          written.get(key) ??
          eventBytes(answers.length === 0 ? event : { ...event, answers: Object.fromEntries(answers) });
        written.set(key, bytes);
        return bytes;
      },
    };
  }
}

const wholeOf = (number: number, text: string): ToldEdit => ({
  number,
  of: null,
  edit: { first: 0, text, last: 0 },
});
