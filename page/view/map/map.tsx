// The archive map of a run: any two features, one island or all, and a slider over the steps that plays.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { bordersOf } from '../../data/levels.ts';
import {
  axesOf,
  bestCell,
  type Bins,
  binsOf,
  centroidCells,
  curveOf,
  gridCells,
  heldIn,
  MapFold,
  type MapAxis,
  type MapRows,
} from '../../data/map.ts';
import { fitsOf } from '../../data/ranked.ts';
import { columnOf, idOf, type Rows } from '../../data/rows.ts';
import type { Traits } from '../../data/traits.ts';
import { levelLegend } from '../base/levels.ts';
import { figures, Head, Nothing, Swatch, When } from '../base/parts.tsx';
import { linkTo, route, setQuery, useAnswer } from '../base/state.ts';
import { compact, count, score } from '../base/text.ts';
import type { RunViewProps } from '../base/view.ts';
import { useRows } from '../rows/rows.ts';
import { CellPanel } from './cell-panel.tsx';
import { Coverage } from './coverage.tsx';
import { MapCanvas } from './map-canvas.tsx';

/** How long it plays at most, in frames, and how long one of them stands. */
const FRAMES = 120;
const FRAME_MS = 80;

export const ArchiveMap = ({ run }: RunViewProps) => {
  const traits = useAnswer<Traits>(`runs/${encodeURIComponent(run)}/traits`);
  const { rows, error, busy } = useRows(run, ['base', 'features']).value;
  return (
    <When answer={{ value: rows, error, busy }} what="the programs">
      {(there) => (
        <When answer={traits} what="the features of the archive">
          {(known) =>
            there.rows === 0 ? (
              <Nothing>The map fills with the first commit of the run.</Nothing>
            ) : (
              <Cells run={run} rows={there} traits={known} />
            )
          }
        </When>
      )}
    </When>
  );
};

/** In the terms of the archive, where more is better. */
const valuesOf = (feature: string, rows: Rows, fits: Float64Array): ArrayLike<number> => {
  if (feature === 'score') return fits;
  // Score and length are known of every program, and are among the measured features only by name.
  if (feature === 'length') return columnOf(rows, feature);
  const at = rows.names.features.indexOf(feature);
  return (
    rows.column[at >= 0 ? `f${at}` : feature] ?? rows.column[feature] ?? new Float64Array(rows.rows).fill(Number.NaN)
  );
};

const titleOf = (feature: string): string => feature.replace(/^metric:/, '').replaceAll('-', ' ');

