// Draws what needs the rows of a run and its traits, when both are there.
import type { ComponentChildren } from 'preact';
import type { ColumnSet } from '../../api/rows/columns.ts';
import type { Rows } from '../../api/rows/rows.ts';
import type { Traits } from '../../api/run/traits.ts';
import { Nothing, When } from '../base/parts.tsx';
import { useTraits } from '../base/state.ts';
import { useRows } from './rows.ts';

type Props = {
  readonly run: string;
  readonly sets: readonly ColumnSet[];
  /** The sentence for a run without programs. */
  readonly empty: string;
  readonly children: (rows: Rows, traits: Traits) => ComponentChildren;
};

export const WithRows = ({ run, sets, empty, children }: Props) => {
  const traits = useTraits(run);
  const { rows, error, busy } = useRows(run, sets).value;
  return (
    <When answer={{ value: rows, error, busy }} what="the programs">
      {(there) => (
        <When answer={traits} what="what the run has">
          {(has) => (there.rows === 0 ? <Nothing>{empty}</Nothing> : children(there, has))}
        </When>
      )}
    </When>
  );
};
