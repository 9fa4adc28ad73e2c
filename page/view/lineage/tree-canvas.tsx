// The picture of a lineage on a canvas: it zooms and pans with pointer, finger and keys, and draws marks of one style in
// one go, so that thousands of programs stay fluent.
import { select } from 'd3-selection';
import { zoom, zoomIdentity, type ZoomTransform } from 'd3-zoom';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { type Box, curve, type Inks, type Mark, outline, type Placed } from '../../data/lineage-picture.ts';

/** All marks of one style, as one path. */
type Group = {
  readonly path: Path2D;
  readonly stroke: string;
  readonly fill: string | null;
  readonly width: number;
  readonly dashed: boolean;
  readonly program: boolean;
};

const groupsOf = (marks: readonly Mark[], inks: Inks): readonly Group[] => {
  const styles = new Map<string, { readonly paths: string[]; readonly group: Omit<Group, 'path'> }>();
  const put = (group: Omit<Group, 'path'>, path: string): void => {
    const key = Object.values(group).join();
    const style = styles.get(key) ?? { paths: [], group };
    style.paths.push(path);
    styles.set(key, style);
  };
  for (const mark of marks)
    if (mark.kind === 'edge')
      put({ stroke: mark.stroke, fill: null, width: mark.width, dashed: mark.dashed, program: false }, curve(mark));
    else if (mark.kind === 'program') {
      const failed = mark.form === 'failed';
      const stroke = failed ? mark.fill : mark.ring ? inks.text : inks.paper;
      const fill = failed ? null : mark.fill;
      put(
        { stroke, fill, width: failed || mark.ring ? 1.5 : 1, dashed: false, program: true },
        outline(mark.form, mark.at.x, mark.at.y, mark.radius),
      );
    }
  return [...styles.values()].map(({ paths, group }) => ({ ...group, path: new Path2D(paths.join('')) }));
};

/** Below this size words could not be read, and programs are dots of one size. */
const FAR = 0.45;

/** Draws what lies in the window of a transform. */
export const draw = (
  context: CanvasRenderingContext2D,
  groups: readonly Group[],
  marks: readonly Mark[],
  { x, y, k }: { readonly x: number; readonly y: number; readonly k: number },
): void => {
  const far = k < FAR;
  for (const { path, stroke, fill, width, dashed, program } of groups) {
    if (far && program) continue;
    context.lineWidth = Math.max(width, (far ? width : 0.7) / k);
    context.setLineDash(dashed && !far ? [5, 4] : []);
    context.strokeStyle = stroke;
    if (fill !== null) {
      context.fillStyle = fill;
      context.fill(path);
    }
    context.stroke(path);
  }
  if (far) {
    for (const mark of marks) {
      if (mark.kind !== 'program') continue;
      const size = (mark.at.node.trunk ? 7 : mark.form === 'record' ? 6 : 3.5) / k;
      context.fillStyle = mark.fill;
      context.fillRect(mark.at.x - size / 2, mark.at.y - size / 2, size, size);
    }
    return;
  }
  const { width, height } = context.canvas;
  const ratio = context.getTransform().a / k;
  context.font = '11px system-ui, sans-serif';
  for (const mark of marks) {
    if (mark.kind !== 'words') continue;
    const [left, top] = [(mark.x * k + x) * ratio, (mark.y * k + y) * ratio];
    if (left < -300 * ratio || top < 0 || left > width || top > height) continue;
    context.fillStyle = mark.colour;
    context.textAlign = mark.anchor === 'start' ? 'left' : 'center';
    context.fillText(mark.text, mark.x, mark.y);
  }
};

/** The picture at one size, to be kept as a file. */
export const pictureOf = (marks: readonly Mark[], box: Box, inks: Inks): HTMLCanvasElement => {
  const canvas = document.createElement('canvas');
  const k = Math.min(2, 8_000 / box.width, 8_000 / box.height);
  [canvas.width, canvas.height] = [Math.ceil(box.width * k), Math.ceil(box.height * k)];
  const context = canvas.getContext('2d')!;
  context.fillStyle = inks.paper;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.setTransform(k, 0, 0, k, -box.left * k, -box.top * k);
  draw(context, groupsOf(marks, inks), marks, { x: -box.left * k, y: -box.top * k, k });
  return canvas;
};

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
  readonly picture: string;
};

