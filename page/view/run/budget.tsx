// The limits of a run: the rest of each, the one that comes first, and when at the present rate; and the throughput.
import { hasEnded } from '../../../evolution/run-states.ts';
import { LIMIT_TEXTS } from '../../../evolution/reports/limit-texts.ts';
import { aheadText, improvementText } from '../../../evolution/reports/spending.ts';
import { WARN_SHARE } from '../../../evolution/steering/advice/advice.ts';
import { firstOf, forecast, type Forecast, type Glance } from '../../api/run/overview.ts';
import type { RunReport } from '../../api/run/runs.ts';
import { type Rate, rateOf, type Steps, throughput } from '../../api/run/steps.ts';
import { Plot } from '../charts/plot.tsx';
import { Card, Nothing } from '../base/parts.tsx';
import { theSource } from '../base/state.ts';
import { amount, count, duration, percent } from '../base/text.ts';

type Props = { readonly steps: Steps; readonly glance: Glance; readonly state: RunReport['state'] };

export const Budget = ({ steps, glance, state }: Props) => {
  const ended = hasEnded({ status: state });
  const rate = ended ? null : rateOf(steps, state, glance);
  const forecasts = glance.limits.map((one) => forecast(one, rate));
  // A copy goes to no limit, so it forecasts none.
  const still = ended || theSource().site.exported !== null;
  const first = still || forecasts.length < 2 ? null : firstOf(forecasts);
  return (
    <Card title="Budget">
      {forecasts.length === 0 ? (
        <Nothing>
          No limit is set, so the run goes on until somebody stops it. <code>evolve extend</code> sets one.
        </Nothing>
      ) : (
        <ul class="budget">
          {forecasts.map((one) => (
            <Limit forecast={one} isFirst={one.limit === first?.limit} state={still ? null : state} />
          ))}
        </ul>
      )}
      <p class="soft">{rateWords(rate, ended)}</p>
      <p class="soft">
        {glance.priced ? costWords(steps, rate, still ? null : (firstOf(forecasts)?.seconds ?? null)) : null}
      </p>
    </Card>
  );
};

const rateWords = (rate: Rate | null, ended: boolean): string => {
  if (rate === null) return ended ? 'The run has ended.' : 'A rate can be told after two steps.';
  const { overSeconds, programs, tokens } = rate;
  return `Rate of the last ${duration(Math.round(overSeconds))}: ${amount(Math.round(programs))} programs and ${amount(Math.round(tokens))} tokens an hour.`;
};

/** What an hour costs, the run at its first limit, which is `seconds` away, and the last improvement. */
const costWords = ({ points, records }: Steps, rate: Rate | null, seconds: number | null): string => {
  const paid = points.at(-1)?.costUsd ?? 0;
  const ahead = aheadText({ paid, perHour: rate?.costUsd ?? 0, seconds });
  const improvement = improvementText(
    records.map(({ costUsd }) => costUsd),
    paid,
  );
  return `${ahead === null ? '' : `It costs ${ahead}. `}${improvement ?? ''}`;
};

type LimitProps = {
  readonly forecast: Forecast;
  readonly isFirst: boolean;
  /** Null where nothing goes on. */
  readonly state: RunReport['state'] | null;
};

/** The part of a limit that is left, and when it is reached. */
const leftOf = ({ forecast: { limit, of, spent, share, seconds }, state }: LimitProps): string => {
  if (share === 1) return 'reached';
  if (share === null) return 'The run ends when a program scores it.';
  const left = `${LIMIT_TEXTS[limit][1](Math.max(0, of - spent))} left`;
  if (state === null || seconds === null) return left;
  if (limit === 'noImprovementPrograms' || limit === 'stagnantEpochs')
    return `${left}, reached in ${duration(seconds)} if nothing better comes`;
  return `${left}, reached in ${duration(seconds)} at this rate${state === 'running' ? '' : ', once it goes on'}`;
};

const Limit = (props: LimitProps) => {
  const { limit, of, spent, share } = props.forecast;
  const [name, text] = LIMIT_TEXTS[limit];
  return (
    <li>
      <div class="line">
        <strong>{name}</strong>
        <span>
          {Number.isNaN(spent) ? '–' : text(spent)} of {text(of)}
        </span>
        {props.isFirst ? <span class="badge wait">reached first</span> : null}
        {share !== null && share >= WARN_SHARE && share < 1 && props.state !== null ? (
          <span class="badge wait">{percent(share)} spent</span>
        ) : null}
      </div>
      {share === null ? null : <progress value={share} max={1} aria-label={`${name}: ${text(spent)} of ${text(of)}`} />}
      <p class="soft">{leftOf(props)}</p>
    </li>
  );
};

const WINDOWS = 30;

export const Throughput = ({ steps }: { readonly steps: Steps }) => {
  const { x, programs, tokens } = throughput(steps.points, WINDOWS);
  const rates = programs.filter((value) => value !== null);
  const whole = (value: number | null | undefined): string => amount(Math.round(value ?? 0));
  return (
    <Card class="card wide" title="Throughput">
      {rates.length < 2 ? (
        <Nothing>The plot begins with the second step.</Nothing>
      ) : (
        <Plot
          title="Programs an hour"
          kind="throughput"
          x={x}
          lines={[{ name: 'programs an hour', colour: '--s0', values: programs, as: 'straight' }]}
          xText={amount}
          xTitle="programs"
          yText={amount}
          yTitle="programs an hour"
          ySteps="whole"
          range={[0, Math.max(...rates) * 1.08]}
          height={180}
          textAt={(index) =>
            `${count(x[index]!)} programs: ${whole(programs[index])} programs and ${whole(tokens[index])} tokens an hour`
          }
          table={() => ({
            head: ['programs', 'programs an hour', 'tokens an hour'],
            rows: x.map((value, index) => [count(value), whole(programs[index]), whole(tokens[index])]),
          })}
        >
          Between {whole(Math.min(...rates))} and {whole(Math.max(...rates))} programs an hour, over all programs so
          far. Pauses do not count.
        </Plot>
      )}
    </Card>
  );
};
