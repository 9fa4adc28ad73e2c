// What is in the cell of the map that is looked at.
import { columnOf, idOf, type Rows } from '../../data/rows.ts';
import { linkTo } from '../base/state.ts';
import { count, score } from '../base/text.ts';

type Props = {
  readonly run: string;
  readonly rows: Rows;
  readonly fits: Float64Array;
  readonly sign: 1 | -1;
  /** Null where no cell is looked at. */
  readonly where: string | null;
  readonly held: number;
  /** The best of them. */
  readonly programs: readonly number[];
};

export const CellPanel = ({ run, rows, fits, sign, where, held, programs }: Props) => (
  <aside class="card panel" aria-label="The cell that is looked at" aria-live="polite">
    {where === null ? (
      <p class="soft">Point at a cell, or go to it with the arrow keys, to see what it holds.</p>
    ) : (
      <>
        <h2>{where}</h2>
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
                  <a href={linkTo(['run', run, 'program', idOf(rows, row)])}>{score(sign * fits[row]!)}</a>{' '}
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
