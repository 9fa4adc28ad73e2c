// A run as a card: the figures to know before opening it.
import { endInWords, type RunCard, shortOf } from '../../api/run/runs.ts';
import { paramText } from '../../api/run/sweeps.ts';
import { Figure, Foreign, State } from '../base/parts.tsx';
import { linkTo, programLink } from '../base/state.ts';
import { ago, compact, count, duration, score, usd } from '../base/text.ts';

/** Eight digits: a card is no place for more, and the run's own page has them. */
const short = (value: number | null | undefined): string => score(value, 8);

/** The distance of a score from a value to reach; in words, because colour alone tells nobody. */
const Short = ({ by }: { readonly by: number | null }) =>
  by === null ? (
    <>–</>
  ) : by <= 0 ? (
    <span class="ahead">{by === 0 ? 'reached' : `+${score(-by, 3)}`}</span>
  ) : (
    <>−{score(by, 3)}</>
  );

/** The best by both scores, and their distances from the paper's and the best known value. */
const Reach = ({ run }: { readonly run: RunCard }) => {
  const { best, known } = run;
  const rows: readonly (readonly [string, number | null | undefined])[] = [
    ['to the paper', known?.paper],
    ['to the best known', known?.bestKnown?.value],
  ];
  return (
    <table class="reach">
      <thead>
        <tr>
          <th scope="col">{known?.scoreName ?? 'score'}</th>
          <td>tolerant</td>
          <td class="strict-cell">strict</td>
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">best</th>
          <td>
            {best === null ? (
              '–'
            ) : (
              <a href={programLink(run.run, best.program)} aria-label={`${short(best.score)}, the best program`}>
                {short(best.score)}
              </a>
            )}
          </td>
          <td class="strict-cell">{short(best?.strictScore)}</td>
        </tr>
        {rows
          .filter(([, value]) => value != null)
          .map(([name, value]) => (
            <tr key={name}>
              <th scope="row" title={`${name}: ${score(value)}`}>
                {name} <span class="value">{short(value)}</span>
              </th>
              <td>
                <Short by={shortOf(best?.score, value, known)} />
              </td>
              <td class="strict-cell">
                <Short by={shortOf(best?.strictScore, value, known)} />
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  );
};

/** `level` is that of its heading. */
export const Card = ({ run, level: Heading }: { readonly run: RunCard; readonly level: 'h2' | 'h3' }) => (
  <li class="card">
    <Heading>
      <a href={linkTo(['run', run.run])}>
        <Foreign text={run.run} />
      </a>{' '}
      <State state={run.state} />
    </Heading>
    <p class="about">
      <Foreign text={run.known?.title ?? run.task} /> · {run.method} · <Foreign text={run.model} />
      {run.varied === null ? null : (
        <>
          <br />
          <Foreign text={`${paramText(run.varied)}, seed = ${run.seed}`} />
        </>
      )}
    </p>
    {run.next.urgent ? (
      <p class="needs">
        <strong>Needs a person:</strong> <Foreign text={run.next.what} />
        {run.next.command === null ? null : <code>{run.next.command}</code>}
      </p>
    ) : null}
    <Reach run={run} />
    <dl class="figures">
      <Figure name="programs">
        <a href={linkTo(['run', run.run, 'programs'])}>{count(run.programs)}</a>
      </Figure>
      <Figure name="steps">{count(run.steps)}</Figure>
      {run.perHour === null ? null : <Figure name="rate">{compact(Math.round(run.perHour))} programs/h</Figure>}
      <Figure name="cost" title={`${count(run.paid.tokens)} tokens`}>
        {usd(run.paid.costUsd)}
      </Figure>
      <Figure name="tokens">{compact(run.paid.tokens)}</Figure>
      <Figure name="time">{duration(run.wallSeconds)}</Figure>
    </dl>
    <p class="foot">
      <span>began {ago(run.createdAt)}</span>
      {run.stopReason === null || run.next.urgent ? null : (
        <span>
          <Foreign text={endInWords(run.stopReason)} />
        </span>
      )}
      {run.scoresInvented ? <span>scores are invented</span> : null}
      {run.temporalUrl === null ? null : (
        <a href={run.temporalUrl} rel="noreferrer" target="_blank">
          in Temporal
        </a>
      )}
    </p>
  </li>
);
