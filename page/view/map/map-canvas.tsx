// The map itself on a canvas: cells of a grid or around points, coloured by the level of their best program, with the
// borders of the bins at the axes. The arrow keys walk from cell to cell.
import { useEffect, useRef } from 'preact/hooks';
import { levelOf } from '../../data/levels.ts';
import { beside, type Bins, type MapFold, roundTicks } from '../../data/map.ts';
import { LEVEL_NAMES } from '../base/levels.ts';
import { inksOf } from '../base/ink.ts';

const LEFT = 64;
const BOTTOM = 40;
const TOP = 10;
const RIGHT = 12;

type Props = {
  readonly x: Bins;
  readonly y: Bins;
  readonly xName: string;
  readonly yName: string;
  readonly xText: (value: number) => string;
  readonly yText: (value: number) => string;
  readonly fold: MapFold;
  /** Changes when what the fold holds does. */
  readonly step: number;
  readonly borders: readonly number[];
  readonly cell: number;
  readonly label: string;
  readonly onCell: (cell: number) => void;
  readonly onOpen: () => void;
  readonly onSpace: () => void;
};

type Place = { readonly left: number; readonly top: number; readonly width: number; readonly height: number };

export const MapCanvas = (props: Props) => {
  const { x, y, xName, yName, xText, yText, fold, borders, cell, label, onCell, onOpen, onSpace } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const inks = inksOf([...LEVEL_NAMES, '--text', '--soft', '--line', '--accent']);
  const { cells, fit } = fold.rows;
  const plain = (one: HTMLCanvasElement): Place => ({
    left: LEFT,
    top: TOP,
    width: one.clientWidth - LEFT - RIGHT,
    height: one.clientHeight - TOP - BOTTOM,
  });
  const redraw = (): void => {
    const one = canvas.current;
    if (one === null) return;
    const ratio = devicePixelRatio;
    const [w, h] = [Math.round(one.clientWidth * ratio), Math.round(one.clientHeight * ratio)];
    if (one.width !== w || one.height !== h) [one.width, one.height] = [w, h];
    const context = one.getContext('2d')!;
    const { left, top, width, height } = plain(one);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, one.clientWidth, one.clientHeight);
    const [nx, ny] = [x.axis.bins, y.axis.bins];
    const [cw, ch] = [width / nx, height / ny];
    const radius = Math.max(4, Math.min(13, Math.sqrt((width * height) / cells.count) / 2.6));
    context.strokeStyle = inks['--line'];
    context.lineWidth = 1;
    context.strokeRect(left, top, width, height);
    const path = (index: number, grown = 0): void => {
      context.beginPath();
      const point = cells.points?.[index];
      if (point !== undefined)
        context.arc(left + point[0] * width, top + (1 - point[1]) * height, radius + grown, 0, 7);
      else {
        const [cx, cy] = [Math.floor(index / ny), index % ny];
        const gap = cw > 6 && ch > 6 ? 0.5 : 0;
        context.rect(
          left + cx * cw + gap - grown,
          top + (ny - 1 - cy) * ch + gap - grown,
          cw - 2 * gap + 2 * grown,
          ch - 2 * gap + 2 * grown,
        );
      }
    };
    for (let index = 0; index < cells.count; index++) {
      const best = fold.best[index]!;
      if (best < 0) {
        if (cells.points === null) continue;
        path(index);
        context.stroke();
        continue;
      }
      path(index);
      context.fillStyle = inks[LEVEL_NAMES[levelOf(fit[best]!, borders)]!]!;
      context.fill();
    }
    if (cell >= 0) {
      context.strokeStyle = inks['--text'];
      context.lineWidth = 2.5;
      path(cell, 1);
      context.stroke();
    }
    context.fillStyle = inks['--soft'];
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'top';
    const every = (bins: number, room: number): number => Math.max(1, Math.ceil(bins / Math.max(1, Math.floor(room))));
    const whole = (bins: Bins): boolean => bins.axis.fixed?.[0] === -0.5 && bins.axis.bins === bins.axis.fixed[1] + 0.5;
    const ticks = (
      bins: Bins,
      room: number,
      at: (share: number, value: number, first: boolean, last: boolean) => void,
    ): void => {
      const n = bins.axis.bins;
      // Cells around points have no borders, so the axis has round numbers.
      if (cells.points !== null && bins.axis.scale === 'linear' && !whole(bins)) {
        const [low, high] = [bins.borders[0]!, bins.borders[n]!];
        for (const value of roundTicks(low, high, room)) at((value - low) / (high - low), value, false, false);
        return;
      }
      const by = every(n, room);
      for (let index = 0; index <= n; index += by) {
        if (whole(bins)) {
          if (index < n) at((index + 0.5) / n, index, false, false);
        } else at(index / n, bins.borders[index]!, index === 0, index + by > n);
      }
    };
    ticks(x, width / 64, (share, value, first, last) => {
      context.textAlign = first ? 'left' : last && share === 1 ? 'right' : 'center';
      context.fillText(xText(value), left + share * width, top + height + 5);
    });
    context.textAlign = 'right';
    ticks(y, height / 26, (share, value, first) => {
      context.textBaseline = first ? 'bottom' : share === 1 ? 'top' : 'middle';
      context.fillText(yText(value), left - 6, top + (1 - share) * height);
    });
    context.fillStyle = inks['--text'];
    context.textAlign = 'center';
    context.textBaseline = 'bottom';
    context.fillText(xName, left + width / 2, one.clientHeight - 2);
    context.save();
    context.translate(12, top + height / 2);
    context.rotate(-Math.PI / 2);
    context.textBaseline = 'middle';
    context.fillText(yName, 0, 0);
    context.restore();
  };
  useEffect(redraw);
  const now = useRef(redraw);
  now.current = redraw;
  useEffect(() => {
    const observer = new ResizeObserver(() => now.current());
    observer.observe(canvas.current!);
    return () => observer.disconnect();
  }, []);

  const under = (event: MouseEvent): number => {
    const { left, top, width, height } = plain(canvas.current!);
    const [sx, sy] = [(event.offsetX - left) / width, 1 - (event.offsetY - top) / height];
    if (sx < 0 || sy < 0 || sx >= 1 || sy >= 1) return -1;
    if (cells.points === null) return Math.floor(sx * x.axis.bins) * y.axis.bins + Math.floor(sy * y.axis.bins);
    let [found, least] = [-1, Infinity];
    for (const [index, [px, py]] of cells.points.entries()) {
      const far = Math.hypot((px - sx) * width, (py - sy) * height);
      if (far < least) [found, least] = [index, far];
    }
    return found;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const ways: { readonly [key: string]: readonly [number, number] } = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, 1],
      ArrowDown: [0, -1],
    };
    const way = ways[event.key];
    if (way !== undefined) onCell(beside(cells, y.axis.bins, Math.max(0, cell), way));
    else if (event.key === 'Enter') onOpen();
    else if (event.key === ' ') onSpace();
    else return;
    event.preventDefault();
  };
  return (
    <canvas
      ref={canvas}
      class="map-canvas"
      tabIndex={0}
      role="application"
      aria-label={label}
      onPointerMove={(event) => event.pointerType === 'mouse' && onCell(under(event))}
      onClick={(event) => {
        const hit = under(event);
        if (hit >= 0 && hit === cell) onOpen();
        else onCell(hit);
      }}
      onKeyDown={onKeyDown}
    />
  );
};
