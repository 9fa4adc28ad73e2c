// The map of a run: cells of its archive, or programs on two numbers or by similarity; one island or all, and a slider over
// the steps.
import { useMemo, useState } from 'preact/hooks';
import type { Similarity } from '../../api/pictures/components.ts';
import { bordersOf } from '../../api/pictures/ranked.ts';
import { bestCell, curveOf, heldIn, MapFold } from '../../api/pictures/map.ts';
import { frontOf } from '../../api/pictures/pareto.ts';
import { columnSets } from '../../api/rows/columns.ts';
import { idOf } from '../../api/rows/rows.ts';
import { Select } from '../base/controls.tsx';
import { levelLegend } from '../base/ink.ts';
import { Legend, Nothing, When } from '../base/parts.tsx';
import { programLink, route, runPath, setQuery, useAnswer } from '../base/state.ts';
import { count, percent } from '../base/text.ts';
import type { RunViewProps } from '../base/view.ts';
import { type Programs, WithRows } from '../rows/with-rows.tsx';
import { type Kind, kindIn, useArchive } from './archive.ts';
import { BestCells, CellPanel } from './cell-panel.tsx';
import { cellName, textOf, titleOf } from './cells.ts';
import { Coverage } from './coverage.tsx';
import { MapCanvas } from './map-canvas.tsx';

/** Programs of the cell that is looked at. */
const LISTED = 8;

export const ArchiveMap = ({ run }: RunViewProps) => {
  const kind = kindIn(route.value.query);
  const sets = kind === 'programs' ? columnSets : (['base', 'features'] as const);
  return (
    <WithRows key={kind} run={run} sets={sets} empty="The map fills with the first commit of the run.">
      {(programs) => (kind === 'similar' ? <Similar {...programs} /> : <Cells {...programs} kind={kind} />)}
    </WithRows>
  );
};

/** The places are those of the moment at which the view was opened. */
const Similar = (programs: Programs) => (
  <When answer={useAnswer<Similarity>(runPath(programs.run, 'similarity'))} what="the embeddings of its programs">
    {(similarity) =>
      similarity.ids.length === 0 ? (
        <>
          <KindChoice {...programs} kind="similar" />
          <Nothing>No valid program has an embedding yet.</Nothing>
        </>
      ) : (
        <Cells {...programs} kind="similar" similarity={similarity} />
      )
    }
  </When>
);

type Archive = ReturnType<typeof useArchive>;

/** The map after a step, and its measures: the levels of the last step, the worst score, the curve. */
const useFold = (archive: Archive, fits: Float64Array, step: number) => {
  const { mapped, last } = archive;
  const fold = useMemo(() => new MapFold(mapped), [mapped]);
  const borders = useMemo(() => {
    const { best } = new MapFold(mapped).to(last);
    return bordersOf(Float64Array.from(best, (row) => (row < 0 ? Number.NaN : fits[row]!)));
  }, [mapped, last]);
  const { step: steps, only, island } = mapped;
  const front = useMemo(() => {
    if (archive.kind !== 'programs' || archive.grid.x.axis.feature === archive.grid.y.axis.feature) return [];
    const counted = [...fits.keys()].filter(
      (row) => !Number.isNaN(fits[row]!) && steps[row]! <= step && (only === null || island[row] === only),
    );
    return frontOf(counted, archive.values, archive.better);
  }, [mapped, step, ...archive.better]);
  const worst = useMemo(() => fits.reduce((least, fit) => (fit < least ? fit : least), Infinity), [fits]);
  const curve = useMemo(() => curveOf(mapped, last, worst), [mapped, last, worst]);
  return { fold: fold.to(step), borders, worst, curve, front };
};

type CellsProps = Programs & { readonly kind: Kind; readonly similarity?: Similarity };

const Cells = ({ kind, similarity, ...programs }: CellsProps) => {
  const { run, rows, fits, sign } = programs;
  const archive = useArchive(programs, kind, similarity ?? null);
  const { grid, last, mapped, values } = archive;
  const [chosenStep, goTo] = useState(Infinity);
  const step = Math.min(chosenStep, last);
  const { fold, borders, worst, curve, front } = useFold(archive, fits, step);
  const [chosen, setCell] = useState(-1);
  const [isTableOpen, openTable] = useState(false);
  const { count: cells } = grid.cells;
  const cell = chosen >= 0 && chosen < cells ? chosen : bestCell(fold);
  const best = cell < 0 ? -1 : fold.best[cell]!;
  const open = (): void => {
    if (best >= 0) location.hash = programLink(run, idOf(rows, best));
  };
  const place = (row: number): string =>
    [grid.x.axis, grid.y.axis]
      .map((axis, at) => `${titleOf(axis)} ${textOf(axis, sign)(values[at]![row]!)}`)
      .join(', ');
  const nameOf = (one: number): string =>
    kind === 'cells' ? cellName(grid, one, sign) : fold.best[one]! < 0 ? 'a later program' : place(fold.best[one]!);
  return (
    <>
      <Controls {...programs} archive={archive} step={step} goTo={goTo} onAxis={() => setCell(-1)} />
      <div class="lineage map">
        <figure class="card">
          <MapCanvas
            {...{ grid, sign, fold, step, borders, cell }}
            front={front.map((row) => mapped.cells.of[row]!)}
            label={`Map of ${titleOf(grid.x.axis)} and ${titleOf(grid.y.axis)}: ${fold.covered} of ${cells} ${kind === 'cells' ? 'cells hold a program' : 'programs are shown'}. Arrow keys go from one to the next, Enter opens the best program of one. The best ones are in a table below.`}
            onCell={setCell}
            onOpen={open}
          />
          <figcaption>
            {words(archive, fold, step, programs.traits.archive.map === 'grid')}
            {similarity === undefined ? '' : sharesText(similarity)}
            <Legend of={levelLegend(borders, sign)} />
          </figcaption>
        </figure>
        <CellPanel
          {...programs}
          name={cell < 0 ? null : nameOf(cell)}
          held={cell < 0 ? 0 : fold.held[cell]!}
          best={best < 0 ? [] : heldIn(mapped, cell, step, LISTED)}
        />
      </div>
      {kind === 'cells' ? <Coverage curve={curve} step={step} cells={cells} worst={sign * worst} /> : null}
      <details onToggle={({ currentTarget }) => openTable(currentTarget.open)}>
        <summary>{TABLES[kind]} as a table</summary>
        {isTableOpen ? (
          <BestCells {...programs} {...{ fold, nameOf }} {...(kind === 'programs' ? { listed: front } : {})} />
        ) : null}
      </details>
    </>
  );
};

