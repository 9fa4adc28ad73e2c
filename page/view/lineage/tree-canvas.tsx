// The picture of a lineage, with its keys and buttons.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Box, Inks, Mark, Placed } from '../../api/pictures/lineage-picture.ts';
import { pictureOf } from './drawing.ts';
import { type Hit, hitAt, neighbour } from './geometry.ts';
import { TreeWindow } from './tree-window.ts';

type Props = {
  readonly placed: readonly Placed[];
  readonly marks: readonly Mark[];
  readonly box: Box;
  readonly inks: Inks;
  /** The row that is looked at; -1 for none. */
  readonly selected: number;
  readonly label: string;
  readonly onSelect: (row: number) => void;
  readonly onOpen: (row: number) => void;
  readonly onToggle: (row: number) => void;
  /** Changes when another picture is shown, which is then fitted into the window. */
  readonly name: string;
};

const ZOOM = 1.4;

/** The window is there as long as the canvas is. */
const useTreeWindow = ({ placed, marks, box, inks, selected, name }: Props) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const picture = useMemo(() => pictureOf(marks, inks), [marks, inks]);
  const scene = { picture, placed, box, selected };
  const view = useRef<TreeWindow | null>(null);
  useEffect(() => {
    view.current = new TreeWindow(canvas.current!, scene);
    return () => view.current!.stop();
  }, []);
  useEffect(() => view.current!.show(scene));
  useEffect(() => view.current!.fitFirst(), [name]);
  return { canvas, window: () => view.current! };
};

export const TreeCanvas = (props: Props) => {
  const { placed, marks, box, selected, label, onSelect, onOpen, onToggle } = props;
  const { canvas, window } = useTreeWindow(props);
  const under = ({ offsetX, offsetY }: MouseEvent): Hit | null =>
    hitAt(marks, placed, window().view, { x: offsetX, y: offsetY });
  const onClick = (event: MouseEvent): void => {
    const hit = under(event);
    if (hit !== null) (hit.opens ? onToggle : onSelect)(hit.row);
  };
  const onDblClick = (event: MouseEvent): void => {
    const hit = under(event);
    if (hit !== null && !hit.opens) onOpen(hit.row);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const here = placed.find(({ node }) => node.row === selected) ?? placed[0];
    if (here === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const { node } = here;
    const keys: { readonly [key: string]: () => void } = {
      Enter: () => onOpen(node.row),
      ' ': () => onToggle(node.hidden > 0 ? node.row : (node.skipped[0] ?? node.row)),
      '+': () => window().scaleBy(ZOOM),
      '-': () => window().scaleBy(1 / ZOOM),
      '0': () => window().fitWhole(),
    };
    const isMove = event.key.startsWith('Arrow') || event.key === 'Home';
    if (!isMove && keys[event.key] === undefined) return;
    event.preventDefault();
    keys[event.key]?.();
    const to = neighbour(placed, here, event.key);
    if (to === undefined) return;
    onSelect(to.node.row);
    window().bringIntoSight(to);
  };
  return (
    <div class="tree">
      <canvas
        ref={canvas}
        // A small tree needs no tall window.
        style={{ height: `min(62vh, ${Math.round(Math.max(260, 1.3 * box.height))}px)` }}
        tabIndex={0}
        role="application"
        aria-label={label}
        onClick={onClick}
        onDblClick={onDblClick}
        onKeyDown={onKeyDown}
      />
      <div class="tree-zoom">
        <button type="button" aria-label="Larger" onClick={() => window().scaleBy(ZOOM)}>
          +
        </button>
        <button type="button" aria-label="Smaller" onClick={() => window().scaleBy(1 / ZOOM)}>
          −
        </button>
        <button type="button" onClick={() => window().fitWhole()}>
          Fit
        </button>
      </div>
    </div>
  );
};
