// Tables of all views, each made of its columns, and the boxes that scroll.
import type { ComponentChildren } from 'preact';

type ScrollProps = { readonly label: string; readonly children: ComponentChildren };

/** A box that scrolls by itself where its content is wider. The keyboard reaches it too. */
export const Scroll = ({ label, children }: ScrollProps) => (
  <div class="scroll" tabIndex={0} role="group" aria-label={label}>
    {children}
  </div>
);

/** The third is the class of its cells: those of a column of numbers are `number`, which stand at the right. */
export type Column<T> = readonly [
  title: string,
  cell: (row: T, index: number) => ComponentChildren,
  kind?: string | undefined,
];

type TableProps<T> = {
  readonly label: string;
  readonly caption?: string;
  readonly class?: string;
  readonly of: readonly T[];
  /** The first names the row. */
  readonly columns: readonly Column<T>[];
  readonly rowClass?: (row: T) => string;
  /** On a phone each row is a list, in which each cell has the name of its column before it. */
  readonly stacked?: boolean;
};

/** A table in a box of its own. */
export const Table = <T,>({ label, caption, class: name = '', of, columns, rowClass, stacked }: TableProps<T>) => (
  <Scroll label={label}>
    <table class={stacked ? `stacked ${name}` : name}>
      {caption === undefined ? null : <caption class="unseen">{caption}</caption>}
      <thead>
        <tr>
          {columns.map(([title, , kind]) => (
            <th scope="col" class={kind === 'number' ? kind : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {of.map((row, index) => (
          <tr class={rowClass?.(row)}>
            {columns.map(([title, cell, kind], place) =>
              place === 0 ? (
                <th scope="row" class={kind}>
                  {cell(row, index)}
                </th>
              ) : (
                <td class={kind} data-of={title}>
                  {cell(row, index)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);
