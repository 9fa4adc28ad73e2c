// The rows of a long list that are drawn: all have one height, so that a place in the list follows from the place of the
// scroll bar. A library is not needed for that.
import { useEffect, useState } from 'preact/hooks';

export type Drawn = { readonly first: number; readonly end: number };

/** Rows that are drawn beyond what is seen, so that a quick scroll shows no gap. */
const BEYOND = 8;

/** The rows to draw where `seen` rows from `first` on are seen. */
export const drawnRows = (
  { first, seen }: { readonly first: number; readonly seen: number },
  count: number,
): Drawn => ({
  first: Math.max(0, Math.min(first - BEYOND, count - seen)),
  end: Math.min(count, first + seen + BEYOND),
});

/** The row that a key goes to from a row; null for keys that go nowhere. It may lie before the first or after the last. */
export const rowAfter = (
  key: string,
  at: number,
  { page, last }: { readonly page: number; readonly last: number },
): number | null => {
  const rows: { readonly [key: string]: number } = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: last,
  };
  return rows[key] ?? null;
};

/**
 * The part of `count` rows to draw in a scrolling element, and a function that scrolls so that a row is seen. The
 * part changes in steps of several rows, so that most scroll events draw nothing.
 */
export const useWindow = (
  scroller: { readonly current: HTMLElement | null },
  { count, rowPx, headPx }: { readonly count: number; readonly rowPx: number; readonly headPx: number },
): Drawn & { readonly reveal: (row: number) => void; readonly page: () => number } => {
  const [place, setPlace] = useState({ first: 0, seen: 40 });
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    let frame = 0;
    const read = (): void => {
      frame = 0;
      const first = Math.floor(element.scrollTop / rowPx / 4) * 4;
      const seen = Math.ceil(element.clientHeight / rowPx) + 4;
      setPlace((before) => (before.first === first && before.seen === seen ? before : { first, seen }));
    };
    const soon = (): void => {
      if (frame === 0) frame = requestAnimationFrame(read);
    };
    read();
    element.addEventListener('scroll', soon, { passive: true });
    const sizes = new ResizeObserver(soon);
    sizes.observe(element);
    return () => {
      cancelAnimationFrame(frame);
      element.removeEventListener('scroll', soon);
      sizes.disconnect();
    };
  }, [rowPx]);
  return {
    ...drawnRows(place, count),
    page: () => Math.max(1, Math.floor(((scroller.current?.clientHeight ?? 0) - headPx) / rowPx) - 1),
    reveal(row) {
      const element = scroller.current;
      if (element === null) return;
      const [top, bottom] = [row * rowPx, (row + 1) * rowPx + headPx];
      if (top < element.scrollTop) element.scrollTop = top;
      else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
    },
  };
};
