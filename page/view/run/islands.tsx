// How the islands of a run stand.
import type { Islands as Answer } from '../../data/glance.ts';
import { figures, Head, Nothing, When } from '../base/parts.tsx';
import { linkTo } from '../base/state.ts';
import { count, percent, score } from '../base/text.ts';
import { useBehind } from './behind.ts';

type Props = { readonly run: string; readonly atMs: number; readonly migrations: number };

export const Islands = ({ run, atMs, migrations }: Props) => {
  const answer = useBehind<Answer>(run, 'islands', atMs);
  return (
    <section class="card whole" aria-labelledby="islands-heading">
      <h2 id="islands-heading">Islands</h2>
      <When answer={answer} what="how the islands stand">
        {({ step, islands, alive }) => {
          if (islands.length === 0) return <Nothing>The islands appear with the first step.</Nothing>;
          const cells = islands.some((island) => island.cells !== null);
          const rates = islands.some(({ exploration }) => exploration !== null);
          return (
            <>
              <p class="soft">
                After step {step}, {alive === 1 ? '1 program is' : `${count(alive)} programs are`} alive on{' '}
                {islands.length} {islands.length === 1 ? 'island' : 'islands'}
                {islands.length === 1
                  ? ''
                  : migrations === 0
                    ? '; none has migrated yet'
                    : `; programs have migrated ${migrations === 1 ? 'once' : `${count(migrations)} times`}`}
                .
              </p>
              <div class="scroll" tabIndex={0} role="region" aria-label="Islands, as a table">
                <table class="tight">
                  <Head
                    columns={[
                      'island',
                      ...figures(
                        'best',
                        'mean',
                        'alive',
                        'migrants',
                        ...(cells ? ['cells'] : []),
                        'children',
                        ...(rates ? ['explores'] : []),
                      ),
                    ]}
                  />
                  <tbody>
                    {islands.map((island) => (
                      <tr>
                        <th scope="row">
                          <a
                            href={linkTo(['run', run, 'programs'], {
                              island: island.island,
                              sort: 'score',
                              order: 'desc',
                            })}
                          >
                            {island.island}
                          </a>
                        </th>
                        <td class="number">
                          {island.best === null ? (
                            '–'
                          ) : (
                            <a href={linkTo(['run', run, 'program', island.best.program])}>
                              {score(island.best.score)}
                            </a>
                          )}
                        </td>
                        <td class="number">{island.mean === null ? '–' : score(Number(island.mean.toPrecision(6)))}</td>
                        <td class="number">{count(island.members)}</td>
                        <td class="number">{count(island.migrants)}</td>
                        {cells ? (
                          <td class="number">
                            {island.cells === null ? '–' : `${count(island.cells.filled)} of ${count(island.cells.of)}`}
                          </td>
                        ) : null}
                        <td class="number">{count(island.children)}</td>
                        {rates ? (
                          <td class="number">{island.exploration === null ? '–' : percent(island.exploration.rate)}</td>
                        ) : null}
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            </>
          );
        }}
      </When>
    </section>
  );
};
