// The lineage of the best program, or of any other: its ancestors, their other descendants, and the reasons of each
// step.
import { type Inks, type Mark, svgOf } from '../../api/pictures/lineage-picture.ts';
import { columnOf, hasFlag, idOf, parentOf } from '../../api/rows/rows.ts';
import { Select } from '../base/controls.tsx';
import { Legend } from '../base/parts.tsx';
import { csvOf } from '../base/save.ts';
import { SaveMenu } from '../base/save-menu.tsx';
import { linkTo, programLink, route, setQuery } from '../base/state.ts';
import { count, score } from '../base/text.ts';
import type { RunViewProps } from '../base/view.ts';
import { type Programs, WithRows } from '../rows/with-rows.tsx';
import { type Coloured, COLOURINGS } from './look.ts';
import { ProgramPanel, Trunk } from './program-panel.tsx';
import { type Tree as TreeState, useMarks, useTree, useTreeNarrations } from './tree.ts';
import { TreeCanvas } from './tree-canvas.tsx';

export const Lineage = ({ run }: RunViewProps) => (
  <WithRows
    run={run}
    sets={route.value.query.get('colour') === 'model' ? ['base', 'paid'] : ['base']}
    empty="There is no program yet. The initial one comes with the first commit of the run."
  >
    {(programs) => <Tree {...programs} />}
  </WithRows>
);

const Tree = (programs: Programs) => {
  const { run, rows } = programs;
  const tree = useTree(programs);
  const { of, selected, drawn, whole } = tree;
  const narrationOf = useTreeNarrations(programs, tree);
  const { marks, inks, legend, hasSigns } = useMarks(programs, tree, narrationOf);
  const selectedId = selected < 0 ? null : idOf(rows, selected);
  return (
    <>
      <Controls {...programs} {...{ tree, marks, inks }} />
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
          <Caption {...programs} {...{ tree, legend, hasSigns }} />
        </figure>
        {selectedId === null ? null : (
          <ProgramPanel
            {...programs}
            row={selected}
            narration={narrationOf(columnOf(rows, 'step')[selected]!, selectedId)}
          >
            {selected === of ? null : <a href={linkTo(['run', run, 'lineage'], { of: selectedId })}>Its lineage</a>}
          </ProgramPanel>
        )}
      </div>
      {of < 0 ? null : <Trunk {...programs} {...{ narrationOf }} trunk={tree.trunk} />}
    </>
  );
};

type ControlsProps = Programs & {
  readonly tree: TreeState;
  readonly marks: readonly Mark[];
  readonly inks: Inks;
};

const Controls = ({ run, rows, fits, sign, tree, marks, inks }: ControlsProps) => {
  const { whole, colouring, box, of, drawn } = tree;
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
  const picture = () => ({
    svg: svgOf(signed(), box, inks, `Lineage of ${run}`),
    width: box.width,
    height: box.height,
  });
  const csv = (): string =>
    csvOf([
      ['program', 'parent', 'step', 'score'],
      ...drawn.map((row) => {
        const parent = parentOf(rows, row);
        return [
          ...[idOf(rows, row), parent < 0 ? null : idOf(rows, parent)],
          ...[columnOf(rows, 'step')[row]!, Number.isNaN(fits[row]!) ? null : sign * fits[row]!],
        ];
      }),
    ]);
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
      <SaveMenu title={`Lineage of ${run}`} {...{ picture, csv }} />
      {tree.isAtStart ? null : (
        <button type="button" onClick={tree.reset}>
          Back to the best
        </button>
      )}
    </div>
  );
};

type CaptionProps = Programs & {
  readonly tree: TreeState;
  readonly legend: Coloured['legend'];
  readonly hasSigns: boolean;
};

const Caption = ({ rows, traits, tree, legend, hasSigns }: CaptionProps) => {
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
        {hasSigns ? <li>★ marked by a person, ☆ without a star</li> : null}
      </Legend>
    </figcaption>
  );
};