const TABLES: { readonly [kind in Kind]: string } = {
  cells: 'The best cells',
  programs: 'The Pareto front',
  similar: 'The best programs',
};

const KindChoice = ({ traits, kind }: Pick<Programs, 'traits'> & { readonly kind: Kind }) => (
  <Select
    label="show"
    value={kind}
    options={[
      ['cells', 'cells of the archive'],
      ['programs', 'programs and Pareto front'],
      ...(traits.has.embeddings ? [['similar', 'programs by similarity'] as const] : []),
    ]}
    onValue={(one) => setQuery({ show: one === 'cells' ? null : one, x: null, y: null })}
  />
);

type ControlsProps = Programs & {
  readonly archive: Archive;
  readonly step: number;
  readonly goTo: (step: number) => void;
  /** Another axis is chosen. */
  readonly onAxis: () => void;
};

const Controls = ({ traits, archive, step, goTo, onAxis }: ControlsProps) => {
  const { kind, axes, grid, only, last, better } = archive;
  const axisChoice = (name: 'x' | 'y', label: string) => (
    <Select
      label={label}
      value={grid[name].axis.feature}
      options={axes.map((axis) => [
        axis.feature,
        `${titleOf(axis)}${kind === 'cells' && axis.index >= 0 ? ' (of the archive)' : ''}`,
      ])}
      onValue={(feature) => {
        setQuery({ [name]: feature });
        onAxis();
      }}
    />
  );
  return (
    <div class="controls">
      <KindChoice traits={traits} kind={kind} />
      {kind === 'similar' ? null : (
        <>
          {axisChoice('x', 'across')}
          {axisChoice('y', 'up')}
        </>
      )}
      {(['x', 'y'] as const).map((name, at) =>
        kind !== 'programs' || grid[name].axis.feature === 'score' ? null : (
          <Select
            label={`${titleOf(grid[name].axis)}: better is`}
            value={better[at]!}
            options={[[1, 'more'] as const, [-1, 'less'] as const]}
            onValue={(end) => setQuery({ [`${name}better`]: end })}
          />
        ),
      )}
      {traits.islands < 2 ? null : (
        <Select
          label="island"
          value={only ?? ''}
          options={[['', 'all'], ...Array.from({ length: traits.islands }, (_, island) => island)]}
          onValue={(island) => setQuery({ island })}
        />
      )}
      <label class="wide">
        up to step {step} of {last}
        <input
          type="range"
          min={0}
          max={last}
          value={step}
          onInput={({ currentTarget }) => goTo(Number(currentTarget.value))}
        />
      </label>
    </div>
  );
};

const FRONT =
  ' The line is the Pareto front: no program is better than one of these in one number without being worse in the other.';

/** What the map shows. `isGrid`: the archive has bins on its axes. */
const words = ({ kind, grid, only, isTessellated }: Archive, fold: MapFold, step: number, isGrid: boolean): string => {
  const island = only === null ? '' : ` on island ${only}`;
  const numbers = `${count(fold.covered)} of ${count(grid.cells.count)}`;
  if (kind !== 'cells')
    return `${numbers} valid programs were made up to step ${step}${island}.${kind === 'programs' ? FRONT : ''}`;
  const bins = isGrid && grid.x.axis.index >= 0 && grid.y.axis.index >= 0;
  const where = isTessellated
    ? ' Cells of a tessellation stand where their centroids are on these two axes.'
    : bins
      ? ' The bins are those of the archive with its present bounds.'
      : '';
  return `${numbers} cells hold a program after step ${step}. Each has the colour of the best that was ever made in it${island}, which may have left the archive since.${where}`;
};

const sharesText = ({ shares: [x, y], ids }: Similarity): string =>
  ` Programs with similar embeddings lie near each other: the axes are the first two principal components, which hold ${percent(x)} and ${percent(y)} of the variance of ${count(ids.length)} programs.`;
