// The programs in a picture of a lineage: the ancestors of one program as the trunk and their other descendants as
// branches, or the whole tree. Nothing is lost where there are too many: a node counts its descendants that are not
// drawn, an edge the programs that it runs over, and each can be opened.

export type Drawn = {
  /** -1 stands for no program: it holds several roots together and is not drawn. */
  readonly row: number;
  readonly trunk: boolean;
  /** Descendants that are not drawn, and that are not on the way to one that is. */
  readonly hidden: number;
  /** Programs that the edge from the parent runs over, the oldest first. */
  readonly skipped: readonly number[];
  readonly children: readonly Drawn[];
};

export type Wish = {
  readonly parent: ArrayLike<number>;
  /** The program at whose end the trunk is; -1 for none. */
  readonly of: number;
  readonly whole: boolean;
  /** Rows whose children are all shown, and first rows of runs that are not collapsed. */
  readonly opened: ReadonlySet<number>;
  /** About how many programs are drawn at most; what is on the trunk, opened or marked comes on top. */
  readonly most: number;
  /** Programs that are shown wherever they are, such as records. */
  readonly marked: Iterable<number>;
  /** More is more important: which children are shown first where not all are. */
  readonly weight: (row: number) => number;
};

/** Branches that each program of the trunk shows by itself, and children that an opened one shows. */
const BRANCHES = 8;
const OPENED = 200;
/** Single children in a row, from which on they become one edge. */
const LONG = 3;

/** From the root to the program. Empty where there is none. */
export const trunkTo = (parent: ArrayLike<number>, of: number): readonly number[] => {
  const rows: number[] = [];
  for (let row = of; row >= 0 && rows.length <= parent.length; row = parent[row]!) rows.push(row);
  return rows.reverse();
};

/** Null where there are no programs. */
export const drawnTree = (wish: Wish, kin: Kin = kinOf(wish.parent)): Drawn | null => {
  const { parent, of, whole, opened, marked } = wish;
  const rows = parent.length;
  if (rows === 0) return null;
  const trunk = new Set(trunkTo(parent, of));
  const forced = new Set(trunk);
  if (whole) for (const row of marked) for (let at = row; at >= 0 && !forced.has(at); at = parent[at]!) forced.add(at);
  const least = whole ? leastSize(kin.size, wish.most) : Infinity;
  const shownOf = (row: number): readonly number[] => {
    const children = kin.childrenOf(row);
    const most = opened.has(row) ? OPENED : trunk.has(row) && !whole ? BRANCHES : 0;
    if (children.length === 0 || (most === 0 && least === Infinity))
      return children.filter((child) => forced.has(child));
    const first =
      most >= children.length
        ? new Set(children)
        : new Set(
            children.toSorted((a, b) => kin.size[b]! - kin.size[a]! || wish.weight(b) - wish.weight(a)).slice(0, most),
          );
    return children.filter((child) => forced.has(child) || kin.size[child]! >= least || first.has(child));
  };
  const keep = new Set([...trunk].slice(-1));
  for (const row of marked) keep.add(row);
  const make = (row: number, skipped: readonly number[]): Made => {
    const shown = shownOf(row);
    let hidden = kin.size[row]! - 1;
    for (const child of shown) hidden -= kin.size[child]!;
    return { row, trunk: trunk.has(row), hidden, skipped, children: [], shown };
  };
  /** Goes down a run of single children, and stands at its end. */
  const ended = (first: number): Made => {
    const run: Made[] = [];
    let at = make(first, []);
    while (at.shown.length === 1 && at.hidden === 0 && !keep.has(at.row)) {
      run.push(at);
      at = make(at.shown[0]!, []);
    }
    if (run.length < LONG || opened.has(first)) return run[0] ?? at;
    return { ...at, skipped: run.map(({ row }) => row) };
  };
  const roots = kin.roots.filter((root) => whole || trunk.has(root));
  const top: Made = {
    row: -1,
    trunk: false,
    hidden: 0,
    skipped: [],
    children: [],
    shown: roots.length > 0 ? roots : kin.roots.slice(0, 1),
  };
  // Not by recursion, because a lineage may be thousands of programs deep. A run that was opened is not measured again
  // at each of its programs.
  const waiting: { readonly node: Made; readonly inRun: boolean }[] = [{ node: top, inRun: false }];
  while (waiting.length > 0) {
    const { node, inRun } = waiting.pop()!;
    for (const child of node.shown) {
      const open = (inRun && node.shown.length === 1) || opened.has(child);
      const made = node.row === -1 ? make(child, []) : open ? make(child, []) : ended(child);
      node.children.push(made);
      waiting.push({ node: made, inRun: open });
    }
    if (node.children.length > 2) middle(node.children);
  }
  return top.children.length === 1 ? top.children[0]! : top;
};

type Made = { -readonly [key in keyof Omit<Drawn, 'children'>]: Drawn[key] } & {
  readonly children: Made[];
  readonly shown: readonly number[];
};

/** The trunk goes on in the middle of its branches, so that it stays nearly straight. */
const middle = (children: Made[]): void => {
  const at = children.findIndex(({ trunk }) => trunk);
  if (at < 0) return;
  const [one] = children.splice(at, 1);
  children.splice(children.length >> 1, 0, one!);
};

/** The least number of programs in a branch, with which no more than so many programs have one. */
const leastSize = (size: Uint32Array, most: number): number => {
  if (size.length <= most) return 1;
  return size.toSorted()[size.length - most]! + 1;
};

export type Kin = {
  readonly roots: readonly number[];
  /** The number of programs of which each is the ancestor, with itself. */
  readonly size: Uint32Array;
  /** In the order in which they came. */
  readonly childrenOf: (row: number) => readonly number[];
};

export const kinOf = (parent: ArrayLike<number>): Kin => {
  const rows = parent.length;
  const start = new Uint32Array(rows + 1);
  const roots: number[] = [];
  const of = (row: number): number => (parent[row]! >= 0 && parent[row]! < row ? parent[row]! : -1);
  for (let row = 0; row < rows; row++) {
    const from = of(row);
    if (from < 0) roots.push(row);
    else start[from + 1]! += 1;
  }
  for (let row = 0; row < rows; row++) start[row + 1]! += start[row]!;
  const next = start.slice(0, rows);
  const children = new Uint32Array(start[rows]!);
  for (let row = 0; row < rows; row++) if (of(row) >= 0) children[next[of(row)]!++] = row;
  const size = new Uint32Array(rows).fill(1);
  for (let row = rows - 1; row >= 0; row--) if (of(row) >= 0) size[of(row)]! += size[row]!;
  return { roots, size, childrenOf: (row) => [...children.subarray(start[row], start[row + 1])] };
};
