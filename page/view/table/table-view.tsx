// All programs of a run in one table: sorted, filtered, searched, and as a file.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RowQuery } from '../../data/order.ts';
import { firstOfStep, rowOf, type Rows } from '../../data/rows.ts';
import {
  needsFeatures,
  needsPaid,
  numberIn,
  rowQueryOf,
  sortOf,
  type TableColumn,
  tableStateOf,
} from '../../data/table.ts';
import { Nothing } from '../base/parts.tsx';
import { route, setQuery } from '../base/state.ts';
import { count, shown } from '../base/text.ts';
import type { RunViewProps } from '../base/view.ts';
import { useRows } from '../rows/rows.ts';
import { askOrder } from '../rows/thread.ts';
import { columnsFor } from './cells.ts';
import { download } from './download.ts';
import { Chosen, Filters } from './filters.tsx';
import { Grid } from './grid.tsx';
import { type Search, useSearch } from './search.ts';

type Ordered = { readonly of: Rows; readonly query: RowQuery; readonly rows: Uint32Array; readonly ms: number };

/** Asks the worker for one order at a time; what became stale meanwhile is not asked for any more. */
const useOrder = (
  run: string,
  rows: Rows | null,
  query: RowQuery | null,
): { readonly now: Ordered | null; readonly error: string | null } => {
  const [now, setNow] = useState<Ordered | null>(null);
  const [error, setError] = useState<string | null>(null);
  const wanted = useRef<{ readonly rows: Rows; readonly query: RowQuery } | null>(null);
  const busy = useRef(false);
  const there = useRef(true);
  useEffect(
    () => () => {
      there.current = false;
    },
    [],
  );
  const next = async (): Promise<void> => {
    while (wanted.current !== null && there.current) {
      const { rows: of, query: by } = wanted.current;
      wanted.current = null;
      try {
        const done = await askOrder(run, of, by);
        if (wanted.current === null && there.current) setNow({ of, query: by, ...done });
        setError(null);
      } catch (failed) {
        setError(failed instanceof Error ? failed.message : String(failed));
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

export const TableView = ({ run }: RunViewProps) => {
  const { query } = route.value;
  const address = query.toString();
  const state = useMemo(() => tableStateOf(query), [address]);
  const width = useWidth();
  const searching = state.text !== '';
  const columns = useMemo(() => state.columns ?? columnsFor(width, searching), [state.columns, width, searching]);
  const sets = [
    'base' as const,
    ...(needsPaid(state, columns) ? ['paid' as const] : []),
    ...(needsFeatures(state, columns) ? ['features' as const] : []),
  ];
  const { rows, error } = useRows(run, sets).value;
  const descends = rows?.better !== 'less';
  const search = useSearch(run, rows, state);
  const found = search?.rows ?? null;
  const rowQuery = useMemo(
    () => (rows === null ? null : rowQueryOf(state, rows, { found, descends })),
    [rows, state, found, descends],
  );
  const { now, error: failed } = useOrder(run, rows, rowQuery);
  const [jump, setJump] = useState<{ readonly place: number } | null>(null);
  if (rows === null || now === null)
    return error === null && failed === null ? (
      <p class="busy" role="status">
        Reading the programs …
      </p>
    ) : (
      <p class="error" role="alert">
        {shown(error?.message ?? failed ?? '')}
      </p>
    );
  if (rows.rows === 0) return <Nothing>No program yet. They appear here when the first step is committed.</Nothing>;
  // What the worker has not answered yet is shown as it was.
  const shownRows = sets.every((set) => set === 'base' || hasSet(now.of, set)) ? now.of : rows;
  const onSort = (column: TableColumn): void => {
    const { sort, descending } = now.query;
    const name = sortOf(column);
    const first = name === 'score' || name === 'strict' ? descends : name === 'record' || name === 'change';
    setQuery({ sort: name === 'row' ? 'id' : name, order: (sort === name ? !descending : first) ? 'desc' : 'asc' });
  };
  return (
    <section class="programs" aria-labelledby="programs-title">
      <h2 id="programs-title" class="unseen">
        Programs
      </h2>
      <Filters rows={rows} state={state} open={width >= 700 || address !== ''} />
      <div class="controls">
        <p class="shown-count" role="status">
          <b>{count(now.rows.length)}</b> of {count(rows.rows)} programs (with the initial one)
        </p>
        {search === null ? null : <Progress search={search} />}
        <Jump
          onJump={(text) => {
            const place = placeOf(text, run, now);
            if (place !== null) setJump(place);
            return place !== null;
          }}
        />
        <button type="button" onClick={() => download(run, shownRows, now.rows, columns)}>
          Save as CSV
        </button>
        <Chosen columns={columns} />
      </div>
      {now.rows.length === 0 ? (
        <Nothing>
          No program fits.{' '}
          <button
            type="button"
            onClick={() =>
              setQuery({
                outcome: null,
                step: null,
                island: null,
                model: null,
                score: null,
                only: null,
                q: null,
                in: null,
              })
            }
          >
            Show all
          </button>
        </Nothing>
      ) : (
        <Grid
          run={run}
          rows={shownRows}
          order={now.rows}
          columns={columns}
          sorted={now.query}
          onSort={onSort}
          excerpts={search?.excerpts ?? null}
          jump={jump}
        />
      )}
    </section>
  );
};

const hasSet = (rows: Rows, set: 'paid' | 'features'): boolean => (set === 'paid' ? 'cost' : 'reward') in rows.column;

/** The place of a program, or of the first one of a step, in the order that is shown. */
const placeOf = (text: string, run: string, { of, rows }: Ordered): { readonly place: number } | null => {
  const step = numberIn(text);
  const row = step === null ? Math.max(rowOf(of, text), rowOf(of, `${run}:${text}`)) : firstOfStep(of, step);
  const last = step === null ? row : firstOfStep(of, step + 1) - 1;
  const place = rows.findIndex((one) => one >= row && one <= last);
  return row < 0 || place < 0 ? null : { place };
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
