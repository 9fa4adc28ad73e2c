// A program's score beside those of its parent, of the best of the run before it and now, and of the values that are known.
import type { ProgramFacts, TaskFacts } from '../../api/program/programs.ts';
import { bestsBeside, idOf, type Rows } from '../../api/rows/rows.ts';
import { gainOver, rankingScore } from '../../../evolution/scoring/ranking.ts';
import { useState } from 'preact/hooks';
import { Table } from '../base/tables.tsx';
import { score, shown } from '../base/text.ts';
import { ProgramName, rankingOf } from './family.tsx';

type Against = {
  readonly name: string;
  readonly id?: string;
  readonly value: number | null;
  readonly title?: string;
  /** It is shown on request. */
  readonly isMore?: boolean;
};

type Props = {
  readonly run: string;
  readonly facts: ProgramFacts;
  readonly task: TaskFacts;
  readonly rows: Rows | null;
  readonly parentRow: number;
};

const againstOf = ({ run, facts, task, rows, parentRow }: Props): readonly Against[] => {
  const { id, step, cause, comparable } = facts;
  const { scoring, scoresInvented, references } = task;
  const [before, now] = rows === null ? [-1, -1] : bestsBeside(rows, step, comparable);
  // By another version of the task no score compares.
  const again = cause.kind === 'rescored';
  const bests = [
    { name: 'best of the run before it', row: before },
    {
      name: `best of ${shown(run)}${comparable[1] === null ? '' : ' by the same version of its task'}`,
      row: before === now ? -1 : now,
    },
  ].filter(({ row }) => row >= 0 && idOf(rows!, row) !== id);
  const valueOf = (row: number): number | null => (rows === null || row < 0 ? null : rankingOf(rows, row, scoring));
  return [
    ...(cause.from === null || again
      ? []
      : [
          {
            name: cause.kind === 'seed' ? 'the initial program' : 'its parent',
            id: cause.from,
            value: valueOf(parentRow),
          },
        ]),
    ...bests.map(({ name, row }) => ({ name, id: idOf(rows!, row), value: valueOf(row) })),
    // Invented scores are not compared with known values.
    ...(scoresInvented ? [] : references).map((reference) => ({
      name: `${shown(reference.name)}${reference.best === true ? ' (best known)' : ''}`,
      value: reference.value,
      title: shown(reference.source),
      isMore: reference.best !== true,
    })),
  ];
};

export const Beside = (props: Props) => {
  const { run, facts, task } = props;
  const [all, showAll] = useState(false);
  const every = againstOf(props);
  const listed = every.filter(({ isMore }) => all || isMore !== true);
  if (every.length === 0) return null;
  const own = rankingScore(facts, task.scoring);
  return (
    <div>
      <p class="soft">
        {shown(task.scoreName)}, {task.direction === 'maximise' ? 'more' : 'less'} is better
      </p>
      <Table
        label="Scores to compare with"
        class="against"
        of={listed}
        columns={[
          ['against', (one) => <Name run={run} against={one} />],
          ['score', ({ value }) => score(value), 'number'],
          [
            'this program is',
            ({ value }) => (own === null || value === null ? '–' : gainWords(gainOver(task.direction, own, value))),
            'number',
          ],
        ]}
      />
      {every.some(({ isMore }) => isMore === true) ? (
        <button type="button" class="copy" aria-expanded={all} onClick={() => showAll(!all)}>
          {all ? 'Fewer values' : `${every.length - listed.length} more values from papers`}
        </button>
      ) : null}
    </div>
  );
};

const Name = ({ run, against: { name, id, title } }: { readonly run: string; readonly against: Against }) => (
  <span title={title}>
    {name} {id === undefined ? null : <ProgramName run={run} id={id} />}
  </span>
);

/** A gain in words and a colour. */
const gainWords = (gain: number) =>
  gain === 0 ? (
    'equal'
  ) : (
    <span class={gain > 0 ? 'better' : 'worse'}>
      {score(Math.abs(gain), 4)} {gain > 0 ? 'better' : 'worse'}
    </span>
  );
