// The state of a lineage that is looked at: the tree that the address and clicks ask for, the words on its edges, and
// its marks.
import { useMemo, useState } from 'preact/hooks';
import { drawnTree, kinOf, trunkTo } from '../../api/pictures/lineage.ts';
import { boxOf, type Inks, marksOf, placedIn } from '../../api/pictures/lineage-picture.ts';
import { bestRow } from '../../api/pictures/ranked.ts';
import { columnOf, hasFlag, idOf, recordsOf, rowOf, type Rows } from '../../api/rows/rows.ts';
import { sharedBeginning } from '../../api/program/shared-beginning.ts';
import { inksOf } from '../base/ink.ts';
import { useProgramMarks } from '../rows/marks.ts';
import type { Programs } from '../rows/with-rows.tsx';
import { type NarrationOf, useNarrations } from './narration.ts';
import { route, setQuery } from '../base/state.ts';
import {
  COLOUR_NAMES,
  colouredBy,
  type Colouring,
  COLOURINGS,
  edgeWords,
  formOf,
  isFromAnotherIsland,
  listedAtFirst,
} from './look.ts';

/** Programs that are drawn without being asked for: as many as stay fluent. */
const MOST = 5_000;

export type Tree = ReturnType<typeof useTree>;

/** The tree that the address and clicks ask for, with the place of each program in its picture. */
export const useTree = ({ run, rows, traits, fits }: Programs) => {
  const { query } = route.value;
  const whole = query.get('whole') === '1';
  const named = query.get('of');
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [chosen, select] = useState(-1);
  const of = useMemo(() => {
    const row = named === null ? -1 : rowOf(rows, named);
    return row >= 0 ? row : bestRow(fits);
  }, [rows, named, fits]);
  const parent = columnOf(rows, 'parent');
  const kin = useMemo(() => kinOf(parent), [rows]);
  const ofPeople = useProgramMarks(run);
  const signs = useMemo(
    () =>
      new Map(
        Object.entries(ofPeople)
          .map(([id, { star }]) => [rowOf(rows, id), star ? '★' : '☆'] as const)
          .filter(([row]) => row >= 0),
      ),
    [ofPeople, rows],
  );
  const marked = useMemo(() => [...recordsOf(rows), ...signs.keys()], [rows, signs]);
  const trunk = useMemo(() => trunkTo(parent, of), [rows, of]);
  const hasWords = traits.has.deltas;
  const placed = useMemo(() => {
    const weight = (row: number): number => (Number.isNaN(fits[row]!) ? -Infinity : fits[row]!);
    const root = drawnTree({ parent, of, whole, opened, most: MOST, marked, weight }, kin)!;
    return placedIn(root, { across: hasWords && !whole ? 170 : 64, down: 20 });
  }, [kin, of, whole, opened, marked, fits, hasWords]);
  const drawn = useMemo(() => placed.map(({ node }) => node.row), [placed]);
  return {
    ...{ whole, of, trunk, placed, drawn, select, signs },
    colouring: COLOURINGS.find((name) => name === query.get('colour')) ?? ('score' as Colouring),
    selected: chosen >= 0 && chosen < rows.rows ? chosen : of,
    isOfBest: named === null,
    isAtStart: named === null && opened.size === 0,
    box: useMemo(() => boxOf(placed), [placed]),
    toggle: (row: number): void => {
      const now = new Set(opened);
      if (!now.delete(row)) now.add(row);
      setOpened(now);
    },
    reset: (): void => {
      setOpened(new Set());
      select(-1);
      setQuery({ of: null });
    },
  };
};

export const useTreeNarrations = ({ run, rows, traits, fits }: Programs, { selected, trunk }: Tree): NarrationOf => {
  const steps = columnOf(rows, 'step');
  const speaking = traits.has.deltas || traits.has.ideas ? [selected, ...listedAtFirst(trunk, fits)] : [];
  return useNarrations(run, rows.lineage, [...new Set(speaking.filter((row) => row >= 0).map((row) => steps[row]!))]);
};

/** The words on the edges of a tree, by row: those on the way to the program, and of the one that is looked at. */
const wordsOn = (rows: Rows, { whole, trunk, selected, drawn }: Tree, narrationOf: NarrationOf) => {
  const steps = columnOf(rows, 'step');
  const speaking = new Set(whole ? [] : [...trunk, selected]);
  const summaryOf = (row: number): string =>
    speaking.has(row) ? (narrationOf(steps[row]!, idOf(rows, row))?.delta?.summary.to ?? '') : '';
  const shared = sharedBeginning(drawn.map(summaryOf).filter((summary) => summary !== ''));
  return (row: number): string => edgeWords(summaryOf(row), shared);
};

/** The colours of the picture; the same object until the theme changes. */
const useInks = () => {
  const colours = inksOf(['--card', '--text', '--soft', '--branch', '--accent', ...COLOUR_NAMES]);
  return useMemo(() => {
    const inks: Inks = {
      paper: colours['--card']!,
      text: colours['--text']!,
      soft: colours['--soft']!,
      line: colours['--branch']!,
      accent: colours['--accent']!,
    };
    return { colours, inks };
  }, [Object.values(colours).join()]);
};

export const useMarks = ({ rows, fits, sign }: Programs, tree: Tree, narrationOf: NarrationOf) => {
  const { colouring, drawn, placed, signs } = tree;
  const { colours, inks } = useInks();
  const coloured = useMemo(
    () => colouredBy(colouring, { rows, fits, drawn, sign }),
    [colouring, rows, fits, drawn, sign],
  );
  const words = wordsOn(rows, tree, narrationOf);
  const marks = useMemo(
    () =>
      marksOf(
        placed,
        {
          form: (row) => formOf(rows, fits, row),
          colour: (row) => colours[coloured.of(row)]!,
          helped: (row) => hasFlag(rows, row, 'helped'),
          moved: (row) => isFromAnotherIsland(rows, row),
          words,
          sign: (row) => signs.get(row) ?? '',
        },
        inks,
      ),
    [placed, coloured, inks, signs, drawn.map(words).join('\n')],
  );
  return { marks, inks, legend: coloured.legend, hasSigns: drawn.some((row) => signs.has(row)) };
};
