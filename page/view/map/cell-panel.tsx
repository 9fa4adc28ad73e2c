// Cells of the map in words: the one that is looked at with its programs, and the best ones as a table.
import type { MapFold } from '../../api/pictures/map.ts';
import { columnOf, idOf } from '../../api/rows/rows.ts';
import { programLink } from '../base/state.ts';
import type { Programs } from '../rows/with-rows.tsx';
import { Table } from '../base/tables.tsx';
import { alignedScores, count, score } from '../base/text.ts';

type PanelProps = Programs & {
  /** Null where no cell is looked at. */
  readonly name: string | null;
  readonly held: number;
  /** The best of them. */
  readonly best: readonly number[];
};

export const CellPanel = ({ run, rows, fits, sign, name, held, best }: PanelProps) => (
  <aside class="card panel" aria-label="The cell that is looked at" aria-live="polite">
    {name === null ? (
      <p class="soft">Point at a cell, or go to it with the arrow keys, to see what it holds.</p>
    ) : (
      <>
        <h2>{name}</h2>
        {best.length === 0 ? (
          <p class="soft">No valid program has been here up to this step.</p>
        ) : (
          <>
            <p>
              {held === 1 ? 'One valid program' : `${count(held)} valid programs`}
              {held > best.length ? `, the best ${best.length} of them` : ''}:
            </p>
            <ol class="held">
              {best.map((row) => (
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

type BestProps = Programs & {
  readonly fold: MapFold;
  readonly nameOf: (cell: number) => string;
  /** The rows that are listed, in their order; left out: the best of each cell. */
  readonly listed?: readonly number[];
};

export const BestCells = ({ run, rows, fits, sign, fold, nameOf, listed }: BestProps) => {
  const filled =
    listed?.map((row) => [fold.rows.cells.of[row]!, row] as const) ??
    [...fold.best.entries()].filter(([, row]) => row >= 0).sort(([, a], [, b]) => fits[b]! - fits[a]! || a - b);
  const first = filled.slice(0, LISTED);
  const scores = alignedScores(first.map(([, row]) => sign * fits[row]!));
  return (
    <Table
      label="The best, as a table"
      caption={`The first ${LISTED}`}
      of={first}
      columns={[
        ['place', ([cell]) => nameOf(cell)],
        ['best score', (_, index) => scores[index], 'number'],
        ['valid programs', ([cell]) => count(fold.held[cell]!), 'number'],
        ['best program', ([, row]) => <a href={programLink(run, idOf(rows, row))}>{idOf(rows, row)}</a>],
      ]}
    />
  );
};
