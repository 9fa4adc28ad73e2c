// The map with its keys: the arrows walk from cell to cell.
import { useEffect, useRef } from 'preact/hooks';
import { beside } from '../../api/pictures/map.ts';
import { inksOf } from '../base/ink.ts';
import { cellAt } from './cells.ts';
import { type Drawing, drawMap, INKS, placeOn } from './drawing.ts';

type Props = Omit<Drawing, 'inks'> & {
  /** Changes when what the fold holds does. */
  readonly step: number;
  readonly label: string;
  readonly onCell: (cell: number) => void;
  readonly onOpen: () => void;
};

const WAYS: { readonly [key: string]: readonly [number, number] } = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

/** The canvas is drawn with the component, and when its size changes. */
const useDrawnMap = (drawing: Drawing) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const redraw = (): void => {
    if (canvas.current !== null) drawMap(canvas.current, drawing);
  };
  const latest = useRef(redraw);
  latest.current = redraw;
  useEffect(redraw);
  useEffect(() => {
    const observer = new ResizeObserver(() => latest.current());
    observer.observe(canvas.current!);
    return () => observer.disconnect();
  }, []);
  return canvas;
};

export const MapCanvas = ({ label, onCell, onOpen, ...drawing }: Props) => {
  const { grid, cell } = drawing;
  const canvas = useDrawnMap({ ...drawing, inks: inksOf(INKS) });
  const under = ({ offsetX, offsetY }: MouseEvent): number =>
    cellAt(grid, placeOn(canvas.current!), [offsetX, offsetY]);
  const onClick = (event: MouseEvent): void => {
    const hit = under(event);
    if (hit >= 0 && hit === cell) onOpen();
    else onCell(hit);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const way = WAYS[event.key];
    if (way !== undefined) onCell(beside(grid.cells, grid.y.axis.bins, Math.max(0, cell), way));
    else if (event.key === 'Enter') onOpen();
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
      onClick={onClick}
      onKeyDown={onKeyDown}
    />
  );
};
