// The picture of a lineage on a canvas: it zooms and pans with pointer, finger and keys, and draws marks of one style in
// one go, so that thousands of programs stay fluent.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { type Box, curve, type Inks, type Mark, outline, type Placed } from '../../data/lineage-picture.ts';
import { type PanZoom, panZoom, type View } from '../base/pan-zoom.ts';

/** All edges of one style, as one path. */
type Group = { readonly path: Path2D; readonly stroke: string; readonly width: number };
type Picture = { readonly marks: readonly Mark[]; readonly inks: Inks; readonly groups: readonly Group[] };

const picture = (marks: readonly Mark[], inks: Inks): Picture => {
  const styles = Map.groupBy(
    marks.filter((mark) => mark.kind === 'edge'),
    ({ stroke, width }) => `${stroke} ${width}`,
  );
  const groups = [...styles.values()].map((edges) => ({
    path: new Path2D(edges.map(curve).join('')),
    stroke: edges[0]!.stroke,
    width: edges[0]!.width,
  }));
  return { marks, inks, groups };
};

/** Below this size words could not be read, and programs are dots of one size. */
const FAR = 0.45;
/** What does not fit is not made smaller than this at first, so that its words can be read. */
const LEGIBLE = 0.9;
/** More marks than this are not drawn anew at each movement, but this long after it. */
const MANY = 3_000;
const REST_MS = 120;

