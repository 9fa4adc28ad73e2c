// Sweeps: the list of them, and one as a matrix of configurations and seeds with the decisions at its rungs.
import type { Direction } from '../../../evolution/types.ts';
import { effectsOf } from '../../../evolution/sweep/effects.ts';
import { heatOf, matrixOf, paramText, type SweepAnswer, type SweepList } from '../../api/run/sweeps.ts';
import { SweepBar } from '../actions/bar.tsx';
import { Card, Figure, Foreign, Moment, Nothing, State, When } from '../base/parts.tsx';
import { linkTo, route, useAnswer, useNews } from '../base/state.ts';
import { axisOf } from '../charts/axis.ts';
import { AxisChoice } from '../charts/plot.tsx';
import { Curves, MOST_COMPARED, useCompared } from './compare.tsx';
import { meanText } from './groups.ts';
import { Figures } from './paper-figures.tsx';
import { Parallel } from './parallel.tsx';
import { type Column, Table } from '../base/tables.tsx';
import { amount, count, percent, score, shown, dollars } from '../base/text.ts';

export const Sweeps = ({ path: [name] }: { readonly path: readonly string[] }) => {
  useNews(null);
  return name === undefined ? <List /> : <Sweep name={name} />;
};

const List = () => (
  <>
    <h1>Sweeps</h1>
    <When answer={useAnswer<SweepList>('sweeps', 'runs')} what="the sweeps">
      {({ sweeps }) =>
        sweeps.length === 0 ? (
          <Nothing>
            There is no sweep yet. <code>npx evolve sweep &lt;file&gt;</code> starts many runs over a grid of settings
            and seeds.
          </Nothing>
        ) : (
          <Table
            label="Sweeps, as a table"
            of={sweeps}
            columns={[
              [
                'sweep',
                ({ sweep }) => (
                  <a href={linkTo(['sweeps', sweep])}>
                    <Foreign text={sweep} />
                  </a>
                ),
              ],
              ['state', ({ status }) => <State state={status} />],
              ['configurations', ({ groups }) => count(groups), 'number'],
              ['runs', ({ runs }) => count(runs), 'number'],
              ['begun', ({ createdAt }) => <Moment at={createdAt} />],
            ]}
          />
        )
      }
    </When>
  </>
);

const Sweep = ({ name }: { readonly name: string }) => (
  <When answer={useAnswer<SweepAnswer>(`sweeps/${encodeURIComponent(name)}`, 'runs')} what="the sweep and its runs">
    {(sweep) => (
      <>
        <div class="title">
          <h1>
            <Foreign text={sweep.sweep} />
          </h1>
          <State state={sweep.status} />
        </div>
        <SweepBar sweep={sweep.sweep} state={sweep.status} />
        {sweep.stopReason === null ? null : (
          <p class="soft">
            <Foreign text={sweep.stopReason} />
          </p>
        )}
        <dl class="figures">
          <Figure name="configurations">{count(sweep.groups.length)}</Figure>
          <Figure name="runs">
            {Object.entries(sweep.states)
              .map(([state, number]) => `${number} ${state}`)
              .join(', ')}
          </Figure>
          <Figure name="programs">{count(sweep.programs)}</Figure>
          <Figure name="tokens">{amount(sweep.tokens.in + sweep.tokens.out)}</Figure>
          <Figure name="cost">{dollars(sweep.costUsd)}</Figure>
        </dl>
        <Matrix sweep={sweep} />
        {sweep.ofPaper ? <Figures sweep={name} /> : null}
        {isOneTask(sweep) ? <Analysis sweep={sweep} /> : null}
        <Rungs sweep={sweep} />
      </>
    )}
  </When>
);

/** Scores of several tasks cannot be compared. */
const isOneTask = ({ directions, groups }: SweepAnswer): boolean =>
  new Set(Object.values(directions)).size < 2 && groups.every(({ params }) => !('task' in params));

/** The curves of the runs, and what the settings are worth. */
const Analysis = ({ sweep }: { readonly sweep: SweepAnswer }) => {
  const begun = sweep.runs.filter(({ best, programs }) => best !== null && programs > 0).slice(0, MOST_COMPARED);
  const compared = useCompared(begun.map(({ run }) => run));
  const axis = axisOf(route.value.query.get('axis'));
  if (begun.length === 0) return null;
  return (
    <>
      <Card title="Best so far" tools={<AxisChoice axis={axis} />}>
        <When answer={compared} what="the programs of its runs">
          {(report) => <Curves report={report} axis={axis} />}
        </When>
      </Card>
      <Effects sweep={sweep} />
    </>
  );
};

