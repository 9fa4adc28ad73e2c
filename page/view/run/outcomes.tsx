// The outcomes of programs: shares over time, and the first failure of each kind, each of which leads to its programs.
import type { Failures } from '../../api/run/overview.ts';
import type { RunReport } from '../../api/run/runs.ts';
import { outcomeWindows, type ShareWindow, type Steps } from '../../api/run/steps.ts';
import type { Answer } from '../base/asker.ts';
import { SharePlot } from '../charts/plot.tsx';
import { Card, Foreign, Nothing, Swatch, When } from '../base/parts.tsx';
import { linkTo, programLink, useBehind } from '../base/state.ts';
import { Table } from '../base/tables.tsx';
import { count, OUTCOMES, percent } from '../base/text.ts';

const WINDOWS = 60;

type Props = { readonly run: string; readonly steps: Steps; readonly report: RunReport };

export const Outcomes = ({ run, steps, report }: Props) => {
  const failures = useBehind<Failures>(run, 'failures', `${Object.keys(steps.firstSeen).length} ${steps.lineage}`);
  const windows = outcomeWindows(steps.points, WINDOWS);
  const counts: { readonly [outcome: string]: number } = { ...report.failures, valid: report.valid };
  const seen = OUTCOMES.filter(({ outcome }) => (counts[outcome] ?? 0) > 0);
  const total = Math.max(1, report.programs);
  return (
    <Card class="card wide" id="outcomes-heading" title="What became of the programs">
      {windows.length < 2 ? null : <OutcomePlot run={run} windows={windows} seen={seen} />}
      {seen.length === 0 ? (
        <Nothing>No program has been made yet.</Nothing>
      ) : (
        <>
          <Table
            label="Outcomes, as a table"
            stacked
            of={seen}
            columns={[
              [
                'outcome',
                ({ name, colour, striped }) => (
                  <>
                    <Swatch {...{ colour, striped }} />
                    {name}
                  </>
                ),
              ],
              [
                'programs',
                ({ outcome }) => <a href={linkTo(['run', run, 'programs'], { outcome })}>{count(counts[outcome]!)}</a>,
                'number',
              ],
              ['share', ({ outcome }) => percent(counts[outcome]! / total), 'number'],
              [
                'the first of them',
                ({ outcome }) =>
                  outcome === 'valid' ? (
                    <span class="soft">–</span>
                  ) : (
                    <First run={run} outcome={outcome} failures={failures} />
                  ),
                'outcome-first',
              ],
            ]}
          />
          <p class="soft">The initial program is not among them; the table of programs has it too.</p>
        </>
      )}
    </Card>
  );
};

type PlotProps = { readonly run: string; readonly windows: readonly ShareWindow[]; readonly seen: typeof OUTCOMES };

const OutcomePlot = ({ run, windows, seen }: PlotProps) => (
  <SharePlot
    title="Shares of outcomes over time"
    x={windows.map(({ programs }) => programs)}
    xName="programs"
    parts={seen.map(({ outcome, name, colour, striped }) => ({
      ...{ name, colour, striped },
      shares: windows.map(({ counts, total }) => (counts[outcome] ?? 0) / total),
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
);

type FirstProps = { readonly run: string; readonly outcome: string; readonly failures: Answer<Failures> };

const First = ({ run, outcome, failures }: FirstProps) => (
  <When answer={failures} what="the reason">
    {(answer) => {
      const first = answer.failures.find((one) => one.outcome === outcome)?.first ?? null;
      return first === null ? (
        <span class="soft">not known</span>
      ) : (
        <>
          <a href={programLink(run, first.program)}>step {first.step}</a>{' '}
          {first.reason === null ? <span class="soft">no reason was stored</span> : <Foreign text={first.reason} />}
        </>
      );
    }}
  </When>
);
