// What is told of the program that is looked at in a lineage: its scores before and after, its change in full, and where
// to read on.
import type { ComponentChildren } from 'preact';
import { columnOf, idOf, parentOf, type Rows } from '../../data/rows.ts';
import type { Told } from '../../data/deltas.ts';
import { Figure, Foreign } from '../base/parts.tsx';
import { linkTo } from '../base/state.ts';
import { gain, score } from '../base/text.ts';
import { outcomeName } from '../run/outcome-names.ts';

type Props = {
  readonly run: string;
  readonly rows: Rows;
  readonly row: number;
  readonly fits: Float64Array;
  readonly sign: 1 | -1;
  readonly told: Told | null;
  readonly children?: ComponentChildren;
};

export const ProgramPanel = ({ run, rows, row, fits, sign, told, children }: Props) => {
  const id = idOf(rows, row);
  const parent = parentOf(rows, row);
  const outcome = rows.names.outcomes[columnOf(rows, 'outcome')[row]!] ?? '';
  const island = columnOf(rows, 'island')[row]!;
  const before = parent < 0 ? Number.NaN : fits[parent]!;
  const shown = (fit: number): string => (Number.isNaN(fit) ? 'none' : score(sign * fit));
  const delta = told?.delta;
  return (
    <aside class="card panel" aria-label="The program that is looked at">
      <h2>
        <a href={linkTo(['run', run, 'program', id])}>
          <Foreign text={id} />
        </a>
      </h2>
      <dl class="figures" aria-live="polite">
        <Figure name="score">{shown(fits[row]!)}</Figure>
        <Figure name="parent's score">{shown(before)}</Figure>
        <Figure name="change">{Number.isNaN(fits[row]! - before) ? '–' : gain(sign * (fits[row]! - before))}</Figure>
        <Figure name="outcome">{outcomeName(outcome)}</Figure>
        <Figure name="step">{columnOf(rows, 'step')[row]!}</Figure>
        <Figure name="island">
          {parent >= 0 && columnOf(rows, 'island')[parent] !== island
            ? `${columnOf(rows, 'island')[parent]} → ${island}`
            : island}
        </Figure>
      </dl>
      {delta === undefined ? null : (
        <div class="delta">
          {delta.status === 'missing' ? (
            <p class="soft">The model described no change; this is what the edit did.</p>
          ) : null}
          {delta.summary.from === '' ? null : (
            <p>
              <span class="soft">From</span> <Foreign text={delta.summary.from} />
            </p>
          )}
          <p>
            <span class="soft">To</span> <Foreign text={delta.summary.to} />
          </p>
          {delta.plan.length === 0 ? null : (
            <details>
              <summary>
                The plan: {delta.plan.length === 1 ? 'one component' : `${delta.plan.length} components`}
              </summary>
              <dl class="plan">
                {delta.plan.map(({ component, oldLogic, newLogic, hypothesis }) => (
                  <>
                    <dt>
                      <Foreign text={component} />
                    </dt>
                    <dd>
                      {oldLogic === '' ? null : (
                        <p class="soft">
                          <Foreign text={oldLogic} />
                        </p>
                      )}
                      <p>
                        <Foreign text={newLogic} />
                      </p>
                      {hypothesis === '' ? null : (
                        <p>
                          <em>
                            <Foreign text={hypothesis} />
                          </em>
                        </p>
                      )}
                    </dd>
                  </>
                ))}
              </dl>
            </details>
          )}
        </div>
      )}
      {told?.idea === undefined ? null : (
        <details>
          <summary>
            Its idea{told.idea.score === null || told.idea.score < 0 ? '' : `, judged ${told.idea.score} of 10`}
          </summary>
          <p class="idea">
            <Foreign text={told.idea.text} />
          </p>
        </details>
      )}
      <p class="links">
        <a href={linkTo(['run', run, 'program', id])}>Open it</a>
        {parent < 0 ? null : <a href={linkTo(['run', run, 'program', id], { show: 'parent' })}>Diff to its parent</a>}
        {children}
      </p>
    </aside>
  );
};
