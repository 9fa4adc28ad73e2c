// What the models of a run were worth: who was asked how often, what it cost, what came of it, and what stands in the
// way.
import { type AskedModel, type ModelLine, modelLines, type Models as Answer, modelShares } from '../../data/models.ts';
import type { Rows } from '../../data/rows.ts';
import { FAILURES } from '../../data/steps.ts';
import { figures, Foreign, Head, Nothing, When } from '../base/parts.tsx';
import { linkTo, useAnswer } from '../base/state.ts';
import { compact, count, duration, percent, shown, usd } from '../base/text.ts';
import type { RunViewProps } from '../base/view.ts';
import { SharePlot, Swatch } from '../charts/shares.tsx';
import { useRows } from '../rows/rows.ts';

const COLOURS = 8;
const WINDOWS = 40;
const colourOf = (index: number): string => `--s${index % COLOURS}`;
const few = (value: number): string => String(Number(value.toPrecision(3)));

export const Models = ({ run }: RunViewProps) => {
  const answer = useAnswer<Answer>(`runs/${encodeURIComponent(run)}/models`, run);
  const { rows, error } = useRows(run, ['base', 'paid']).value;
  return (
    <When answer={answer} what="what the models were worth">
      {(told) => (
        <>
          {rows === null ? (
            error === null ? (
              <p class="busy" role="status">
                The programs of the run are on their way …
              </p>
            ) : (
              <p class="error" role="alert">
                {error.message}
              </p>
            )
          ) : (
            <Worth run={run} rows={rows} told={told} />
          )}
          <Asked models={told.models} waiting={told.waiting} />
          <Unanswered told={told} />
        </>
      )}
    </When>
  );
};

const Worth = ({ run, rows, told }: { readonly run: string; readonly rows: Rows; readonly told: Answer }) => {
  const lines = modelLines(rows, told);
  const asked = lines.filter(({ model }) => model !== '');
  const programs = asked.reduce((sum, line) => sum + line.programs, 0);
  const best = Math.max(0, ...asked.map(({ gain }) => gain));
  const { x, shares } = modelShares(
    rows,
    asked.map(({ model }) => model),
    WINDOWS,
  );
  return (
    <section class="card" aria-labelledby="worth">
      <h2 id="worth">What the models were worth</h2>
      {asked.length === 0 ? (
        <Nothing>No model has answered yet. The first answers count when their step is committed.</Nothing>
      ) : (
        <>
          {asked.length > 1 && x.length > 1 ? (
            <SharePlot
              title="Share of the programs by model"
              x={x}
              xName="programs"
              parts={asked.map(({ model }, index) => ({
                name: shown(model),
                colour: colourOf(index),
                shares: shares[index]!,
              }))}
            >
              Stacked, from the bottom:
            </SharePlot>
          ) : null}
          <div class="scroll" tabIndex={0} role="region" aria-label="What the models were worth, as a table">
            <table class="tight">
              <Head
                columns={[
                  'model',
                  ...figures(
                    'programs',
                    'share',
                    'valid',
                    'failed',
                    'improved',
                    'gain, summed up',
                    'bests',
                    'tokens in',
                    'tokens out',
                    'cost',
                    'cost of a valid one',
                  ),
                ]}
              />
              <tbody>
                {asked.map((line, index) => (
                  <Line
                    run={run}
                    line={line}
                    colour={colourOf(index)}
                    of={programs}
                    leads={asked.length > 1 && line.gain === best && best > 0}
                  />
                ))}
              </tbody>
            </table>
          </div>
          <p class="soft">
            Improved: better than its parent. The gain is what these are better by, added up
            {told.scoring === 'strict' ? ', by the strict score' : ''}. Bests: the best of the run after their step; the
            initial program, which no model made, is none of them. Tokens and cost are those of the responses that
            programs came from; {beside(asked, told)}.
          </p>
        </>
      )}
    </section>
  );
};

const beside = (lines: readonly ModelLine[], { total }: Answer): string => {
  const tokens =
    total.tokensIn + total.tokensOut - lines.reduce((sum, line) => sum + line.tokensIn + line.tokensOut, 0);
  const costUsd = total.costUsd - lines.reduce((sum, line) => sum + line.costUsd, 0);
  return tokens > 0
    ? `ideas, judgements, repairs and embeddings took ${compact(tokens)} tokens${costUsd > 1e-6 ? ` and ${usd(costUsd)}` : ''} more`
    : 'nothing else was asked';
};

