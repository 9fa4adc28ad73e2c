// The grid of programs: only the rows that are seen are drawn. Arrows, Page, Home and End move the active row, and Enter
// opens it.
import { Component } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { idOf, parentOf, type Rows } from '../../data/rows.ts';
import { type SortName } from '../../data/order.ts';
import { sortOf, type TableColumn } from '../../data/table.ts';
import { linkTo } from '../base/state.ts';
import { CELLS } from './cells.ts';
import { useWindow } from './window.ts';

const ROW_PX = 32;
const HEAD_PX = 36;
const EXCERPT_PX = 240;

type Sorted = { readonly sort: SortName; readonly descending: boolean };
type GridProps = {
  readonly run: string;
  readonly rows: Rows;
  readonly order: Uint32Array;
  readonly columns: readonly TableColumn[];
  readonly sorted: Sorted;
  readonly onSort: (column: TableColumn) => void;
  /** What was found in rows, by row; it stands beside the first column. */
  readonly excerpts: ReadonlyMap<number, string> | null;
  /** A place in the order to go to; another object each time that one is to go there. */
  readonly jump: { readonly place: number } | null;
};

const trackOf = (width: number): string => `minmax(${width}px, ${width}fr)`;

const programLink = (run: string, rows: Rows, row: number): string => linkTo(['run', run, 'program', idOf(rows, row)]);

export const Grid = ({ run, rows, order, columns, sorted, onSort, excerpts, jump }: GridProps) => {
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const { first, end, reveal, page } = useWindow(scroller, { count: order.length, rowPx: ROW_PX, headPx: HEAD_PX });
  const at = Math.max(0, Math.min(active, order.length - 1));
  const widths = columns.map((name) => CELLS[name].width);
  const template = [
    ...widths.slice(0, 1).map(trackOf),
    ...(excerpts === null ? [] : [`minmax(${EXCERPT_PX}px, ${3 * EXCERPT_PX}fr)`]),
    ...widths.slice(1).map(trackOf),
  ].join(' ');
  const wide = widths.reduce((sum, width) => sum + width, excerpts === null ? 0 : EXCERPT_PX);
  const go = (place: number): void => {
    const to = Math.max(0, Math.min(order.length - 1, place));
    setActive(to);
    reveal(to);
  };
  useEffect(() => {
    if (jump === null) return;
    go(jump.place);
    scroller.current?.focus({ preventScroll: true });
  }, [jump]);
  const onKeyDown = (event: KeyboardEvent): void => {
    // Keys of a button of the header are that button's.
    if (event.target !== scroller.current) return;
    const moves: { readonly [key: string]: () => void } = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      PageDown: () => go(at + page()),
      PageUp: () => go(at - page()),
      Home: () => go(0),
      End: () => go(order.length - 1),
      Enter: () => {
        const row = order[at];
        if (row !== undefined) location.hash = programLink(run, rows, row);
      },
    };
    const move = moves[event.key];
    if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move();
  };
  const drawn = [...order.subarray(first, end)];
  return (
    <div
      class="grid"
      role="grid"
      tabIndex={0}
      ref={scroller}
      style={{ '--columns': template }}
      aria-label="Programs"
      aria-rowcount={order.length + 1}
      aria-colcount={columns.length + (excerpts === null ? 0 : 1)}
      aria-activedescendant={at >= first && at < end ? `row-${at}` : undefined}
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup" class="grid-head" style={{ minWidth: `${wide}px` }}>
        <div role="row" aria-rowindex={1} class="grid-row">
          <Head name={columns[0]!} sorted={sorted} onSort={onSort} />
          {excerpts === null ? null : <div role="columnheader">found</div>}
          {columns.slice(1).map((name) => (
            <Head key={name} name={name} sorted={sorted} onSort={onSort} />
          ))}
        </div>
      </div>
      <div role="rowgroup" class="grid-body" style={{ height: `${order.length * ROW_PX}px`, minWidth: `${wide}px` }}>
        {drawn.map((row, index) => (
          <Row
            key={first + index}
            place={first + index}
            row={row}
            active={first + index === at}
            excerpt={excerpts === null ? null : (excerpts.get(row) ?? '')}
            run={run}
            rows={rows}
            columns={columns}
            onActive={setActive}
          />
        ))}
      </div>
    </div>
  );
};

type RowProps = {
  readonly place: number;
  readonly row: number;
  readonly active: boolean;
  readonly excerpt: string | null;
  readonly run: string;
  readonly rows: Rows;
  readonly columns: readonly TableColumn[];
  readonly onActive: (place: number) => void;
};

/** Is drawn again only when something of it is another, because scrolling must stay fluent. */
class Row extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const { place, row, active, excerpt, rows, columns } = this.props;
    return (
      next.place !== place ||
      next.row !== row ||
      next.active !== active ||
      next.excerpt !== excerpt ||
      next.columns !== columns ||
      // Rows that were there before are the same in longer columns.
      (next.rows !== rows && (next.rows.lineage !== rows.lineage || next.rows.names !== rows.names))
    );
  }

  override render() {
    const { place, row, active, excerpt, run, rows, columns, onActive } = this.props;
    const excerptCell =
      excerpt === null ? null : (
        <div key="found" role="gridcell" class="excerpt">
          <bdi>{excerpt}</bdi>
        </div>
      );
    return (
      <div
        id={`row-${place}`}
        role="row"
        aria-rowindex={place + 2}
        aria-selected={active}
        class={active ? 'grid-row active' : 'grid-row'}
        style={{ transform: `translateY(${place * ROW_PX}px)` }}
        onClick={() => onActive(place)}
        onDblClick={() => (location.hash = programLink(run, rows, row))}
      >
        <Cell name={columns[0]!} run={run} rows={rows} row={row} />
        {excerptCell}
        {columns.slice(1).map((name) => (
          <Cell key={name} name={name} run={run} rows={rows} row={row} />
        ))}
      </div>
    );
  }
}

const Head = ({
  name,
  sorted: { sort, descending },
  onSort,
}: {
  readonly name: TableColumn;
  readonly sorted: Sorted;
  readonly onSort: (column: TableColumn) => void;
}) => {
  const here = sort === sortOf(name);
  return (
    <div
      role="columnheader"
      class={CELLS[name].number ? 'number' : undefined}
      aria-sort={here ? (descending ? 'descending' : 'ascending') : 'none'}
    >
      <button type="button" onClick={() => onSort(name)}>
        {CELLS[name].title}
        <span aria-hidden="true">{here ? (descending ? ' ↓' : ' ↑') : ''}</span>
      </button>
    </div>
  );
};

const Cell = ({
  name,
  run,
  rows,
  row,
}: {
  readonly name: TableColumn;
  readonly run: string;
  readonly rows: Rows;
  readonly row: number;
}) => {
  const { text, number } = CELLS[name];
  const said = text(rows, row, run);
  if (name === 'id' || (name === 'parent' && said !== '–'))
    return (
      <div role="gridcell" class="long">
        <a tabIndex={-1} href={programLink(run, rows, name === 'id' ? row : parentOf(rows, row))}>
          {said}
        </a>
      </div>
    );
  if (name === 'outcome')
    return (
      <div role="gridcell">
        <span class={`outcome ${said.replaceAll(' ', '-')}`}>{said}</span>
      </div>
    );
  return (
    <div role="gridcell" class={number ? 'number' : name === 'model' ? 'long' : undefined}>
      {said}
    </div>
  );
};
