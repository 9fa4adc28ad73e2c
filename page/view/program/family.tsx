// The family of a program as links: its ancestors, its children, and its neighbours in time.
import { rankingScore } from '../../../evolution/scoring/ranking.ts';
import type { TaskFacts } from '../../api/program/programs.ts';
import { ancestorsOf, childrenOfRow, columnOf, hasFlag, idOf, isRecord, type Rows } from '../../api/rows/rows.ts';
import { Card } from '../base/parts.tsx';
import { linkTo, programLink } from '../base/state.ts';
import { count, outcomeName, score } from '../base/text.ts';
import { shortId } from '../table/cells.ts';

type Props = {
  readonly run: string;
  readonly rows: Rows;
  readonly row: number;
  readonly scoring: TaskFacts['scoring'];
};

/** The short name of a program as a link to it. */
export const ProgramName = ({ run, id }: { readonly run: string; readonly id: string }) => (
  <a class="id" href={programLink(run, id)}>
    {shortId(id, run)}
  </a>
);

/** The score of a row that ranks it; null for none. */
export const rankingOf = (rows: Rows, row: number, scoring: TaskFacts['scoring']): number | null => {
  const [own, strict] = ['score', 'strictScore'].map((name) => {
    const value = columnOf(rows, name)[row];
    return value === undefined || Number.isNaN(value) ? null : value;
  });
  return rankingScore({ score: own ?? null, strictScore: strict ?? null }, scoring);
};

/** So many ancestors and children are named; the lineage shows all. */
const NAMED = 8;

const Relative = ({ run, rows, row, scoring }: Props) => (
  <li>
    <ProgramName run={run} id={idOf(rows, row)} />{' '}
    <span class="figure-text">{score(rankingOf(rows, row, scoring))}</span>{' '}
    <span class="soft">
      {outcomeName(rows.names.outcomes[columnOf(rows, 'outcome')[row]!] ?? '')}
      {isRecord(rows, row) ? ', a new best' : ''}
    </span>
  </li>
);

export const Family = (props: Props) => {
  const { run, rows, row } = props;
  const ancestors = ancestorsOf(rows, row);
  const children = childrenOfRow(rows, row);
  const noParent = hasFlag(rows, row, 'founder') ? 'Made from the initial program, and no parent' : 'It has no parent';
  const listOf = (relatives: readonly number[]) => (
    <ul class="relatives">
      {relatives
        .slice(-NAMED)
        .reverse()
        .map((one) => (
          <Relative key={one} {...props} row={one} />
        ))}
    </ul>
  );
  const title = (
    <>
      Family{' '}
      <a class="times" href={linkTo(['run', run, 'lineage'], { of: idOf(rows, row) })}>
        lineage
      </a>
    </>
  );
  return (
    <Card title={title}>
      <h3>{ancestors.length === 0 ? noParent : `Ancestors (${count(ancestors.length)}), the nearest first`}</h3>
      {listOf(ancestors)}
      <h3>{children.length === 0 ? 'No children yet' : `Children (${count(children.length)}), the newest first`}</h3>
      {listOf(children)}
    </Card>
  );
};

/** The programs that were committed before and after it. */
export const Neighbours = ({ run, rows, row }: Omit<Props, 'scoring'>) => (
  <nav class="neighbours" aria-label="Programs before and after">
    {row <= 0 ? null : (
      <a href={programLink(run, idOf(rows, row - 1))} rel="prev">
        ← older
      </a>
    )}
    {row + 1 >= rows.rows ? null : (
      <a href={programLink(run, idOf(rows, row + 1))} rel="next">
        newer →
      </a>
    )}
    <a href={linkTo(['run', run, 'programs'], { step: columnOf(rows, 'step')[row]! })}>all of its step</a>
  </nav>
);
