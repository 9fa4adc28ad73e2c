// The change of a program against its parent, in the words of the model where it gave any, and by count where it did
// not; and the idea that it carries out.
import { linesInWords } from '../../api/run/overview.ts';
import type { ProgramFacts } from '../../api/program/programs.ts';
import { Foreign } from '../base/parts.tsx';
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
  return (
    <section class="card" aria-labelledby="delta-title">
      <h2 id="delta-title">
        What changed{' '}
        {change === undefined ? null : (
          <span class={`badge ${change.label === 'improved' ? 'good' : change.label === 'failed' ? 'bad' : 'plain'}`}>
            {change.label}
          </span>
        )}
      </h2>
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
    </section>
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

const Change = ({ change }: { readonly change: NonNullable<ProgramFacts['change']> }) => {
  const { summary, plan, status, repair } = change;
  return (
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
    <section class="card" aria-labelledby="idea-title">
      <h2 id="idea-title">Idea</h2>
      <p class="soft">
        {idea.score === null ? 'Not judged.' : `The judge gave ${idea.score}.`}
        {idea.would === null ? '' : ` The gate: ${shown(idea.would)}.`}
      </p>
      <LongText text={idea.text} label="The idea" />
    </section>
  );
