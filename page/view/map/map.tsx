// The archive map of a run: any two features, one island or all, and a slider over the steps that plays.
import { useMemo, useState } from 'preact/hooks';
import { bordersOf } from '../../api/pictures/ranked.ts';
import {
  axesOf,
  bestCell,
  type Bins,
  binsOf,
  centroidCells,
  curveOf,
  gridCells,
  heldIn,
  type MapAxis,
  MapFold,
  type MapRows,
} from '../../api/pictures/map.ts';
import { columnOf, idOf } from '../../api/rows/rows.ts';
import { Select } from '../base/controls.tsx';
import { levelLegend } from '../base/ink.ts';
import { Legend } from '../base/parts.tsx';
import { programLink, route, setQuery } from '../base/state.ts';
import { count } from '../base/text.ts';
import type { RunViewProps } from '../base/view.ts';
import { type Programs, WithRows } from '../rows/with-rows.tsx';
import { BestCells, CellPanel } from './cell-panel.tsx';
import { cellName, chosenAxes, titleOf, valuesOf } from './cells.ts';
import { Coverage } from './coverage.tsx';
import { MapCanvas } from './map-canvas.tsx';
import { usePlayer } from './player.ts';

/** Programs of the cell that is looked at. */
const LISTED = 8;

export const ArchiveMap = ({ run }: RunViewProps) => (
  <WithRows run={run} sets={['base', 'features']} empty="The map fills with the first commit of the run.">
    {(programs) => <Cells {...programs} />}
  </WithRows>
);

type Archive = ReturnType<typeof useArchive>;
type Player = ReturnType<typeof usePlayer>;

/** The programs of a run in the cells of the two axes that the address names. */
const useArchive = ({ rows, traits, fits }: Programs) => {
  const { query } = route.value;
  const { centroids, axes: own } = traits.archive;
  const step = columnOf(rows, 'step');
  const last = step[rows.rows - 1]!;
  const axes = useMemo(() => axesOf(traits, last), [traits, last]);
  const [x, y] = chosenAxes(axes, [query.get('x'), query.get('y')], own.length);
  const island = query.get('island');
  const only = island === null || island === '' ? null : Number(island);
  const isTessellated = centroids !== null && x.index >= 0 && y.index >= 0 && x !== y;
  const bins = (axis: MapAxis): Bins =>
    binsOf(axis, valuesOf(axis.feature, rows, fits), (row) => !Number.isNaN(fits[row]!));
  const [across, up] = useMemo(() => [bins(x), bins(y)] as const, [rows, fits, x, y]);
  const cells = useMemo(
    () =>
      isTessellated
        ? centroidCells(centroids, axes.slice(0, own.length).map(bins), [x.index, y.index])
        : gridCells(across, up),
    [rows, across, up, isTessellated],
  );
  const mapped = useMemo<MapRows>(
    () => ({ cells, fit: fits, step, island: columnOf(rows, 'island'), only }),
    [cells, fits, only],
  );
  return {
    ...{ last, axes, only, mapped, isTessellated },
    grid: { x: across, y: up, cells },
  };
};

/** The map after a step, and its measures: the levels of the last step, the worst score, the curve. */
const useFold = ({ mapped, last }: Archive, fits: Float64Array, step: number) => {
  const fold = useMemo(() => new MapFold(mapped), [mapped]);
  const borders = useMemo(() => {
    const { best } = new MapFold(mapped).to(last);
    return bordersOf(Float64Array.from(best, (row) => (row < 0 ? Number.NaN : fits[row]!)));
  }, [mapped, last]);
  const worst = useMemo(() => fits.reduce((least, fit) => (fit < least ? fit : least), Infinity), [fits]);
  const curve = useMemo(() => curveOf(mapped, last, worst), [mapped, last, worst]);
  return { fold: fold.to(step), borders, worst, curve };
};