const Line = ({
  run,
  line,
  colour,
  of,
  leads,
}: {
  readonly run: string;
  readonly line: ModelLine;
  readonly colour: string;
  readonly of: number;
  readonly leads: boolean;
}) => {
  const { model, programs, valid, improved, gain, records, tokensIn, tokensOut, costUsd } = line;
  const to = (query: { readonly [key: string]: string }): string =>
    linkTo(['run', run, 'programs'], { model, ...query });
  return (
    <tr>
      <th scope="row">
        <Swatch colour={colour} />
        <Foreign text={model} />
      </th>
      <td class="number">
        <a href={to({})}>{count(programs)}</a>
      </td>
      <td class="number">{percent(programs / of)}</td>
      <td class="number">
        <a href={to({ outcome: 'valid' })}>{percent(valid / programs)}</a>
      </td>
      <td class="number">
        <a href={to({ outcome: FAILURES.join() })}>{count(programs - valid)}</a>
      </td>
      <td class="number">
        {count(improved)} ({percent(improved / programs)})
      </td>
      <td class="number">
        {few(gain)}
        {leads ? ' ★ most' : ''}
      </td>
      <td class="number">
        <a href={to({ only: 'record' })}>{count(records)}</a>
      </td>
      <td class="number">{compact(tokensIn)}</td>
      <td class="number">{compact(tokensOut)}</td>
      <td class="number">{usd(costUsd)}</td>
      <td class="number">{valid === 0 ? '–' : usd(costUsd / valid)}</td>
    </tr>
  );
};

const Asked = ({ models, waiting }: { readonly models: readonly AskedModel[]; readonly waiting: number }) => (
  <section class="card" aria-labelledby="asked">
    <h2 id="asked">Who is asked now</h2>
    <p class="soft">
      {waiting === 0
        ? 'No request is on its way at this moment.'
        : `${count(waiting)} ${waiting === 1 ? 'request is' : 'requests are'} on their way.`}
    </p>
    <div class="scroll" tabIndex={0} role="region" aria-label="Who is asked now, as a table">
      <table>
        <Head
          columns={[
            'model',
            'endpoint',
            'asked for',
            ...figures('weight'),
            'price of a million tokens',
            'rate of the endpoint',
          ]}
        />
        <tbody>
          {models.map(({ name, endpoint, roles, weight, price, perMinute, shares, pausedSeconds }) => (
            <tr>
              <th scope="row">
                <Foreign text={name} />
              </th>
              <td>
                <Foreign text={endpoint} />
              </td>
              <td>{roles.join(', ')}</td>
              <td class="number">{weight}</td>
              <td>
                {price === null ? (
                  <span class="badge wait">not known: counts as free</span>
                ) : (
                  `${usd(price.in)} in, ${usd(price.out)} out`
                )}
              </td>
              <td>
                {perMinute === null
                  ? 'no limit is set'
                  : [
                      ...(perMinute.requests === null ? [] : [`${count(perMinute.requests)} requests a minute`]),
                      ...(perMinute.tokens === null ? [] : [`${compact(perMinute.tokens)} tokens a minute`]),
                      ...(shares === null || shares.length === 0
                        ? ['nobody uses it now']
                        : [
                            `${shares.length} ${shares.length === 1 ? 'process shares' : 'processes share'} it: ${shares.map(percent).join(', ')}`,
                          ]),
                    ].join('; ')}
                {pausedSeconds > 0 ? <span class="badge wait">asked to wait {duration(pausedSeconds)}</span> : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
);

const Unanswered = ({ told: { unanswered } }: { readonly told: Answer }) => (
  <section class="card" aria-labelledby="unanswered">
    <h2 id="unanswered">Requests without an answer</h2>
    {unanswered.length === 0 ? (
      <Nothing>Every request that was sent has its answer.</Nothing>
    ) : (
      <ul class="failures">
        {unanswered.map(({ model, requests, tokens, costUsd, reasons }) => (
          <li>
            <strong>
              <Foreign text={model} />
            </strong>
            : {count(requests)} {requests === 1 ? 'request' : 'requests'}; about {compact(tokens)} tokens and{' '}
            {usd(costUsd)} count against the limits.
            <ul>
              {reasons.map((reason) => (
                <li class="soft">
                  <Foreign text={reason} />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    )}
  </section>
);
