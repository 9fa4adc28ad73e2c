// A run at a glance: its best, its figures, its islands, and the next thing to do; the other parts are files beside it.
import {
  type AtAGlance,
  gainOf,
  type Glance,
  type Islands as IslandsAnswer,
  setAsideTokens,
  STRICT_MEANING,
  strictWords,
} from '../../api/run/overview.ts';
import { hasEnded } from '../../../evolution/run-states.ts';
import { trustText } from '../../../evolution/task/trust.ts';
import type { RunReport } from '../../api/run/runs.ts';
import { rateOf, type Steps } from '../../api/run/steps.ts';
import { Ago } from '../base/clock.tsx';
import { Card, Figure, Foreign, Moment, Nothing, When } from '../base/parts.tsx';
import { linkTo, programLink, theSource, useBehind, useRunAnswer } from '../base/state.ts';
import { Table } from '../base/tables.tsx';
import { alignedScores, amount, count, duration, percent, score, dollars } from '../base/text.ts';
import type { RunViewProps } from '../base/view.ts';
import { Best, Bests } from './best.tsx';
import { Budget, Throughput } from './budget.tsx';
import { LatestEvents } from './events.tsx';
import { AdviceCard, NextStep } from './next.tsx';
import { OpenStepStrip } from './open-step.tsx';
import { Outcomes } from './outcomes.tsx';

export const Overview = ({ run }: RunViewProps) => {
  // One answer, so that all figures and plots are of the same committed step.
  const answer = useRunAnswer<AtAGlance>(run, 'overview');
  // Nothing is drawn before everything is there: later parts would push the others down.
  if (answer.value === null && answer.error === null)
    return (
      <p class="busy reserved" role="status">
        Reading the steps of the run and what they cost …
      </p>
    );
  return (
    <When answer={answer} what="the run">
      {({ report, glance, steps }) => (
        <div class="overview">
          <NextStep report={report} glance={glance} />
          <OpenStepStrip report={report} />
          <Headline report={report} glance={glance} steps={steps} />
          <AdviceCard report={report} glance={glance} />
          <Best run={run} steps={steps} glance={glance} />
          <Bests run={run} steps={steps} glance={glance} />
          <Budget steps={steps} glance={glance} state={report.state} />
          <Throughput steps={steps} />
          <Outcomes run={run} steps={steps} report={report} />
          <LatestEvents run={run} steps={steps} atMs={glance.atMs} />
          <Islands run={run} atMs={glance.atMs} migrations={steps.points.at(-1)?.migrations ?? 0} />
        </div>
      )}
    </When>
  );
};

type HeadlineProps = { readonly report: RunReport; readonly glance: Glance; readonly steps: Steps };

/** The distance of a score from a value, in words. */
const against = (own: number, value: number, direction: 'maximise' | 'minimise'): string => {
  const gain = gainOf(own, value, direction)!;
  if (gain === 0) return 'reached';
  const share = value === 0 ? '' : ` (${score((100 * Math.abs(gain)) / Math.abs(value), 3)} %)`;
  return `${score(Math.abs(gain), 3)}${share} ${gain > 0 ? 'better' : 'to go'}`;
};

type DistancesProps = { readonly best: RunReport['best']; readonly known: NonNullable<Glance['known']> };

/** The distances from the paper and from the best known value; one figure, where nobody could tell them apart. */
const Distances = ({ best, known: { paper, bestKnown, direction } }: DistancesProps) => {
  const own = bestKnown?.strict === true ? (best?.strictScore ?? best?.ranking) : best?.score;
  const to = (value: number | undefined, from: number | undefined): string =>
    value === undefined || from === undefined ? '–' : against(from, value, direction);
  const [toPaper, toGoal] = [to(paper ?? undefined, best?.ranking), to(bestKnown?.value, own)];
  const agree = bestKnown !== null && paper !== null && toPaper === toGoal;
  return (
    <>
      {paper === null || agree ? null : (
        <Figure
          name={`paper ${score(paper)}`}
          title="As the paper prints it, by its own tolerance; it is compared with the score that ranks here"
        >
          {toPaper}
        </Figure>
      )}
      {bestKnown === null ? null : (
        <Figure
          name={`${agree ? `paper ${score(paper)} and ` : ''}best known ${score(bestKnown.value)}${bestKnown.strict ? ', strict' : ''}`}
          title={[bestKnown.source, bestKnown.strict ? `compared with the strict score (${STRICT_MEANING})` : null]
            .filter((part) => part !== null)
            .join('; ')}
        >
          {toGoal}
        </Figure>
      )}
    </>
  );
};

