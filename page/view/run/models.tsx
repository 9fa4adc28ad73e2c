// The models of a run: the requests to each, its cost, the worth of its programs, and the limits of its endpoint.
import {
  type AskedModel,
  type ModelLine,
  modelLines,
  type Models as Answer,
  modelShares,
  worthTitle,
} from '../../api/run/models.ts';
import type { Rows } from '../../api/rows/rows.ts';
import { FAILURES } from '../../api/run/steps.ts';
import { colourOf } from '../base/ink.ts';
import { Card, Foreign, Items, Nothing, Swatch, When } from '../base/parts.tsx';
import { linkTo, useRunAnswer } from '../base/state.ts';
import { Table } from '../base/tables.tsx';
import { amount, count, counted, duration, percent, score, shown, dollars } from '../base/text.ts';
import type { RunViewProps } from '../base/view.ts';
import { SharePlot } from '../charts/plot.tsx';
import { useRows } from '../rows/rows.ts';

const WINDOWS = 40;

export const Models = ({ run }: RunViewProps) => {
  const answer = useRunAnswer<Answer>(run, 'models');
  const { rows, error, busy } = useRows(run, ['base', 'paid']).value;
  return (
    <When answer={answer} what="what the models were worth">
      {(report) => (
        <>
          <When answer={{ value: rows, error, busy }} what="the programs">
            {(all) => <Worth run={run} rows={all} report={report} />}
          </When>
          <Present models={report.models} waiting={report.waiting} />
          <Unanswered unanswered={report.unanswered} />
        </>
      )}
    </When>
  );
};

const Worth = ({ run, rows, report }: { readonly run: string; readonly rows: Rows; readonly report: Answer }) => {
  const lines = modelLines(rows, report).filter(({ model }) => model !== '');
  const title = worthTitle(lines);
  if (lines.length === 0)
    return (
      <Card title={title}>
        <Nothing>No model has answered yet. The first answers count when their step is committed.</Nothing>
      </Card>
    );
  const programs = lines.reduce((sum, line) => sum + line.programs, 0);
  const best = Math.max(0, ...lines.map(({ gain }) => gain));
  const leads = (gain: number): boolean => lines.length > 1 && gain === best && best > 0;
  const link = ({ model }: ModelLine, query: { readonly [key: string]: string }, text: string) => (
    <a href={linkTo(['run', run, 'programs'], { model, ...query })}>{text}</a>
  );
  return (
    <Card title={title}>
      <Shares rows={rows} models={lines.map(({ model }) => model)} />
      <Table
        label={`${title}, as a table`}
        class="tight"
        of={lines}
        columns={[
          [
            'model',
            ({ model }, index) => (
              <>
                <Swatch colour={colourOf(index)} />
                <Foreign text={model} />
              </>
            ),
          ],
          ['programs', (line) => link(line, {}, count(line.programs)), 'number'],
          ['share', (line) => percent(line.programs / programs), 'number'],
          ['valid', (line) => link(line, { outcome: 'valid' }, percent(line.valid / line.programs)), 'number'],
          ['failed', (line) => link(line, { outcome: FAILURES.join() }, count(line.programs - line.valid)), 'number'],
          ['improved', (line) => `${count(line.improved)} (${percent(line.improved / line.programs)})`, 'number'],
          ['gain, summed up', ({ gain }) => `${score(gain, 3)}${leads(gain) ? ' ★ most' : ''}`, 'number'],
          ['bests', (line) => link(line, { only: 'record' }, count(line.records)), 'number'],
          ['tokens in', ({ tokensIn }) => amount(tokensIn), 'number'],
          ['tokens out', ({ tokensOut }) => amount(tokensOut), 'number'],
          ['cost', ({ costUsd }) => dollars(costUsd), 'number'],
          ['cost of a valid one', ({ costUsd, valid }) => (valid === 0 ? '–' : dollars(costUsd / valid)), 'number'],
        ]}
      />
      <p class="soft">
        Improved: better than its parent. The gain is what these are better by, added up
        {report.scoring === 'strict' ? ', by the strict score' : ''}. Bests: the best of the run after their step; the
        initial program, which no model made, is none of them. Tokens and cost are those of the responses that programs
        came from; {beside(lines, report)}.
      </p>
    </Card>
  );
};

