// A plot of lines, or of stacked shares, over one axis. It follows the theme and its width, is read with the pointer, a
// finger or the arrow keys, and has its figures in words and in a table.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { AXIS_TITLES, type AxisName } from '../../api/run/steps.ts';
import { Select } from '../base/controls.tsx';
import { themeChanges } from '../base/ink.ts';
import { Legend } from '../base/parts.tsx';
import { SaveMenu } from '../base/save-menu.tsx';
import { setQuery } from '../base/state.ts';
import { type Column, Table } from '../base/tables.tsx';
import { amount, percent } from '../base/text.ts';
import { colourAt, draftOf, HEIGHT } from './drawing.ts';
import { pointsOf, svgOf } from './files.ts';
import { isZoomed, placeAfter, thinned, zoomedRange } from './reading.ts';
import type { Drawing, Line } from './types.ts';

export type TableRows = { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

type Props = Drawing & {
  /** The name of the figure, in a few words. */
  readonly title: string;
  /** The text that is read at a place of the axis. */
  readonly textAt: (index: number) => string;
  /** Beside that text, where there is more to it than a text. */
  readonly moreAt?: (index: number) => ComponentChildren;
  /** Enter, or a click, at a place of the axis. */
  readonly open?: (index: number) => void;
  /** That act in words. */
  readonly opens?: string;
  readonly table: () => TableRows;
  /** The lines of the saved points, where those that are drawn are sums of them. */
  readonly points?: readonly Line[];
  /** A sentence with the figures. */
  readonly children: ComponentChildren;
};

const LEAST_WIDTH = 200;
const widthOf = (place: HTMLElement): number => Math.max(LEAST_WIDTH, place.clientWidth);

type Listeners = { readonly onPlace: (index: number | null) => void; readonly onZoom: (zoomed: boolean) => void };

/** Draws into an element, and again with another width or theme, until it is stopped. */
const drawnIn = (place: HTMLElement, now: () => Drawing, { onPlace, onZoom }: Listeners) => {
  const { options, data } = draftOf(now, place);
  const hooks: uPlot.Hooks.Arrays = {
    ...options.hooks,
    setCursor: [({ cursor }) => onPlace(cursor.idx ?? null)],
    setScale: [
      (self, scale) => {
        const zoomed = scale === 'x' ? isZoomed(self.scales['x']!, self.data[0]) : null;
        if (zoomed !== null) onZoom(zoomed);
      },
    ],
  };
  const plot = new uPlot({ ...options, width: widthOf(place), hooks }, data(), place);
  const observer = new ResizeObserver(() => plot.setSize({ width: widthOf(place), height: plot.height }));
  observer.observe(place);
  const unsubscribe = themeChanges().subscribe(() => requestAnimationFrame(() => plot.redraw()));
  const stop = (): void => {
    unsubscribe();
    observer.disconnect();
    plot.destroy();
  };
  return { plot, stop };
};

/** The plot in its box, the place that is read, and the moves that keys make. */
const usePlot = (drawing: Drawing) => {
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<uPlot | null>(null);
  const [at, setAt] = useState<number | null>(null);
  const [zoomed, setZoomed] = useState(false);
  const latest = useRef(drawing);
  latest.current = drawing;
  const { x } = drawing;
  // Another set of lines or another scale is another plot; new values are only other data.
  useEffect(() => {
    const { plot, stop } = drawnIn(box.current!, () => latest.current, { onPlace: setAt, onZoom: setZoomed });
    drawn.current = plot;
    return () => {
      stop();
      drawn.current = null;
      setAt(null);
    };
  }, [drawing.kind]);
  useEffect(() => {
    drawn.current?.setData(draftOf(() => drawing, box.current!).data(), !zoomed);
    if (zoomed) drawn.current?.redraw();
  }, [x, drawing.lines]);
  const goTo = (place: number): void => {
    const [plot, value] = [drawn.current, x[place]];
    if (plot === null || value === undefined) return;
    plot.setCursor({ left: plot.valToPos(value, 'x'), top: plot.bbox.height / devicePixelRatio / 2 });
  };
  const zoom = (factor: number): void => {
    const range = zoomedRange(drawn.current?.scales['x'], factor, x, at);
    if (range !== null) drawn.current!.setScale('x', range);
  };
  const reset = (): void => drawn.current?.setScale('x', { min: x[0]!, max: x.at(-1)! });
  /** What the file of the picture shows: the same part of the axis, in the same width and colours. */
  const shown = () => {
    const { min, max } = drawn.current?.scales['x'] ?? {};
    return {
      width: widthOf(box.current!),
      x: [min ?? x[0] ?? 0, max ?? x.at(-1) ?? 1] as const,
      colour: colourAt(box.current!),
    };
  };
  return { shown, box, at: at === null || at >= x.length ? null : at, zoomed, goTo, zoom, reset };
};

export const Plot = (props: Props) => {
  const { title, textAt, moreAt, open, opens = 'opens the program', table, points, children, ...drawing } = props;
  const { box, at, zoomed, goTo, zoom, reset, shown } = usePlot(drawing);
  const last = drawing.x.length - 1;
  const onKeyDown = (event: KeyboardEvent): void => {
    const acts: { readonly [key: string]: () => void } = {
      '+': () => zoom(0.5),
      '-': () => zoom(2),
      Escape: reset,
      Enter: () => at !== null && open?.(at),
    };
    const place = placeAfter(event.key, at, last);
    if (last < 0 || (place === null && acts[event.key] === undefined)) return;
    event.preventDefault();
    if (place === null) acts[event.key]!();
    else goTo(place);
  };
  return (
    <figure class="plot">
      <div
        class="canvas"
        style={{ minHeight: `${drawing.height ?? HEIGHT}px` }}
        ref={box}
        tabIndex={0}
        role="slider"
        aria-label={`${title}: arrow keys move along the axis, plus and minus zoom${open === undefined ? '' : `, Enter ${opens}`}`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={at ?? Math.max(0, last)}
        aria-valuetext={last < 0 ? 'nothing yet' : textAt(at ?? last)}
        onKeyDown={onKeyDown}
        onClick={() => at !== null && open?.(at)}
      />
      <div class="reading">
        {at === null ? <span class="soft">Point at the plot, or use the arrow keys.</span> : <span>{textAt(at)}</span>}{' '}
        {at === null ? null : moreAt?.(at)}
        {zoomed ? (
          <button type="button" onClick={reset}>
            Show all
          </button>
        ) : null}
      </div>
      <figcaption>{children}</figcaption>
      <div class="figures-of">
        <DataTable title={title} rows={table} />
        <SaveMenu
          title={title}
          picture={() => svgOf({ ...drawing, title }, shown())}
          csv={() => pointsOf({ ...drawing, lines: points ?? drawing.lines })}
        />
      </div>
    </figure>
  );
};

/** The figures behind a plot as a table, made when somebody opens it. */
const DataTable = ({ title, rows }: { readonly title: string; readonly rows: () => TableRows }) => {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>The figures as a table</summary>
      {open ? <Rows title={title} {...rows()} /> : null}
    </details>
  );
};

const Rows = ({ title, head, rows }: TableRows & { readonly title: string }) => {
  const { every, kept } = thinned(rows);
  return (
    <>
      <Table
        label={`${title}, as a table`}
        of={kept}
        columns={head.map((name, at): Column<readonly string[]> => [
          name,
          (cells) => cells[at],
          at === 0 ? undefined : 'number',
        ])}
      />
      {every > 1 ? (
        <p class="soft">
          One row of {every} is shown; the plot has all {rows.length}.
        </p>
      ) : null}
    </>
  );
};

type Part = {
  readonly name: string;
  readonly colour: string;
  readonly striped?: boolean;
  /** Shares from 0 to 1, one for each place. */
  readonly shares: readonly number[];
};

type ShareProps = {
  readonly title: string;
  readonly x: readonly number[];
  readonly xName: string;
  /** From the bottom to the top. */
  readonly parts: readonly Part[];
  readonly place?: (index: number) => string;
  readonly open?: (index: number) => void;
  readonly children: ComponentChildren;
};

/** Shares of a whole over an axis, stacked, with a legend that names each band. */
export const SharePlot = ({ title, x, xName, parts, place, open, children }: ShareProps) => {
  // The highest sum is drawn first and covered by those below it.
  const sums: number[][] = [];
  for (const { shares } of parts) {
    const below = sums.at(-1);
    sums.push(shares.map((share, index) => share + (below?.[index] ?? 0)));
  }
  const lines: Line[] = parts
    .map(({ name, colour, striped = false }, index): Line => ({
      ...{ name, colour, striped, values: sums[index]!, as: 'straight', filled: true },
    }))
    .reverse();
  const where = (index: number): string => place?.(index) ?? `${amount(x[index] ?? 0)} ${xName}`;
  return (
    <Plot
      title={title}
      kind={`${xName} ${parts.map(({ name }) => name).join()}`}
      x={x}
      lines={lines}
      xText={amount}
      xTitle={xName}
      yText={(value) => `${Math.round(100 * value)} %`}
      yTitle="share"
      points={parts.map(({ name, colour, shares }) => ({ name, colour, values: shares }))}
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
      <Legend label="Bands, from the bottom" of={parts} />
    </Plot>
  );
};

/** The choice of the axis of a plot, which stands in the address. */
export const AxisChoice = ({ axis }: { readonly axis: AxisName }) => (
  <Select
    label="over"
    value={axis}
    options={Object.entries(AXIS_TITLES)}
    onValue={(one) => setQuery({ axis: one === 'programs' ? null : one })}
  />
);
