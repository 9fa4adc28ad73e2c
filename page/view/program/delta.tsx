// The change of a program against its parent, in the words of the model where it gave any, and by count where it did
// not; and the idea that it carries out.
import { linesInWords } from '../../api/run/overview.ts';
import type { ProgramFacts } from '../../api/program/programs.ts';
import { Card, Foreign } from '../base/parts.tsx';
import { count, shown } from '../base/text.ts';
import { LongText } from './code.tsx';

const STATUS: { readonly [status: string]: string } = {
  full: '',
  summary_only: 'The model gave a summary and no plan.',
  plan_only: 'The model gave a plan; the summary is made of it.',
  missing: 'The model gave no delta; this one is made of the lines that changed.',
};

export const Delta = ({ facts }: { readonly facts: ProgramFacts }) => {
  const { change, lines } = facts;
  if (change === undefined && lines === undefined) return null;
  const title = (
    <>
      What changed{' '}
      {change === undefined ? null : (
        <span class={`badge ${change.label === 'improved' ? 'good' : change.label === 'failed' ? 'bad' : 'plain'}`}>
          {change.label}
        </span>
      )}
    </>
  );
  return (
    <Card title={title}>
      {change === undefined ? null : <Change change={change} />}
      {lines === undefined ? null : (
        <p class="soft">
          {linesInWords({ added: lines.added, deleted: facts.linesDeleted })}
          {lines.reintroduced === 0
            ? ''
            : `; ${count(lines.reintroduced)} of those that came had been deleted by an ancestor`}
          .
        </p>
      )}
    </Card>
  );
};

/** Texts with their names; an empty one is left out. */
const Terms = ({ of }: { readonly of: readonly (readonly [name: string, text: string])[] }) => (
  <dl class="delta-words">
    {of
      .filter(([, text]) => text !== '')
      .map(([name, text]) => (
        <>
          <dt>{name}</dt>
          <dd>
            <Foreign text={text} />
          </dd>
        </>
      ))}
  </dl>
);

type Change = NonNullable<ProgramFacts['change']>;

/** A change in the words of the model: as a whole, and part by part. */
export const DeltaWords = ({ summary, plan }: Pick<Change, 'summary' | 'plan'>) => (
  <>
    <Terms
      of={[
        ['from', summary.from],
        ['to', summary.to],
      ]}
    />
    {plan.map(({ component, oldLogic, newLogic, hypothesis }) => (
      <details>
        <summary>
          <Foreign text={component === '' ? 'A part without a name' : component} />
        </summary>
        <Terms
          of={[
            ['before', oldLogic],
            ['now', newLogic],
            ['why', hypothesis],
          ]}
        />
      </details>
    ))}
  </>
);

const Change = ({ change }: { readonly change: Change }) => {
  const { status, repair } = change;
  return (
    <>
      <DeltaWords {...change} />
      {(STATUS[status] ?? '') === '' ? null : <p class="soft">{STATUS[status]}</p>}
      {repair === undefined ? null : (
        <p class="soft">
          {repair.outcome === 'repaired'
            ? 'A further call gave it, in part or whole.'
            : `A further call brought none: ${shown(repair.reason)}`}
        </p>
      )}
    </>
  );
};

export const Idea = ({ facts: { idea } }: { readonly facts: ProgramFacts }) =>
  idea === null ? null : (
    <Card title="Idea">
      <p class="soft">
        {idea.score === null ? 'Not judged.' : `The judge gave ${idea.score}.`}
        {idea.would === null ? '' : ` The gate: ${shown(idea.would)}.`}
      </p>
      <LongText text={idea.text} label="The idea" />
    </Card>
  );
