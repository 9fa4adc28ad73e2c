// The figures behind a plot as a table, made when somebody opens it.
import { useState } from 'preact/hooks';

export type TableRows = { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** More rows than this are thinned evenly; the last one always stays. */
const MOST_ROWS = 60;

export const DataTable = ({ title, rows }: { readonly title: string; readonly rows: () => TableRows }) => {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>The figures as a table</summary>
      {open ? <Rows title={title} {...rows()} /> : null}
    </details>
  );
};

const Rows = ({ title, head, rows }: TableRows & { readonly title: string }) => {
  const every = Math.ceil(rows.length / MOST_ROWS);
  const shown = rows.filter((_, index) => index % every === 0 || index === rows.length - 1);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`${title}, as a table`}>
      <table>
        <caption class="unseen">{title}</caption>
        <thead>
          <tr>
            {head.map((name, index) => (
              <th scope="col" class={index === 0 ? '' : 'number'}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((cells) => (
            <tr>
              {cells.map((cell, index) => (
                <td class={index === 0 ? '' : 'number'}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {every > 1 ? (
        <p class="soft">
          One row of {every} is shown; the plot has all {rows.length}.
        </p>
      ) : null}
    </div>
  );
};
