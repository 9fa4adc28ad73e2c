// Best so far along programs, tokens, money or time, and the change behind each best.
import {
  gainOf,
  type Glance,
  improvementWords,
  linesInWords,
  type RecordLine,
  type Records,
  RECORDS_AT_FIRST,
} from '../../api/run/overview.ts';
import type { Direction } from '../../../evolution/types.ts';
import {
  AXIS_TITLES,
  type AxisName,
  bestLine,
  distances,
  placeOf,
  type StepRecord,
  type Steps,
} from '../../api/run/steps.ts';
import { alongAxis, AXIS_TEXT, axisOf } from '../charts/axis.ts';
import type { Level } from '../charts/types.ts';
import { AxisChoice, Plot } from '../charts/plot.tsx';
import { Tick } from '../base/controls.tsx';
import { Card, Foreign, Nothing, When } from '../base/parts.tsx';
import { programLink, route, setQuery, stepLink, useBehind } from '../base/state.ts';
import { alignedScores, count, gain as signed, score } from '../base/text.ts';

type Props = { readonly run: string; readonly steps: Steps; readonly glance: Glance };

/** A place of an axis in words. */
const written = (value: number, axis: AxisName): string => {
  const unit = axis === 'costUsd' || axis === 'seconds' ? '' : ` ${axis}`;
  return `${axis === 'programs' ? count(value) : AXIS_TEXT[axis](value)}${unit}`;
};

export const Best = ({ run, steps, glance }: Props) => {
  const { query } = route.value;
  const axis = axisOf(query.get('axis'));
  const goal = glance.known?.bestKnown?.value ?? null;
  const far = goal !== null && query.get('distance') === '1';
  const isCounted = (steps.points.at(-1)?.[axis] ?? 0) > 0;
  const tools = (
    <>
      <AxisChoice axis={axis} />
      {goal === null ? null : (
        <Tick class="tick" checked={far} onValue={(checked) => setQuery({ distance: checked ? '1' : null })}>
          distance to the best known
        </Tick>
      )}
    </>
  );
  return (
    <Card class="card wide best-so-far" title="Best so far" tools={tools}>
      {steps.records.length === 0 ? (
        <Nothing>The first valid program begins the line.</Nothing>
      ) : isCounted ? (
        <BestPlot {...{ run, steps, glance, axis, goal, far }} />
      ) : (
        <Nothing>
          Nothing is counted on this axis:{' '}
          {axis === 'costUsd'
            ? 'what this run asks for has no price, or a price of 0.'
            : 'the first step is not committed yet.'}
        </Nothing>
      )}
    </Card>
  );
};

type PlotProps = Props & {
  readonly axis: AxisName;
  /** The best known value; null where there is none. */
  readonly goal: number | null;
  /** The distance to the best known value is drawn. */
  readonly far: boolean;
};

/** The values that the line is compared with. */
const levelsOf = ({ glance: { known }, goal, far }: PlotProps): readonly Level[] => [
  ...(far || known?.paper == null ? [] : [{ value: known.paper, name: `paper ${score(known.paper)}`, colour: '--s3' }]),
  ...(far || goal === null ? [] : [{ value: goal, name: `best known ${score(goal)}`, colour: '--s2' }]),
];

const distanceText = (value: number): string => (value < 0.001 ? value.toExponential(0) : score(value, 1));

const BestPlot = (props: PlotProps) => {
  const { run, steps, glance, axis, goal, far } = props;
  const { records, points, settings, rescored = [] } = steps;
  const line = bestLine(steps, axis);
  const values = far ? distances(line.best, goal!) : line.best;
  const improved = values.map((value, index) => (line.improved[index] === null ? null : value));
  const on = (value: number): string => written(value, axis);
  const recordAt = (index: number): StepRecord | undefined => records[line.record[index]!];
  const textAt = (index: number): string => {
    const record = recordAt(index);
    if (record === undefined) return `${on(line.x[index]!)}: no valid program yet`;
    const distance = goal === null ? '' : score(Math.abs(goal - record.ranking), 4);
    const toGoal = distance === '' ? '' : `, ${distance} from the best known`;
    return `${on(line.x[index]!)}: ${score(record.ranking)} since step ${record.step}${toGoal}`;
  };
  const moreAt = (index: number) => {
    const record = recordAt(index);
    return record === undefined ? null : <a href={programLink(run, record.program)}>open the program</a>;
  };
  const open = (index: number): void => {
    const record = recordAt(index);
    if (record !== undefined) location.hash = programLink(run, record.program);
  };
  const [first, last] = [records[0]!, records.at(-1)!];
  const rankings = alignedScores(records.map(({ ranking }) => ranking));
  return (
    <Plot
      title={`Best ${glance.known?.scoreName ?? 'score'} so far`}
      kind={`${axis} ${far}`}
      x={line.x}
      lines={[
        { name: 'best so far', colour: '--s0', values },
        { name: 'improvement', colour: '--s0', values: improved, as: 'points' },
      ]}
      logarithmic={far}
      height={360}
      {...alongAxis(axis)}
      yText={far ? distanceText : (value) => score(value, 6)}
      yTitle={far ? 'distance to the best known' : (glance.known?.scoreName ?? 'score')}
      levels={levelsOf(props)}
      marks={[
        ...settings
          .filter(({ version }) => version > 1)
          .map(({ step, version }) => ({ x: placeOf(points, step, axis), name: `settings ${version}` })),
        ...rescored.map((step) => ({ x: placeOf(points, step, axis), name: 'new version of the task' })),
      ]}
      textAt={textAt}
      moreAt={moreAt}
      open={open}
      table={() => ({
        head: [AXIS_TITLES[axis], 'best so far', 'step', 'program'],
        rows: records.map((record, place) => [
          AXIS_TEXT[axis](record[axis]),
          rankings[place]!,
          String(record.step),
          record.program,
        ]),
      })}
    >
      {records.length < 2 ? '' : `From ${score(first.ranking)} to `}
      {score(last.ranking)}, {improvementWords(records)}, over {on(line.x.at(-1)!)}.
      {records.length < 2 ? '' : ` The last improvement came at ${on(last[axis])}.`}
    </Plot>
  );
};