const Shares = ({ rows, models }: { readonly rows: Rows; readonly models: readonly string[] }) => {
  const { x, shares } = modelShares(rows, models, WINDOWS);
  return models.length < 2 || x.length < 2 ? null : (
    <SharePlot
      title="Share of the programs by model"
      x={x}
      xName="programs"
      parts={models.map((model, index) => ({ name: shown(model), colour: colourOf(index), shares: shares[index]! }))}
    >
      Stacked, from the bottom:
    </SharePlot>
  );
};

const beside = (lines: readonly ModelLine[], { total }: Answer): string => {
  const tokens =
    total.tokensIn + total.tokensOut - lines.reduce((sum, line) => sum + line.tokensIn + line.tokensOut, 0);
  const costUsd = total.costUsd - lines.reduce((sum, line) => sum + line.costUsd, 0);
  return tokens > 0
    ? `other requests took ${amount(tokens)} tokens${costUsd > 1e-6 ? ` and ${dollars(costUsd)}` : ''} more`
    : 'nothing else was asked';
};

/** The limits of an endpoint, and the processes that share them. */
const rateText = ({ perMinute, shares }: Pick<AskedModel, 'perMinute' | 'shares'>): string => {
  if (perMinute === null) return 'no limit is set';
  const processes = shares?.length === 1 ? 'process shares' : 'processes share';
  return [
    ...(perMinute.requests === null ? [] : [`${count(perMinute.requests)} requests a minute`]),
    ...(perMinute.tokens === null ? [] : [`${amount(perMinute.tokens)} tokens a minute`]),
    shares === null || shares.length === 0
      ? 'nobody uses it now'
      : `${shares.length} ${processes} it: ${shares.map(percent).join(', ')}`,
  ].join('; ');
};

const Present = ({ models, waiting }: Pick<Answer, 'models' | 'waiting'>) => (
  <Card title="Who is asked now">
    <p class="soft">
      {waiting === 0
        ? 'No request is on its way at this moment.'
        : `${count(waiting)} ${waiting === 1 ? 'request is' : 'requests are'} on their way.`}
    </p>
    <Table
      label="Who is asked now, as a table"
      of={models}
      columns={[
        ['model', ({ name }) => <Foreign text={name} />],
        ['endpoint', ({ endpoint }) => <Foreign text={endpoint} />],
        ['asked for', ({ roles }) => roles.join(', ')],
        ['weight', ({ weight }) => weight, 'number'],
        [
          'price of a million tokens',
          ({ price }) =>
            price === null ? (
              <span class="badge wait">not known: counts as free</span>
            ) : (
              `${dollars(price.in)} in, ${dollars(price.out)} out`
            ),
        ],
        [
          'rate of the endpoint',
          (model) => (
            <>
              {rateText(model)}
              {model.pausedSeconds > 0 ? (
                <span class="badge wait">asked to wait {duration(model.pausedSeconds)}</span>
              ) : null}
            </>
          ),
        ],
      ]}
    />
  </Card>
);

const Unanswered = ({ unanswered }: Pick<Answer, 'unanswered'>) => (
  <Card title="Requests without an answer">
    {unanswered.length === 0 ? (
      <Nothing>Every request that was sent has its answer.</Nothing>
    ) : (
      <ul class="failures">
        {unanswered.map(({ model, requests, tokens, costUsd, reasons }) => (
          <li>
            <strong>
              <Foreign text={model} />
            </strong>
            : {counted(requests, 'request')}; about {amount(tokens)} tokens and {dollars(costUsd)} count against the
            limits.
            <Items class="soft" of={reasons} />
          </li>
        ))}
      </ul>
    )}
  </Card>
);
