// Tables of all views: their heads, their boxes that scroll, cells of numbers.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

type Children = { readonly children: ComponentChildren };
/** A column of words by its name, a column of numbers by `figures`. */
type Column = string | { readonly of: string };

/** A column of numbers, which stand at the right. */
export const figures = (...names: readonly string[]): readonly { readonly of: string }[] => names.map((of) => ({ of }));

/** The names of a table's columns; those of words as they are, those of numbers by `figures`. */
export const Head = ({ columns }: { readonly columns: readonly Column[] }) => (
  <thead>
    <tr>
      {columns.map((column) =>
        typeof column === 'string' ? (
          <th scope="col">{column}</th>
        ) : (
          <th scope="col" class="number">
            {column.of}
          </th>
        ),
      )}
    </tr>
  </thead>
);

/** A box that scrolls by itself where its content is wider. The keyboard reaches it too. */
export const Scroll = ({ label, children }: Children & { readonly label: string }) => (
  <div class="scroll" tabIndex={0} role="group" aria-label={label}>
    {children}
  </div>
);

type TableProps = Children & {
  readonly label: string;
  readonly caption?: string;
  readonly class?: string;
  readonly columns: readonly Column[];
  /** On a phone each row is a list, in which each cell has the name of its column before it. */
  readonly stacked?: boolean;
};

/** Each cell knows the name of its column, which a phone shows beside it. */
const useNamedCells = (columns: readonly Column[] | null) => {
  const body = useRef<HTMLTableSectionElement>(null);
  useEffect(() => {
    if (columns === null) return;
    const names = columns.map((column) => (typeof column === 'string' ? column : column.of));
    for (const { cells } of body.current!.rows)
      for (const [index, cell] of [...cells].entries()) cell.dataset['of'] = names[index] ?? '';
  });
  return body;
};

/** A table in a box of its own. `children` are its rows. */
export const Table = ({ label, caption, class: name = '', columns, stacked = false, children }: TableProps) => {
  const body = useNamedCells(stacked ? columns : null);
  return (
    <Scroll label={label}>
      <table class={stacked ? `stacked ${name}` : name}>
        {caption === undefined ? null : <caption class="unseen">{caption}</caption>}
        <Head columns={columns} />
        <tbody ref={body}>{children}</tbody>
      </table>
    </Scroll>
  );
};

/** The cells of a row that hold numbers. */
export const Numbers = ({ of }: { readonly of: readonly ComponentChildren[] }) => (
  <>
    {of.map((one) => (
      <td class="number">{one}</td>
    ))}
  </>
);
