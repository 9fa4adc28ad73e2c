// The filling of the map: covered cells and QD score over the steps, as two small lines with the place of the slider.
import type { Curve } from '../../api/pictures/map.ts';
import { compact, count, percent, score } from '../base/text.ts';

const WIDTH = 300;
const HEIGHT = 60;

const Spark = ({
  values,
  at,
  label,
}: {
  readonly values: readonly number[];
  readonly at: number;
  readonly label: string;
}) => {
  const most = Math.max(...values.slice(-1), 1e-300);
  const every = Math.max(1, Math.ceil(values.length / WIDTH));
  const x = (step: number): number => (WIDTH * step) / Math.max(1, values.length - 1);
  const points = values
    .map((value, step) => [step, value] as const)
    .filter(([step]) => step % every === 0 || step === values.length - 1)
    .map(([step, value]) => `${x(step).toFixed(1)},${(HEIGHT - (HEIGHT - 4) * (value / most) - 2).toFixed(1)}`);
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <polyline points={points.join(' ')} />
      <line x1={x(at)} x2={x(at)} y1={0} y2={HEIGHT} />
    </svg>
  );
};

type Props = { readonly curve: Curve; readonly step: number; readonly cells: number; readonly worst: number };

export const Coverage = ({ curve, step, cells, worst }: Props) => {
  const covered = curve.covered[step] ?? 0;
  const quality = curve.quality[step] ?? 0;
  const end = curve.covered.at(-1) ?? 0;
  return (
    <div class="coverage">
      <figure>
        <Spark
          values={curve.covered}
          at={step}
          label={`Covered cells: ${covered} after step ${step}, ${end} at the end`}
        />
        <figcaption>
          <strong>{count(covered)}</strong> covered cells ({percent(covered / Math.max(1, cells))}); {count(end)} at the
          end
        </figcaption>
      </figure>
      <figure>
        <Spark values={curve.quality} at={step} label={`QD score: ${quality} after step ${step}`} />
        <figcaption
          title={`The sum over covered cells of how much better their best is than the worst score of the run, ${score(worst)}.`}
        >
          QD score <strong>{quality < 1_000 ? score(quality, 5) : compact(quality)}</strong>: how much better than the
          worst score ({score(worst, 4)}) the best of each cell is, summed
        </figcaption>
      </figure>
    </div>
  );
};
