// Which components were changed in a run, how often that helped, by how much, and the changes that helped most.
import { useState } from 'preact/hooks';
import type { Component, DeltasAnswer, ShownAgain } from '../../data/deltas.ts';
import { fromWhereTheyDiffer, sharedBeginning } from '../../data/shared-beginning.ts';
import type { Traits } from '../../data/traits.ts';
import { Figure, figures, Foreign, Head, Nothing, When } from '../base/parts.tsx';
import { linkTo, useAnswer } from '../base/state.ts';
import { count, gain, percent } from '../base/text.ts';
import type { RunViewProps } from '../base/view.ts';

const ORDERS = ['helped', 'changed', 'share', 'mean gain', 'best gain'] as const;
type Order = (typeof ORDERS)[number];

const worth = (order: Order, { changed, labels, meanGain, bestGain }: Component): number => {
  switch (order) {
    case 'helped':
      return labels.improved;
    case 'changed':
      return changed;
    case 'share':
      return labels.improved / changed;
    case 'mean gain':
      return meanGain ?? -Infinity;
    case 'best gain':
      return bestGain ?? -Infinity;
  }
};

const FEW = 25;
const MOST_AGAIN = 20;

export const Deltas = ({ run }: RunViewProps) => {
  const path = `runs/${encodeURIComponent(run)}`;
  const traits = useAnswer<Traits>(`${path}/traits`);
  const answer = useAnswer<DeltasAnswer>(`${path}/deltas`, run);
  return (
    <When answer={answer} what="what models said they changed">
      {(deltas) =>
        deltas.deltas === 0 ? (
          <Nothing>
            {traits.value?.has.deltas === true
              ? 'No program with a parent is committed yet. Each brings a delta: what was changed, and why.'
              : 'Models were not asked what they changed in this run. A run whose setting prompt.style is delta has deltas.'}
          </Nothing>
        ) : (
          <Sums run={run} deltas={deltas} sign={traits.value?.direction === 'minimise' ? -1 : 1} />
        )
      }
    </When>
  );
};

type Given = { readonly run: string; readonly deltas: DeltasAnswer; readonly sign: 1 | -1 };

const Sums = ({ run, deltas, sign }: Given) => {
  const [order, setOrder] = useState<Order>('helped');
  const [least, setLeast] = useState(1);
  const [all, setAll] = useState(false);
  const { components, others, shownAgain } = deltas;
  const listed = components
    .filter(({ changed }) => changed >= least)
    .toSorted((a, b) => worth(order, b) - worth(order, a) || b.changed - a.changed);
  const shown = all ? listed : listed.slice(0, FEW);
  return (
    <>
      <dl class="figures">
        <Figure name="deltas">{count(deltas.deltas)}</Figure>
        <Figure name="described by a model">{percent(deltas.described / deltas.deltas)}</Figure>
        <Figure name="components">{count(components.length + others)}</Figure>
      </dl>
      <div class="controls">
        <label>
          order by
          <select value={order} onChange={({ currentTarget }) => setOrder(currentTarget.value as Order)}>
            {ORDERS.map((one) => (
              <option value={one}>{one === 'share' ? 'share that helped' : one}</option>
            ))}
          </select>
        </label>
        <label>
          changed at least
          <select value={least} onChange={({ currentTarget }) => setLeast(Number(currentTarget.value))}>
            {[1, 2, 5, 10, 50].map((one) => (
              <option value={one}>{one === 1 ? 'once' : `${one} times`}</option>
            ))}
          </select>
        </label>
      </div>
      {listed.length === 0 ? (
        <Nothing>
          {components.length === 0
            ? 'No delta has a plan that names components: models gave a summary alone.'
            : 'No component was changed so often. Choose a smaller number.'}
        </Nothing>
      ) : (
        <ul class="components">
          {shown.map((one) => (
            <Changed key={one.component} run={run} component={one} sign={sign} />
          ))}
        </ul>
      )}
      {shown.length === listed.length ? null : (
        <p>
          <button type="button" onClick={() => setAll(true)}>
            Show all {count(listed.length)}
          </button>
        </p>
      )}
      {others === 0 ? null : (
        <p class="soft">{count(others)} further components were changed rarely and are not listed.</p>
      )}
      <Again run={run} shownAgain={shownAgain} sign={sign} />
    </>
  );
};

const Changed = ({
  run,
  component: one,
  sign,
}: {
  readonly run: string;
  readonly component: Component;
  readonly sign: 1 | -1;
}) => {
  const { improved, degraded, unchanged, failed } = one.labels;
  const parts = [
    [improved, 'good', 'helped'],
    [unchanged, 'plain', 'changed nothing'],
    [degraded, 'wait', 'made it worse'],
    [failed, 'bad', 'failed'],
  ] as const;
  return (
    <li class="card">
      <h2>
        <Foreign text={one.component} />
        <a class="times" href={linkTo(['run', run, 'programs'], { q: one.component, in: 'deltas' })}>
          {one.changed === 1 ? 'changed once' : `changed ${count(one.changed)} times`}
        </a>
      </h2>
      <div class="became" role="img" aria-label={parts.map(([number, , name]) => `${number} ${name}`).join(', ')}>
        {parts.map(([number, tone]) => (number === 0 ? null : <span class={tone} style={{ flexGrow: number }} />))}
      </div>
      <p class="soft">
        {parts
          .filter(([number]) => number > 0)
          .map(([number, , name]) => `${count(number)} ${name}`)
          .join(' · ')}
        {one.meanGain === null ? '' : ` · mean change of the score ${gain(sign * one.meanGain)}`}
        {one.bestGain === null ? '' : ` · best ${gain(sign * one.bestGain)}`}
      </p>
      {one.examples.length === 0 ? null : (
        <ol class="examples">
          {one.examples.map(({ program, gain: by, summary, newLogic, hypothesis }) => (
            <li>
              <a class="badge good" href={linkTo(['run', run, 'program', program], { show: 'parent' })}>
                {gain(sign * by)}
              </a>{' '}
              <Foreign text={newLogic === '' ? summary : newLogic} />
              {hypothesis === '' ? null : (
                <span class="soft">
                  {' '}
                  <em>
                    <Foreign text={hypothesis} />
                  </em>
                </span>
              )}
            </li>
          ))}
        </ol>
      )}
    </li>
  );
};

const Again = ({
  run,
  shownAgain,
  sign,
}: {
  readonly run: string;
  readonly shownAgain: readonly ShownAgain[];
  readonly sign: 1 | -1;
}) => {
  const again = shownAgain.slice(0, MOST_AGAIN);
  if (again.length === 0) return null;
  const shared = sharedBeginning(again.map(({ summary }) => summary).filter((summary) => summary !== ''));
  return (
    <section>
      <h2 id="again">Told again in later prompts</h2>
      <p class="soft">Programs whose change models were told of most often when they wrote others.</p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Changes that were told again, as a table">
        <table>
          <Head columns={['Change', ...figures('Score', 'Prompts', 'as summary', 'as plan', 'as code')]} />
          <tbody>
            {again.map(({ program, times, levels, summary, gain: by }) => (
              <tr>
                <td class="told">
                  <a href={linkTo(['run', run, 'program', program])}>
                    <Foreign text={summary === '' ? program : fromWhereTheyDiffer(summary, shared)} />
                  </a>
                </td>
                <td class="number">{by === null ? '–' : gain(sign * by)}</td>
                <td class="number">{count(times)}</td>
                <td class="number">{count(levels.L1)}</td>
                <td class="number">{count(levels.L2)}</td>
                <td class="number">{count(levels.L3)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
};
