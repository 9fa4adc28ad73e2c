// Cells of the map in words: the one that is looked at with its programs, and the best ones as a table.
import type { MapFold } from '../../api/pictures/map.ts';
import { columnOf, idOf, type Rows } from '../../api/rows/rows.ts';
import { programLink } from '../base/state.ts';
import { figures, Numbers, Table } from '../base/tables.tsx';
import { count, score } from '../base/text.ts';

type Programs = { readonly run: string; readonly rows: Rows; readonly fits: Float64Array; readonly sign: 1 | -1 };

type PanelProps = Programs & {
  /** Null where no cell is looked at. */
  readonly name: string | null;
  readonly held: number;
  /** The best of them. */
  readonly programs: readonly number[];
};

export const CellPanel = ({ run, rows, fits, sign, name, held, programs }: PanelProps) => (
  <aside class="card panel" aria-label="The cell that is looked at" aria-live="polite">
    {name === null ? (
      <p class="soft">Point at a cell, or go to it with the arrow keys, to see what it holds.</p>
    ) : (
      <>
        <h2>{name}</h2>
        {programs.length === 0 ? (
          <p class="soft">No valid program has been here up to this step.</p>
        ) : (
          <>
            <p>
              {held === 1 ? 'One valid program' : `${count(held)} valid programs`}
              {held > programs.length ? `, the best ${programs.length} of them` : ''}:
            </p>
            <ol class="held">
              {programs.map((row) => (
                <li>
                  <a href={programLink(run, idOf(rows, row))}>{score(sign * fits[row]!)}</a>{' '}
                  <span class="soft">
                    step {columnOf(rows, 'step')[row]!}, island {columnOf(rows, 'island')[row]!}
                  </span>
                </li>
              ))}
            </ol>
          </>
        )}
      </>
    )}
  </aside>
);

const LISTED = 40;

type BestProps = Programs & { readonly fold: MapFold; readonly nameOf: (cell: number) => string };

export const BestCells = ({ run, rows, fits, sign, fold, nameOf }: BestProps) => {
  const filled = [...fold.best.entries()]
    .filter(([, row]) => row >= 0)
    .sort(([, a], [, b]) => fits[b]! - fits[a]! || a - b);
  return (
    <Table
      label="The best cells"
      caption={`The best ${LISTED} cells`}
      columns={['cell', ...figures('best score', 'valid programs'), 'best program']}
    >
      {filled.slice(0, LISTED).map(([cell, row]) => (
        <tr>
          <td>{nameOf(cell)}</td>
          <Numbers of={[score(sign * fits[row]!), count(fold.held[cell]!)]} />
          <td>
            <a href={programLink(run, idOf(rows, row))}>{idOf(rows, row)}</a>
          </td>
        </tr>
      ))}
    </Table>
  );
};
