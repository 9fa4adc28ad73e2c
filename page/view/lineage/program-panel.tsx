// The programs of a lineage in words: the one that is looked at with its scores and its change, and the way to it from
// the root.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { columnOf, idOf, parentOf } from '../../api/rows/rows.ts';
import type { Narration } from '../../api/program/deltas.ts';
import { MarkBadge, MarkWords } from '../actions/mark.tsx';
import { Figure, Foreign } from '../base/parts.tsx';
import { programLink } from '../base/state.ts';
import { gain, outcomeName, score } from '../base/text.ts';
import { DeltaWords } from '../program/delta.tsx';
import { useProgramMarks } from '../rows/marks.ts';
import type { Programs } from '../rows/with-rows.tsx';
import { listedAtFirst } from './look.ts';
import type { NarrationOf } from './narration.ts';

type Props = Programs & {
  readonly row: number;
  readonly narration: Narration | null;
  readonly children?: ComponentChildren;
};

export const ProgramPanel = (props: Props) => {
  const { run, rows, row, narration, children } = props;
  const id = idOf(rows, row);
  const mark = useProgramMarks(run)[id];
  return (
    <aside class="card panel" aria-label="The program that is looked at">
      <h2>
        <a href={programLink(run, id)}>
          <Foreign text={id} />
        </a>
      </h2>
      {mark === undefined ? null : (
        <div>
          <MarkBadge mark={mark} />
          <MarkWords mark={mark} />
        </div>
      )}
      <Figures {...props} />
      {narration?.delta === undefined ? null : <Change delta={narration.delta} />}
      {narration?.idea === undefined ? null : <Idea idea={narration.idea} />}
      <p class="links">
        <a href={programLink(run, id)}>Open it</a>
        {parentOf(rows, row) < 0 ? null : <a href={programLink(run, id, 'parent')}>Diff to its parent</a>}
        {children}
      </p>
    </aside>
  );
};

const Figures = ({ rows, row, fits, sign }: Props) => {
  const parent = parentOf(rows, row);
  const outcome = rows.names.outcomes[columnOf(rows, 'outcome')[row]!] ?? '';
  const islands = columnOf(rows, 'island');
  const [own, before] = [fits[row]!, parent < 0 ? Number.NaN : fits[parent]!];
  const written = (fit: number): string => (Number.isNaN(fit) ? 'none' : score(sign * fit));
  const moved = parent >= 0 && islands[parent] !== islands[row];
  return (
    <dl class="figures" aria-live="polite">
      <Figure name="score">{written(own)}</Figure>
      <Figure name="parent's score">{written(before)}</Figure>
      <Figure name="change">{Number.isNaN(own - before) ? '–' : gain(sign * (own - before))}</Figure>
      <Figure name="outcome">{outcomeName(outcome)}</Figure>
      <Figure name="step">{columnOf(rows, 'step')[row]!}</Figure>
      <Figure name="island">{moved ? `${islands[parent]} → ${islands[row]}` : islands[row]}</Figure>
    </dl>
  );
};

type DeltaProps = { readonly delta: NonNullable<Narration['delta']> };

const Change = ({ delta: { status, summary, plan } }: DeltaProps) => (
  <div class="delta">
    {status === 'missing' ? <p class="soft">The model described no change; this is what the edit did.</p> : null}
    <DeltaWords summary={summary} plan={plan} />
  </div>
);

const Idea = ({ idea }: { readonly idea: NonNullable<Narration['idea']> }) => (
  <details>
    <summary>Its idea{idea.score === null || idea.score < 0 ? '' : `, judged ${idea.score} of 10`}</summary>
    <p class="idea">
      <Foreign text={idea.text} />
    </p>
  </details>
);

type TrunkProps = Programs & {
  /** From the root to the program. */
  readonly trunk: readonly number[];
  readonly narrationOf: NarrationOf;
};

/** The way to a program: its ancestors in order, the change of each and its worth. */
export const Trunk = ({ run, rows, trunk, fits, sign, narrationOf }: TrunkProps) => {
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