/** Draws what lies in the window of a transform. From far everything does, so all edges of a style are one path. */
export const draw = (
  context: CanvasRenderingContext2D,
  { groups, marks, inks }: Picture,
  { x, y, k }: { readonly x: number; readonly y: number; readonly k: number },
): void => {
  if (k < FAR) {
    context.setLineDash([]);
    for (const { path, stroke, width } of groups) {
      context.lineWidth = width / k;
      context.strokeStyle = stroke;
      context.stroke(path);
    }
    for (const mark of marks) {
      if (mark.kind !== 'program') continue;
      const size = (mark.at.node.trunk ? 7 : mark.form === 'record' ? 6 : 3.5) / k;
      if (context.fillStyle !== mark.fill) context.fillStyle = mark.fill;
      context.fillRect(mark.at.x - size / 2, mark.at.y - size / 2, size, size);
    }
    return;
  }
  const ratio = context.getTransform().a / k;
  const [left, top] = [-x / k, -y / k];
  const [right, bottom] = [left + context.canvas.width / ratio / k, top + context.canvas.height / ratio / k];
  context.font = '11px system-ui, sans-serif';
  for (const mark of marks) {
    if (mark.kind === 'edge') {
      const { from, to } = mark;
      if (to.x < left || from.x > right || Math.max(from.y, to.y) < top || Math.min(from.y, to.y) > bottom) continue;
      context.lineWidth = mark.width;
      context.setLineDash(mark.dashed ? [5, 4] : []);
      context.strokeStyle = mark.stroke;
      context.stroke(new Path2D(curve(mark)));
    } else if (mark.kind === 'program') {
      const { at, form, radius, ring, fill } = mark;
      if (at.x < left - 12 || at.x > right + 12 || at.y < top - 12 || at.y > bottom + 12) continue;
      const path = new Path2D(outline(form, at.x, at.y, radius));
      context.setLineDash([]);
      context.lineWidth = form === 'failed' || ring ? 1.5 : 1;
      context.strokeStyle = form === 'failed' ? fill : ring ? inks.text : inks.paper;
      context.fillStyle = fill;
      if (form !== 'failed') context.fill(path);
      context.stroke(path);
    } else if (mark.x > left - 200 && mark.x < right && mark.y > top && mark.y < bottom + 12) {
      context.fillStyle = mark.colour;
      context.textAlign = mark.anchor === 'start' ? 'left' : 'center';
      context.fillText(mark.text, mark.x, mark.y);
    }
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
  draw(context, picture(marks, inks), { x: -box.left * k, y: -box.top * k, k });
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
  readonly name: string;
};

export const TreeCanvas = ({ placed, marks, box, inks, selected, label, onSelect, onOpen, onToggle, name }: Props) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawn = useMemo(() => picture(marks, inks), [marks, inks]);
  const state = useRef({
    at: { x: 0, y: 0, k: 1 } as View,
    zooming: null as PanZoom | null,
    ...{ drawn, placed, selected, box },
    still: {
      canvas: document.createElement('canvas'),
      at: null as View | null,
      timer: undefined as ReturnType<typeof setTimeout> | undefined,
    },
  });
  Object.assign(state.current, { drawn, placed, selected, box });
  const view = useMemo(() => {
    const redraw = (): void => {
      const one = canvas.current;
      if (one === null) return;
      const { at, drawn: now, placed: nodes, selected: chosen } = state.current;
      const ratio = devicePixelRatio;
      const [width, height] = [Math.round(one.clientWidth * ratio), Math.round(one.clientHeight * ratio)];
      if (one.width !== width || one.height !== height) [one.width, one.height] = [width, height];
      const context = one.getContext('2d')!;
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, width, height);
      context.setTransform(ratio * at.k, 0, 0, ratio * at.k, ratio * at.x, ratio * at.y);
      draw(context, now, at);
      const still = state.current.still;
      if (at.k < FAR && now.marks.length > MANY) {
        [still.canvas.width, still.canvas.height] = [width, height];
        still.canvas.getContext('2d')!.drawImage(one, 0, 0);
        still.at = at;
      } else still.at = null;
      const node = nodes.find((other) => other.node.row === chosen);
      if (node === undefined) return;
      context.strokeStyle = now.inks.accent;
      context.lineWidth = Math.max(2.5, 2.5 / at.k);
      context.setLineDash([]);
      context.beginPath();
      context.arc(node.x, node.y, Math.max(12, 9 / at.k), 0, 7);
      context.stroke();
    };
    const moved = (to: View): void => {
      state.current.at = to;
      const { still } = state.current;
      clearTimeout(still.timer);
      if (still.at === null || to.k >= FAR) return redraw();
      // While fingers move, the last picture is moved with them; it is drawn anew when they rest.
      const one = canvas.current!;
      const by = to.k / still.at.k;
      const context = one.getContext('2d')!;
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, one.width, one.height);
      const ratio = devicePixelRatio;
      const [left, top] = [(to.x - still.at.x * by) * ratio, (to.y - still.at.y * by) * ratio];
      context.drawImage(still.canvas, left, top, one.width * by, one.height * by);
      still.timer = setTimeout(redraw, REST_MS);
    };
    const fit = (): void => {
      const one = canvas.current!;
      const { left, top, width, height } = state.current.box;
      const [w, h] = [one.clientWidth, one.clientHeight];
      // A long lineage is read from its end; what is too wide to be read is not made smaller than that.
      const k = Math.min(1.3, Math.max(Math.min(w / width, h / height), Math.min(LEGIBLE, h / height)));
      const x = width * k > w ? w - (left + width) * k : (w - width * k) / 2 - left * k;
      state.current.zooming!.set({ x, y: (h - height * k) / 2 - top * k, k });
    };
    const whole = (): void => {
      const one = canvas.current!;
      const { left, top, width, height } = state.current.box;
      const k = Math.min(1.3, one.clientWidth / width, one.clientHeight / height);
      const [x, y] = [(one.clientWidth - width * k) / 2 - left * k, (one.clientHeight - height * k) / 2 - top * k];
      state.current.zooming!.set({ x, y, k });
    };
    const by = (factor: number): void => state.current.zooming!.scaleBy(factor);
    const into = (node: Placed): void => {
      const one = canvas.current!;
      const { at } = state.current;
      const [x, y] = [at.x + node.x * at.k, at.y + node.y * at.k];
      if (x < 30 || y < 30 || x > one.clientWidth - 30 || y > one.clientHeight - 30)
        state.current.zooming!.centre(node.x, node.y);
    };
    return { redraw, moved, fit, whole, by, into };
  }, []);
  useEffect(() => {
    const one = canvas.current!;
    const zooming = panZoom(one, {
      least: 0.01,
      most: 4,
      // The wheel alone scrolls the page, unless the picture has the focus.
      wheel: ({ ctrlKey }) => ctrlKey || document.activeElement === one,
      on: view.moved,
    });
    state.current.zooming = zooming;
    const observer = new ResizeObserver(view.redraw);
    observer.observe(one);
    return () => {
      observer.disconnect();
      zooming.stop();
    };
  }, []);
  useEffect(view.fit, [name]);
  useEffect(view.redraw);

  /** The program or the words under a place of the window, within the reach of a finger. */
  const under = (event: MouseEvent): { readonly row: number; readonly opens: boolean } | null => {
    const { at } = state.current;
    const [x, y] = [(event.offsetX - at.x) / at.k, (event.offsetY - at.y) / at.k];
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
