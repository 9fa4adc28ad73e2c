// What is left of each limit, which comes first and when at the present rate; and how fast the run goes.
import { hasEnded } from '../../../evolution/run-states.ts';
import { firstOf, forecast, type Glance, type StopReason } from '../../data/glance.ts';
import type { RunReport } from '../../data/runs.ts';
import { rateOf, type Steps, throughput } from '../../data/steps.ts';
import { Plot } from '../charts/plot.tsx';
import { Nothing } from '../base/parts.tsx';
import { theSource } from '../base/state.ts';
import { compact, count, duration, score, usd } from '../base/text.ts';

const LIMITS: { readonly [limit in StopReason]: readonly [name: string, text: (value: number) => string] } = {
  steps: ['steps', count],
  programs: ['programs', count],
  tokens: ['tokens', compact],
  costUsd: ['cost', usd],
  wallSeconds: ['time', duration],
  targetScore: ['score to reach', score],
  noImprovementPrograms: ['programs without a better one', count],
  stagnantEpochs: ['steps without progress', count],
};

type Props = { readonly steps: Steps; readonly glance: Glance; readonly state: RunReport['state'] };

export const Budget = ({ steps, glance, state }: Props) => {
  const ended = hasEnded({ status: state });
  const rate = ended ? null : rateOf(steps, state, glance);
  const forecasts = glance.limits.map((one) => forecast(one, rate));
  // A copy goes to no limit, so it forecasts none.
  const still = ended || theSource().site.exported !== null;
  const first = still || forecasts.length < 2 ? null : firstOf(forecasts);
  return (
    <section class="card" aria-labelledby="budget-heading">
      <h2 id="budget-heading">Budget</h2>
      {forecasts.length === 0 ? (
        <Nothing>
          No limit is set, so the run goes on until somebody stops it. <code>evolve extend</code> sets one.
        </Nothing>
      ) : (
        <ul class="budget">
          {forecasts.map(({ limit, of, spent, share, seconds }) => {
            const [name, text] = LIMITS[limit];
            return (
              <li>
                <div class="line">
                  <strong>{name}</strong>
                  <span>
                    {Number.isNaN(spent) ? '–' : text(spent)} of {text(of)}
                  </span>
                  {limit === first?.limit ? <span class="badge wait">reached first</span> : null}
                </div>
                {share === null ? null : (
                  <progress value={share} max={1} aria-label={`${name}: ${text(spent)} of ${text(of)}`} />
                )}
                <p class="soft">
                  {share === 1
                    ? 'reached'
                    : share === null
                      ? 'The run ends when a program scores it.'
                      : `${text(Math.max(0, of - spent))} left${
                          still || seconds === null
                            ? ''
                            : limit === 'noImprovementPrograms' || limit === 'stagnantEpochs'
                              ? `, reached in ${duration(seconds)} if nothing better comes`
                              : `, reached in ${duration(seconds)} at this rate${state === 'running' ? '' : ', once it goes on'}`
                        }`}
                </p>
              </li>
            );
          })}
        </ul>
      )}
      <p class="soft">
        {rate === null
          ? ended
            ? 'The run has ended.'
            : 'A rate can be told after two steps.'
          : `Rate of the last ${duration(Math.round(rate.overSeconds))}: ${compact(Math.round(rate.programs))} programs, ${compact(Math.round(rate.tokens))} tokens and ${usd(rate.costUsd)} an hour.`}
      </p>
    </section>
  );
};

const WINDOWS = 30;

export const Throughput = ({ steps }: { readonly steps: Steps }) => {
  const { x, programs, tokens } = throughput(steps.points, WINDOWS);
  const known = programs.filter((value) => value !== null);
  return (
    <section class="card wide" aria-labelledby="throughput-heading">
      <h2 id="throughput-heading">Throughput</h2>
      {known.length < 2 ? (
        <Nothing>The plot begins with the second step.</Nothing>
      ) : (
        <Plot
          title="Programs an hour"
          kind="throughput"
          x={x}
          lines={[{ name: 'programs an hour', colour: '--s0', values: programs, as: 'straight' }]}
          xText={compact}
          yText={compact}
          range={[0, Math.max(...known) * 1.08]}
          height={180}
          told={(index) =>
            `${count(x[index]!)} programs: ${compact(Math.round(programs[index] ?? 0))} programs and ${compact(Math.round(tokens[index] ?? 0))} tokens an hour`
          }
          table={() => ({
            head: ['programs', 'programs an hour', 'tokens an hour'],
            rows: x.map((value, index) => [
              count(value),
              compact(Math.round(programs[index] ?? 0)),
              compact(Math.round(tokens[index] ?? 0)),
            ]),
          })}
        >
          Between {compact(Math.round(Math.min(...known)))} and {compact(Math.round(Math.max(...known)))} programs an
          hour, over all programs so far. Pauses do not count.
        </Plot>
      )}
    </section>
  );
};
