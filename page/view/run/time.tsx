// The time of a step by its parts: queue, model, container, commit. The view says when the engine has forgotten them.
import { workedMs } from '../../../evolution/budget/pace.ts';
import { outcomeWindows, type Steps } from '../../api/run/steps.ts';
import { partsOf, type StepTime, WORK, workLines } from '../../api/run/time.ts';
import { useTyped } from '../base/controls.tsx';
import { Card, Figure, Legend, Moment, Nothing, Swatch, When, Words } from '../base/parts.tsx';
import { programLink, route, runPath, setQuery, stepLink, theSource, useAnswer, useRunAnswer } from '../base/state.ts';
import { Table } from '../base/tables.tsx';
import { count, duration, percent } from '../base/text.ts';
import type { RunViewProps } from '../base/view.ts';
import { Plot } from '../charts/plot.tsx';

const seconds = (ms: number): string => (ms === 0 ? '0 s' : duration(ms / 1000));

export const Time = ({ run }: RunViewProps) => {
  const answer = useRunAnswer<Steps>(run, 'progress');
  return (
    <When answer={answer} what="the steps">
      {(steps) => {
        const last = steps.points.at(-1)?.step ?? 0;
        const named = Number(route.value.query.get('step') ?? last);
        const step = Number.isInteger(named) ? Math.max(0, Math.min(last, named)) : last;
        return (
          <>
            <Lengths steps={steps} />
            {steps.points.length === 0 ? null : theSource().site.exported !== null ? (
              <Nothing>
                What went on inside a step is told by a running page: <code>npx evolve ui</code> shows it as long as the
                workflow engine keeps it.
              </Nothing>
            ) : (
              <One run={run} step={step} last={last} />
            )}
          </>
        );
      }}
    </When>
  );
};

const Lengths = ({ steps: { points } }: { readonly steps: Steps }) => {
  const ends = points.slice(1);
  const lengths = ends.map((point, index) => {
    const before = points[index]!;
    return workedMs(before, point) / 1000 / (point.step - before.step);
  });
  const sorted = [...lengths].sort((a, b) => a - b);
  const longest = sorted.at(-1) ?? 0;
  return (
    <Card title="How long steps took">
      {outcomeWindows(points, points.length).length < 2 ? (
        <Nothing>The plot begins with the second step.</Nothing>
      ) : (
        <Plot
          title="Seconds from one commit to the next"
          kind="lengths"
          x={ends.map(({ step }) => step)}
          lines={[{ name: 'seconds', colour: '--s0', values: lengths, as: 'straight' }]}
          xText={count}
          xTitle="step"
          yText={(value) => (value === 0 ? '0' : duration(value))}
          yTitle="time"
          ySteps="seconds"
          range={[0, longest * 1.08 || 1]}
          height={180}
          textAt={(index) => `step ${ends[index]!.step}: ${duration(lengths[index]!)}`}
          open={(index) => setQuery({ step: ends[index]!.step })}
          opens="shows the step below"
          table={() => ({
            head: ['step', 'from the commit before'],
            rows: ends.map(({ step }, index) => [String(step), duration(lengths[index]!)]),
          })}
        >
          Half of the steps took at most {duration(sorted[sorted.length >> 1] ?? 0)}, the longest {duration(longest)}.
          Pauses do not count. A click, or Enter, shows a step below.
        </Plot>
      )}
    </Card>
  );
};

const One = ({ run, step, last }: { readonly run: string; readonly step: number; readonly last: number }) => {
  const answer = useAnswer<StepTime>(runPath(run, `time/${step}`));
  const go = (to: number): void => setQuery({ step: Math.max(0, Math.min(last, to)) });
  const typed = useTyped(String(step), (text) => go(Math.trunc(Number(text)) || 0));
  const tools = (
    <>
      <button type="button" disabled={step === 0} onClick={() => go(step - 1)}>
        ← previous
      </button>
      <label>
        step <input type="number" min={0} max={last} {...typed} />
      </label>
      <button type="button" disabled={step === last} onClick={() => go(step + 1)}>
        next →
      </button>
    </>
  );
  return (
    <Card title={`Step ${step}`} tools={tools}>
      <When answer={answer} what="the history of the step">
        {(time) => <StepParts run={run} time={time} />}
      </When>
    </Card>
  );
};

