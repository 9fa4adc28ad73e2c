// The findings of `evolve doctor <run>` on a stream (`schedule: continuous`): the work in flight, and the reasons for a
// standstill. All functions are pure.
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import { EVALUATION_QUEUE } from '../../evolution/hosts/needs.ts';
import { inFlight, inStepText } from '../../evolution/reports/in-step.ts';
import { QUEUES } from '../../workflows/engine/queues.ts';
import type { InStep, RunProgress } from '../../workflows/messages/messages.ts';
import type { Execution } from '../temporal/execution.ts';
import { unservedText } from '../connect/hosts.ts';
import type { QueueRate } from '../temporal/queue-rates.ts';
import { fine, look, type RunFinding } from '../read/state-findings.ts';

export type StreamState = {
  /** The open windows, the newest first. */
  readonly windows: readonly { readonly number: number; readonly execution: Execution }[];
  /** The counters of the newest one over all uncommitted programs; null where it does not answer. */
  readonly counts: InStep | null;
  /** The time of the last commit; null where there is none, or where it is not known. */
  readonly committedAt: Date | null;
  readonly rates: readonly Pick<QueueRate, 'queue' | 'perSecond' | 'waiting'>[];
  /** Queues that a host polls which gives signs of life. */
  readonly polled: ReadonlySet<string>;
  /** Endpoints of the run that asked to be left alone, and for how long. */
  readonly pauses: readonly { readonly endpoint: string; readonly ms: number }[];
};

type Standing = {
  readonly run: RunDocument;
  readonly live: RunProgress | null;
  readonly stream?: StreamState;
  readonly now?: Date;
};

const ago = (then: Date, now: Date): string => {
  const seconds = Math.max(0, Math.round((now.getTime() - then.getTime()) / 1000));
  return seconds < 90 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`;
};

export const aboutStream = ({ run, live, stream, now }: Standing): readonly RunFinding[] => {
  if (stream === undefined) return [];
  if (stream.windows.length === 0)
    return [fine('stream', 'no window is open: the next one begins, or the run waits for what is said above')];
  const at = stream.counts === null ? null : inFlight(stream.counts);
  const { asked = 1, evaluating = 1, finished = 1 } = at ?? {};
  return [
    fine('stream', `${windowsText(stream)}: ${flightText(stream)}${sinceText(stream, now)}`),
    ...aboutOrder(run, live, at),
    ...aboutPlaces(run, at),
    ...(asked > 0 ? [...heldBack(stream, QUEUES.llm, 'asked for'), ...stream.pauses.map(pausedBy)] : []),
    ...(evaluating > 0 ? heldBack(stream, run.queue ?? EVALUATION_QUEUE, 'evaluated') : []),
    ...(finished > 0 ? heldBack(stream, QUEUES.db, 'committed') : []),
  ];
};

type Flight = ReturnType<typeof inFlight>;

const windowsText = ({ windows }: StreamState): string => {
  const names = windows.map(({ number }) => number).join(', ');
  return windows.length === 1 ? `the window of step ${names}` : `${windows.length} windows overlap (of steps ${names})`;
};

const flightText = ({ counts }: StreamState): string =>
  counts === null ? 'what is in flight is not known, because it does not answer' : inStepText(counts, true);

const sinceText = ({ committedAt }: StreamState, now: Date | undefined): string =>
  committedAt === null || now === undefined ? '' : `; the last step was committed ${ago(committedAt, now)}`;

/** Finished programs that are not committed wait for others. */
const aboutOrder = (run: RunDocument, live: RunProgress | null, at: Flight | null): readonly RunFinding[] => {
  if (live?.status === 'pausing' || live?.status === 'stopping')
    return [
      fine(
        'stream',
        'it comes to its end: nothing more is asked for than fills its last step, and what is under way is answered, evaluated and committed',
        `npx evolve ${live.status === 'pausing' ? 'pause' : 'stop'} ${run.run} --now`,
      ),
    ];
  if (live?.closing === true)
    return [
      fine(
        'stream',
        'it comes to its end, because limits or settings were changed, a program was put in, a limit is reached, or a new version takes over: ' +
          'what is under way is answered, evaluated and committed, and where the run goes on, it then begins a new stream with what is new',
      ),
    ];
  if (at === null || at.finished === 0) return [];
  return [
    fine(
      'stream',
      at.asked + at.applying + at.evaluating === 0
        ? 'all that is under way is finished, and is entered into the population now'
        : `what is finished waits for its turn: ${run.config.batch} groups make a step, in the order in which they were finished`,
    ),
  ];
};

/** Requests wait where programs that are to be evaluated hold most places. */
const aboutPlaces = ({ config: { inFlight: places } }: RunDocument, at: Flight | null): readonly RunFinding[] => {
  const waiting = at === null ? 0 : at.applying + at.evaluating;
  if (at === null || 2 * waiting < places || at.asked + waiting < places) return [];
  return [
    fine(
      'stream',
      `requests wait for evaluations: ${waiting} programs that are to be evaluated hold the most of ${places} places (inFlight). More evaluation hosts make it faster; places beyond twice the evaluations that run at once only make parents older`,
      'npx evolve hosts',
    ),
  ];
};

const pausedBy = ({ endpoint, ms }: StreamState['pauses'][number]): RunFinding =>
  fine(
    'stream',
    `${endpoint} asked to be left alone for ${Math.ceil(ms / 1000)} s; requests wait for that long and go on by themselves`,
  );

const ROLE_OF: Readonly<Record<string, string>> = { [QUEUES.llm]: 'model', [QUEUES.db]: 'engine' };

/** The reasons for which a queue stands still. */
const heldBack = ({ rates, polled }: StreamState, queue: string, what: string): readonly RunFinding[] => {
  const rate = rates.find((one) => one.queue === queue);
  return [
    ...(polled.has(queue)
      ? []
      : [
          look(
            'stream',
            `nothing is ${what}: ${queue.startsWith(`${EVALUATION_QUEUE}-`) ? unservedText(queue) : `no host works on ${queue}`}`,
            `npx evolve up, or npx evolve worker ${ROLE_OF[queue] ?? 'evaluation'}; npx evolve hosts lists those that work`,
          ),
        ]),
    ...(rate?.perSecond === 0
      ? [
          look(
            'stream',
            `nothing is ${what}: the rate of ${queue} is 0, and ${rate.waiting} activities wait`,
            `npx evolve rates set ${queue} off`,
          ),
        ]
      : []),
    ...(rate?.perSecond
      ? [
          fine(
            'stream',
            `${queue} hands out ${rate.perSecond} activities a second, ${rate.waiting} wait`,
            'npx evolve rates',
          ),
        ]
      : []),
  ];
};
