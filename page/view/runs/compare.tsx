// Runs of one task side by side: mean and deviation over seeds, along programs, tokens, money or time.
import { type Compared, type ComparedGroup, shortLabel } from '../../api/run/compare.ts';
import { AXIS_TITLES, type AxisName } from '../../api/run/steps.ts';
import type { Overview, RunReport } from '../../api/run/runs.ts';
import { Select, Tick } from '../base/controls.tsx';
import { Card, Foreign, Items, Nothing, When } from '../base/parts.tsx';
import { linkTo, route, setQuery, theSource, useAnswer, useNews } from '../base/state.ts';
import { Table } from '../base/tables.tsx';
import { alignedScores, count, score } from '../base/text.ts';
import { alongAxis, AXIS_TEXT, axisOf } from '../charts/axis.ts';
import { colourOf, dashOf } from '../base/ink.ts';
import { AxisChoice, Plot } from '../charts/plot.tsx';
import { type Chosen, chosenOf, leader, linesOf, meanText, valueAt } from './groups.ts';

export const Compare = () => {
  useNews(null);
  const { query } = route.value;
  return (
    <>
      <h1>Compare runs</h1>
      <When answer={useAnswer<Overview>('overview', 'runs')} what="all runs">
        {({ runs }) =>
          runs.length === 0 ? (
            <Nothing>
              There are no runs yet. <code>npx evolve run</code> starts one.
            </Nothing>
          ) : (
            <Choosing runs={runs} query={query} />
          )
        }
      </When>
    </>
  );
};

export const MOST_COMPARED = 60;

export const useCompared = (runs: readonly string[]) =>
  useAnswer<Compared>(runs.length === 0 ? null : `compare?runs=${runs.map(encodeURIComponent).join(',')}`, 'runs');

const Choosing = ({ runs, query }: { readonly runs: readonly RunReport[]; readonly query: URLSearchParams }) => {
  const chosen = chosenOf(runs, query, theSource().site.exported !== null);
  // In whatever order they were chosen, it is the same comparison.
  const compared = useCompared(chosen.chosen.toSorted());
  return (
    <>
      <Choice runs={runs} {...chosen} />
      {chosen.chosen.length === 0 ? (
        <Nothing>
          {chosen.byItself
            ? 'No run of this task has a program with a score that can be compared.'
            : 'No run is chosen: tick some above, or let “All runs” choose. Runs that differ only in their seed become one line with their mean and deviation; a fork is a line of its own.'}
        </Nothing>
      ) : (
        <When answer={compared} what="the programs of these runs">
          {(report) => <Result report={report} axis={axisOf(query.get('axis'))} />}
        </When>
      )}
    </>
  );
};

type ChoiceProps = Chosen & { readonly runs: readonly RunReport[] };

const Choice = ({ runs, own, chosen, task, byItself }: ChoiceProps) => {
  const choose = (names: readonly string[]): void =>
    setQuery({ runs: names.join(',') || null, task, none: names.length === 0 ? 1 : null });
  const toggle = (run: string, on: boolean): void =>
    choose(on ? [...chosen, run] : chosen.filter((one) => one !== run));
  return (
    <section class="card" aria-label="Which runs">
      <div class="controls">
        <Select
          label="task"
          value={task}
          options={[...new Set(runs.map((run) => run.task))].sort()}
          onValue={(one) => setQuery({ task: one, runs: null, none: null })}
        />
        <button type="button" onClick={() => choose(own.slice(0, MOST_COMPARED).map(({ run }) => run))}>
          {own.length === 1 ? 'The only run' : `All ${own.length} runs`}
        </button>
        <button type="button" disabled={chosen.length === 0} onClick={() => choose([])}>
          No run
        </button>
      </div>
      {byItself && chosen.length > 0 ? (
        <p class="soft">
          {chosen.length === own.length
            ? 'These are all runs of the task.'
            : `These are the newest of ${own.length} runs of the task, without those that have just begun. Tick others to choose.`}
        </p>
      ) : null}
      <div class="ticks" role="group" aria-label={`Runs of ${task}`}>
        {own.map(({ run, method, seed, best }) => (
          <Tick checked={chosen.includes(run)} onValue={(checked) => toggle(run, checked)}>
            <span>
              <Foreign text={run} />{' '}
              <span class="soft">
                {method}, seed {seed}, {score(best?.ranking)}
              </span>
            </span>
          </Tick>
        ))}
      </div>
    </section>
  );
};

type ResultProps = { readonly report: Compared; readonly axis: AxisName };