/** The change that made each best. It is asked for again when there is another best. */
export const Bests = ({ run, steps, glance }: Props) => {
  const answer = useBehind<Records>(run, 'records', `${steps.records.length} ${steps.lineage}`);
  const last = steps.points.at(-1)?.step ?? 0;
  const direction = glance.known?.direction ?? 'maximise';
  return (
    <Card class="card bests" title="What made it better">
      <When answer={answer} what="what made each best">
        {/* The answer may be of a later commit than the rest of the view. */}
        {({ records, more }) => (
          <Entries records={records.filter(({ step }) => step <= last)} {...{ run, more, direction }} />
        )}
      </When>
    </Card>
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

/** The largest gains of the run, by their places. */
const PLACES = ['largest gain', 'second largest gain', 'third largest gain'];

type EntryProps = { readonly run: string; readonly record: RecordLine; readonly gain: number | null };

const Entry = ({ run, record, gain }: EntryProps) => {
  const { program, step, idea, cause, runGain, place } = record;
  return (
    <li>
      <div class="line">
        <a href={programLink(run, program)}>{score(record.score)}</a>
        {runGain === null ? null : <span class="up">run {signed(runGain)}</span>}
        {gain === null ? null : (
          <span class="soft">
            {cause.kind === 'seed' ? 'initial program' : 'parent'} {signed(gain)}
          </span>
        )}
        {place === null ? null : <span class="badge good">{PLACES[place - 1]}</span>}
        <span class="soft">
          step <a href={stepLink(run, step)}>{step}</a>
          {cause.model === null ? '' : ', '}
          {cause.model === null ? null : <Foreign text={cause.model} />}
        </span>
      </div>
      <Change run={run} record={record} />
      {idea === null || idea === '' || cause.kind === 'initial' ? null : (
        <p class="soft">
          Idea: <Foreign text={idea} />
        </p>
      )}
    </li>
  );
};

/** The change in the words of the model, or else in lines of the code. */
const Change = ({ run, record }: Pick<EntryProps, 'run' | 'record'>) => {
  const { change, cause } = record;
  return (
    <>
      {cause.kind === 'child' ? null : (
        <p class="soft">
          <Foreign text={sentence(cause.words)} />
        </p>
      )}
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
      ) : cause.from === null ? null : (
        <ChangedLines run={run} record={record} />
      )}
    </>
  );
};

const sentence = (words: string): string => `${words[0]!.toUpperCase()}${words.slice(1)}.`;

/** How the answer begins, or else the first lines that went and came; and the number of lines that stand not here. */
const ChangedLines = ({ run, record: { program, cause, said, lines, diff } }: Pick<EntryProps, 'run' | 'record'>) => {
  const changed =
    said !== null
      ? []
      : [
          ...(diff?.went ?? []).map((text) => ({ class: 'went', text: `− ${text}` })),
          ...(diff?.came ?? []).map((text) => ({ class: 'came', text: `+ ${text}` })),
        ];
  const isWhole = changed.length > 0 && changed.length === (lines?.added ?? 0) + (lines?.deleted ?? 0);
  return (
    <>
      {said === null ? null : (
        <p>
          <Foreign text={said} />
        </p>
      )}
      {changed.length === 0 ? null : (
        <ul class="changed" aria-label="Lines that went and came">
          {changed.map(({ class: name, text }) => (
            <li class={name}>
              <code>
                {text.slice(0, 2)}
                <Foreign text={text.slice(2)} />
              </code>
            </li>
          ))}
        </ul>
      )}
      <p class="soft">
        {lines === null || isWhole ? '' : `${linesInWords(lines)}. `}
        <a href={programLink(run, program, 'parent')}>
          Diff to {cause.kind === 'seed' ? 'the initial program' : 'parent'}
        </a>
      </p>
    </>
  );
};