const StepParts = ({ run, time }: { readonly run: string; readonly time: StepTime }) => {
  const { step, fromMs, toMs, history, unknown, evaluations } = time;
  const { programs, notRun, cpuSeconds, wallSeconds, longest } = evaluations;
  return (
    <>
      <dl class="figures">
        <Figure name="committed">
          <Moment at={toMs} />
        </Figure>
        {fromMs === null ? null : <Figure name="since the commit before">{seconds(toMs - fromMs)}</Figure>}
        <Figure name="programs">
          <a href={stepLink(run, step)}>{count(programs + notRun)}</a>
        </Figure>
        <Figure name="run in containers">{count(programs)}</Figure>
        <Figure name="their time, added up">{duration(wallSeconds)}</Figure>
        <Figure name="their CPU time">{duration(cpuSeconds)}</Figure>
        {longest === null ? null : (
          <Figure name="the longest">
            <a href={programLink(run, longest.program)}>{duration(longest.seconds)}</a>
          </Figure>
        )}
      </dl>
      {history === null ? (
        <p class="nothing">
          <Words text={unknown ?? ''} /> How long containers ran is stored and stands above; how long queue, model and
          commit took is not known.
        </p>
      ) : (
        <History step={step} history={history} />
      )}
    </>
  );
};

type History = NonNullable<StepTime['history']>;

const History = ({ step, history }: { readonly step: number; readonly history: History }) => {
  const { activities, startMs, firstStep } = history;
  const ends = activities.map(({ endedMs, startedMs, scheduledMs }) => endedMs ?? startedMs ?? scheduledMs);
  const endMs = history.endMs ?? Math.max(startMs + 1, ...ends);
  return (
    <>
      {firstStep === step ? null : (
        <p class="soft">
          One workflow did several steps at once, from step {firstStep} on; these are its times, for all of them
          together.
        </p>
      )}
      <Parts history={history} endMs={endMs} />
      <Table
        label="Work of the step, as a table"
        class="tight"
        of={workLines(activities, endMs)}
        columns={[
          [
            'work',
            ({ work }) => (
              <>
                <Swatch colour={WORK[work].colour} />
                {WORK[work].name}
              </>
            ),
          ],
          ['activities', (line) => count(line.activities), 'number'],
          ['at least one at work', ({ coveredMs }) => seconds(coveredMs), 'number'],
          ['added up', ({ sumMs }) => seconds(sumMs), 'number'],
          ['waited in queues', ({ waitedMs }) => seconds(waitedMs), 'number'],
          ['tried again', ({ retried }) => count(retried), 'number'],
          ['failed', ({ failed }) => count(failed), 'number'],
        ]}
      />
    </>
  );
};

type PartsProps = { readonly history: History; readonly endMs: number };

const Parts = ({ history: { activities, startMs }, endMs }: PartsProps) => {
  const parts = partsOf(activities, { from: startMs, to: endMs });
  const total = Math.max(1, endMs - startMs);
  return (
    <>
      <div class="parts" aria-hidden="true">
        {parts.map(({ colour, ms }) => (
          <span style={{ background: `var(${colour})`, flexGrow: String(ms / total) }} />
        ))}
      </div>
      <Legend
        of={parts.map(({ name, colour, ms }) => ({
          colour,
          name: `${name}: ${seconds(ms)} (${percent(ms / total)})`,
        }))}
      />
      <p class="soft">
        Every moment of the {seconds(total)} counts once. Between activities the workflow engine and its worker decide
        what comes next.
      </p>
    </>
  );
};
