// All runs as a dense table: a row each, sorted by the titles of its columns.
import { columnOf, type RunColumnName, type Sorted, sortedBy } from '../../api/run/run-columns.ts';
import type { RunCard } from '../../api/run/runs.ts';
import { Scroll } from '../base/tables.tsx';
import { Cell, Needs, Tick } from './cells.tsx';
import type { Selection } from './selection.ts';

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
            <Tick label="Select all runs in the table" runs={runs.map(({ run }) => run)} selection={selection} />
          </th>
          {columns.map((name) => (
            <Head key={name} {...{ name, sorted, onSort }} />
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

type HeadProps = Pick<TableProps, 'sorted' | 'onSort'> & { readonly name: RunColumnName };

const Head = ({ name, sorted, onSort }: HeadProps) => {
  const { title, number, unsorted } = columnOf(name);
  const order = sorted.sort !== name ? undefined : sorted.descending ? 'descending' : 'ascending';
  return (
    <th scope="col" class={number ? 'number' : undefined} aria-sort={order}>
      {unsorted ? (
        title
      ) : (
        <button type="button" class="sorts" onClick={() => onSort(sortedBy(name, sorted))}>
          {title}
          <span aria-hidden="true">{order === undefined ? '' : order === 'descending' ? ' ↓' : ' ↑'}</span>
        </button>
      )}
    </th>
  );
};

type RowProps = Pick<TableProps, 'columns' | 'selection' | 'now'> & { readonly run: RunCard };

const Row = ({ run, columns, selection, now }: RowProps) => (
  <>
    <tr class={run.next.urgent ? 'urgent' : undefined}>
      <td>
        <Tick label={`Select ${run.run}`} runs={[run.run]} selection={selection} />
      </td>
      {columns.map((name) =>
        name === 'run' ? (
          <th key={name} scope="row">
            <Cell {...{ name, run, now }} />
          </th>
        ) : (
          <td key={name} class={columnOf(name).number ? 'number' : undefined}>
            <Cell {...{ name, run, now }} />
          </td>
        ),
      )}
    </tr>
    {run.next.urgent ? (
      <tr class="urgent why">
        <td colSpan={columns.length + 1}>
          <Needs {...{ run, now }} />
        </td>
      </tr>
    ) : null}
  </>
);
