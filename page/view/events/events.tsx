// What happened in a run, newest first: a short list for the overview, and the view with a filter.
import { EVENT_KINDS, type EventKind, type Events as Answer, type RunEvent } from '../../data/events.ts';
import type { Steps } from '../../data/steps.ts';
import { Foreign, Nothing, When } from '../base/parts.tsx';
import { linkTo, route, setQuery, useAnswer } from '../base/state.ts';
import { count, exactMoment } from '../base/text.ts';
import type { RunViewProps } from '../base/view.ts';
import { useBehind } from '../run/behind.ts';

const eventsPath = (run: string): string => `runs/${encodeURIComponent(run)}/events`;

const List = ({
  run,
  events,
  narrow = false,
}: {
  readonly run: string;
  readonly events: readonly RunEvent[];
  readonly narrow?: boolean;
}) => (
  <ol class={narrow ? 'events narrow' : 'events'}>
    {events.map(({ kind, atMs, exact, step, text, program }) => (
      <li>
        <time
          dateTime={new Date(atMs).toISOString()}
          title={exact ? undefined : 'The time is that of the step; when it was asked for is not stored.'}
        >
          {exact ? '' : '≈ '}
          {exactMoment(atMs)}
        </time>
        <span class={`badge ${kind === 'best' ? 'good' : kind === 'state' ? 'wait' : 'plain'}`}>
          {EVENT_KINDS[kind]}
        </span>
        <span>
          {program === null ? <Foreign text={text} /> : <a href={linkTo(['run', run, 'program', program])}>{text}</a>}
          {step === null || kind === 'step' ? null : (
            <>
              {' '}
              <a href={linkTo(['run', run, 'programs'], { step: `${step}..${step}` })}>step {step}</a>
            </>
          )}
        </span>
      </li>
    ))}
  </ol>
);

const LATEST = 8;

/** Events of a later step than the rest of the overview wait for it. */
export const LatestEvents = ({
  run,
  steps,
  atMs,
}: {
  readonly run: string;
  readonly steps: Steps;
  readonly atMs: number;
}) => {
  const last = steps.points.at(-1)?.step ?? 0;
  const answer = useBehind<Answer>(run, 'latest', atMs);
  return (
    <section class="card" aria-labelledby="events-heading">
      <h2 id="events-heading">
        Events{' '}
        <a class="times" href={linkTo(['run', run, 'events'])}>
          all of them
        </a>
      </h2>
      <When answer={answer} what="the events">
        {({ events }) =>
          events.length === 0 ? (
            <Nothing>Nothing has happened yet.</Nothing>
          ) : (
            <List run={run} events={events.filter(({ step }) => (step ?? 0) <= last).slice(0, LATEST)} narrow />
          )
        }
      </When>
    </section>
  );
};

export const Events = ({ run }: RunViewProps) => {
  const kind = route.value.query.get('kind') as EventKind | null;
  return (
    <When answer={useAnswer<Answer>(eventsPath(run), run)} what="the events">
      {({ events, more }) => {
        const shown = kind === null ? events : events.filter((one) => one.kind === kind);
        return (
          <section class="card" aria-labelledby="events-heading">
            <div class="title">
              <h2 id="events-heading">Events, newest first</h2>
              <div class="controls inline">
                <label>
                  show{' '}
                  <select
                    value={kind ?? ''}
                    onChange={({ currentTarget }) =>
                      setQuery({ kind: currentTarget.value === '' ? null : currentTarget.value })
                    }
                  >
                    <option value="">everything ({count(events.length)})</option>
                    {Object.entries(EVENT_KINDS).map(([name, title]) => (
                      <option value={name}>
                        {title} ({count(events.filter((one) => one.kind === name).length)})
                      </option>
                    ))}
                  </select>
                </label>
              </div>
            </div>
            {shown.length === 0 ? (
              <Nothing>Nothing of this kind has happened in this run.</Nothing>
            ) : (
              <List run={run} events={shown} />
            )}
            {more > 0 ? (
              <p class="soft">{count(more)} earlier events are not listed. The table of programs has all steps.</p>
            ) : null}
          </section>
        );
      }}
    </When>
  );
};
