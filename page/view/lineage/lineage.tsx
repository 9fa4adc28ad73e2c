// The lineage of the best program, or of any other: its ancestors, what else came of them, and why each step was better.
import { useMemo, useState } from 'preact/hooks';
import { kinOf } from '../../data/kin.ts';
import { drawnTree, trunkTo } from '../../data/lineage.ts';
import { boxOf, type Inks, type Look, type Mark, marksOf, placedIn, svgOf } from '../../data/lineage-picture.ts';
import { bestRow, fitsOf } from '../../data/ranked.ts';
import { columnOf, hasFlag, idOf, isRecord, parentOf, recordsOf, rowOf, type Rows } from '../../data/rows.ts';
import { fromWhereTheyDiffer, sharedBeginning } from '../../data/shared-beginning.ts';
import type { Traits } from '../../data/traits.ts';
import { inksOf } from '../base/ink.ts';
import { Nothing, Swatch, When } from '../base/parts.tsx';
import { linkTo, route, setQuery, useAnswer } from '../base/state.ts';
import { count, score } from '../base/text.ts';
import { useTold } from '../base/told.ts';
import type { RunViewProps } from '../base/view.ts';
import { useRows } from '../rows/rows.ts';
import { COLOURINGS, type Colouring, COLOUR_NAMES, colouredBy } from './colours.ts';
import { ProgramPanel } from './program-panel.tsx';
import { keep } from './keep.ts';
import { pictureOf, TreeCanvas } from './tree-canvas.tsx';
import { toldOnTrunk, Trunk } from './trunk.tsx';

/** Programs that are drawn without being asked for: as many as stay fluent. */
const MOST = 5_000;
/** Characters of a change that stand on its edge. */
const WORDS = 26;

export const Lineage = ({ run }: RunViewProps) => {
  const traits = useAnswer<Traits>(`runs/${encodeURIComponent(run)}/traits`);
  const { rows, error, busy } = useRows(
    run,
    route.value.query.get('colour') === 'model' ? ['base', 'paid'] : ['base'],
  ).value;
  return (
    <>
      <When answer={{ value: rows, error, busy }} what="the programs">
        {(there) => (
          <When answer={traits} what="what the run has">
            {(known) =>
              there.rows === 0 ? (
                <Nothing>There is no program yet. The initial one comes with the first commit of the run.</Nothing>
              ) : (
                <Tree run={run} rows={there} traits={known} />
              )
            }
          </When>
        )}
      </When>
    </>
  );
};

