// The figures of a run that are looked at first, and what a person has to do.
import { gainOf, type Glance, STRICT_MEANING, strictWords } from '../../api/run/overview.ts';
import { rateOf, type Steps } from '../../api/run/steps.ts';
import type { RunReport } from '../../api/run/runs.ts';
import { Figure, Foreign } from '../base/parts.tsx';
import { linkTo, programLink, theSource } from '../base/state.ts';
import { ago, compact, count, duration, moment, percent, score, usd } from '../base/text.ts';

type Props = { readonly report: RunReport; readonly glance: Glance; readonly steps: Steps };

const few = (value: number): string => String(Number(value.toPrecision(3)));

/** The distance of a score from a value, in words. */
const against = (own: number, value: number, direction: 'maximise' | 'minimise'): string => {
  const gain = gainOf(own, value, direction)!;
  if (gain === 0) return 'reached';
  const share = value === 0 ? '' : ` (${few((100 * Math.abs(gain)) / Math.abs(value))} %)`;
  return `${few(Math.abs(gain))}${share} ${gain > 0 ? 'better' : 'to go'}`;
};

export const Headline = ({ report, glance, steps }: Props) => {
  const { best, run, programs, valid, paid, wallSeconds, unanswered } = report;
  const { known } = glance;
  const rate = rateOf(steps, report.state, glance);
  const last = steps.points.at(-1);
  const goal = known?.bestKnown ?? null;
  const scores = best === null ? null : strictWords(best, score);
  const more = known === null ? null : known.direction === 'maximise' ? 'more is better' : 'less is better';
  const own = best === null ? null : goal?.strict === true ? (best.strictScore ?? best.ranking) : best.score;
  return (
    <section class="card headline whole" aria-label="The run in figures">
      <div class="best">
        <h2>Best {known === null ? 'score' : <Foreign text={known.scoreName} />}</h2>
        {best === null ? (
          <p class="nothing">No valid program yet. The first one appears when its step is committed.</p>
        ) : (
          <>
            <p class="huge">
              <a href={programLink(run, best.program)}>{score(best.ranking)}</a>
            </p>
            <p class="soft" {...(scores === null ? {} : { title: STRICT_MEANING })}>
              {[scores, more, report.scoresInvented ? 'scores are invented: no program was run' : null]
                .filter((part) => part !== null)
                .join('; ')}
            </p>
          </>
        )}
      </div>
      <dl class="figures">
        {known === null || known.paper === null ? null : (
          <Figure
            name={`paper ${score(known.paper)}`}
            title="As the paper prints it, by its own tolerance; it is compared with the score that ranks here"
          >
            {best === null ? '–' : against(best.ranking, known.paper, known.direction)}
          </Figure>
        )}
        {goal === null || known === null ? null : (
          <Figure
            name={`best known ${score(goal.value)}${goal.strict ? ', strict' : ''}`}
            title={[goal.source, goal.strict ? `compared with the strict score (${STRICT_MEANING})` : null]
              .filter((part) => part !== null)
              .join('; ')}
          >
            {own === null ? '–' : against(own, goal.value, known.direction)}
          </Figure>
        )}
        <Figure name="programs">
          <a href={linkTo(['run', run, 'programs'])}>{count(programs)}</a>
        </Figure>
        <Figure name="valid">
          <a href={linkTo(['run', run, 'programs'], { outcome: 'valid' })}>
            {programs === 0 ? '–' : percent(valid / programs)}
          </a>
        </Figure>
        <Figure name="steps">{count(report.steps)}</Figure>
        <Figure name="tokens">{compact(paid.tokens)}</Figure>
        <Figure
          name="cost"
          {...(unanswered.requests > 0 ? { title: `${unanswered.requests} requests without an answer count too` } : {})}
        >
          {usd(paid.costUsd)}
        </Figure>
        <Figure name="time">{duration(wallSeconds)}</Figure>
        <Figure name="rate">{rate === null ? '–' : `${compact(Math.round(rate.programs))} programs/h`}</Figure>
        <Figure name="last commit">
          {last === undefined
            ? '–'
            : theSource().site.exported === null
              ? ago(last.atMs, glance.atMs)
              : moment(last.atMs)}
        </Figure>
      </dl>
    </section>
  );
};

/** The next thing to do, above everything else where nothing goes on without it. */
export const NextStep = ({ glance }: { readonly glance: Glance }) => {
  const { urgent, what, command } = glance.next;
  if (!urgent && command === null) return null;
  return (
    <p class={urgent ? 'error' : 'note'} role={urgent ? 'alert' : undefined}>
      <Foreign text={what} />
      {command === null ? null : (
        <>
          {'. To go on: '}
          <code>{command}</code>
        </>
      )}
    </p>
  );
};