const Cells = ({ run, rows, traits }: { readonly run: string; readonly rows: Rows; readonly traits: Traits }) => {
  const { query } = route.value;
  const sign = traits.direction === 'maximise' ? 1 : -1;
  const step = columnOf(rows, 'step');
  const last = step[rows.rows - 1]!;
  const fits = useMemo(() => fitsOf(rows, traits), [rows, traits]);
  const axes = useMemo(() => axesOf(traits, last), [traits, last]);
  const axis = (name: 'x' | 'y', otherwise: number): MapAxis =>
    axes.find(({ feature }) => feature === query.get(name)) ?? axes[otherwise] ?? axes[0]!;
  const own = traits.archive.axes.length;
  const x = axis('x', 0);
  const y = axis('y', own === 1 ? axes.findIndex(({ feature }) => feature !== x.feature) : 1);
  const island = query.get('island');
  const only = island === null || island === '' ? null : Number(island);
  const bins = (one: MapAxis): Bins =>
    binsOf(one, valuesOf(one.feature, rows, fits), (row) => !Number.isNaN(fits[row]!));
  const [across, up] = useMemo(() => [bins(x), bins(y)] as const, [rows, fits, x, y]);
  const { centroids } = traits.archive;
  const cvt = centroids !== null && x.index >= 0 && y.index >= 0 && x !== y;
  const cells = useMemo(
    () => (cvt ? centroidCells(centroids, axes.slice(0, own).map(bins), [x.index, y.index]) : gridCells(across, up)),
    [rows, across, up, cvt],
  );
  const islands = columnOf(rows, 'island');
  const mapped = useMemo<MapRows>(() => ({ cells, fit: fits, step, island: islands, only }), [cells, fits, only]);
  const fold = useMemo(() => new MapFold(mapped), [mapped]);
  const [at, setAt] = useState<number | null>(null);
  const [playing, setPlaying] = useState(false);
  const [table, setTable] = useState(false);
  const shownStep = Math.min(at ?? last, last);
  fold.to(shownStep);
  const borders = useMemo(
    () => bordersOf(Float64Array.from(new MapFold(mapped).to(last).best, (row) => (row < 0 ? Number.NaN : fits[row]!))),
    [mapped, last],
  );
  const worst = useMemo(() => fits.reduce((least, fit) => (fit < least ? fit : least), Infinity), [fits]);
  const curve = useMemo(() => curveOf(mapped, last, worst), [mapped, last, worst]);
  const [chosen, setCell] = useState(-1);
  const cell = chosen >= 0 && chosen < cells.count ? chosen : bestCell(fold);
  useEffect(() => {
    if (!playing) return undefined;
    const timer = setTimeout(() => {
      const next = Math.min(last, shownStep + Math.max(1, Math.round(last / FRAMES)));
      setAt(next);
      if (next >= last) setPlaying(false);
    }, FRAME_MS);
    return () => clearTimeout(timer);
  }, [playing, shownStep, last]);
  const play = (): void => {
    if (playing) return setPlaying(false);
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return setAt(last);
    if (shownStep >= last) setAt(0);
    setPlaying(true);
  };
  const textOf =
    ({ feature }: MapAxis) =>
    (value: number): string =>
      feature === 'score'
        ? score(Number((sign * value).toPrecision(4)))
        : feature === 'length' || feature === 'step'
          ? compact(Math.round(Math.max(0, value)))
          : score(Number(value.toPrecision(3)));
  const best = cell < 0 ? -1 : fold.best[cell]!;
  const open = (): void => {
    if (best >= 0) location.hash = linkTo(['run', run, 'program', idOf(rows, best)]);
  };
  const range = (one: Bins, bin: number): string =>
    `${textOf(one.axis)(one.borders[bin]!)} to ${textOf(one.axis)(one.borders[bin + 1]!)}`;
  const near = ({ axis: one, borders: edges }: Bins, share: number): string =>
    textOf(one)(edges[Math.round(share * one.bins)]!);
  const where = (index: number): string =>
    cells.points !== null
      ? `cell ${index} around ${titleOf(x.feature)} ${near(across, cells.points[index]![0])}, ${titleOf(y.feature)} ${near(up, cells.points[index]![1])}`
      : `${titleOf(x.feature)} ${range(across, Math.floor(index / y.bins))}, ${titleOf(y.feature)} ${range(up, index % y.bins)}`;
  const choose = (name: 'x' | 'y', title: string, now: MapAxis) => (
    <label>
      {title}
      <select
        value={now.feature}
        onChange={({ currentTarget }) => (setQuery({ [name]: currentTarget.value }), setCell(-1))}
      >
        {axes.map(({ feature, index }) => (
          <option value={feature}>
            {titleOf(feature)}
            {index >= 0 ? ' (of the archive)' : ''}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <>
      <div class="controls">
        {choose('x', 'across', x)}
        {choose('y', 'up', y)}
        {traits.islands < 2 ? null : (
          <label>
            island
            <select value={only ?? ''} onChange={({ currentTarget }) => setQuery({ island: currentTarget.value })}>
              <option value="">all</option>
              {Array.from({ length: traits.islands }, (_, index) => (
                <option value={index}>{index}</option>
              ))}
            </select>
          </label>
        )}
        <label class="wide">
          up to step {count(shownStep)} of {count(last)}
          <input
            type="range"
            min={0}
            max={last}
            value={shownStep}
            onInput={({ currentTarget }) => (setPlaying(false), setAt(Number(currentTarget.value)))}
          />
        </label>
        <button type="button" onClick={play} aria-pressed={playing}>
          {playing ? 'Stop' : 'Play'}
        </button>
      </div>
      <div class="lineage map">
        <figure class="card">
          <MapCanvas
            x={across}
            y={up}
            xName={titleOf(x.feature)}
            yName={titleOf(y.feature)}
            xText={textOf(x)}
            yText={textOf(y)}
            fold={fold}
            step={shownStep}
            borders={borders}
            cell={cell}
            label={`Map of ${titleOf(x.feature)} and ${titleOf(y.feature)}: ${fold.covered} of ${cells.count} cells hold a program. Arrow keys go from cell to cell, Enter opens the best program of one, Space plays the steps. The fullest cells are in a table below.`}
            onCell={setCell}
            onOpen={open}
            onSpace={play}
          />
          <figcaption>
            {count(fold.covered)} of {count(cells.count)} cells hold a program after step {count(shownStep)}. Each has
            the colour of the best that was ever made in it
            {only === null ? '' : ` on island ${only}`}, which may have left the archive since.
            {cvt
              ? ' Cells of a tessellation stand where their centroids are on these two axes.'
              : x.index >= 0 && y.index >= 0 && traits.archive.map === 'grid'
                ? ' The bins are those of the archive with its bounds of now.'
                : ''}
            <ul class="legend">
              {levelLegend(borders, sign).map(({ colour, name }) => (
                <li>
                  <Swatch form="■" colour={colour} /> {name}
                </li>
              ))}
            </ul>
          </figcaption>
        </figure>
        <CellPanel
          run={run}
          rows={rows}
          fits={fits}
          sign={sign}
          where={cell < 0 ? null : where(cell)}
          held={cell < 0 ? 0 : fold.held[cell]!}
          programs={cell < 0 || best < 0 ? [] : heldIn(mapped, cell, shownStep, 8)}
        />
      </div>
      <Coverage curve={curve} step={shownStep} cells={cells.count} worst={sign * worst} />
      <details onToggle={({ currentTarget }) => setTable(currentTarget.open)}>
        <summary>The best cells as a table</summary>
        {table ? <BestCells run={run} rows={rows} fits={fits} fold={fold} sign={sign} where={where} /> : null}
      </details>
    </>
  );
};

const LISTED = 40;

const BestCells = ({
  run,
  rows,
  fits,
  fold,
  sign,
  where,
}: {
  readonly run: string;
  readonly rows: Rows;
  readonly fits: Float64Array;
  readonly fold: MapFold;
  readonly sign: 1 | -1;
  readonly where: (cell: number) => string;
}) => {
  const filled = [...fold.best.entries()]
    .filter(([, row]) => row >= 0)
    .sort(([, a], [, b]) => fits[b]! - fits[a]! || a - b);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="The best cells">
      <table>
        <caption class="unseen">The best {LISTED} cells</caption>
        <Head columns={['cell', ...figures('best score', 'valid programs'), 'best program']} />
        <tbody>
          {filled.slice(0, LISTED).map(([cell, row]) => (
            <tr>
              <td>{where(cell)}</td>
              <td class="number">{score(sign * fits[row]!)}</td>
              <td class="number">{count(fold.held[cell]!)}</td>
              <td>
                <a href={linkTo(['run', run, 'program', idOf(rows, row)])}>{idOf(rows, row)}</a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
