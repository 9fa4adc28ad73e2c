// What became of programs: shares over time, and the first failure of each kind, each of which leads to its programs.
import { useEffect } from 'preact/hooks';
import type { Failures } from '../../data/glance.ts';
import type { RunReport } from '../../data/runs.ts';
import { outcomeWindows, type Steps } from '../../data/steps.ts';
import { SharePlot, Swatch } from '../charts/shares.tsx';
import { figures, Foreign, Head, Nothing, When } from '../base/parts.tsx';
import { linkTo, tell, useAnswer } from '../base/state.ts';
import { count, percent } from '../base/text.ts';
import { OUTCOMES } from './outcome-names.ts';

const WINDOWS = 60;

type Props = { readonly run: string; readonly steps: Steps; readonly report: RunReport };

export const Outcomes = ({ run, steps, report }: Props) => {
  const topic = `${run} failures`;
  useEffect(() => tell(topic), [Object.keys(steps.firstSeen).length, steps.lineage]);
  const failures = useAnswer<Failures>(`runs/${encodeURIComponent(run)}/failures`, topic);
  const windows = outcomeWindows(steps.points, WINDOWS);
  const counts: { readonly [outcome: string]: number } = { ...report.failures, valid: report.valid };
  const seen = OUTCOMES.filter(({ outcome }) => (counts[outcome] ?? 0) > 0);
  const total = Math.max(1, report.programs);
  return (
    <section class="card wide" aria-labelledby="outcomes-heading">
      <h2 id="outcomes-heading">What became of the programs</h2>
      {windows.length < 2 ? null : (
        <SharePlot
          title="Shares of outcomes over time"
          x={windows.map(({ programs }) => programs)}
          xName="programs"
          parts={seen.map(({ outcome, name, colour }) => ({
            name,
            colour,
            shares: windows.map((window) => (window.counts[outcome] ?? 0) / window.total),
          }))}
          place={(index) => {
            const { fromStep, toStep } = windows[index]!;
            return fromStep === toStep ? `step ${toStep}` : `steps ${fromStep} to ${toStep}`;
          }}
          open={(index) => {
            const { fromStep, toStep } = windows[index]!;
            location.hash = linkTo(['run', run, 'programs'], { step: `${fromStep}..${toStep}` });
          }}
        >
          Stacked, from the bottom:
        </SharePlot>
      )}
      {seen.length === 0 ? (
        <Nothing>No program has been made yet.</Nothing>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Outcomes, as a table">
          <table>
            <Head columns={['outcome', ...figures('programs', 'share'), 'the first of them']} />
            <tbody>
              {seen.map(({ outcome, name, colour }) => (
                <tr>
                  <th scope="row">
                    <Swatch colour={colour} />
                    {name}
                  </th>
                  <td class="number">
                    <a href={linkTo(['run', run, 'programs'], { outcome })}>{count(counts[outcome]!)}</a>
                  </td>
                  <td class="number">{percent(counts[outcome]! / total)}</td>
                  <td class="outcome-first">
                    {outcome === 'valid' ? (
                      <span class="soft">–</span>
                    ) : (
                      <First run={run} outcome={outcome} failures={failures} />
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {seen.length === 0 ? null : (
        <p class="soft">The initial program is not among them; the table of programs has it too.</p>
      )}
    </section>
  );
};

const First = ({
  run,
  outcome,
  failures,
}: {
  readonly run: string;
  readonly outcome: string;
  readonly failures: ReturnType<typeof useAnswer<Failures>>;
}) => (
  <When answer={failures} what="the reason">
    {(answer) => {
      const first = answer.failures.find((one) => one.outcome === outcome)?.first ?? null;
      return first === null ? (
        <span class="soft">not known</span>
      ) : (
        <>
          <a href={linkTo(['run', run, 'program', first.program])}>step {first.step}</a>{' '}
          {first.reason === null ? <span class="soft">no reason was stored</span> : <Foreign text={first.reason} />}
        </>
      );
    }}
  </When>
);
