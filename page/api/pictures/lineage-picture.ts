// A lineage as a picture: where each program and each edge is, of what form and colour, with which words. The page
// draws it on a canvas, and writes it to a file as SVG.
import { hierarchy, tree } from 'd3-hierarchy';
import { inXml } from '../../../evolution/visible.ts';
import type { Drawn } from './lineage.ts';

/** `failed` has no score; `record` was the best of the run after its step; `injected` is of a person. */
export type Form = 'valid' | 'failed' | 'record' | 'injected';
export type Placed = {
  readonly node: Drawn;
  readonly x: number;
  readonly y: number;
  /** The place of its parent in the list; -1 for none. */
  readonly parent: number;
  /** The places of its children in the list, from top to bottom. */
  readonly children: readonly number[];
};

/** Pixels from a program to its child at least, and from a program to the one below. */
export type Spacing = { readonly across: number; readonly down: number };

/**
 * A picture is about so much wider than high, where its tree is shallow; and its edges are at most so many times
 * longer.
 */
const WIDE = 1.7;
const LONGER = 24;

/** Parents before children; a root that stands for no program is left out. Ancestors are on the left. */
export const placedIn = (root: Drawn, { across, down }: Spacing): readonly Placed[] => {
  const laid = tree<Drawn>()
    .nodeSize([down, 1])
    // Words stand above the trunk and below it.
    .separation((a, b) => (a.data.trunk || b.data.trunk ? 2 : a.parent === b.parent ? 1 : 1.4))(
    hierarchy(root, ({ children }) => children),
  );
  const nodes = laid.descendants().filter(({ data }) => data.row >= 0);
  const index = new Map(nodes.map((node, at) => [node, at]));
  let [top, bottom] = [Infinity, -Infinity];
  for (const { x } of nodes) [top, bottom] = [Math.min(top, x), Math.max(bottom, x)];
  const step = Math.min(LONGER * across, Math.max(across, (WIDE * (bottom - top)) / Math.max(1, laid.height)));
  return nodes.map((node) => ({
    node: node.data,
    x: node.y * step,
    y: node.x,
    parent: node.parent === null ? -1 : (index.get(node.parent) ?? -1),
    children: (node.children ?? []).map((child) => index.get(child)!),
  }));
};

/** The look of a program, by its row. */
export type Look = {
  readonly form: (row: number) => Form;
  /** A colour that CSS knows. */
  readonly colour: (row: number) => string;
  /** Better than its parent. */
  readonly helped: (row: number) => boolean;
  /** On another island than its parent. */
  readonly moved: (row: number) => boolean;
  /** Words on the edge to a program; '' for none. */
  readonly words: (row: number) => string;
  /** The sign of a person's mark above a program; '' for none. */
  readonly sign: (row: number) => string;
};

export type Inks = {
  readonly paper: string;
  readonly text: string;
  readonly soft: string;
  readonly line: string;
  readonly accent: string;
};

export type Mark =
  | {
      readonly kind: 'edge';
      readonly from: Placed;
      readonly to: Placed;
      readonly stroke: string;
      readonly width: number;
      readonly dashed: boolean;
    }
  | {
      readonly kind: 'program';
      readonly at: Placed;
      readonly form: Form;
      readonly fill: string;
      readonly stroke: string;
      readonly width: number;
      readonly radius: number;
    }
  | {
      readonly kind: 'words';
      readonly x: number;
      readonly y: number;
      readonly text: string;
      readonly colour: string;
      readonly anchor: 'start' | 'middle';
      /** The row that a click on them opens; null for words that open nothing. */
      readonly opens: number | null;
      /** It is drawn from far too, where other words could not be read. */
      readonly far?: true;
    };

