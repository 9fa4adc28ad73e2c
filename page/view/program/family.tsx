// Where a program comes from and what came of it: ancestors, children, and its neighbours in time, as links.
import type { TaskFacts } from '../../data/programs.ts';
import { ancestorsOf, childrenOfRow, columnOf, idOf, isRecord, type Rows } from '../../data/rows.ts';
import { linkTo } from '../base/state.ts';
import { count, score } from '../base/text.ts';
import { outcomeName } from '../run/outcome-names.ts';
import { shortId } from '../table/cells.ts';
import { rankingOf } from './beside.tsx';

type Props = {
  readonly run: string;
  readonly rows: Rows;
  readonly row: number;
  readonly scoring: TaskFacts['scoring'];
};

/** So many ancestors and children are named; the lineage shows all. */
const NAMED = 8;

const Relative = ({ run, rows, row, scoring }: Props) => (
  <li>
    <a class="id" href={linkTo(['run', run, 'program', idOf(rows, row)])}>
      {shortId(idOf(rows, row), run)}
    </a>{' '}
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
  const lineage = linkTo(['run', run, 'lineage'], { of: idOf(rows, row) });
  return (
    <section class="card" aria-labelledby="family-title">
      <h2 id="family-title">
        Family <a href={lineage}>lineage</a>
      </h2>
      <h3>
        {ancestors.length === 0 ? 'It has no parent' : `Ancestors (${count(ancestors.length)}), the nearest first`}
      </h3>
      <ul class="relatives">
        {ancestors
          .slice(-NAMED)
          .reverse()
          .map((one) => (
            <Relative key={one} {...props} row={one} />
          ))}
      </ul>
      <h3>{children.length === 0 ? 'No children yet' : `Children (${count(children.length)}), the newest first`}</h3>
      <ul class="relatives">
        {children
          .slice(-NAMED)
          .reverse()
          .map((one) => (
            <Relative key={one} {...props} row={one} />
          ))}
      </ul>
    </section>
  );
};

/** The programs that were committed before and after it. */
export const Neighbours = ({ run, rows, row }: Omit<Props, 'scoring'>) => (
  <nav class="neighbours" aria-label="Programs before and after">
    {row <= 0 ? null : (
      <a href={linkTo(['run', run, 'program', idOf(rows, row - 1)])} rel="prev">
        ← older
      </a>
    )}
    {row + 1 >= rows.rows ? null : (
      <a href={linkTo(['run', run, 'program', idOf(rows, row + 1)])} rel="next">
        newer →
      </a>
    )}
    <a href={linkTo(['run', run, 'programs'], { step: columnOf(rows, 'step')[row]! })}>all of its step</a>
  </nav>
);
