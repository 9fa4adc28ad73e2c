// The Pareto front beside the map: the better end of each axis, and the programs of the front as a table.
import type { Better } from '../../api/pictures/pareto.ts';
import { idOf } from '../../api/rows/rows.ts';
import { Select } from '../base/controls.tsx';
import { programLink, setQuery } from '../base/state.ts';
import { figures, Numbers, Table } from '../base/tables.tsx';
import { score } from '../base/text.ts';
import type { Programs } from '../rows/with-rows.tsx';
import { shortId } from '../table/cells.ts';
import { type Grid, textOf, titleOf } from './cells.ts';

type BetterProps = { readonly grid: Grid; readonly better: readonly [Better, Better] };

/** The score has its better end from the task. */
export const BetterEnds = ({ grid, better }: BetterProps) => (
  <>
    {(['x', 'y'] as const).map((name, index) =>
      grid[name].axis.feature === 'score' ? null : (
        <Select
          label={`better ${titleOf(grid[name].axis)}`}
          value={better[index]!}
          options={[
            [1, 'more'],
            [-1, 'less'],
          ]}
          onValue={(end) => setQuery({ [`${name}better`]: end })}
        />
      ),
    )}
  </>
);

type FrontProps = Programs & {
  readonly grid: Grid;
  readonly values: readonly [ArrayLike<number>, ArrayLike<number>];
  readonly front: readonly number[];
};

export const FrontTable = ({ run, rows, fits, sign, grid, values, front }: FrontProps) => (
  <Table
    label="The Pareto front, as a table"
    columns={['program', ...figures(titleOf(grid.x.axis), titleOf(grid.y.axis), 'score that ranks')]}
  >
    {front.map((row) => (
      <tr>
        <th scope="row">
          <a class="id" href={programLink(run, idOf(rows, row))}>
            {shortId(idOf(rows, row), run)}
          </a>
        </th>
        <Numbers
          of={[
            textOf(grid.x.axis, sign)(values[0][row]!),
            textOf(grid.y.axis, sign)(values[1][row]!),
            score(sign * fits[row]!),
          ]}
        />
      </tr>
    ))}
  </Table>
);
