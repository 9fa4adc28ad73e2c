// The program that is looked at in a lineage: its scores before and after, its change in full, and where to read on.
import type { ComponentChildren } from 'preact';
import { columnOf, idOf, parentOf, type Rows } from '../../api/rows/rows.ts';
import type { Told as Narration } from '../../api/program/deltas.ts';
import { Figure, Foreign } from '../base/parts.tsx';
import { programLink } from '../base/state.ts';
import { gain, score } from '../base/text.ts';
import { outcomeName } from '../run/outcome-names.ts';

type Props = {
  readonly run: string;
  readonly rows: Rows;
  readonly row: number;
  readonly fits: Float64Array;
  readonly sign: 1 | -1;
  readonly narration: Narration | null;
  readonly children?: ComponentChildren;
};

export const ProgramPanel = (props: Props) => {
  const { run, rows, row, narration, children } = props;
  const id = idOf(rows, row);
  return (
    <aside class="card panel" aria-label="The program that is looked at">
      <h2>
        <a href={programLink(run, id)}>
          <Foreign text={id} />
        </a>
      </h2>
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

type Delta = NonNullable<Narration['delta']>;

const Change = ({ delta: { status, summary, plan } }: { readonly delta: Delta }) => (
  <div class="delta">
    {status === 'missing' ? <p class="soft">The model described no change; this is what the edit did.</p> : null}
    {summary.from === '' ? null : (
      <p>
        <span class="soft">From</span> <Foreign text={summary.from} />
      </p>
    )}
    <p>
      <span class="soft">To</span> <Foreign text={summary.to} />
    </p>
    {plan.length === 0 ? null : (
      <details>
        <summary>The plan: {plan.length === 1 ? 'one component' : `${plan.length} components`}</summary>
        <dl class="plan">
          {plan.map((part) => (
            <PlanPart {...part} />
          ))}
        </dl>
      </details>
    )}
  </div>
);

const PlanPart = ({ component, oldLogic, newLogic, hypothesis }: Delta['plan'][number]) => (
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
);

const Idea = ({ idea }: { readonly idea: NonNullable<Narration['idea']> }) => (
  <details>
    <summary>Its idea{idea.score === null || idea.score < 0 ? '' : `, judged ${idea.score} of 10`}</summary>
    <p class="idea">
      <Foreign text={idea.text} />
    </p>
  </details>
);
