// What a program changed against its parent, in the words of the model where it gave any, and by count where it did not;
// and the idea that it carries out.
import { linesInWords } from '../../data/glance.ts';
import type { ProgramFacts } from '../../data/programs.ts';
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
      {change === undefined ? null : (
        <>
          <dl class="delta-words">
            {change.summary.from === '' ? null : (
              <>
                <dt>from</dt>
                <dd>
                  <Foreign text={change.summary.from} />
                </dd>
              </>
            )}
            <dt>to</dt>
            <dd>
              <Foreign text={change.summary.to} />
            </dd>
          </dl>
          {change.plan.map(({ component, oldLogic, newLogic, hypothesis }) => (
            <details>
              <summary>
                <Foreign text={component === '' ? 'A part without a name' : component} />
              </summary>
              <dl class="delta-words">
                {(
                  [
                    ['before', oldLogic],
                    ['now', newLogic],
                    ['why', hypothesis],
                  ] as const
                ).map(([name, text]) =>
                  text === '' ? null : (
                    <>
                      <dt>{name}</dt>
                      <dd>
                        <Foreign text={text} />
                      </dd>
                    </>
                  ),
                )}
              </dl>
            </details>
          ))}
          {(STATUS[change.status] ?? '') === '' ? null : <p class="soft">{STATUS[change.status]}</p>}
          {change.repair === undefined ? null : (
            <p class="soft">
              {change.repair.outcome === 'repaired'
                ? 'A further call gave it, in part or whole.'
                : `A further call brought none: ${shown(change.repair.reason)}`}
            </p>
          )}
        </>
      )}
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
