// The filling of the map over the steps, with the place of the slider: covered cells, and the QD score.
import type { ComponentChildren } from 'preact';
import type { Curve } from '../../api/pictures/map.ts';
import { amount, count, percent, score } from '../base/text.ts';
import { Plot } from '../charts/plot.tsx';

type Props = { readonly curve: Curve; readonly step: number; readonly cells: number; readonly worst: number };

export const Coverage = ({ curve: { covered, quality }, step, cells, worst }: Props) => {
  const over = (title: string, values: readonly number[], says: ComponentChildren) => (
    <Plot
      title={title}
      kind={title}
      x={values.map((_, at) => at)}
      lines={[{ name: title, colour: '--s0', values }]}
      xText={amount}
      xTitle="step"
      yText={amount}
      yTitle={title}
      marks={[{ x: step, name: `step ${step}` }]}
      height={140}
      textAt={(at) => `${title} after step ${at}: ${score(values[at], 5)}`}
      table={() => ({
        head: ['step', title],
        rows: values.map((value, at) => [count(at), score(value)]),
      })}
    >
      {says}
    </Plot>
  );
  const here = covered[step] ?? 0;
  return (
    <div class="coverage">
      {over(
        'covered cells',
        covered,
        `${count(here)} cells are covered after step ${step} (${percent(here / Math.max(1, cells))}).`,
      )}
      {over(
        'QD score',
        quality,
        `How much better than the worst score (${score(worst, 4)}) the best of each covered cell is, summed.`,
      )}
    </div>
  );
};
