// The cells of the list of runs that are more than a text, for its table and its cards.
import type { ComponentChildren } from 'preact';
import { columnOf, otherScore, progressOf, type RunColumnName } from '../../api/run/run-columns.ts';
import type { RunCard } from '../../api/run/runs.ts';
import { Foreign, State } from '../base/parts.tsx';
import { linkTo, programLink } from '../base/state.ts';
import { trendLine } from './trend.ts';

type Props = { readonly run: RunCard; readonly now: number };

const Name = ({ run }: Props) => (
  <a href={linkTo(['run', run.run])}>
    <Foreign text={run.run} />
  </a>
);

/** The sweep of a run, and what the run tries in it. */
export const OfSweep = ({ run }: { readonly run: RunCard }) =>
  run.sweep === null ? null : (
    <small class="of-sweep">
      <a href={linkTo(['sweeps', run.sweep])}>
        <Foreign text={run.sweep} />
      </a>
      {run.varied === null ? null : (
        <>
          : <Foreign text={columnOf('run').more!(run)!} />
        </>
      )}
    </small>
  );

const Trend = ({ run, now }: Props) => {
  const { text } = columnOf('trend');
  return run.trend.length === 0 ? (
    <>–</>
  ) : (
    <svg class="trend" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={text(run, now)}>
      <polyline points={trendLine(run.trend)} />
    </svg>
  );
};

const Best = ({ run, now }: Props) => {
  const other = otherScore(run);
  return run.best === null ? (
    <>–</>
  ) : (
    <>
      <a href={programLink(run.run, run.best.program)}>
        {columnOf('best').text(run, now)}
        <span class="unseen">, the best program</span>
      </a>
      {other === null ? null : <small>{other}</small>}
      {run.scoresInvented ? <small>invented</small> : null}
    </>
  );
};

const Progress = ({ run, now }: Props) => {
  const most = progressOf(run);
  return (
    <>
      {columnOf('progress').text(run, now)}
      {most === null ? null : <progress value={most.share} max={1} aria-label={`progress of ${run.run}`} />}
    </>
  );
};

const CELLS: { readonly [name in RunColumnName]?: (props: Props) => ComponentChildren } = {
  run: Name,
  state: ({ run: { state } }) => <State state={state} />,
  trend: Trend,
  best: Best,
  progress: Progress,
};

export const Cell = ({ name, ...props }: Props & { readonly name: RunColumnName }) => {
  const Own = CELLS[name];
  const { text, more } = columnOf(name);
  return (
    <span class={`cell ${name}`} title={more?.(props.run) ?? undefined}>
      {Own === undefined ? <Foreign text={text(props.run, props.now)} /> : <Own {...props} />}
    </span>
  );
};

export const Needs = ({ run: { next } }: { readonly run: RunCard }) => (
  <>
    <Foreign text={next.what} />
    {next.command === null ? null : <code>{next.command}</code>}
  </>
);