export const TreeCanvas = ({
  placed,
  marks,
  box,
  inks,
  selected,
  label,
  onSelect,
  onOpen,
  onToggle,
  picture,
}: Props) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const groups = useMemo(() => groupsOf(marks, inks), [marks, inks]);
  const state = useRef({ at: zoomIdentity as ZoomTransform, groups, marks, placed, selected, inks, box });
  Object.assign(state.current, { groups, marks, placed, selected, inks, box });
  const view = useMemo(() => {
    const redraw = (): void => {
      const one = canvas.current;
      if (one === null) return;
      const { at, groups: all, marks: words, placed: nodes, selected: chosen, inks: ink } = state.current;
      const ratio = devicePixelRatio;
      const [width, height] = [Math.round(one.clientWidth * ratio), Math.round(one.clientHeight * ratio)];
      if (one.width !== width || one.height !== height) [one.width, one.height] = [width, height];
      const context = one.getContext('2d')!;
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, width, height);
      context.setTransform(ratio * at.k, 0, 0, ratio * at.k, ratio * at.x, ratio * at.y);
      draw(context, all, words, at);
      const node = nodes.find((other) => other.node.row === chosen);
      if (node === undefined) return;
      context.strokeStyle = ink.accent;
      context.lineWidth = Math.max(2.5, 2.5 / at.k);
      context.setLineDash([]);
      context.beginPath();
      context.arc(node.x, node.y, Math.max(12, 9 / at.k), 0, 7);
      context.stroke();
    };
    const zooming = zoom<HTMLCanvasElement, unknown>()
      .scaleExtent([0.01, 4])
      // The wheel alone scrolls the page, unless the picture has the focus.
      .filter(
        (event: MouseEvent) =>
          event.button === 0 && (event.type !== 'wheel' || event.ctrlKey || document.activeElement === canvas.current),
      )
      .on('zoom', ({ transform }: { readonly transform: ZoomTransform }) => {
        state.current.at = transform;
        redraw();
      });
    const fit = (): void => {
      const one = canvas.current!;
      const { left, top, width, height } = state.current.box;
      const [w, h] = [one.clientWidth, one.clientHeight];
      // A long lineage is read from its end; what is too wide to be read is not made smaller than that.
      const k = Math.min(1.3, Math.max(Math.min(w / width, h / height), Math.min(0.55, h / height)));
      const x = width * k > w ? w - (left + width) * k : (w - width * k) / 2 - left * k;
      select(one).call(zooming.transform, zoomIdentity.translate(x, (h - height * k) / 2 - top * k).scale(k));
    };
    const whole = (): void => {
      const one = canvas.current!;
      const { left, top, width, height } = state.current.box;
      const k = Math.min(1.3, one.clientWidth / width, one.clientHeight / height);
      const [x, y] = [(one.clientWidth - width * k) / 2 - left * k, (one.clientHeight - height * k) / 2 - top * k];
      select(one).call(zooming.transform, zoomIdentity.translate(x, y).scale(k));
    };
    const by = (factor: number): void => void select(canvas.current!).call(zooming.scaleBy, factor);
    const into = (node: Placed): void => {
      const one = canvas.current!;
      const [x, y] = state.current.at.apply([node.x, node.y]);
      if (x < 30 || y < 30 || x > one.clientWidth - 30 || y > one.clientHeight - 30)
        select(one).call(zooming.translateTo, node.x, node.y);
    };
    return { redraw, zooming, fit, whole, by, into };
  }, []);
  useEffect(() => {
    const one = canvas.current!;
    select(one).call(view.zooming).on('dblclick.zoom', null);
    const observer = new ResizeObserver(view.redraw);
    observer.observe(one);
    return () => observer.disconnect();
  }, []);
  useEffect(view.fit, [picture]);
  useEffect(view.redraw);

  /** The program or the words under a place of the window, within the reach of a finger. */
  const under = (event: MouseEvent): { readonly row: number; readonly opens: boolean } | null => {
    const { at } = state.current;
    const [x, y] = at.invert([event.offsetX, event.offsetY]);
    for (const mark of marks) {
      if (mark.kind !== 'words' || mark.opens === null || at.k < FAR) continue;
      const wide = 4 * mark.text.length;
      const middle = mark.x + (mark.anchor === 'start' ? wide : 0);
      if (Math.abs(x - middle) < wide + 4 && Math.abs(y - mark.y + 4) < 9) return { row: mark.opens, opens: true };
    }
    let [found, least] = [-1, 14 / at.k];
    for (const node of placed) {
      const far = Math.hypot(node.x - x, node.y - y);
      if (far < least) [found, least] = [node.node.row, far];
    }
    return found < 0 ? null : { row: found, opens: false };
  };
  const click = (event: MouseEvent): void => {
    const hit = under(event);
    if (hit?.opens) onToggle(hit.row);
    else if (hit) onSelect(hit.row);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const here = placed.find(({ node }) => node.row === selected) ?? placed[0];
    if (here === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const column = (by: number): Placed | undefined => {
      const same = placed.filter(({ x }) => x === here.x).sort((a, b) => a.y - b.y);
      return same[same.indexOf(here) + by];
    };
    const child = (): Placed | undefined => {
      const children = here.children.map((index) => placed[index]!);
      return children.find(({ node }) => node.trunk) ?? children[children.length >> 1];
    };
    const go = (to: Placed | undefined): void => {
      if (to === undefined) return;
      onSelect(to.node.row);
      view.into(to);
    };
    const keys: { readonly [key: string]: () => void } = {
      ArrowLeft: () => go(placed[here.parent]),
      ArrowRight: () => go(child()),
      ArrowUp: () => go(column(-1)),
      ArrowDown: () => go(column(1)),
      Home: () => go(placed[0]),
      Enter: () => onOpen(here.node.row),
      ' ': () => onToggle(here.node.hidden > 0 ? here.node.row : (here.node.skipped[0] ?? here.node.row)),
      '+': () => view.by(1.4),
      '-': () => view.by(1 / 1.4),
      '0': view.whole,
    };
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
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
        onClick={click}
        onDblClick={(event) => {
          const hit = under(event);
          if (hit !== null && !hit.opens) onOpen(hit.row);
        }}
        onKeyDown={onKeyDown}
      />
      <div class="tree-zoom">
        <button type="button" aria-label="Larger" onClick={() => view.by(1.4)}>
          +
        </button>
        <button type="button" aria-label="Smaller" onClick={() => view.by(1 / 1.4)}>
          −
        </button>
        <button type="button" onClick={view.whole}>
          Fit
        </button>
      </div>
    </div>
  );
};
