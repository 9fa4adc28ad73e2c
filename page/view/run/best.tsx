// Best so far along programs, tokens, money or time, and what made each best.
import { useEffect } from 'preact/hooks';
import {
  gainOf,
  type Glance,
  improvementWords,
  linesInWords,
  type RecordLine,
  RECORDS_AT_FIRST,
  type Records,
} from '../../data/glance.ts';
import type { Direction } from '../../../evolution/types.ts';
import { AXIS_TITLES, type AxisName, bestLine, distances, placeOf, type Steps } from '../../data/steps.ts';
import { TIME_STEPS } from '../charts/drawing.ts';
import { Plot } from '../charts/plot.tsx';
import { Foreign, Nothing, When } from '../base/parts.tsx';
import { linkTo, route, setQuery, tell, useAnswer } from '../base/state.ts';
import { compact, count, duration, score, usd } from '../base/text.ts';

const AXIS_TEXT: { readonly [axis in AxisName]: (value: number) => string } = {
  programs: compact,
  tokens: compact,
  costUsd: usd,
  seconds: (value) => (value === 0 ? '0' : duration(value)),
};
const axisOf = (text: string | null): AxisName =>
  text !== null && text in AXIS_TITLES ? (text as AxisName) : 'programs';

type Props = { readonly run: string; readonly steps: Steps; readonly glance: Glance };

export const Best = ({ run, steps, glance }: Props) => {
  const { query } = route.value;
  const axis = axisOf(query.get('axis'));
  const { known } = glance;
  const goal = known?.bestKnown?.value ?? null;
  const far = goal !== null && query.get('distance') === '1';
  const line = bestLine(steps, axis);
  const shown = far ? distances(line.best, goal) : line.best;
  const { records } = steps;
  const on = (value: number): string =>
    `${axis === 'programs' ? count(value) : AXIS_TEXT[axis](value)}${axis === 'costUsd' || axis === 'seconds' ? '' : ` ${axis}`}`;
  const told = (index: number): string => {
    const record = records[line.record[index]!];
    if (record === undefined) return `${on(line.x[index]!)}: no valid program yet`;
    const distance =
      goal === null ? '' : `, ${Number(Math.abs(goal - record.ranking).toPrecision(4))} from the best known`;
    return `${on(line.x[index]!)}: ${score(record.ranking)} since step ${record.step}${distance}`;
  };
  const programAt = (index: number): string | null => records[line.record[index]!]?.program ?? null;
  const open = (index: number): void => {
    const program = programAt(index);
    if (program !== null) location.hash = linkTo(['run', run, 'program', program]);
  };
  const first = records[0];
  const last = records.at(-1);
  const xEnd = line.x.at(-1) ?? 0;
  return (
    <section class="card wide" aria-labelledby="best-heading">
      <div class="title">
        <h2 id="best-heading">Best so far</h2>
        <div class="controls inline">
          <label>
            over{' '}
            <select
              value={axis}
              onChange={({ currentTarget }) =>
                setQuery({ axis: currentTarget.value === 'programs' ? null : currentTarget.value })
              }
            >
              {Object.entries(AXIS_TITLES).map(([name, title]) => (
                <option value={name}>{title}</option>
              ))}
            </select>
          </label>
          {goal === null ? null : (
            <label class="tick">
              <input
                type="checkbox"
                checked={far}
                onChange={({ currentTarget }) => setQuery({ distance: currentTarget.checked ? '1' : null })}
              />{' '}
              distance to the best known
            </label>
          )}
        </div>
      </div>
      {last === undefined || first === undefined ? (
        <Nothing>The first valid program begins the line.</Nothing>
      ) : xEnd <= 0 ? (
        <Nothing>
          Nothing is counted on this axis:{' '}
          {axis === 'costUsd'
            ? 'what this run asks for has no price, or a price of 0.'
            : 'the first step is not committed yet.'}
        </Nothing>
      ) : (
        <Plot
          title={`Best ${known?.scoreName ?? 'score'} so far`}
          kind={`${axis} ${far}`}
          x={line.x}
          lines={[
            { name: 'best so far', colour: '--s0', values: shown },
            {
              name: 'improvement',
              colour: '--s0',
              values: shown.map((value, index) => (line.improved[index] === null ? null : value)),
              as: 'points',
            },
          ]}
          logarithmic={far}
          height={360}
          xText={AXIS_TEXT[axis]}
          {...(axis === 'seconds' ? { xSteps: TIME_STEPS } : {})}
          yText={(value) =>
            far
              ? value < 0.001
                ? value.toExponential(0)
                : String(Number(value.toPrecision(1)))
              : score(Number(value.toPrecision(6)))
          }
          levels={
            far || known === null
              ? []
              : [
                  ...(known.paper === null
                    ? []
                    : [{ value: known.paper, name: `paper ${score(known.paper)}`, colour: '--s3' }]),
                  ...(goal === null ? [] : [{ value: goal, name: `best known ${score(goal)}`, colour: '--s2' }]),
                ]
          }
          marks={steps.settings
            .filter(({ version }) => version > 1)
            .map(({ step, version }) => ({ x: placeOf(steps.points, step, axis), name: `settings ${version}` }))}
          told={told}
          more={(index) => {
            const program = programAt(index);
            return program === null ? null : <a href={linkTo(['run', run, 'program', program])}>open the program</a>;
          }}
          open={open}
          table={() => ({
            head: [AXIS_TITLES[axis], 'best so far', 'step', 'program'],
            rows: records.map((record) => [
              on(record[axis]),
              score(record.ranking),
              String(record.step),
              record.program,
            ]),
          })}
        >
          From {score(first.ranking)} to {score(last.ranking)}, {improvementWords(records)}, over {on(xEnd)}.
          {records.length < 2 ? '' : ` The last improvement came at ${on(last[axis])}.`}
        </Plot>
      )}
    </section>
  );
};

