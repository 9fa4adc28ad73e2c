// A run as a card: the columns of the table one below the other, for narrow windows and for who likes it so.
import { columnOf, type RunColumnName } from '../../api/run/run-columns.ts';
import type { RunCard } from '../../api/run/runs.ts';
import { MarkBadge } from '../actions/mark.tsx';
import { Figure, Foreign, State } from '../base/parts.tsx';
import { Cell, Name, Needs, Tick } from './cells.tsx';

const FIGURES: readonly RunColumnName[] = ['best', 'gap', 'progress', 'left', 'cost', 'improved', 'begun'];

export const Card = ({ run }: { readonly run: RunCard }) => (
  <li class={run.next.urgent ? 'card urgent' : 'card'}>
    <div class="title">
      <Tick label={`Select ${run.run}`} runs={[run.run]} />
      <h2>
        <Name run={run} />
      </h2>
      <State state={run.state} />
      <MarkBadge mark={run.mark} />
    </div>
    <p class="about">
      <Foreign text={run.known?.title ?? run.task} /> · {run.method} · <Foreign text={run.model} />
    </p>
    {run.next.urgent ? <Needs run={run} /> : null}
    {run.trend.length === 0 ? null : <Cell name="trend" run={run} />}
    <dl class="figures">
      {FIGURES.filter((name) => columnOf(name).of(run, 0) !== null).map((name) => (
        <Figure key={name} name={columnOf(name).title}>
          <Cell name={name} run={run} />
        </Figure>
      ))}
    </dl>
  </li>
);
