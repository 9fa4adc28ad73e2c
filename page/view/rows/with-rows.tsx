// Draws what needs the rows of a run and its traits, when both are there.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { fitsOf } from '../../api/pictures/ranked.ts';
import type { ColumnSet } from '../../api/rows/columns.ts';
import type { Rows } from '../../api/rows/rows.ts';
import type { Traits } from '../../api/run/traits.ts';
import { Nothing, When } from '../base/parts.tsx';
import { useTraits } from '../base/state.ts';
import { useRows } from './rows.ts';

export type Programs = {
  readonly run: string;
  readonly rows: Rows;
  readonly traits: Traits;
  /** The scores that rank them, with more as better; NaN for none. */
  readonly fits: Float64Array;
  /** -1 where smaller scores are better. */
  readonly sign: 1 | -1;
};

type Props = {
  readonly run: string;
  readonly sets: readonly ColumnSet[];
  /** The sentence for a run without programs. */
  readonly empty: string;
  readonly children: (programs: Programs) => ComponentChildren;
};

export const WithRows = ({ run, sets, empty, children }: Props) => {
  const answer = useTraits(run);
  const { rows, error, busy } = useRows(run, sets).value;
  const traits = answer.value;
  const fits = useMemo(() => (rows === null || traits === null ? null : fitsOf(rows, traits)), [rows, traits]);
  return (
    <When answer={{ value: rows, error, busy }} what="the programs">
      {(present) => (
        <When answer={answer} what="what the run has">
          {(has) =>
            present.rows === 0 ? (
              <Nothing>{empty}</Nothing>
            ) : (
              children({ run, rows: present, traits: has, fits: fits!, sign: has.direction === 'maximise' ? 1 : -1 })
            )
          }
        </When>
      )}
    </When>
  );
};