const Tree = ({ run, rows, traits }: { readonly run: string; readonly rows: Rows; readonly traits: Traits }) => {
  const { query } = route.value;
  const sign = traits.direction === 'maximise' ? 1 : -1;
  const whole = query.get('whole') === '1';
  const colouring = COLOURINGS.find((name) => name === query.get('colour')) ?? 'score';
  const wanted = query.get('of');
  const fits = useMemo(() => fitsOf(rows, traits), [rows, traits]);
  const of = useMemo(() => {
    const row = wanted === null ? -1 : rowOf(rows, wanted);
    return row >= 0 ? row : bestRow(fits);
  }, [rows, wanted, fits]);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [chosen, setChosen] = useState(-1);
  const selected = chosen >= 0 && chosen < rows.rows ? chosen : of;
  const parents = columnOf(rows, 'parent');
  const kin = useMemo(() => kinOf(parents), [rows]);
  const records = useMemo(() => recordsOf(rows), [rows]);
  const trunk = useMemo(() => trunkTo(parents, of), [rows, of]);
  const hasWords = traits.has.deltas;
  const root = useMemo(
    () =>
      drawnTree(
        {
          parent: parents,
          of,
          whole,
          opened,
          most: MOST,
          marked: records,
          weight: (row) => (Number.isNaN(fits[row]!) ? -Infinity : fits[row]!),
        },
        kin,
      )!,
    [kin, of, whole, opened, records, fits],
  );
  const placed = useMemo(
    () => placedIn(root, { across: hasWords && !whole ? 170 : 64, down: 20 }),
    [root, hasWords, whole],
  );
  const shown = useMemo(() => placed.map(({ node }) => node.row), [placed]);
  const steps = columnOf(rows, 'step');
  const told = useTold(
    run,
    rows.lineage,
    hasWords || traits.has.ideas
      ? [...new Set([selected, ...toldOnTrunk(trunk, fits)].filter((row) => row >= 0).map((row) => steps[row]!))]
      : [],
  );
  const coloured = useMemo(
    () => colouredBy(colouring, { rows, fits, shown, sign }),
    [colouring, rows, fits, shown, sign],
  );
  const resolved = inksOf(['--card', '--text', '--soft', '--branch', '--accent', ...COLOUR_NAMES]);
  const themed = Object.values(resolved).join();
  const inks = useMemo<Inks>(
    () => ({
      paper: resolved['--card']!,
      text: resolved['--text']!,
      soft: resolved['--soft']!,
      line: resolved['--branch']!,
      accent: resolved['--accent']!,
    }),
    [themed],
  );
  const onTrunk = new Set(trunk);
  const summaryOf = (row: number): string =>
    whole || !(onTrunk.has(row) || row === selected)
      ? ''
      : (told(steps[row]!, idOf(rows, row))?.delta?.summary.to ?? '');
  const shared = sharedBeginning(shown.map(summaryOf).filter((summary) => summary !== ''));
  const wordsOf = (row: number): string => {
    const summary = fromWhereTheyDiffer(summaryOf(row), shared);
    return summary.length > WORDS ? `${summary.slice(0, WORDS).replace(/\s+\S*$/, '')} …` : summary;
  };
  const words = shown.map((row) => wordsOf(row)).join('\n');
  const marks = useMemo(() => {
    const look: Look = {
      form: (row) =>
        Number.isNaN(fits[row]!)
          ? 'failed'
          : isRecord(rows, row)
            ? 'record'
            : hasFlag(rows, row, 'injected')
              ? 'injected'
              : 'valid',
      colour: (row) => resolved[coloured.of(row)]!,
      helped: (row) => hasFlag(rows, row, 'helped'),
      moved: (row) =>
        parentOf(rows, row) >= 0 &&
        // The initial program is on every island.
        steps[parentOf(rows, row)] !== 0 &&
        columnOf(rows, 'island')[row] !== columnOf(rows, 'island')[parentOf(rows, row)],
      words: wordsOf,
    };
    return marksOf(placed, look, inks);
  }, [placed, coloured, inks, words]);
  const box = useMemo(() => boxOf(placed), [placed]);
  // A picture that is sent says what it is.
  const signed = (): readonly Mark[] => [
    ...marks,
    {
      kind: 'words',
      ...{ x: box.left + 12, y: box.top + box.height - 10, anchor: 'start', colour: inks.soft, opens: null },
      text: `${of < 0 ? run : `${idOf(rows, of)}, score ${score(sign * fits[of]!)}`}; coloured by ${colouring}, the blue line leads to it from its root`,
    },
  ];
  const hidden = rows.rows - shown.length;
  const name = `${run}-lineage`.replaceAll(/[^\w.-]+/g, '-');
  const select = (row: number): void => setChosen(row);
  const open = (row: number): void => {
    location.hash = linkTo(['run', run, 'program', idOf(rows, row)]);
  };
  const toggle = (row: number): void => {
    const now = new Set(opened);
    if (!now.delete(row)) now.add(row);
    setOpened(now);
  };
  const better = trunk.filter((row) => hasFlag(rows, row, 'helped')).length;
  return (
    <>
      <div class="controls">
        <label>
          shown
          <select value={whole ? '1' : ''} onChange={({ currentTarget }) => setQuery({ whole: currentTarget.value })}>
            <option value="">ancestors and their branches</option>
            <option value="1">the whole tree</option>
          </select>
        </label>
        <label>
          coloured by
          <select
            value={colouring}
            onChange={({ currentTarget }) => setQuery({ colour: currentTarget.value as Colouring })}
          >
            {COLOURINGS.map((one) => (
              <option value={one}>{one}</option>
            ))}
          </select>
        </label>
        <button
          type="button"
          onClick={() =>
            keep(`${name}.svg`, new Blob([svgOf(signed(), box, inks, `Lineage of ${run}`)], { type: 'image/svg+xml' }))
          }
        >
          Save as SVG
        </button>
        <button
          type="button"
          onClick={() =>
            pictureOf(signed(), box, inks).toBlob((blob) => blob !== null && keep(`${name}.png`, blob), 'image/png')
          }
        >
          Save as PNG
        </button>
        {wanted === null && opened.size === 0 ? null : (
          <button type="button" onClick={() => (setOpened(new Set()), setChosen(-1), setQuery({ of: null }))}>
            Back to the best
          </button>
        )}
      </div>
      <div class="lineage">
        <figure class="card">
          <TreeCanvas
            placed={placed}
            marks={marks}
            box={box}
            inks={inks}
            selected={selected}
            name={`${run} ${rows.lineage} ${of} ${whole}`}
            label={`Lineage: ${count(shown.length)} programs. Left and right go to parent and child, up and down to the program above and below, Enter opens it, Space opens what is collapsed, plus and minus zoom. The same in words is below.`}
            onSelect={select}
            onOpen={open}
            onToggle={toggle}
          />
          <figcaption>
            {of < 0
              ? 'No program has a score yet, so there is no best one with ancestors. '
              : `${count(trunk.length)} programs from the root to ${wanted === null ? 'the best' : 'this one'}, ${count(better)} of them better than their parents. `}
            {hidden === 0
              ? ''
              : `${count(hidden)} of ${count(rows.rows)} programs are collapsed: “+5” stands for descendants, “… 5 …” for a run of single children; a click opens them.`}
            <ul class="legend">
              {coloured.legend.map(({ colour, name: title }) => (
                <li>
                  <Swatch form={title === 'no score' ? '✕' : '●'} colour={colour} /> {title}
                </li>
              ))}
              <li>◆ best of the run after its step</li>
              {colouring === 'score' ? null : <li>✕ no score</li>}
              {shown.some((row) => hasFlag(rows, row, 'injected')) ? <li>■ put in by a person</li> : null}
              {traits.islands > 1 ? <li>┄ came from another island</li> : null}
              <li>◉ ring: better than its parent</li>
            </ul>
          </figcaption>
        </figure>
        {selected < 0 ? null : (
          <ProgramPanel
            run={run}
            rows={rows}
            row={selected}
            fits={fits}
            sign={sign}
            told={told(steps[selected]!, idOf(rows, selected))}
          >
            {selected === of ? null : (
              <a href={linkTo(['run', run, 'lineage'], { of: idOf(rows, selected) })}>Its lineage</a>
            )}
          </ProgramPanel>
        )}
      </div>
      {of < 0 ? null : <Trunk run={run} rows={rows} trunk={trunk} fits={fits} sign={sign} told={told} />}
    </>
  );
};
