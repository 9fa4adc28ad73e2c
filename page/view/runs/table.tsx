// All runs as a dense table: a row each, sorted by its columns, with boxes to select runs.
import { useEffect, useRef } from 'preact/hooks';
import { columnOf, type RunColumnName, type Sorted, sortedBy } from '../../api/run/run-columns.ts';
import type { RunCard } from '../../api/run/runs.ts';
import { Scroll } from '../base/tables.tsx';
import { Cell, Needs, OfSweep } from './cells.tsx';
import { type Selection, ticked } from './selection.ts';

type TableProps = {
  readonly runs: readonly RunCard[];
  readonly columns: readonly RunColumnName[];
  readonly sorted: Sorted;
  readonly onSort: (sorted: Sorted) => void;
  readonly selection: Selection;
  readonly now: number;
};

export const RunTable = ({ runs, columns, sorted, onSort, selection, now }: TableProps) => (
  <Scroll label="Runs, as a table">
    <table class="runs">
      <thead>
        <tr>
          <th scope="col">
            <TickAll runs={runs} selection={selection} />
          </th>
          {columns.map((name) => (
            <Head key={name} name={name} sorted={sorted} onSort={onSort} />
          ))}
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <Row key={run.run} {...{ run, columns, selection, now }} />
        ))}
      </tbody>
    </table>
  </Scroll>
);

const TickAll = ({ runs, selection: { ticks, tick } }: Pick<TableProps, 'runs' | 'selection'>) => {
  const box = useRef<HTMLInputElement>(null);
  const names = runs.map(({ run }) => run);
  const state = ticked(ticks, names);
  useEffect(() => {
    box.current!.indeterminate = state === 'some';
  }, [state]);
  return (
    <input
      ref={box}
      type="checkbox"
      aria-label="Select all runs that are listed"
      checked={state === 'all'}
      onChange={({ currentTarget }) => tick(names, currentTarget.checked)}
    />
  );
};

/** The box that selects a run. */
export const TickRun = ({
  run,
  selection: { ticks, tick },
}: {
  readonly run: string;
  readonly selection: Selection;
}) => (
  <input
    type="checkbox"
    aria-label={`Select ${run}`}
    checked={ticks.has(run)}
    onChange={({ currentTarget }) => tick([run], currentTarget.checked)}
  />
);

type HeadProps = Pick<TableProps, 'sorted' | 'onSort'> & { readonly name: RunColumnName };

const Head = ({ name, sorted, onSort }: HeadProps) => {
  const { title, number, by } = columnOf(name);
  const here = sorted.sort === name;
  const arrow = here ? (sorted.descending ? ' ↓' : ' ↑') : '';
  return (
    <th
      scope="col"
      class={number ? 'number' : undefined}
      aria-sort={here ? (sorted.descending ? 'descending' : 'ascending') : undefined}
    >
      {by === undefined ? (
        title
      ) : (
        <button type="button" class="sorts" onClick={() => onSort(sortedBy(name, sorted))}>
          {title}
          <span aria-hidden="true">{arrow}</span>
        </button>
      )}
    </th>
  );
};

type RowProps = Pick<TableProps, 'columns' | 'selection' | 'now'> & { readonly run: RunCard };

const Row = ({ run, columns, selection, now }: RowProps) => {
  const { urgent } = run.next;
  return (
    <>
      <tr class={urgent ? 'urgent' : undefined}>
        <td>
          <TickRun run={run.run} selection={selection} />
        </td>
        {columns.map((name) =>
          name === 'run' ? (
            <th key={name} scope="row">
              <Cell {...{ name, run, now }} />
              <OfSweep run={run} />
            </th>
          ) : (
            <td key={name} class={columnOf(name).number ? 'number' : undefined}>
              <Cell {...{ name, run, now }} />
            </td>
          ),
        )}
      </tr>
      {urgent ? (
        <tr class="urgent why">
          <td colSpan={columns.length + 1}>
            <p class="needs">
              <Needs run={run} />
            </p>
          </td>
        </tr>
      ) : null}
    </>
  );
};