const Result = ({ report, axis }: ResultProps) => {
  const title = (
    <>
      Best <Foreign text={report.scoreName} /> so far
    </>
  );
  return (
    <>
      {report.notes.length === 0 ? null : <Items class="notes" of={report.notes} />}
      <Card title={title} tools={<AxisChoice axis={axis} />}>
        <Curves report={report} axis={axis} />
        <Groups report={report} />
      </Card>
    </>
  );
};

export const Curves = ({ report, axis }: ResultProps) => {
  const { groups, checkpoints, bestKnown, scoreName } = report;
  const x = checkpoints[axis];
  if (x.length === 0)
    return <Nothing>None of the runs counts anything on this axis, so they cannot be compared on it.</Nothing>;
  const at = (place: number): string =>
    `${AXIS_TEXT[axis](x[place]!)} ${axis === 'programs' || axis === 'tokens' ? axis : ''}`;
  return (
    <Plot
      title={`Best ${scoreName} of each group`}
      kind={`${axis} ${groups.map(({ name }) => name).join('|')}`}
      x={x}
      lines={linesOf(groups, axis)}
      height={320}
      {...alongAxis(axis)}
      yText={(value) => score(value, 6)}
      yTitle={scoreName}
      levels={bestKnown === null ? [] : [{ value: bestKnown, name: `best known ${score(bestKnown)}`, colour: '--s2' }]}
      textAt={(place) =>
        `${at(place)}: ${groups.map((group) => `${shortLabel(group.name)} ${valueAt(group, axis, place)}`).join('; ')}`
      }
      table={() => ({
        head: [AXIS_TITLES[axis], ...groups.map(({ name }) => shortLabel(name))],
        rows: x.map((value, place) => [AXIS_TEXT[axis](value), ...groups.map((group) => valueAt(group, axis, place))]),
      })}
    >
      {groups.some(({ runs }) => runs.length > 1)
        ? 'The line is the mean over seeds, the tint one standard deviation on either side. It ends where the shortest of its runs ends.'
        : null}
    </Plot>
  );
};

/** The line of a group as its plot draws it. */
const LineSign = ({ index }: { readonly index: number }) => (
  <svg class="line-sign" viewBox="0 0 26 10" width="26" height="10" aria-hidden="true">
    <line x1="0" x2="26" y1="5" y2="5" stroke={`var(${colourOf(index)})`} stroke-dasharray={dashOf(index).join(' ')} />
  </svg>
);

/** Letters that surely have room in two lines. */
const TWO_LINES = 40;

const AXES = Object.keys(AXIS_TITLES) as readonly AxisName[];

const Groups = ({ report: { groups, direction } }: Pick<ResultProps, 'report'>) => {
  const best = leader(groups, direction);
  const bests = alignedScores(groups.map(({ final }) => final.best));
  return (
    <Table
      label="Groups, as a table"
      caption="Groups at the ends of their own runs"
      class="tight"
      of={groups}
      columns={[
        ['group', (group, index) => <GroupName group={group} index={index} />, 'settings-of'],
        [
          'best at the end',
          ({ final }) =>
            `${meanText(final)}${final.mean === null || final.mean !== best ? '' : final.sd === null ? ' ★ best' : ' ★ best mean'}`,
          'number',
        ],
        [
          'best of all',
          ({ final: { bestRun } }, index) =>
            bestRun === null ? '–' : <a href={linkTo(['run', bestRun])}>{bests[index]}</a>,
          'number',
        ],
        [
          'runs',
          ({ runs }) =>
            runs.map((run, place) => (
              <>
                {place === 0 ? '' : ', '}
                <a href={linkTo(['run', run])}>
                  <Foreign text={run} />
                </a>
              </>
            )),
        ],
        ...AXES.map(
          (name) =>
            [
              name === 'costUsd' ? 'cost' : AXIS_TITLES[name],
              ({ totals }: ComparedGroup) =>
                name === 'programs' ? count(totals[name]) : AXIS_TEXT[name](totals[name]),
              'number',
            ] as const,
        ),
      ]}
    />
  );
};

type GroupProps = { readonly group: ComparedGroup; readonly index: number };

/** Its name, and all of its settings where the name does not say them. */
const GroupName = ({ group: { name, label }, index }: GroupProps) => (
  <>
    <LineSign index={index} />
    <Foreign text={shortLabel(name)} />
    {label === name ? null : (
      <span class="clamped" tabIndex={label.length > TWO_LINES ? 0 : undefined}>
        <Foreign text={label} />
      </span>
    )}
  </>
);
