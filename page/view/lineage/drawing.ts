// A lineage on a canvas. Marks of one style are drawn in one go, so that thousands of programs stay fluent.
import { curve, type Inks, type Mark, outline } from '../../api/pictures/lineage-picture.ts';
import type { View } from './pan-zoom.ts';

/** All edges of one style, as one path. */
type Group = { readonly path: Path2D; readonly stroke: string; readonly width: number };
export type Picture = { readonly marks: readonly Mark[]; readonly inks: Inks; readonly groups: readonly Group[] };
/** The part of the picture that is seen. */
type Seen = { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };

export const pictureOf = (marks: readonly Mark[], inks: Inks): Picture => {
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
export const FAR = 0.45;
const FAR_SIGN = 14;

/** From far all of the picture is seen, so all edges of a style are one path. */
const drawFar = (context: CanvasRenderingContext2D, { groups, marks }: Picture, k: number): void => {
  context.setLineDash([]);
  for (const { path, stroke, width } of groups) {
    context.lineWidth = width / k;
    context.strokeStyle = stroke;
    context.stroke(path);
  }
  context.font = `${FAR_SIGN / k}px system-ui, sans-serif`;
  context.textAlign = 'center';
  for (const mark of marks) {
    if (mark.kind === 'words' && mark.far === true) {
      context.fillStyle = mark.colour;
      context.fillText(mark.text, mark.x, mark.y);
    }
    if (mark.kind !== 'program') continue;
    const size = (mark.at.node.trunk ? 7 : mark.form === 'record' ? 6 : 3.5) / k;
    if (context.fillStyle !== mark.fill) context.fillStyle = mark.fill;
    context.fillRect(mark.at.x - size / 2, mark.at.y - size / 2, size, size);
  }
};

const isSeen = (mark: Mark, { left, right, top, bottom }: Seen): boolean => {
  if (mark.kind === 'edge') {
    const { from, to } = mark;
    return to.x >= left && from.x <= right && Math.max(from.y, to.y) >= top && Math.min(from.y, to.y) <= bottom;
  }
  if (mark.kind === 'program') {
    const { x, y } = mark.at;
    return x >= left - 12 && x <= right + 12 && y >= top - 12 && y <= bottom + 12;
  }
  return mark.x > left - 200 && mark.x < right && mark.y > top && mark.y < bottom + 12;
};

const drawMark = (context: CanvasRenderingContext2D, mark: Mark): void => {
  if (mark.kind === 'edge') {
    context.lineWidth = mark.width;
    context.setLineDash(mark.dashed ? [5, 4] : []);
    context.strokeStyle = mark.stroke;
    context.stroke(new Path2D(curve(mark)));
  } else if (mark.kind === 'program') {
    const path = new Path2D(outline(mark.form, mark.at.x, mark.at.y, mark.radius));
    context.setLineDash([]);
    context.lineWidth = mark.width;
    context.strokeStyle = mark.stroke;
    context.fillStyle = mark.fill;
    context.fill(path);
    context.stroke(path);
  } else {
    context.fillStyle = mark.colour;
    context.textAlign = mark.anchor === 'start' ? 'left' : 'center';
    context.fillText(mark.text, mark.x, mark.y);
  }
};

/** Draws the part of the picture that lies in the window of a view. */
export const draw = (context: CanvasRenderingContext2D, picture: Picture, { x, y, k }: View): void => {
  if (k < FAR) return drawFar(context, picture, k);
  const ratio = context.getTransform().a / k;
  const [left, top] = [-x / k, -y / k];
  const [right, bottom] = [left + context.canvas.width / ratio / k, top + context.canvas.height / ratio / k];
  context.font = '11px system-ui, sans-serif';
  for (const mark of picture.marks) if (isSeen(mark, { left, right, top, bottom })) drawMark(context, mark);
};
