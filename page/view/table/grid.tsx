// The grid of programs: only the rows that are seen are drawn. Arrows, Page, Home and End move the active row, and Enter
// opens it.
import { Component } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { idOf, parentOf, type Rows } from '../../api/rows/rows.ts';
import type { TableColumn } from '../../api/rows/order.ts';
import { programLink } from '../base/state.ts';
import { CELLS } from './cells.ts';
import { rowAfter, useWindow } from './window.ts';

const ROW_PX = 32;
const HEAD_PX = 36;
const EXCERPT_PX = 240;

type Sorted = { readonly sort: TableColumn; readonly descending: boolean };
type GridProps = {
  readonly run: string;
  readonly rows: Rows;
  readonly order: Uint32Array;
  readonly columns: readonly TableColumn[];
  readonly sorted: Sorted;
  readonly onSort: (column: TableColumn) => void;
  /** The texts that a search found in rows, by row; they stand beside the first column. */
  readonly excerpts: ReadonlyMap<number, string> | null;
  /** A place in the order to go to; another object each time that one is to go there. */
  readonly jump: { readonly place: number } | null;
};

const trackOf = (width: number): string => `minmax(${width}px, ${width}fr)`;

/** The widths of the columns for the stylesheet, and their least sum in pixels. */
const tracksOf = (
  columns: readonly TableColumn[],
  hasExcerpts: boolean,
): readonly [template: string, least: number] => {
  const [first, ...others] = columns.map((name) => CELLS[name].width);
  const excerpt = `minmax(${EXCERPT_PX}px, ${3 * EXCERPT_PX}fr)`;
  return [
    [trackOf(first!), ...(hasExcerpts ? [excerpt] : []), ...others.map(trackOf)].join(' '),
    others.reduce((sum, width) => sum + width, first! + (hasExcerpts ? EXCERPT_PX : 0)),
  ];
};

/** The row that keys act on, and the way to it. */
const useActiveRow = ({ run, rows, order, jump }: GridProps) => {
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const { first, end, reveal, page } = useWindow(scroller, { count: order.length, rowPx: ROW_PX, headPx: HEAD_PX });
  const last = order.length - 1;
  const at = Math.max(0, Math.min(active, last));
  const go = (place: number): void => {
    const to = Math.max(0, Math.min(last, place));
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
    if (event.target !== scroller.current || event.ctrlKey || event.metaKey || event.altKey) return;
    const place = rowAfter(event.key, at, { page: page(), last });
    const row = order[at];
    if (place !== null) go(place);
    else if (event.key !== 'Enter') return;
    else if (row !== undefined) location.hash = programLink(run, idOf(rows, row));
    event.preventDefault();
  };
  return { scroller, at, first, end, setActive, onKeyDown };
};

export const Grid = (props: GridProps) => {
  const { run, rows, order, columns, sorted, onSort, excerpts } = props;
  const { scroller, at, first, end, setActive, onKeyDown } = useActiveRow(props);
  const [template, least] = tracksOf(columns, excerpts !== null);
  const minWidth = `${least}px`;
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
      <div role="rowgroup" class="grid-head" style={{ minWidth }}>
        <div role="row" aria-rowindex={1} class="grid-row">
          <Head name={columns[0]!} sorted={sorted} onSort={onSort} />
          {excerpts === null ? null : <div role="columnheader">found</div>}
          {columns.slice(1).map((name) => (
            <Head key={name} name={name} sorted={sorted} onSort={onSort} />
          ))}
        </div>
      </div>
      <div role="rowgroup" class="grid-body" style={{ height: `${order.length * ROW_PX}px`, minWidth }}>
        {[...order.subarray(first, end)].map((row, index) => (
          <Row
            key={first + index}
            {...{ run, rows, row, columns }}
            place={first + index}
            active={first + index === at}
            excerpt={excerpts === null ? null : (excerpts.get(row) ?? '')}
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

/** A row, drawn again only when something of it is another, because scrolling must stay fluent. */
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
        onDblClick={() => (location.hash = programLink(run, idOf(rows, row)))}
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

type HeadProps = Pick<GridProps, 'sorted' | 'onSort'> & { readonly name: TableColumn };

const Head = ({ name, sorted: { sort, descending }, onSort }: HeadProps) => {
  const here = sort === name;
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

type CellProps = Pick<RowProps, 'run' | 'rows' | 'row'> & { readonly name: TableColumn };

const Cell = ({ name, run, rows, row }: CellProps) => {
  const { text: textOf, number } = CELLS[name];
  const text = textOf(rows, row, run);
  if (name === 'id' || (name === 'parent' && text !== '–'))
    return (
      <div role="gridcell" class="long" title={text}>
        <a tabIndex={-1} href={programLink(run, idOf(rows, name === 'id' ? row : parentOf(rows, row)))}>
          {text}
        </a>
      </div>
    );
  if (name === 'outcome')
    return (
      <div role="gridcell">
        <span class={`outcome ${text.replaceAll(' ', '-')}`}>{text}</span>
      </div>
    );
  const isLong = name === 'model' || name === 'mark';
  return (
    <div role="gridcell" class={number ? 'number' : isLong ? 'long' : undefined} title={isLong ? text : undefined}>
      {text}
    </div>
  );
};