const Headline = ({ report, glance, steps }: HeadlineProps) => {
  const { best, run, programs, valid, paid, wallSeconds, unanswered } = report;
  const { known } = glance;
  const rate = rateOf(steps, report.state, glance);
  const last = steps.points.at(-1);
  const scores = best === null ? null : strictWords(best, score);
  const more = known === null ? null : known.direction === 'maximise' ? 'more is better' : 'less is better';
  const aside = setAsideTokens(report);
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
        {known === null ? null : <Distances best={best} known={known} />}
        <Figure name="programs">
          <a href={linkTo(['run', run, 'programs'])}>{count(programs)}</a>
        </Figure>
        <Figure name="valid">
          {programs === 0 ? (
            '–'
          ) : (
            <a href={linkTo(['run', run, 'programs'], { outcome: 'valid' })}>{percent(valid / programs)}</a>
          )}
        </Figure>
        <Figure name="steps">{count(report.steps)}</Figure>
        {report.level === null ? null : (
          <Figure name="level">
            <details>
              <summary>{report.level}</summary>
              {trustText(report.level).slice(report.level.length + 2)}
            </details>
          </Figure>
        )}
        <Figure name="tokens">
          {amount(paid.tokens)}
          {aside > 0 ? <small class="soft"> ({amount(aside)} of them set aside by a rewind)</small> : null}
        </Figure>
        <Figure
          name="cost"
          {...(unanswered.requests > 0 ? { title: `${unanswered.requests} requests without an answer count too` } : {})}
        >
          {!glance.priced && paid.costUsd === 0 ? '–' : dollars(paid.costUsd)}
        </Figure>
        <Figure name="time">{duration(wallSeconds)}</Figure>
        {hasEnded({ status: report.state }) ? null : (
          <Figure name="rate">{rate === null ? '–' : `${amount(Math.round(rate.programs))} programs/h`}</Figure>
        )}
        <Figure name="last commit">
          {last === undefined ? (
            '–'
          ) : theSource().site.exported === null ? (
            <Ago at={last.atMs} asOf={glance.atMs} />
          ) : (
            <Moment at={last.atMs} />
          )}
        </Figure>
      </dl>
    </section>
  );
};

type IslandsProps = { readonly run: string; readonly atMs: number; readonly migrations: number };

const Islands = ({ run, atMs, migrations }: IslandsProps) => (
  <Card class="card whole" title="Islands">
    <When answer={useBehind<IslandsAnswer>(run, 'islands', atMs)} what="how the islands stand">
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

const summaryOf = ({ step, islands, alive }: IslandsAnswer, migrations: number): string => {
  const programs = alive === 1 ? '1 program is' : `${count(alive)} programs are`;
  if (islands.length === 1) return `After step ${step}, ${programs} alive on 1 island.`;
  const times = migrations === 1 ? 'once' : `${count(migrations)} times`;
  const moves = migrations === 0 ? 'none has migrated yet' : `programs have migrated ${times}`;
  return `After step ${step}, ${programs} alive on ${islands.length} islands; ${moves}.`;
};

type Island = IslandsAnswer['islands'][number];

const IslandTable = ({ run, islands }: { readonly run: string; readonly islands: readonly Island[] }) => {
  const hasCells = islands.some(({ cells }) => cells !== null);
  const hasRates = islands.some(({ exploration }) => exploration !== null);
  const bests = alignedScores(islands.map(({ best }) => best?.score ?? null));
  const means = alignedScores(islands.map(({ mean }) => (mean === null ? null : Number(mean.toPrecision(6)))));
  return (
    <Table
      label="Islands, as a table"
      class="tight"
      of={islands}
      columns={[
        [
          'island',
          ({ island }) => (
            <a href={linkTo(['run', run, 'programs'], { island, sort: 'score', order: 'desc' })}>{island}</a>
          ),
        ],
        [
          'best',
          ({ best }, index) => (best === null ? '–' : <a href={programLink(run, best.program)}>{bests[index]}</a>),
          'number',
        ],
        ['mean', (_, index) => means[index], 'number'],
        ['alive', ({ members }) => count(members), 'number'],
        ['migrants', ({ migrants }) => count(migrants), 'number'],
        ...(hasCells ? [['cells', cellsText, 'number'] as const] : []),
        ['children', ({ children }) => count(children), 'number'],
        ...(hasRates ? [['explores', rateText, 'number'] as const] : []),
      ]}
    />
  );
};

const cellsText = ({ cells }: Island): string =>
  cells === null ? '–' : `${count(cells.filled)} of ${count(cells.of)}`;
const rateText = ({ exploration }: Island): string => (exploration === null ? '–' : percent(exploration.rate));
