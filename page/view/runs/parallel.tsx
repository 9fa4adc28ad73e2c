// Parallel coordinates: an axis for each swept setting and one for the mean score, a line for each configuration.
import { levelsOf, sweptKeys } from '../../../evolution/sweep/effects.ts';
import type { Direction } from '../../../evolution/types.ts';
import { heatOf, paramText, type SweepReport } from '../../api/run/sweeps.ts';
import { Scroll } from '../base/tables.tsx';
import { score, shown } from '../base/text.ts';

const STEP = 190;
const HEIGHT = 250;
const TOP = 40;
const BOTTOM = 14;
/** Labels of an axis, and letters of one. */
const LABELS = 8;
const LETTERS = 22;

type Props = { readonly groups: SweepReport['groups']; readonly direction: Direction };
type Axis = {
  readonly title: string;
  /** From 0 at the bottom to 1 at the top; null where the configuration has no place on it. */
  readonly at: (group: SweepReport['groups'][number]) => number | null;
  readonly labels: readonly (readonly [at: number, text: string])[];
};

const axisOf = (groups: Props['groups'], key: string): Axis => {
  const levels = levelsOf(groups, key);
  const place = (index: number): number => (levels.length === 1 ? 0.5 : index / (levels.length - 1));
  const every = Math.ceil(levels.length / LABELS);
  return {
    title: key,
    at: ({ group }) => place(levels.findIndex((level) => level.groups.includes(group))),
    labels: levels.flatMap(({ text }, index) =>
      index % every === 0 || index === levels.length - 1 ? [[place(index), text] as const] : [],
    ),
  };
};

/** The better end is at the top. */
const scoreAxis = (groups: Props['groups'], direction: Direction): Axis => {
  const means = groups.map(({ mean }) => mean);
  const known = means.filter((mean) => mean !== null).sort((a, b) => (direction === 'maximise' ? a - b : b - a));
  return {
    title: 'mean of the best',
    at: ({ mean }) => heatOf(mean, means, direction),
    labels: [...new Set([0, known.length - 1])].flatMap((at) =>
      known[at] === undefined ? [] : [[heatOf(known[at], means, direction)!, score(known[at], 6)] as const],
    ),
  };
};

const cut = (text: string): string => (text.length <= LETTERS ? text : `${text.slice(0, LETTERS - 1)}…`);

export const Parallel = ({ groups, direction }: Props) => {
  const axes = [...sweptKeys(groups).map((key) => axisOf(groups, key)), scoreAxis(groups, direction)];
  const x = (axis: number): number => 12 + axis * STEP;
  const y = (share: number): number => HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
  const means = groups.map(({ mean }) => mean);
  const width = x(axes.length - 1) + 110;
  return (
    <Scroll label="Parallel coordinates of the configurations">
      <svg
        class="parallel"
        width={width}
        height={HEIGHT}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="img"
        aria-label="Each configuration as a line through its settings to its mean score; the table of configurations has the same."
      >
        {groups.toReversed().map((group) => {
          const heat = heatOf(group.mean, means, direction);
          if (heat === null) return null;
          const points = axes.map((axis, index) => `${x(index)},${y(axis.at(group)!)}`);
          return (
            <polyline points={points.join(' ')} style={{ opacity: 0.35 + 0.65 * heat, strokeWidth: 1 + 2 * heat }}>
              <title>
                {shown(paramText(group.params))}: {score(group.mean)}
              </title>
            </polyline>
          );
        })}
        {axes.map(({ title, labels }, index) => (
          <g>
            <line x1={x(index)} x2={x(index)} y1={y(0)} y2={y(1)} />
            <text class="name" x={x(index) - 8} y={16}>
              <title>{shown(title)}</title>
              {shown(cut(title))}
            </text>
            {labels.map(([at, text]) => (
              <text x={x(index) + 6} y={y(at) + 4}>
                <title>{shown(text)}</title>
                {shown(cut(text))}
              </text>
            ))}
          </g>
        ))}
      </svg>
    </Scroll>
  );
};
