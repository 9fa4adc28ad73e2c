// The components that were changed in a run: the worth of their changes, and the changes that helped most.
import { useState } from 'preact/hooks';
import type { Component, DeltasAnswer } from '../../api/program/deltas.ts';
import { Select } from '../base/controls.tsx';
import { Figure, Foreign, Legend, Nothing, useFew, When } from '../base/parts.tsx';
import { linkTo, programLink, useRunAnswer, useTraits } from '../base/state.ts';
import { count, gain, percent } from '../base/text.ts';
import type { RunViewProps } from '../base/view.ts';

type Order = 'helped' | 'changed' | 'share' | 'mean gain' | 'best gain';
const ORDERS: { readonly [order in Order]: (component: Component) => number } = {
  helped: ({ labels }) => labels.improved,
  changed: ({ changed }) => changed,
  share: ({ labels, changed }) => labels.improved / changed,
  'mean gain': ({ meanGain }) => meanGain ?? -Infinity,
  'best gain': ({ bestGain }) => bestGain ?? -Infinity,
};

const FEW = 25;

export const Deltas = ({ run }: RunViewProps) => {
  const traits = useTraits(run);
  const answer = useRunAnswer<DeltasAnswer>(run, 'deltas');
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

/** `sign` is -1 where smaller scores are better. */
type Props = { readonly run: string; readonly sign: 1 | -1 };

const Sums = ({ run, sign, deltas }: Props & { readonly deltas: DeltasAnswer }) => {
  const { components, others } = deltas;
  return (
    <>
      <dl class="figures">
        <Figure name="deltas">{count(deltas.deltas)}</Figure>
        <Figure name="described by a model">{percent(deltas.described / deltas.deltas)}</Figure>
        <Figure name="components">{count(components.length + others)}</Figure>
      </dl>
      <Components run={run} components={components} sign={sign} />
      {others === 0 ? null : (
        <p class="soft">{count(others)} further components were changed rarely and are not listed.</p>
      )}
    </>
  );
};

const OFTEN = [1, 2, 5, 10, 50].map((one) => [one, one === 1 ? 'once' : `${one} times`] as const);

const Components = ({ run, sign, components }: Props & { readonly components: readonly Component[] }) => {
  const [order, setOrder] = useState<Order>('helped');
  const [least, setLeast] = useState(1);
  const worth = ORDERS[order];
  const ordered = components
    .filter(({ changed }) => changed >= least)
    .toSorted((a, b) => worth(b) - worth(a) || b.changed - a.changed);
  const { listed, more } = useFew(ordered, FEW);
  return (
    <>
      <div class="controls">
        <Select
          label="order by"
          value={order}
          options={Object.keys(ORDERS).map((one) => [one, one === 'share' ? 'share that helped' : one])}
          onValue={(one) => setOrder(one as Order)}
        />
        <Select label="changed at least" value={least} options={OFTEN} onValue={(one) => setLeast(Number(one))} />
        <Legend label="What became of changes" of={BECAME} />
      </div>
      {listed.length === 0 ? (
        <Nothing>
          {components.length === 0
            ? 'No delta has a plan that names components: models gave a summary alone.'
            : 'No component was changed so often. Choose a smaller number.'}
        </Nothing>
      ) : (
        <ul class="components">
          {listed.map((one) => (
            <Changed key={one.component} run={run} component={one} sign={sign} />
          ))}
        </ul>
      )}
      {more}
    </>
  );
};

/** What can become of a change, with its look in the bar of each component. */
const BECAME = [
  { name: 'helped', colour: '--valid', striped: false },
  { name: 'changed nothing', colour: '--duplicate', striped: false },
  { name: 'made it worse', colour: '--invalid', striped: false },
  { name: 'failed', colour: '--no-solution', striped: true },
] as const;

const Changed = ({ run, sign, component: one }: Props & { readonly component: Component }) => {
  const { improved, degraded, unchanged, failed } = one.labels;
  const numbers = [improved, unchanged, degraded, failed];
  const parts = BECAME.map((part, index) => ({ ...part, number: numbers[index]! })).filter(({ number }) => number > 0);
  return (
    <li class="card">
      <h2>
        <Foreign text={one.component} />
      </h2>
      <p>
        <a class="times" href={linkTo(['run', run, 'programs'], { q: one.component, in: 'deltas' })}>
          {one.changed === 1 ? 'changed once' : `changed ${count(one.changed)} times`}
        </a>
      </p>
      <ul class="became" aria-label="What became of its changes">
        {parts.map(({ number, name, colour, striped }) => (
          <li title={`${count(number)} ${name}`} style={{ flexGrow: number }}>
            <span class={striped ? 'bar striped' : 'bar'} style={{ backgroundColor: `var(${colour})` }} />
            {count(number)} <span class="unseen">{name}</span>
          </li>
        ))}
      </ul>
      {one.meanGain === null && one.bestGain === null ? null : (
        <p class="soft">
          {one.meanGain === null ? '' : `mean change of the score ${gain(sign * one.meanGain)}`}
          {one.bestGain === null ? '' : `, best ${gain(sign * one.bestGain)}`}
        </p>
      )}
      {one.examples.length === 0 ? null : (
        <ol class="examples">
          {one.examples.map((example) => (
            <Example run={run} sign={sign} example={example} />
          ))}
        </ol>
      )}
    </li>
  );
};

type ExampleProps = Props & { readonly example: Component['examples'][number] };

const Example = ({ run, sign, example: { program, gain: by, summary, newLogic, hypothesis } }: ExampleProps) => (
  <li>
    <a class="badge good" href={programLink(run, program, 'parent')}>
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
);
