// A plot of lines over one axis. It follows the theme and its width, is read with the pointer, a finger or the arrow
// keys, and says in words and in a table what it draws.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import uPlot from 'uplot';
import { theme } from '../base/state.ts';
import { DataTable, type TableRows } from './data-table.tsx';
import { draftOf, type Drawing, HEIGHT } from './drawing.ts';

type Props = Drawing & {
  /** What it shows, in a few words: the name of the figure. */
  readonly title: string;
  /** What is told of a place on the axis, as text. */
  readonly told: (index: number) => string;
  /** Beside that text, where there is more to it than a text. */
  readonly more?: (index: number) => ComponentChildren;
  /** What Enter, or a click, at a place opens. */
  readonly open?: (index: number) => void;
  /** What that does, in words. */
  readonly opens?: string;
  readonly table: () => TableRows;
  /** A sentence with the figures. */
  readonly children: ComponentChildren;
};

export const Plot = ({ title, told, more, open, opens = 'opens the program', table, children, ...drawing }: Props) => {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [at, setAt] = useState<number | null>(null);
  const [zoomed, setZoomed] = useState(false);
  const now = useRef({ drawing, open });
  now.current = { drawing, open };
  const last = drawing.x.length - 1;

  // Another set of lines or another scale is another plot; new values are only other data.
  useEffect(() => {
    const place = box.current!;
    const draft = draftOf(() => now.current.drawing, place);
    const made = new uPlot(
      {
        ...draft.options,
        width: Math.max(200, place.clientWidth),
        hooks: {
          ...draft.options.hooks,
          setCursor: [(self) => setAt(self.cursor.idx ?? null)],
          setScale: [
            (self, scale) => {
              const [x] = self.data;
              const { min, max } = self.scales['x']!;
              if (scale === 'x' && min != null && max != null && x.length > 0)
                setZoomed(min > x[0]! || max < x[x.length - 1]!);
            },
          ],
        },
      },
      draft.data(),
      place,
    );
    plot.current = made;
    const observer = new ResizeObserver(() =>
      made.setSize({ width: Math.max(200, place.clientWidth), height: made.height }),
    );
    observer.observe(place);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const redraw = (): void => made.redraw();
    dark.addEventListener('change', redraw);
    const stop = theme.subscribe(() => requestAnimationFrame(redraw));
    return () => {
      stop();
      dark.removeEventListener('change', redraw);
      observer.disconnect();
      made.destroy();
      plot.current = null;
      setAt(null);
    };
  }, [drawing.kind]);
  useEffect(() => {
    const made = plot.current;
    if (made !== null) made.setData(draftOf(() => drawing, box.current!).data(), !zoomed);
    if (zoomed) made?.redraw();
  }, [drawing.x, drawing.lines]);

  const move = (to: number): void => {
    const made = plot.current;
    const value = drawing.x[Math.max(0, Math.min(last, to))];
    if (made === null || value === undefined) return;
    made.setCursor({ left: made.valToPos(value, 'x'), top: made.bbox.height / devicePixelRatio / 2 });
  };
  const zoom = (factor: number): void => {
    const made = plot.current;
    const { min, max } = made?.scales['x'] ?? {};
    if (made === null || min == null || max == null) return;
    const middle = at === null ? (min + max) / 2 : drawing.x[at]!;
    const [first, end] = [drawing.x[0]!, drawing.x[last]!];
    made.setScale('x', {
      min: Math.max(first, middle - (middle - min) * factor),
      max: Math.min(end, middle + (max - middle) * factor),
    });
  };
  const reset = (): void => plot.current?.setScale('x', { min: drawing.x[0]!, max: drawing.x[last]! });
  const onKeyDown = (event: KeyboardEvent): void => {
    const from = at ?? -1;
    const act: { readonly [key: string]: () => void } = {
      ArrowRight: () => move(from + 1),
      ArrowLeft: () => move(from < 0 ? last : from - 1),
      PageUp: () => move(from + 10),
      PageDown: () => move(from - 10),
      Home: () => move(0),
      End: () => move(last),
      '+': () => zoom(0.5),
      '-': () => zoom(2),
      Escape: reset,
      Enter: () => at !== null && open?.(at),
    };
    const done = act[event.key];
    if (done === undefined || last < 0) return;
    event.preventDefault();
    done();
  };
  const here = at === null || at > last ? null : at;
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
        aria-valuenow={here ?? Math.max(0, last)}
        aria-valuetext={last < 0 ? 'nothing yet' : told(here ?? last)}
        onKeyDown={onKeyDown}
        onClick={() => here !== null && open?.(here)}
      />
      <div class="reading">
        {here === null ? (
          <span class="soft">Point at the plot, or use the arrow keys.</span>
        ) : (
          <span>{told(here)}</span>
        )}{' '}
        {here === null ? null : more?.(here)}
        {zoomed ? (
          <button type="button" onClick={reset}>
            Show all
          </button>
        ) : null}
      </div>
      <figcaption>{children}</figcaption>
      <DataTable title={title} rows={table} />
    </figure>
  );
};
