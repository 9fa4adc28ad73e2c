// The events of a run, newest first: a short list for the overview, and the view with a filter.
import { personText } from '../../../evolution/steering/base/people.ts';
import { EVENT_KINDS, type EventKind, type Events as Answer, type RunEvent } from '../../api/run/events.ts';
import type { Steps } from '../../api/run/steps.ts';
import { Select } from '../base/controls.tsx';
import { Card, Foreign, Moment, Nothing, When } from '../base/parts.tsx';
import { linkTo, programLink, route, setQuery, stepLink, useBehind, useRunAnswer } from '../base/state.ts';
import { count, inZone } from '../base/text.ts';
import type { RunViewProps } from '../base/view.ts';

type ListProps = { readonly run: string; readonly events: readonly RunEvent[] };

const List = ({ run, events }: ListProps) => (
  <ol class="events">
    {events.map(({ kind, atMs, exact, step, text, program, by, waits = false }) => (
      <li>
        <span class="at">
          {exact ? '' : '≈ '}
          <Moment
            at={atMs}
            exact
            title={exact ? '' : 'The time is that of the step; when it was asked for is not stored.'}
          />
        </span>
        <span class={`badge ${kind === 'best' ? 'good' : waits ? 'wait' : 'plain'}`}>{EVENT_KINDS[kind]}</span>
        <span>
          {by === undefined ? null : (
            <>
              <b>
                <Foreign text={personText(by)} />
              </b>{' '}
            </>
          )}
          {program === null ? <Foreign text={inZone(text)} /> : <a href={programLink(run, program)}>{text}</a>}
          {step === null || kind === 'step' ? null : (
            <>
              {' at '}
              <a href={stepLink(run, step)}>step {step}</a>
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
  const title = (
    <>
      Events{' '}
      <a class="times" href={linkTo(['run', run, 'events'])}>
        all of them
      </a>
    </>
  );
  return (
    <Card title={title}>
      <When answer={useBehind<Answer>(run, 'latest', atMs)} what="the events">
        {({ events }) =>
          events.length === 0 ? (
            <Nothing>Nothing has happened yet.</Nothing>
          ) : (
            <List run={run} events={events.filter(({ step }) => (step ?? 0) <= last).slice(0, LATEST)} />
          )
        }
      </When>
    </Card>
  );
};

export const Events = ({ run }: RunViewProps) => {
  const kind = route.value.query.get('kind') as EventKind | null;
  return (
    <When answer={useRunAnswer<Answer>(run, 'events')} what="the events">
      {({ events, more }) => {
        const ofKind = (name: string | null) => events.filter((one) => name === null || one.kind === name);
        const kinds = Object.entries(EVENT_KINDS).map(
          ([name, title]) => [name, `${title} (${count(ofKind(name).length)})`] as const,
        );
        const options = [['', `everything (${count(events.length)})`] as const, ...kinds];
        const choice = (
          <Select label="show" value={kind ?? ''} options={options} onValue={(one) => setQuery({ kind: one })} />
        );
        return (
          <Card title="Events, newest first" tools={choice}>
            {ofKind(kind).length === 0 ? (
              <Nothing>Nothing of this kind has happened in this run.</Nothing>
            ) : (
              <List run={run} events={ofKind(kind)} />
            )}
            {more > 0 ? (
              <p class="soft">{count(more)} earlier events are not listed. The table of programs has all steps.</p>
            ) : null}
          </Card>
        );
      }}
    </When>
  );
};
