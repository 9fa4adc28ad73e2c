// The lineage of the best program, or of any other: its ancestors, what else came of them, and why each step was better.
import { useMemo, useState } from 'preact/hooks';
import { kinOf } from '../../api/pictures/relatives.ts';
import { drawnTree, trunkTo } from '../../api/pictures/lineage.ts';
import { boxOf, type Inks, type Mark, marksOf, placedIn, svgOf } from '../../api/pictures/lineage-picture.ts';
import { bestRow, fitsOf } from '../../api/pictures/ranked.ts';
import { columnOf, hasFlag, idOf, recordsOf, rowOf, type Rows } from '../../api/rows/rows.ts';
import { sharedBeginning } from '../../api/program/shared-beginning.ts';
import type { Traits } from '../../api/run/traits.ts';
import { Select } from '../base/controls.tsx';
import { inksOf } from '../base/ink.ts';
import { type NarrationOf, useNarrations } from './narration.ts';
import { Legend } from '../base/parts.tsx';
import { save } from '../base/save.ts';
import { linkTo, programLink, route, setQuery } from '../base/state.ts';
import { count, score } from '../base/text.ts';
import type { RunViewProps } from '../base/view.ts';
import { WithRows } from '../rows/with-rows.tsx';
import { canvasOf } from './drawing.ts';
import {
  COLOUR_NAMES,
  type Coloured,
  colouredBy,
  type Colouring,
  COLOURINGS,
  edgeWords,
  formOf,
  isFromAnotherIsland,
  listedAtFirst,
} from './look.ts';
import { ProgramPanel, Trunk } from './program-panel.tsx';
import { TreeCanvas } from './tree-canvas.tsx';

/** Programs that are drawn without being asked for: as many as stay fluent. */
const MOST = 5_000;

export const Lineage = ({ run }: RunViewProps) => (
  <WithRows
    run={run}
    sets={route.value.query.get('colour') === 'model' ? ['base', 'paid'] : ['base']}
    empty="There is no program yet. The initial one comes with the first commit of the run."
  >
    {(rows, traits) => <Tree run={run} rows={rows} traits={traits} />}
  </WithRows>
);

type TreeProps = { readonly run: string; readonly rows: Rows; readonly traits: Traits };
type Tree = ReturnType<typeof useTree>;

/** The tree that the address and clicks ask for, with the place of each program in its picture. */
const useTree = ({ rows, traits }: TreeProps) => {
  const { query } = route.value;
  const whole = query.get('whole') === '1';
  const wanted = query.get('of');
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [chosen, select] = useState(-1);
  const fits = useMemo(() => fitsOf(rows, traits), [rows, traits]);
  const of = useMemo(() => {
    const row = wanted === null ? -1 : rowOf(rows, wanted);
    return row >= 0 ? row : bestRow(fits);
  }, [rows, wanted, fits]);
  const parent = columnOf(rows, 'parent');
  const kin = useMemo(() => kinOf(parent), [rows]);
  const marked = useMemo(() => recordsOf(rows), [rows]);
  const trunk = useMemo(() => trunkTo(parent, of), [rows, of]);
  const hasWords = traits.has.deltas;
  const placed = useMemo(() => {
    const weight = (row: number): number => (Number.isNaN(fits[row]!) ? -Infinity : fits[row]!);
    const root = drawnTree({ parent, of, whole, opened, most: MOST, marked, weight }, kin)!;
    return placedIn(root, { across: hasWords && !whole ? 170 : 64, down: 20 });
  }, [kin, of, whole, opened, marked, fits, hasWords]);
  const drawn = useMemo(() => placed.map(({ node }) => node.row), [placed]);
  return {
    ...{ whole, fits, of, trunk, placed, drawn, select },
    colouring: COLOURINGS.find((name) => name === query.get('colour')) ?? ('score' as Colouring),
    sign: traits.direction === 'maximise' ? (1 as const) : (-1 as const),
    selected: chosen >= 0 && chosen < rows.rows ? chosen : of,
    isOfBest: wanted === null,
    isAtStart: wanted === null && opened.size === 0,
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

const useTreeNarrations = ({ run, rows, traits }: TreeProps, { selected, trunk, fits }: Tree): NarrationOf => {
  const steps = columnOf(rows, 'step');
  const wanted = traits.has.deltas || traits.has.ideas ? [selected, ...listedAtFirst(trunk, fits)] : [];
  return useNarrations(run, rows.lineage, [...new Set(wanted.filter((row) => row >= 0).map((row) => steps[row]!))]);
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

const useMarks = (rows: Rows, tree: Tree, narrationOf: NarrationOf) => {
  const { colouring, fits, drawn, placed, sign } = tree;
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
        },
        inks,
      ),
    [placed, coloured, inks, drawn.map(words).join('\n')],
  );
  return { marks, inks, legend: coloured.legend };
};

