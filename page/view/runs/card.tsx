// A run as a card: the columns of the table one below the other, for narrow windows and for who likes it so.
import { columnOf, type RunColumnName } from '../../api/run/run-columns.ts';
import { endInWords, type RunCard } from '../../api/run/runs.ts';
import { Figure, Foreign, State } from '../base/parts.tsx';
import { linkTo } from '../base/state.ts';
import { Cell, Needs, OfSweep } from './cells.tsx';
import type { Selection } from './selection.ts';
import { TickRun } from './table.tsx';

/** Its head has the others. */
const FIGURES: readonly RunColumnName[] = ['best', 'gap', 'progress', 'left', 'cost', 'improved', 'begun'];

type CardProps = { readonly run: RunCard; readonly selection: Selection; readonly now: number };

export const Card = ({ run, selection, now }: CardProps) => (
  <li class={run.next.urgent ? 'card urgent' : 'card'}>
    <div class="head">
      <TickRun run={run.run} selection={selection} />
      <h2>
        <a href={linkTo(['run', run.run])}>
          <Foreign text={run.run} />
        </a>
      </h2>
      <State state={run.state} />
    </div>
    <p class="about">
      <Foreign text={run.known?.title ?? run.task} /> · {run.method} · <Foreign text={run.model} />
    </p>
    <OfSweep run={run} />
    {run.next.urgent ? (
      <p class="needs">
        <Needs run={run} />
      </p>
    ) : null}
    <Cell name="trend" run={run} now={now} />
    <dl class="figures">
      {FIGURES.filter((name) => columnOf(name).text(run, now) !== '–').map((name) => (
        <Figure key={name} name={columnOf(name).title}>
          <Cell {...{ name, run, now }} />
        </Figure>
      ))}
    </dl>
    {run.stopReason === null || run.next.urgent ? null : (
      <p class="soft">
        <Foreign text={endInWords(run.stopReason)} />
      </p>
    )}
  </li>
);
