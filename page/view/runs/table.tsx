// All runs as a dense table: a row each, sorted by the titles of its columns.
import { columnOf, COLUMNS, oneOf, type RunColumnName, type Sorted, sortedBy } from '../../api/run/run-columns.ts';
import type { RunCard } from '../../api/run/runs.ts';
import { route, setQuery } from '../base/state.ts';
import { Scroll } from '../base/tables.tsx';
import { Cell, Needs, Tick } from './cells.tsx';

/** The order that the address names: by its usual direction, or by the one that it says. */
export const sortedIn = (query: URLSearchParams): Sorted => {
  const sort = oneOf(COLUMNS, query.get('sort'), 'state');
  const order = query.get('order');
  return { sort, descending: order === null ? columnOf(sort).falls === true : order === 'desc' };
};
export const sortBy = (name: RunColumnName): void => {
  const { sort, descending } = sortedBy(name, sortedIn(route.value.query));
  setQuery({ sort, order: descending ? 'desc' : 'asc' });
};

type TableProps = { readonly runs: readonly RunCard[]; readonly columns: readonly RunColumnName[] };

export const RunTable = ({ runs, columns }: TableProps) => (
  <Scroll label="Runs, as a table">
    <table class="runs">
      <thead>
        <tr>
          <th scope="col">
            <Tick label="Select all runs in the table" runs={runs.map(({ run }) => run)} />
          </th>
          {columns.map((name) => (
            <Head key={name} name={name} />
          ))}
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <Row key={run.run} run={run} columns={columns} />
        ))}
      </tbody>
    </table>
  </Scroll>
);

const Head = ({ name }: { readonly name: RunColumnName }) => {
  const { title, number, unsorted } = columnOf(name);
  const { sort, descending } = sortedIn(route.value.query);
  const order = sort !== name ? undefined : descending ? 'descending' : 'ascending';
  return (
    <th scope="col" class={number ? 'number' : undefined} aria-sort={order}>
      {unsorted ? (
        title
      ) : (
        <button type="button" class="sorts" onClick={() => sortBy(name)}>
          {title}
          <span aria-hidden="true">{order === undefined ? '' : order === 'descending' ? ' ↓' : ' ↑'}</span>
        </button>
      )}
    </th>
  );
};

const Row = ({ run, columns }: Pick<TableProps, 'columns'> & { readonly run: RunCard }) => (
  <>
    <tr class={run.next.urgent ? 'urgent' : undefined}>
      <td>
        <Tick label={`Select ${run.run}`} runs={[run.run]} />
      </td>
      {columns.map((name) =>
        name === 'run' ? (
          <th key={name} scope="row">
            <Cell name={name} run={run} />
          </th>
        ) : (
          <td key={name} class={columnOf(name).number ? 'number' : undefined}>
            <Cell name={name} run={run} />
          </td>
        ),
      )}
    </tr>
    {run.next.urgent ? (
      <tr class="urgent why">
        <td colSpan={columns.length + 1}>
          <Needs run={run} />
        </td>
      </tr>
    ) : null}
  </>
);