const Effects = ({ sweep: { groups, runs, directions, decisions } }: { readonly sweep: SweepAnswer }) => {
  const effects = effectsOf(groups, runs);
  if (effects.length === 0) return null;
  const direction = Object.values(directions)[0] ?? 'maximise';
  return (
    <Card title="What the settings are worth">
      <Parallel groups={groups} direction={direction} />
      <p class="soft">
        “Explains” is the share of the variance of the runs’ best scores that the values of a setting explain by
        themselves, less what chance makes of as many values (ε² of a one-way analysis of variance).
        {decisions.length === 0 ? '' : ' Runs that a rung stopped count with what they had then.'}
      </p>
      <Table
        label="Settings, as a table"
        of={effects}
        columns={[
          ['setting', ({ key }) => <code>{shown(key)}</code>],
          ['explains', ({ share }) => (share === null ? 'cannot be told' : percent(share)), 'number'],
          ['mean score of each value', ({ levels }) => <Levels levels={levels} />],
        ]}
      />
    </Card>
  );
};

const Levels = ({ levels }: Pick<ReturnType<typeof effectsOf>[number], 'levels'>) =>
  levels.map(({ text, mean, runs: number }, index) => (
    <>
      {index === 0 ? '' : '; '}
      <Foreign text={text} />: <span class="figure-text">{score(mean, 6)}</span>{' '}
      <span class="soft">({number === 1 ? 'one run' : `${count(number)} runs`})</span>
    </>
  ));

const Matrix = ({ sweep }: { readonly sweep: SweepAnswer }) => {
  const { columns, rows } = matrixOf(sweep);
  const { directions, groups, runs } = sweep;
  // Else a row is coloured by itself.
  const oneTask = isOneTask(sweep);
  const bests = runs.map(({ best }) => best);
  const repeats = new Set(columns.map(({ repeat }) => repeat)).size > 1;
  const stopped = new Set(sweep.decisions.flatMap((decision) => decision.stopped));
  const compared = runs.slice(0, MOST_COMPARED).map(({ run }) => run);
  const link = <a href={linkTo(['compare'], { runs: compared.join(',') })}>Compare their curves</a>;
  return (
    <Card title="Configurations and seeds, best mean first" tools={link}>
      <p class="soft">
        Each cell is the best score of a run; the stronger its colour, the better{oneTask ? '' : ', within its row'}.
      </p>
      <Table
        label="Configurations and seeds, as a table"
        class="matrix"
        of={rows}
        columns={[
          [
            'configuration',
            ({ group, params }) => (
              <>
                <Foreign text={paramText(params)} />
                {stopped.has(group) ? <span class="badge wait">stopped at a rung</span> : null}
              </>
            ),
          ],
          ...columns.map(({ seed, repeat }, at): Column<MatrixRow> => [
            `seed ${seed}${repeats ? `, repeat ${repeat}` : ''}`,
            ({ group, cells }) => (
              <Cell
                cell={cells[at]!}
                scores={oneTask ? bests : cells.map((one) => one?.best ?? null)}
                direction={directions[group] ?? 'maximise'}
              />
            ),
            'number',
          ]),
          ['mean', (_, index) => meanText(groups[index]!), 'number'],
          ['programs', (_, index) => count(groups[index]!.programs), 'number'],
          ['cost', (_, index) => dollars(groups[index]!.costUsd), 'number'],
        ]}
      />
    </Card>
  );
};

type MatrixRow = ReturnType<typeof matrixOf>['rows'][number];
type CellProps = {
  readonly cell: MatrixRow['cells'][number];
  /** The scores that the colour compares it with. */
  readonly scores: readonly (number | null)[];
  readonly direction: Direction;
};

const Cell = ({ cell, scores, direction }: CellProps) => {
  if (cell === null) return <>–</>;
  const best = cell.best === null ? '–' : cell.best.toPrecision(7);
  return (
    <span class="heat" style={{ '--heat': String(heatOf(cell.best, scores, direction) ?? 0) }}>
      <a href={linkTo(['run', cell.run])} aria-label={`${best}, run ${cell.run}, ${cell.state}`}>
        {best}
      </a>
      {cell.state === 'finished' ? null : <small>{cell.state}</small>}
    </span>
  );
};

const Rungs = ({ sweep: { decisions, groups } }: { readonly sweep: SweepAnswer }) => {
  if (decisions.length === 0) return null;
  const nameOf = (group: number): string => paramText(groups.find((one) => one.group === group)?.params ?? {});
  return (
    <Card title="What successive halving decided">
      {decisions.map(({ programs, ranking, stopped }) => (
        <details open={decisions.length === 1}>
          <summary>
            At {count(programs)} programs: {ranking.length - stopped.length} of {ranking.length} go on
          </summary>
          <ol>
            {ranking.map(({ group, score: mean }) => (
              <li>
                <Foreign text={nameOf(group)} />: {score(mean)}{' '}
                {stopped.includes(group) ? <span class="badge wait">stopped</span> : null}
              </li>
            ))}
          </ol>
        </details>
      ))}
    </Card>
  );
};
