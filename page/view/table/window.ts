// Which rows of a long list are drawn: all have one height, so that a place in the list follows from the place of the
// scroll bar. A library is not needed for that.
import { useEffect, useState } from 'preact/hooks';

export type Drawn = { readonly first: number; readonly end: number };

/** Rows that are drawn beyond what is seen, so that a quick scroll shows no gap. */
const BEYOND = 8;

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
  const first = Math.max(0, Math.min(place.first - BEYOND, count - place.seen));
  return {
    first,
    end: Math.min(count, place.first + place.seen + BEYOND),
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