const Tree = (props: TreeProps) => {
  const { run, rows } = props;
  const tree = useTree(props);
  const { of, selected, fits, sign, drawn, whole } = tree;
  const narrationOf = useTreeNarrations(props, tree);
  const { marks, inks, legend } = useMarks(rows, tree, narrationOf);
  const selectedId = selected < 0 ? null : idOf(rows, selected);
  return (
    <>
      <Controls run={run} rows={rows} tree={tree} marks={marks} inks={inks} />
      <div class="lineage">
        <figure class="card">
          <TreeCanvas
            {...{ marks, inks, selected, placed: tree.placed, box: tree.box }}
            name={`${run} ${rows.lineage} ${of} ${whole}`}
            label={`Lineage: ${count(drawn.length)} programs. Left and right go to parent and child, up and down to the program above and below, Enter opens it, Space opens what is collapsed, plus and minus zoom. The same in words is below.`}
            onSelect={tree.select}
            onOpen={(row) => (location.hash = programLink(run, idOf(rows, row)))}
            onToggle={tree.toggle}
          />
          <Caption {...props} tree={tree} legend={legend} />
        </figure>
        {selectedId === null ? null : (
          <ProgramPanel
            {...{ run, rows, row: selected, fits, sign }}
            narration={narrationOf(columnOf(rows, 'step')[selected]!, selectedId)}
          >
            {selected === of ? null : <a href={linkTo(['run', run, 'lineage'], { of: selectedId })}>Its lineage</a>}
          </ProgramPanel>
        )}
      </div>
      {of < 0 ? null : <Trunk {...{ run, rows, fits, sign, narrationOf }} trunk={tree.trunk} />}
    </>
  );
};

type ControlsProps = {
  readonly run: string;
  readonly rows: Rows;
  readonly tree: Tree;
  readonly marks: readonly Mark[];
  readonly inks: Inks;
};

const Controls = ({ run, rows, tree, marks, inks }: ControlsProps) => {
  const { whole, colouring, box, of, fits, sign } = tree;
  const name = `${run}-lineage`.replaceAll(/[^\w.-]+/g, '-');
  const program = of < 0 ? run : `${idOf(rows, of)}, score ${score(sign * fits[of]!)}`;
  // A picture that is sent says what it is.
  const signed = (): readonly Mark[] => [
    ...marks,
    {
      kind: 'words',
      ...{ x: box.left + 12, y: box.top + box.height - 10, anchor: 'start', colour: inks.soft, opens: null },
      text: `${program}; coloured by ${colouring}, the blue line leads to it from its root`,
    },
  ];
  const saveSvg = (): void => {
    const svg = svgOf(signed(), box, inks, `Lineage of ${run}`);
    save(`${name}.svg`, new Blob([svg], { type: 'image/svg+xml' }));
  };
  const savePng = (): void =>
    canvasOf(signed(), box, inks).toBlob((blob) => blob !== null && save(`${name}.png`, blob), 'image/png');
  return (
    <div class="controls">
      <Select
        label="shown"
        value={whole ? '1' : ''}
        options={[
          ['', 'ancestors and their branches'],
          ['1', 'the whole tree'],
        ]}
        onValue={(one) => setQuery({ whole: one })}
      />
      <Select label="coloured by" value={colouring} options={COLOURINGS} onValue={(colour) => setQuery({ colour })} />
      <button type="button" onClick={saveSvg}>
        Save as SVG
      </button>
      <button type="button" onClick={savePng}>
        Save as PNG
      </button>
      {tree.isAtStart ? null : (
        <button type="button" onClick={tree.reset}>
          Back to the best
        </button>
      )}
    </div>
  );
};

type CaptionProps = TreeProps & { readonly tree: Tree; readonly legend: Coloured['legend'] };

const Caption = ({ rows, traits, tree, legend }: CaptionProps) => {
  const { of, trunk, drawn, colouring, isOfBest } = tree;
  const better = trunk.filter((row) => hasFlag(rows, row, 'helped')).length;
  const hidden = rows.rows - drawn.length;
  return (
    <figcaption>
      {of < 0
        ? 'No program has a score yet, so there is no best one with ancestors. '
        : `${count(trunk.length)} programs from the root to ${isOfBest ? 'the best' : 'this one'}, ${count(better)} of them better than their parents. `}
      {hidden === 0
        ? ''
        : `${count(hidden)} of ${count(rows.rows)} programs are collapsed: “+5” stands for descendants, “… 5 …” for a run of single children; a click opens them.`}
      <Legend of={legend.map((one) => ({ ...one, form: one.name === 'no score' ? '✕' : '●' }))}>
        <li>◆ best of the run after its step</li>
        {colouring === 'score' ? null : <li>✕ no score</li>}
        {drawn.some((row) => hasFlag(rows, row, 'injected')) ? <li>■ put in by a person</li> : null}
        {traits.islands > 1 ? <li>┄ came from another island</li> : null}
        <li>◉ ring: better than its parent</li>
      </Legend>
    </figcaption>
  );
};
