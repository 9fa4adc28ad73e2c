// All programs of a run in one table: sorted, filtered, searched, and as a file.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { withMarks } from '../../api/rows/marks.ts';
import type { RowQuery } from '../../api/rows/order.ts';
import type { Rows } from '../../api/rows/rows.ts';
import { hasSets, rowQueryOf, setsFor, tableStateOf } from '../../api/rows/table.ts';
import { Alert, Busy, Nothing } from '../base/parts.tsx';
import { route, setQuery } from '../base/state.ts';
import { count, shown } from '../base/text.ts';
import type { RunViewProps } from '../base/view.ts';
import { useProgramMarks } from '../rows/marks.ts';
import { useRows } from '../rows/rows.ts';
import { askOrder } from '../rows/thread.ts';
import { columnsFor } from './cells.ts';
import { download } from './download.ts';
import { Chosen, Filters } from './filters.tsx';
import { Grid } from './grid.tsx';
import { type Ordered, placeOf, sortQuery } from './order.ts';
import { type Search, useSearch } from './search.ts';

/** Asks the worker for one order at a time; a wish that became stale meanwhile is dropped. */
const useOrder = (run: string, rows: Rows | null, query: RowQuery | null) => {
  const [now, setNow] = useState<Ordered | null>(null);
  const [error, setError] = useState<string | null>(null);
  const wanted = useRef<{ readonly rows: Rows; readonly query: RowQuery } | null>(null);
  const busy = useRef(false);
  const there = useRef(true);
  useEffect(() => () => void (there.current = false), []);
  const next = async (): Promise<void> => {
    while (wanted.current !== null && there.current) {
      const { rows: of, query: by } = wanted.current;
      wanted.current = null;
      try {
        const { rows: order } = await askOrder(run, of, by);
        if (wanted.current === null && there.current) setNow({ of, query: by, order });
        setError(null);
      } catch (failure) {
        setError(failure instanceof Error ? failure.message : String(failure));
      }
    }
    busy.current = false;
  };
  useEffect(() => {
    if (rows === null || query === null) return;
    wanted.current = { rows, query };
    if (busy.current) return;
    busy.current = true;
    void next();
  }, [rows, query]);
  return { now, error };
};

const useWidth = (): number => {
  const [width, setWidth] = useState(innerWidth);
  useEffect(() => {
    const read = (): void => setWidth(innerWidth);
    addEventListener('resize', read);
    return () => removeEventListener('resize', read);
  }, []);
  return width;
};

/** The table that the address asks for: its columns, and its rows in their order as far as they have come. */
const useTable = (run: string) => {
  const { query } = route.value;
  const address = query.toString();
  const state = useMemo(() => tableStateOf(query), [address]);
  const width = useWidth();
  const searching = state.text !== '';
  const marks = useProgramMarks(run);
  const hasMarks = Object.keys(marks).length > 0;
  const columns = useMemo(
    () => state.columns ?? columnsFor(width, searching, hasMarks),
    [state.columns, width, searching, hasMarks],
  );
  const sets = setsFor(state, columns);
  const { rows: own, error } = useRows(run, sets).value;
  const rows = useMemo(() => (own === null ? null : withMarks(own, marks)), [own, marks]);
  const search = useSearch(run, rows, state);
  const found = search?.rows ?? null;
  const descends = rows?.better !== 'less';
  const rowQuery = useMemo(
    () => (rows === null ? null : rowQueryOf(state, rows, { found, descends })),
    [rows, state, found, descends],
  );
  const { now, error: failure } = useOrder(run, rows, rowQuery);
  return {
    ...{ state, columns, rows, search, now, descends },
    error: error?.message ?? failure,
    isOpen: width >= 700 || address !== '',
    // Rows that the worker has not ordered yet are shown as they were.
    shownRows: now !== null && hasSets(now.of, sets) ? now.of : rows,
  };
};

const ALL = Object.fromEntries(
  ['outcome', 'step', 'island', 'model', 'score', 'only', 'mark', 'q', 'in'].map((name) => [name, null]),
);

export const TableView = ({ run }: RunViewProps) => {
  const { state, columns, rows, shownRows, search, now, descends, error, isOpen } = useTable(run);
  const [jump, setJump] = useState<{ readonly place: number } | null>(null);
  if (rows === null || shownRows === null || now === null)
    return error === null ? <Busy>Reading the programs …</Busy> : <Alert>{shown(error)}</Alert>;
  if (rows.rows === 0) return <Nothing>No program yet. They appear here when the first step is committed.</Nothing>;
  const onJump = (text: string): boolean => {
    const place = placeOf(text, run, now);
    if (place !== null) setJump({ place });
    return place !== null;
  };
  return (
    <section class="programs" aria-labelledby="programs-title">
      <h2 id="programs-title" class="unseen">
        Programs
      </h2>
      <Filters rows={rows} state={state} open={isOpen} />
      <div class="controls">
        <p class="shown-count" role="status">
          <b>{count(now.order.length)}</b> of {count(rows.rows)} programs (with the initial one)
        </p>
        {search === null ? null : <Progress search={search} />}
        <Jump onJump={onJump} />
        <button type="button" onClick={() => download(run, shownRows, now.order, columns)}>
          Save as CSV
        </button>
        <Chosen columns={columns} />
      </div>
      {now.order.length === 0 ? (
        <Nothing>
          No program fits.{' '}
          <button type="button" onClick={() => setQuery(ALL)}>
            Show all
          </button>
        </Nothing>
      ) : (
        <Grid
          {...{ run, columns, jump, order: now.order, sorted: now.query }}
          rows={shownRows}
          onSort={(column) => setQuery(sortQuery(now.query, column, descends))}
          excerpts={search?.excerpts ?? null}
        />
      )}
    </section>
  );
};

/** `onJump` says whether there is such a row. */
const Jump = ({ onJump }: { readonly onJump: (text: string) => boolean }) => {
  const [text, setText] = useState('');
  const [lacking, setLacking] = useState(false);
  return (
    <form
      class="jump"
      onSubmit={(event) => {
        event.preventDefault();
        setLacking(text.trim() !== '' && !onJump(text.trim()));
      }}
    >
      <label>
        go to
        <input
          class="narrow"
          value={text}
          placeholder="step or program"
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <span role="status" class="soft">
        {lacking ? 'It is not among the rows that are shown.' : ''}
      </span>
    </form>
  );
};

const Progress = ({ search: { rows, read, total, ended, full, lacking, error } }: { readonly search: Search }) => (
  <p role="status" class={error === null ? 'soft' : 'away'}>
    {error ??
      (ended
        ? full
          ? `The first ${count(rows.length)} that were found; the newest are searched first.`
          : `Found in ${count(rows.length)}${lacking > 0 ? `; ${count(lacking)} programs are not in this file` : ''}.`
        : `Searching: ${count(read)} of ${total === 0 ? '…' : count(total)}, found in ${count(rows.length)}`)}
  </p>
);
