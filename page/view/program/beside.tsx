// A program's score beside those of its parent, of the best of the run, and of the values that are known.
import type { ProgramFacts, TaskFacts } from '../../data/programs.ts';
import { columnOf, idOf, recordsOf, type Rows } from '../../data/rows.ts';
import { gainOver, rankingScore } from '../../../evolution/scoring/ranking.ts';
import { useState } from 'preact/hooks';
import { Head, figures } from '../base/parts.tsx';
import { linkTo } from '../base/state.ts';
import { score, shown } from '../base/text.ts';
import { shortId } from '../table/cells.ts';

type Against = {
  readonly name: string;
  readonly id?: string;
  readonly value: number | null;
  readonly title?: string;
  /** Is shown when one asks for more. */
  readonly more?: boolean;
};

/** The score of a row that ranks it; null for none. */
export const rankingOf = (rows: Rows, row: number, scoring: TaskFacts['scoring']): number | null => {
  const [own, strict] = ['score', 'strict'].map((name) => {
    const value = columnOf(rows, name)[row];
    return value === undefined || Number.isNaN(value) ? null : value;
  });
  return rankingScore({ score: own ?? null, strictScore: strict ?? null }, scoring);
};

const againstOf = (
  run: string,
  { id, parents }: ProgramFacts,
  { scoring, scoresInvented, references }: TaskFacts,
  rows: Rows | null,
  parentRow: number,
): readonly Against[] => {
  const best = rows === null ? undefined : recordsOf(rows).at(-1);
  const bestId = rows === null || best === undefined ? null : idOf(rows, best);
  const parent = parents[0];
  return [
    ...(parent === undefined
      ? []
      : [
          {
            name: 'its parent',
            id: parent,
            value: rows === null || parentRow < 0 ? null : rankingOf(rows, parentRow, scoring),
          },
        ]),
    ...(rows === null || best === undefined || bestId === null || bestId === id
      ? []
      : [{ name: `best of ${shown(run)}`, id: bestId, value: rankingOf(rows, best, scoring) }]),
    // What was invented is not held against what is known.
    ...(scoresInvented ? [] : references).map((reference) => ({
      name: `${shown(reference.name)}${reference.best === true ? ' (best known)' : ''}`,
      value: reference.value,
      title: shown(reference.source),
      more: reference.best !== true,
    })),
  ];
};

export const Beside = ({
  run,
  facts,
  task,
  rows,
  parentRow,
}: {
  readonly run: string;
  readonly facts: ProgramFacts;
  readonly task: TaskFacts;
  readonly rows: Rows | null;
  readonly parentRow: number;
}) => {
  const own = rankingScore(facts, task.scoring);
  const [more, setMore] = useState(false);
  const every = againstOf(run, facts, task, rows, parentRow);
  const all = every.filter((one) => more || one.more !== true);
  if (every.length === 0) return null;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Scores to compare with">
      <table class="against">
        <caption>
          {shown(task.scoreName)}, {task.direction === 'maximise' ? 'more' : 'less'} is better
        </caption>
        <Head columns={['against', ...figures('score', 'this program is')]} />
        <tbody>
          {all.map(({ name, id, value, title }) => (
            <tr>
              <th scope="row" title={title}>
                {name}
                {id === undefined ? null : (
                  <>
                    {' '}
                    <a class="id" href={linkTo(['run', run, 'program', id])}>
                      {shortId(id, run)}
                    </a>
                  </>
                )}
              </th>
              <td class="number">{score(value)}</td>
              <td class="number">
                {own === null || value === null ? '–' : differs(gainOver(task.direction, own, value))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {every.some((one) => one.more === true) ? (
        <button type="button" class="copy" aria-expanded={more} onClick={() => setMore(!more)}>
          {more ? 'Fewer values' : `${every.length - all.length} more values from papers`}
        </button>
      ) : null}
    </div>
  );
};

/** How much better or worse, in words and a colour. */
const differs = (gain: number) =>
  gain === 0 ? (
    'equal'
  ) : (
    <span class={gain > 0 ? 'better' : 'worse'}>
      {Number(Math.abs(gain).toPrecision(4))} {gain > 0 ? 'better' : 'worse'}
    </span>
  );
