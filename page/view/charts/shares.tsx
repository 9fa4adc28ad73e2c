// Shares of a whole over an axis, stacked, with a legend that names each band.
import type { ComponentChildren } from 'preact';
import { compact, percent } from '../base/text.ts';
import type { Line } from './drawing.ts';
import { Plot } from './plot.tsx';

export type Part = {
  readonly name: string;
  readonly colour: string;
  /** Shares from 0 to 1, one for each place. */
  readonly shares: readonly number[];
};

type Props = {
  readonly title: string;
  readonly x: readonly number[];
  readonly xName: string;
  /** From the bottom to the top. */
  readonly parts: readonly Part[];
  readonly place?: (index: number) => string;
  readonly open?: (index: number) => void;
  readonly children: ComponentChildren;
};

export const SharePlot = ({ title, x, xName, parts, place, open, children }: Props) => {
  // The highest sum is drawn first and covered by those below it.
  const sums: number[][] = [];
  for (const { shares } of parts) {
    const below = sums.at(-1);
    sums.push(shares.map((share, index) => share + (below?.[index] ?? 0)));
  }
  const lines: Line[] = parts
    .map(({ name, colour }, index): Line => ({ name, colour, values: sums[index]!, as: 'straight', filled: true }))
    .reverse();
  const where = (index: number): string => place?.(index) ?? `${compact(x[index] ?? 0)} ${xName}`;
  return (
    <Plot
      title={title}
      kind={parts.map(({ name }) => name).join()}
      x={x}
      lines={lines}
      xText={compact}
      yText={(value) => `${Math.round(100 * value)} %`}
      range={[0, 1]}
      height={200}
      textAt={(index) =>
        `${where(index)}: ${parts
          .filter(({ shares }) => shares[index]! > 0)
          .map(({ name, shares }) => `${name} ${percent(shares[index]!)}`)
          .join(', ')}`
      }
      table={() => ({
        head: [xName, ...parts.map(({ name }) => name)],
        rows: x.map((_, index) => [where(index), ...parts.map(({ shares }) => percent(shares[index]!))]),
      })}
      {...(open === undefined ? {} : { open, opens: 'opens its programs' })}
    >
      {children}
      <ul class="legend" aria-label="Bands, from the bottom">
        {parts.map(({ name, colour }) => (
          <li>
            <Swatch colour={colour} />
            {name}
          </li>
        ))}
      </ul>
    </Plot>
  );
};

/** A square of the colour of a line, for its name beside the plot. */
export const Swatch = ({ colour }: { readonly colour: string }) => (
  <span class="swatch" aria-hidden="true" style={{ background: `var(${colour})` }} />
);
