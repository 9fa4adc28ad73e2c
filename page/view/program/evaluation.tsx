// How a program was run and judged: what the sandbox saw, what the evaluator measured, and what the program wrote.
import type { ProgramFacts, TaskFacts } from '../../data/programs.ts';
import { Figure, figures, Head, Nothing } from '../base/parts.tsx';
import { count, duration, score, shown } from '../base/text.ts';
import { LongText } from './code.tsx';

const MIB = 2 ** 20;

export const Evaluation = ({ facts, task }: { readonly facts: ProgramFacts; readonly task: TaskFacts | null }) => {
  const { evaluated, hidden, edit } = facts;
  return (
    <div class="evaluation">
      {facts.scoresInvented ? (
        <p class="away">The scores of this run are invented: no program was run (evaluation.sandbox: noop).</p>
      ) : null}
      {edit === null || (edit.reason === null && edit.unmatched.length + edit.ambiguous.length === 0) ? null : (
        <section class="card">
          <h3>Its answer as edits</h3>
          <p>{count(edit.blocks)} blocks.</p>
          <ul>
            {edit.reason === null ? null : <li>{shown(edit.reason)}</li>}
            {[...edit.unmatched, ...edit.ambiguous].map(({ block, reason }) => (
              <li>
                block {block}: {shown(reason)}
              </li>
            ))}
          </ul>
        </section>
      )}
      {evaluated === null ? (
        <Nothing>It was not run, because its outcome was decided before.</Nothing>
      ) : (
        <>
          <dl class="figures">
            <Figure name="ended">{evaluated.execution.replaceAll('_', ' ')}</Figure>
            <Figure name="exit code">{evaluated.exitCode ?? 'none'}</Figure>
            <Figure name="time">{duration(evaluated.wallMs / 1000)}</Figure>
            <Figure name="CPU time">{evaluated.cpuMs === null ? 'not known' : duration(evaluated.cpuMs / 1000)}</Figure>
            <Figure name="memory">
              {evaluated.peakBytes === null ? 'not known' : `${count(evaluated.peakBytes / MIB)} MiB`}
            </Figure>
            <Figure name="isolation">{evaluated.isolation}</Figure>
          </dl>
          {evaluated.quarantine === undefined ? null : (
            <p class="away">
              {evaluated.quarantine.held ? 'Held back' : 'Not believed at once, then released'}:{' '}
              {shown(evaluated.quarantine.reason)}. With other seeds:{' '}
              {evaluated.quarantine.again.map((one) => score(one.score)).join(', ') || 'none yet'}.
            </p>
          )}
          {Object.keys(evaluated.metrics).length === 0 ? null : (
            <div class="scroll" tabIndex={0} role="region" aria-label="Metrics">
              <table>
                <caption class="unseen">Metrics</caption>
                <Head columns={['metric', ...figures('value'), 'what it says']} />
                <tbody>
                  {Object.entries(evaluated.metrics).map(([name, value]) => (
                    <tr>
                      <th scope="row">{shown(name)}</th>
                      <td class="number">{typeof value === 'number' ? score(value) : shown(String(value))}</td>
                      <td>{shown(task !== null && Object.hasOwn(task.metrics, name) ? task.metrics[name]! : '')}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
          {(
            [
              ['What it wrote to its error output', evaluated.stderrTail],
              ['What it wrote to its output', evaluated.stdoutTail],
            ] as const
          ).map(([title, text]) =>
            text.trim() === '' ? null : (
              <section class="card">
                <h3>{title}</h3>
                <LongText text={text} label={title} />
              </section>
            ),
          )}
        </>
      )}
      {hidden === null ? null : (
        <section class="card">
          <h3>On hidden instances</h3>
          <p>
            {hidden.outcome.replaceAll('_', ' ')}, score {score(hidden.score)}
            {hidden.initial === null ? '' : `; the initial program has ${score(hidden.initial)} there`}
            {hidden.direction === null ? '' : ` (${hidden.direction})`}. No run is ranked by it, and no model reads it.
          </p>
          {hidden.reasons.map((reason) => (
            <p>{shown(reason)}</p>
          ))}
        </section>
      )}
    </div>
  );
};