/** What made each best. It is asked for again when there is another best. */
export const Bests = ({ run, steps, glance }: Props) => {
  const topic = `${run} records`;
  useEffect(() => tell(topic), [steps.records.length, steps.lineage]);
  const answer = useAnswer<Records>(`runs/${encodeURIComponent(run)}/records`, topic);
  const last = steps.points.at(-1)?.step ?? 0;
  return (
    <section class="card bests" aria-labelledby="bests-heading">
      <h2 id="bests-heading">What made it better</h2>
      <When answer={answer} what="what made each best">
        {/* The answer may be of a later commit than the rest of the view. */}
        {({ records, more }) => (
          <Entries
            run={run}
            records={records.filter(({ step }) => step <= last)}
            more={more}
            direction={glance.known?.direction ?? 'maximise'}
          />
        )}
      </When>
    </section>
  );
};

type EntriesProps = Records & { readonly run: string; readonly direction: Direction };

const Entries = ({ run, records, more, direction }: EntriesProps) => {
  const entry = (record: RecordLine) => (
    <Entry run={run} record={record} gain={gainOf(record.score, record.parentScore, direction)} />
  );
  const older = records.length - RECORDS_AT_FIRST;
  if (records.length === 0) return <Nothing>Each new best appears here with the change that made it.</Nothing>;
  return (
    <>
      <ol>{records.slice(0, RECORDS_AT_FIRST).map(entry)}</ol>
      {older > 0 || more > 0 ? (
        <details>
          <summary>
            {count(older)} earlier{more > 0 ? `, and ${count(more)} older ones that only the plot shows` : ''}
          </summary>
          <ol>{records.slice(RECORDS_AT_FIRST).map(entry)}</ol>
        </details>
      ) : null}
    </>
  );
};

const Entry = ({
  run,
  record,
  gain,
}: {
  readonly run: string;
  readonly record: RecordLine;
  readonly gain: number | null;
}) => {
  const { program, step, change, idea, parent, model, injected } = record;
  return (
    <li>
      <div class="line">
        <a href={linkTo(['run', run, 'program', program])}>{score(record.score)}</a>
        {gain === null ? null : (
          <span class={gain > 0 ? 'up' : 'soft'}>
            {gain > 0 ? '+' : ''}
            {Number(gain.toPrecision(3))} on its parent
          </span>
        )}
        <span class="soft">
          step <a href={linkTo(['run', run, 'programs'], { step: `${step}..${step}` })}>{step}</a>
          {model === null ? '' : ', '}
          {model === null ? null : <Foreign text={model} />}
        </span>
      </div>
      {change !== null ? (
        <p>
          {change.from === '' ? null : (
            <>
              <span class="soft">
                <Foreign text={change.from} />
              </span>{' '}
              →{' '}
            </>
          )}
          <Foreign text={change.to} />
        </p>
      ) : parent === null ? (
        <p class="soft">{injected ? 'A person put it in.' : 'The program that the run began with.'}</p>
      ) : (
        <Changed run={run} record={record} />
      )}
      {idea === null || idea === '' ? null : (
        <p class="soft">
          Idea: <Foreign text={idea} />
        </p>
      )}
    </li>
  );
};

/** Where nobody said what was changed: the first lines that went and came, and how many there are. */
const Changed = ({ run, record: { program, lines, diff } }: { readonly run: string; readonly record: RecordLine }) => {
  const shown = diff === null ? 0 : diff.went.length + diff.came.length;
  const href = linkTo(['run', run, 'program', program], { show: 'parent' });
  return (
    <>
      {diff === null || shown === 0 ? null : (
        <ul class="changed" aria-label="Lines that went and came">
          {diff.went.map((line) => (
            <li class="went">
              <Line sign="−" text={line} />
            </li>
          ))}
          {diff.came.map((line) => (
            <li class="came">
              <Line sign="+" text={line} />
            </li>
          ))}
        </ul>
      )}
      <p class="soft">
        {lines === null ? '' : `${linesInWords(lines)}. `}
        <a href={href}>Diff to parent</a>
      </p>
    </>
  );
};

const Line = ({ sign, text }: { readonly sign: string; readonly text: string }) => (
  <code>
    {sign} <Foreign text={text} />
  </code>
);
