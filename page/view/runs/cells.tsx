// The cells of the list of runs, for its table and its cards, and the boxes that select runs.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { columnOf, type RunColumnName } from '../../api/run/run-columns.ts';
import type { RunCard } from '../../api/run/runs.ts';
import { paramText } from '../../api/run/sweeps.ts';
import { Foreign, State } from '../base/parts.tsx';
import { linkTo, programLink } from '../base/state.ts';
import { inZone, parkedWords } from '../base/text.ts';
import { tick, ticked } from './selection.ts';
import { trendLine } from './trend.ts';

/** The name of a run, and in a sweep what the run tries there. */
export const Name = ({ run: { run, sweep, varied, seed } }: { readonly run: RunCard }) => (
  <>
    <a href={linkTo(['run', run])}>
      <Foreign text={run} />
    </a>
    {sweep === null ? null : (
      <small>
        <a href={linkTo(['sweeps', sweep])}>
          <Foreign text={sweep} />
        </a>
        {varied === null ? null : <Foreign text={`: ${paramText(varied)}, seed = ${seed}`} />}
      </small>
    )}
  </>
);

/** The cells that are more than their text. */
const CELLS: { readonly [name in RunColumnName]?: (run: RunCard, text: string) => ComponentChildren } = {
  run: (run) => <Name run={run} />,
  state: ({ state }) => <State state={state} />,
  trend: ({ trend }, text) => (
    <svg class="trend" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={text}>
      <path d={trendLine(trend)} />
    </svg>
  ),
  best: ({ run, best }, text) => (
    <a href={programLink(run, best!.program)}>
      {text}
      <span class="unseen">, the best program</span>
    </a>
  ),
};

type CellProps = { readonly name: RunColumnName; readonly run: RunCard };

export const Cell = ({ name, run }: CellProps) => {
  const said = columnOf(name).of(run, Date.now());
  if (said === null) return <>–</>;
  const { text, also, more, share } = said;
  return (
    <span class="cell" title={more}>
      {CELLS[name]?.(run, text) ?? <Foreign text={text} />}
      {also === undefined ? null : <small>{also}</small>}
      {share === undefined ? null : <progress value={share} max={1} aria-label={`Progress of ${run.run}`} />}
    </span>
  );
};

/** Why a run needs a person, and how it waits. Its page has the buttons. */
export const Needs = ({ run: { run, next, parked } }: { readonly run: RunCard }) => (
  <p class="error">
    <Foreign text={inZone(next.what)} />.{parked === null ? '' : ` ${parkedWords(parked, Date.now())}`}{' '}
    <a href={linkTo(['run', run])}>What to do</a>
  </p>
);

/** A box for one run or for several, of which some may be selected. */
export const Tick = ({ label, runs }: { readonly label: string; readonly runs: readonly string[] }) => {
  const box = useRef<HTMLInputElement>(null);
  const state = ticked(runs);
  useEffect(() => {
    box.current!.indeterminate = state === 'some';
  }, [state]);
  return (
    <input
      ref={box}
      type="checkbox"
      aria-label={label}
      checked={state === 'all'}
      onChange={({ currentTarget }) => tick(runs, currentTarget.checked)}
    />
  );
};
