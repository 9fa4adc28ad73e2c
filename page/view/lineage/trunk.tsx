// The way to a program in words: its ancestors in order, what each changed and what that was worth.
import { useState } from 'preact/hooks';
import { idOf, type Rows } from '../../api/rows/rows.ts';
import type { NarrationOf } from '../base/narration.ts';
import { Foreign } from '../base/parts.tsx';
import { programLink } from '../base/state.ts';
import { gain, score } from '../base/text.ts';
import { listedAtFirst } from './look.ts';

type Props = {
  readonly run: string;
  readonly rows: Rows;
  /** From the root to the program. */
  readonly trunk: readonly number[];
  readonly fits: Float64Array;
  readonly sign: 1 | -1;
  readonly narrationOf: NarrationOf;
};

export const Trunk = ({ run, rows, trunk, fits, sign, narrationOf }: Props) => {
  const [all, setAll] = useState(false);
  const listed = all ? trunk : listedAtFirst(trunk, fits);
  const left = trunk.length - listed.length;
  return (
    <section aria-labelledby="trunk-title" class="trunk">
      <h2 id="trunk-title">The way from the root, in words</h2>
      {left === 0 ? null : (
        <p class="soft">
          {left} ancestors are left out, most of them no better than their parents.{' '}
          <button type="button" onClick={() => setAll(true)}>
            Show all {trunk.length}
          </button>
        </p>
      )}
      <ol>
        {listed.map((row) => {
          const id = idOf(rows, row);
          const step = rows.column['step']![row]!;
          const parent = trunk[trunk.indexOf(row) - 1];
          const better = parent === undefined ? Number.NaN : fits[row]! - fits[parent]!;
          const delta = narrationOf(step, id)?.delta;
          return (
            <li class={better > 0 ? 'helped' : undefined}>
              <a href={programLink(run, id)}>{parent === undefined ? 'Root' : `Step ${step}`}</a>{' '}
              <span class="number">{Number.isNaN(fits[row]!) ? 'no score' : score(sign * fits[row]!)}</span>{' '}
              {Number.isNaN(better) ? null : (
                <span class={better > 0 ? 'badge good' : 'badge'}>
                  {better === 0 ? 'as its parent' : gain(sign * better)}
                </span>
              )}{' '}
              {delta === undefined ? null : <Foreign text={delta.summary.to} />}
            </li>
          );
        })}
      </ol>
    </section>
  );
};