/** The marks of a picture, the lowest first. */
export const marksOf = (placed: readonly Placed[], look: Look, inks: Inks): readonly Mark[] => {
  const edges: Mark[] = [];
  const over: Mark[] = [];
  for (const at of placed) {
    const { node, x, y, parent } = at;
    const { row, trunk } = node;
    const from = placed[parent];
    const helped = look.helped(row);
    if (from !== undefined) {
      edges.push({
        kind: 'edge',
        from,
        to: at,
        stroke: trunk ? inks.accent : inks.line,
        width: trunk ? 3 : helped ? 2 : 1.25,
        dashed: look.moved(row),
      });
      const middle = { x: (from.x + x) / 2, y: (from.y + y) / 2 };
      if (node.skipped.length > 0)
        over.push({
          kind: 'words',
          ...middle,
          text: `… ${node.skipped.length} …`,
          colour: inks.text,
          anchor: 'middle',
          opens: node.skipped[0]!,
        });
      else if (look.words(row) !== '')
        over.push({
          kind: 'words',
          x: from.x + 12,
          y: (trunk ? Math.min(from.y, y) : y) - 9,
          text: look.words(row),
          colour: inks.soft,
          anchor: 'start',
          opens: null,
        });
    }
    const [form, fill] = [look.form(row), look.colour(row)];
    over.push({
      ...{ kind: 'program', at, form, fill },
      stroke: form === 'failed' ? fill : helped ? inks.text : inks.paper,
      width: form === 'failed' || helped ? 1.5 : 1,
      radius: trunk ? 7 : helped ? 5.5 : 4,
    });
    if (look.sign(row) !== '')
      over.push({
        kind: 'words',
        x,
        y: y - (trunk ? 19 : 8),
        text: look.sign(row),
        colour: inks.text,
        anchor: 'middle',
        opens: null,
        far: true,
      });
    if (node.hidden > 0) {
      // Beside a program at the end of a branch, and below one from which edges go on.
      const [place, anchor] =
        at.children.length === 0 ? [{ x: x + 10, y: y + 4 }, 'start' as const] : [{ x, y: y + 20 }, 'middle' as const];
      over.push({ kind: 'words', ...place, text: `+${node.hidden}`, colour: inks.soft, anchor, opens: row });
    }
  }
  return [...edges, ...over];
};

/** The outline of a program as commands of an SVG path, which a canvas understands too. */
export const outline = (form: Form, x: number, y: number, r: number): string => {
  switch (form) {
    case 'valid':
      return `M${x - r},${y}a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0Z`;
    case 'record':
      return `M${x},${y - 1.4 * r}L${x + 1.4 * r},${y}L${x},${y + 1.4 * r}L${x - 1.4 * r},${y}Z`;
    case 'injected':
      return `M${x - r},${y - r}h${2 * r}v${2 * r}h${-2 * r}Z`;
    case 'failed':
      return `M${x - r},${y - r}l${2 * r},${2 * r}M${x + r},${y - r}l${-2 * r},${2 * r}`;
  }
};

export const curve = ({ from, to }: { readonly from: Placed; readonly to: Placed }): string => {
  const middle = (from.x + to.x) / 2;
  return `M${from.x},${from.y}C${middle},${from.y} ${middle},${to.y} ${to.x},${to.y}`;
};

export type Box = { readonly left: number; readonly top: number; readonly width: number; readonly height: number };

export const boxOf = (placed: readonly Placed[], margin = 40): Box => {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { x, y } of placed) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return placed.length === 0
    ? { left: 0, top: 0, width: 1, height: 1 }
    : { left: left - margin, top: top - margin, width: right - left + 2 * margin, height: bottom - top + 2 * margin };
};

/** The picture as a file. Texts of models stand in it as text alone; a control character would make it unreadable. */
export const svgOf = (marks: readonly Mark[], box: Box, inks: Inks, title: string): string => {
  const numbers = (path: string): string => path.replace(/-?\d+\.\d{2,}/g, (number) => Number(number).toFixed(1));
  const drawn = marks.map((mark) => {
    switch (mark.kind) {
      case 'edge':
        return `<path d="${numbers(curve(mark))}" fill="none" stroke="${inXml(mark.stroke)}" stroke-width="${mark.width}"${mark.dashed ? ' stroke-dasharray="5 4"' : ''}/>`;
      case 'program': {
        const { at, form, radius, fill, stroke, width } = mark;
        return `<path d="${numbers(outline(form, at.x, at.y, radius))}" fill="${inXml(fill)}" stroke="${inXml(stroke)}" stroke-width="${width}"/>`;
      }
      case 'words':
        return `<text x="${mark.x.toFixed(1)}" y="${mark.y.toFixed(1)}" fill="${inXml(mark.colour)}" text-anchor="${mark.anchor}">${inXml(mark.text)}</text>`;
    }
  });
  const view = [box.left, box.top, box.width, box.height].map((one) => one.toFixed(1)).join(' ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${view}" width="${box.width.toFixed(0)}" height="${box.height.toFixed(0)}" font-family="sans-serif" font-size="11"><title>${inXml(title)}</title><rect x="${box.left.toFixed(1)}" y="${box.top.toFixed(1)}" width="100%" height="100%" fill="${inXml(inks.paper)}"/>${drawn.join('')}</svg>`;
};
