// Runs of one task side by side: mean and deviation over seeds, along programs, tokens, money or time.
import { AXIS_TITLES, type AxisName } from '../../data/steps.ts';
import { bandOf, type Compared, firstCompared, firstTask, shortLabel } from '../../data/compare.ts';
import type { Overview, RunReport } from '../../data/runs.ts';
import { figures, Foreign, Head, Nothing, When } from '../base/parts.tsx';
import { linkTo, route, setQuery, theSource, useAnswer, useNews } from '../base/state.ts';
import { compact, count, duration, score, shown, usd } from '../base/text.ts';
import { type Line, TIME_STEPS } from '../charts/drawing.ts';
import { Plot } from '../charts/plot.tsx';
import { Swatch } from '../charts/shares.tsx';

const COLOURS = 8;
const AXIS_TEXT: { readonly [axis in AxisName]: (value: number) => string } = {
  programs: (value) => compact(Math.round(value)),
  tokens: (value) => compact(Math.round(value)),
  costUsd: usd,
  seconds: (value) => (value === 0 ? '0' : duration(value)),
};

/** What the address says, and where it says nothing, what a person most likely wants to see. */
const chosenOf = (runs: readonly RunReport[], query: URLSearchParams) => {
  const named = (query.get('runs') ?? '').split(',').filter((run) => run !== '');
  const task = runs.find(({ run }) => run === named[0])?.task ?? query.get('task') ?? firstTask(runs) ?? '';
  const own = runs.filter((run) => run.task === task);
  const byItself = named.length === 0 && query.get('none') === null;
  // A file has the comparison of all runs of a task, and no other.
  const first = theSource().site.exported === null ? firstCompared(runs, task) : own.map(({ run }) => run);
  return { task, own, byItself, chosen: byItself ? first : named };
};

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
            <Chosen runs={runs} query={query} />
          )
        }
      </When>
    </>
  );
};

const Chosen = ({ runs, query }: { readonly runs: readonly RunReport[]; readonly query: URLSearchParams }) => {
  const { task, own, byItself, chosen } = chosenOf(runs, query);
  // In whatever order they were chosen, it is the same comparison.
  const asked = chosen.toSorted().map(encodeURIComponent).join(',');
  const compared = useAnswer<Compared>(asked === '' ? null : `compare?runs=${asked}`, 'runs');
  return (
    <>
      <Choice runs={runs} own={own} chosen={chosen} task={task} byItself={byItself} />
      {asked === '' ? (
        <Nothing>
          {byItself
            ? 'No run of this task has a program with a score that can be compared.'
            : 'No run is chosen: tick some above, or let “All runs” choose. Runs that differ only in their seed become one line with their mean and deviation; a fork is a line of its own.'}
        </Nothing>
      ) : (
        <When answer={compared} what="the programs of these runs">
          {(report) => <Result report={report} axis={query.get('axis')} />}
        </When>
      )}
    </>
  );
};

const MOST_CHOSEN = 60;

const Choice = ({
  runs,
  own,
  chosen,
  task: now,
  byItself,
}: {
  readonly runs: readonly RunReport[];
  /** Those of the task. */
  readonly own: readonly RunReport[];
  readonly chosen: readonly string[];
  readonly task: string;
  /** Nobody has chosen yet. */
  readonly byItself: boolean;
}) => {
  const tasks = [...new Set(runs.map((run) => run.task))].sort();
  const choose = (names: readonly string[]): void =>
    setQuery({ runs: names.join(',') || null, task: now, none: names.length === 0 ? 1 : null });
  const toggle = (run: string, on: boolean): void =>
    choose(on ? [...chosen, run] : chosen.filter((one) => one !== run));
  return (
    <section class="card" aria-label="Which runs">
      <div class="controls">
        <label>
          task
          <select
            value={now}
            onChange={({ currentTarget }) => setQuery({ task: currentTarget.value, runs: null, none: null })}
          >
            {tasks.map((name) => (
              <option value={name}>{name}</option>
            ))}
          </select>
        </label>
        <button type="button" onClick={() => choose(own.slice(0, MOST_CHOSEN).map(({ run }) => run))}>
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
      <fieldset class="ticks">
        <legend class="unseen">Runs of {now}</legend>
        {own.map(({ run, method, seed, best }) => (
          <label>
            <input
              type="checkbox"
              checked={chosen.includes(run)}
              onChange={({ currentTarget }) => toggle(run, currentTarget.checked)}
            />{' '}
            <span>
              <Foreign text={run} />{' '}
              <span class="soft">
                {method}, seed {seed}, {score(best?.ranking)}
              </span>
            </span>
          </label>
        ))}
      </fieldset>
    </section>
  );
};

