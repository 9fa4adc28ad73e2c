// A search as a view sees it: rows that were found so far, while more are looked for. A page that was exported searches
// in itself, program by program.
import { useEffect, useRef, useState } from 'preact/hooks';
import { programPath, type ProgramFacts } from '../../api/program/programs.ts';
import { columnOf, idOf, rowOf, type Rows } from '../../api/rows/rows.ts';
import { MOST_FOUND, patternOf, searchIn, type SearchLine, searchPath } from '../../api/rows/search.ts';
import type { TableState } from '../../api/rows/table.ts';
import { SourceError } from '../base/source.ts';
import { theSource } from '../base/state.ts';
import { shown } from '../base/text.ts';

export type Search = {
  /** Rows, ascending. */
  readonly rows: Uint32Array;
  readonly excerpts: ReadonlyMap<number, string>;
  readonly read: number;
  readonly total: number;
  readonly ended: boolean;
  readonly full: boolean;
  /** Programs that an exported page does not hold. */
  readonly lacking: number;
  readonly error: string | null;
};

const NONE: Search = {
  ...{ rows: new Uint32Array(), excerpts: new Map(), read: 0, total: 0 },
  ...{ ended: false, full: false, lacking: 0, error: null },
};
/** The rows that were found are shown so often. */
const SHOWN_MS = 250;

/** The lines of a search in a page that was exported. */
async function* withinPage(
  run: string,
  rows: Rows,
  { text, searched }: TableState,
): AsyncGenerator<SearchLine & { lacking?: number }> {
  const pattern = patternOf(text);
  let [found, lacking] = [0, 0];
  for (let row = rows.rows - 1; row >= 0; row--) {
    const read = rows.rows - row;
    const id = idOf(rows, row);
    const facts = await theSource()
      .json<ProgramFacts>(programPath(run, id))
      .catch(() => null);
    if (facts === null) lacking++;
    const here =
      facts === null
        ? null
        : searchIn({ code: facts.code, change: facts.change, idea: facts.idea?.text ?? null }, pattern, searched);
    if (here !== null) {
      found++;
      yield { kind: 'found', id, step: columnOf(rows, 'step')[row]!, ...here };
    }
    if (read % 50 === 0) yield { kind: 'progress', read, total: rows.rows };
    if (found >= MOST_FOUND || row === 0) {
      yield { kind: 'end', read, total: rows.rows, full: found >= MOST_FOUND && row > 0, lacking };
      return;
    }
  }
}

/** Null where nothing is searched for. A search that was begun is not begun again because the run has grown. */
export const useSearch = (run: string, rows: Rows | null, state: TableState): Search | null => {
  const [search, setSearch] = useState<Search>(NONE);
  const newest = useRef(rows);
  newest.current = rows;
  const { text, searched } = state;
  const there = rows !== null;
  const lineage = rows?.lineage;
  useEffect(() => {
    if (text === '' || !there) return undefined;
    const control = new AbortController();
    const excerpts = new Map<number, string>();
    let now: Search = NONE;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (): void => {
      timer = undefined;
      if (control.signal.aborted) return;
      now = { ...now, excerpts: new Map(excerpts), rows: Uint32Array.from(excerpts.keys()).sort() };
      setSearch(now);
    };
    const take = (line: SearchLine & { readonly lacking?: number }): void => {
      if (line.kind === 'found') {
        const row = rowOf(newest.current!, line.id, line.step);
        if (row >= 0) excerpts.set(row, `${line.where}: ${shown(line.excerpt)}`);
      } else
        now = {
          ...now,
          read: line.read,
          total: line.total,
          ...(line.kind === 'end' ? { ended: true, full: line.full, lacking: line.lacking ?? 0 } : {}),
        };
      timer ??= setTimeout(show, SHOWN_MS);
    };
    const begin = async (): Promise<void> => {
      setSearch(NONE);
      try {
        if (theSource().site.exported === null)
          await theSource().lines<SearchLine>(searchPath(run, text, searched), take, control.signal);
        else
          for await (const line of withinPage(run, newest.current!, state)) {
            if (control.signal.aborted) return;
            take(line);
          }
      } catch (error) {
        if (control.signal.aborted) return;
        now = { ...now, ended: true, error: error instanceof SourceError ? error.message : String(error) };
      }
      if (!now.ended)
        now = { ...now, ended: true, error: 'The search ended before it had read all programs. Search again.' };
      show();
    };
    void begin();
    return () => {
      control.abort();
      clearTimeout(timer);
    };
  }, [run, text, searched.join(), there, lineage]);
  return text === '' ? null : search;
};