const Cells = (programs: Programs) => {
  const { run, rows, fits, sign } = programs;
  const archive = useArchive(programs);
  const { grid, last, mapped } = archive;
  const player = usePlayer(last);
  const { step, play } = player;
  const { fold, borders, worst, curve } = useFold(archive, fits, step);
  const [chosen, setCell] = useState(-1);
  const [isTableOpen, openTable] = useState(false);
  const { count: cells } = grid.cells;
  const cell = chosen >= 0 && chosen < cells ? chosen : bestCell(fold);
  const best = cell < 0 ? -1 : fold.best[cell]!;
  const open = (): void => {
    if (best >= 0) location.hash = programLink(run, idOf(rows, best));
  };
  const nameOf = (one: number): string => cellName(grid, one, sign);
  return (
    <>
      <Controls {...programs} archive={archive} player={player} onAxis={() => setCell(-1)} />
      <div class="lineage map">
        <figure class="card">
          <MapCanvas
            {...{ grid, sign, fold, step, borders, cell }}
            label={`Map of ${titleOf(grid.x.axis)} and ${titleOf(grid.y.axis)}: ${fold.covered} of ${cells} cells hold a program. Arrow keys go from cell to cell, Enter opens the best program of one, Space plays the steps. The fullest cells are in a table below.`}
            onCell={setCell}
            onOpen={open}
            onSpace={play}
          />
          <Caption {...{ archive, fold, step, borders, sign }} isGrid={programs.traits.archive.map === 'grid'} />
        </figure>
        <CellPanel
          {...programs}
          name={cell < 0 ? null : nameOf(cell)}
          held={cell < 0 ? 0 : fold.held[cell]!}
          best={best < 0 ? [] : heldIn(mapped, cell, step, LISTED)}
        />
      </div>
      <Coverage curve={curve} step={step} cells={cells} worst={sign * worst} />
      <details onToggle={({ currentTarget }) => openTable(currentTarget.open)}>
        <summary>The best cells as a table</summary>
        {isTableOpen ? <BestCells {...programs} {...{ fold, nameOf }} /> : null}
      </details>
    </>
  );
};

type ControlsProps = Programs & {
  readonly archive: Archive;
  readonly player: Player;
  /** Another axis is chosen. */
  readonly onAxis: () => void;
};

const Controls = ({ traits, archive: { axes, grid, only, last }, player, onAxis }: ControlsProps) => {
  const { step, playing, play, goTo } = player;
  const axisChoice = (name: 'x' | 'y', label: string) => (
    <Select
      label={label}
      value={grid[name].axis.feature}
      options={axes.map((axis) => [axis.feature, `${titleOf(axis)}${axis.index >= 0 ? ' (of the archive)' : ''}`])}
      onValue={(feature) => {
        setQuery({ [name]: feature });
        onAxis();
      }}
    />
  );
  return (
    <div class="controls">
      {axisChoice('x', 'across')}
      {axisChoice('y', 'up')}
      {traits.islands < 2 ? null : (
        <Select
          label="island"
          value={only ?? ''}
          options={[['', 'all'], ...Array.from({ length: traits.islands }, (_, island) => island)]}
          onValue={(island) => setQuery({ island })}
        />
      )}
      <label class="wide">
        up to step {count(step)} of {count(last)}
        <input
          type="range"
          min={0}
          max={last}
          value={step}
          onInput={({ currentTarget }) => goTo(Number(currentTarget.value))}
        />
      </label>
      <button type="button" onClick={play} aria-pressed={playing}>
        {playing ? 'Stop' : 'Play'}
      </button>
    </div>
  );
};

type CaptionProps = {
  readonly archive: Archive;
  readonly fold: MapFold;
  readonly step: number;
  readonly borders: readonly number[];
  readonly sign: Programs['sign'];
  /** The archive has bins on its axes. */
  readonly isGrid: boolean;
};

const Caption = ({ archive: { grid, only, isTessellated }, fold, step, borders, sign, isGrid }: CaptionProps) => (
  <figcaption>
    {count(fold.covered)} of {count(grid.cells.count)} cells hold a program after step {count(step)}. Each has the
    colour of the best that was ever made in it
    {only === null ? '' : ` on island ${only}`}, which may have left the archive since.
    {isTessellated
      ? ' Cells of a tessellation stand where their centroids are on these two axes.'
      : isGrid && grid.x.axis.index >= 0 && grid.y.axis.index >= 0
        ? ' The bins are those of the archive with its bounds of now.'
        : ''}
    <Legend of={levelLegend(borders, sign)} />
  </figcaption>
);