const Result = ({ report, axis: given }: { readonly report: Compared; readonly axis: string | null }) => {
  const axis: AxisName = given !== null && given in AXIS_TITLES ? (given as AxisName) : 'programs';
  const { groups, checkpoints, bestKnown, scoreName, direction, notes } = report;
  const x = checkpoints[axis];
  const colour = (index: number): string => `--s${index % COLOURS}`;
  const lines = groups.flatMap((group, index): readonly Line[] => {
    const { mean, low, high } = bandOf(group, axis);
    const of = { colour: colour(index) };
    return [
      {
        ...of,
        name: shortLabel(group.label),
        values: mean,
        ...(group.runs.length > 1 ? { band: [3 * index + 1, 3 * index + 2] as const } : {}),
        ...(index >= COLOURS ? { dashed: true as const } : {}),
      },
      { ...of, name: 'above', values: high, as: 'bound' },
      { ...of, name: 'below', values: low, as: 'bound' },
    ];
  });
  const text = (index: number, place: number): string => {
    const { mean, sd, n } = groups[index]!.at[axis][place]!;
    return mean === null
      ? groups[index]!.at[axis].slice(0, place).some((before) => before.mean !== null)
        ? 'ended before'
        : 'none'
      : `${score(Number(mean.toPrecision(7)))}${sd === null ? '' : ` ± ${Number(sd.toPrecision(2))}`}${n < groups[index]!.runs.length ? ` (${n} runs)` : ''}`;
  };
  const best = groups.flatMap(({ final }) => final.mean ?? []);
  const leader = best.length === 0 ? null : direction === 'maximise' ? Math.max(...best) : Math.min(...best);
  return (
    <>
      {notes.length === 0 ? null : (
        <ul class="notes">
          {notes.map((note) => (
            <li>
              <Foreign text={note} />
            </li>
          ))}
        </ul>
      )}
      <section class="card" aria-labelledby="curves">
        <div class="title">
          <h2 id="curves">
            Best <Foreign text={scoreName} /> so far
          </h2>
          <div class="controls inline">
            <label>
              over{' '}
              <select value={axis} onChange={({ currentTarget }) => setQuery({ axis: currentTarget.value })}>
                {Object.entries(AXIS_TITLES).map(([name, title]) => (
                  <option value={name}>{title}</option>
                ))}
              </select>
            </label>
          </div>
        </div>
        {x.length === 0 ? (
          <Nothing>None of the runs counts anything on this axis, so they cannot be compared on it.</Nothing>
        ) : (
          <Plot
            title={`Best ${scoreName} of each group`}
            kind={`${axis} ${groups.map(({ label }) => label).join('|')}`}
            x={x}
            lines={lines}
            height={320}
            xText={AXIS_TEXT[axis]}
            {...(axis === 'seconds' ? { xSteps: TIME_STEPS } : {})}
            yText={(value) => score(Number(value.toPrecision(6)))}
            levels={
              bestKnown === null ? [] : [{ value: bestKnown, name: `best known ${score(bestKnown)}`, colour: '--s2' }]
            }
            told={(place) =>
              `${AXIS_TEXT[axis](x[place]!)} ${axis === 'programs' || axis === 'tokens' ? axis : ''}: ${groups.map(({ label }, index) => `${shortLabel(label)} ${text(index, place)}`).join('; ')}`
            }
            table={() => ({
              head: [AXIS_TITLES[axis], ...groups.map(({ label }) => label)],
              rows: x.map((value, place) => [AXIS_TEXT[axis](value), ...groups.map((_, index) => text(index, place))]),
            })}
          >
            {groups.some(({ runs }) => runs.length > 1)
              ? 'The line is the mean over seeds, the tint one standard deviation on either side. '
              : ''}
            A line ends where the shortest of its runs ends.
          </Plot>
        )}
        <div class="scroll" tabIndex={0} role="region" aria-label="Groups, as a table">
          <table class="tight">
            <caption class="unseen">Groups at the ends of their own runs</caption>
            <Head
              columns={[
                'settings',
                ...figures('best at the end', 'best of all'),
                'runs',
                ...figures(...Object.values(AXIS_TITLES)),
              ]}
            />
            <tbody>
              {groups.map(({ label, final, runs, totals }, index) => (
                <tr>
                  <th scope="row" class="settings-of" title={shown(label)}>
                    <Swatch colour={colour(index)} />
                    <Foreign text={shortLabel(label)} />
                  </th>
                  <td class="number">
                    {final.mean === null ? '–' : score(Number(final.mean.toPrecision(7)))}
                    {final.sd === null ? '' : ` ± ${Number(final.sd.toPrecision(2))}`}
                    {final.mean !== null && final.mean === leader && groups.length > 1
                      ? final.sd === null
                        ? ' ★ best'
                        : ' ★ best mean'
                      : ''}
                  </td>
                  <td class="number">
                    {final.bestRun === null ? '–' : <a href={linkTo(['run', final.bestRun])}>{score(final.best)}</a>}
                  </td>
                  <td>
                    {runs.map((run, place) => (
                      <>
                        {place === 0 ? '' : ', '}
                        <a href={linkTo(['run', run])}>
                          <Foreign text={run} />
                        </a>
                      </>
                    ))}
                  </td>
                  {(Object.keys(AXIS_TITLES) as AxisName[]).map((name) => (
                    <td class="number">{name === 'programs' ? count(totals[name]) : AXIS_TEXT[name](totals[name])}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
    </>
  );
};
