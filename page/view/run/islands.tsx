// The islands of a run: the best of each, its programs, its children.
import type { Islands as Answer } from '../../api/run/overview.ts';
import { Card, Nothing, When } from '../base/parts.tsx';
import { linkTo, programLink } from '../base/state.ts';
import { figures, Numbers, Table } from '../base/tables.tsx';
import { count, percent, score } from '../base/text.ts';
import { useBehind } from './behind.ts';

type Props = { readonly run: string; readonly atMs: number; readonly migrations: number };

export const Islands = ({ run, atMs, migrations }: Props) => (
  <Card class="card whole" id="islands-heading" title="Islands">
    <When answer={useBehind<Answer>(run, 'islands', atMs)} what="how the islands stand">
      {(answer) =>
        answer.islands.length === 0 ? (
          <Nothing>The islands appear with the first step.</Nothing>
        ) : (
          <>
            <p class="soft">{summaryOf(answer, migrations)}</p>
            <IslandTable run={run} islands={answer.islands} />
          </>
        )
      }
    </When>
  </Card>
);

const summaryOf = ({ step, islands, alive }: Answer, migrations: number): string => {
  const programs = alive === 1 ? '1 program is' : `${count(alive)} programs are`;
  if (islands.length === 1) return `After step ${step}, ${programs} alive on 1 island.`;
  const times = migrations === 1 ? 'once' : `${count(migrations)} times`;
  const moves = migrations === 0 ? 'none has migrated yet' : `programs have migrated ${times}`;
  return `After step ${step}, ${programs} alive on ${islands.length} islands; ${moves}.`;
};

type Island = Answer['islands'][number];

const IslandTable = ({ run, islands }: { readonly run: string; readonly islands: readonly Island[] }) => {
  const hasCells = islands.some(({ cells }) => cells !== null);
  const hasRates = islands.some(({ exploration }) => exploration !== null);
  const names = ['best', 'mean', 'alive', 'migrants', ...(hasCells ? ['cells'] : []), 'children'];
  return (
    <Table
      label="Islands, as a table"
      class="tight"
      columns={['island', ...figures(...names, ...(hasRates ? ['explores'] : []))]}
    >
      {islands.map(({ island, best, mean, members, migrants, cells, children, exploration }) => (
        <tr>
          <th scope="row">
            <a href={linkTo(['run', run, 'programs'], { island, sort: 'score', order: 'desc' })}>{island}</a>
          </th>
          <Numbers
            of={[
              best === null ? '–' : <a href={programLink(run, best.program)}>{score(best.score)}</a>,
              mean === null ? '–' : score(Number(mean.toPrecision(6))),
              count(members),
              count(migrants),
              ...(hasCells ? [cells === null ? '–' : `${count(cells.filled)} of ${count(cells.of)}`] : []),
              count(children),
              ...(hasRates ? [exploration === null ? '–' : percent(exploration.rate)] : []),
            ]}
          />
        </tr>
      ))}
    </Table>
  );
};
