// The groups of a run with `schedule: continuous`, numbered as they are planned; a step commits the next finished ones.
// Ids are in the name of the stream's first step, so an answer keeps its id whichever step commits it.
import { slotsOf } from './slots.ts';

/** The groups of a stream that are committed: all below `next` except those that are open. */
export type StreamPlace = { readonly next: number; readonly open: readonly number[] };

/** The groups of a stream that one step commits, and the place after it. */
export type StreamStep = StreamPlace & {
  /** The step in whose name the ids of the stream are. */
  readonly first: number;
  /** Responses of a group. */
  readonly responses: number;
  /** In the order in which they were finished, which is the order of insertion. */
  readonly groups: readonly number[];
  /** Slots of these groups that were never asked for, to keep a limit. */
  readonly omitted: readonly number[];
  /** Slots of programs that people injected. They come last, and their ids are in the name of the step itself. */
  readonly injected: readonly number[];
};

export const STREAM_START: StreamPlace = { next: 0, open: [] };

/** The slots of injected programs begin here, above those of every group that a stream can have. */
export const FIRST_INJECTED = 900_000;

/** The place after these groups are committed too. */
export const streamAfter = ({ next, open }: StreamPlace, groups: readonly number[]): StreamPlace => {
  const committed = new Set(groups);
  const after = Math.max(next, ...groups.map((group) => group + 1));
  const passed = Array.from({ length: after - next }, (_, index) => next + index);
  return { next: after, open: [...open, ...passed].filter((group) => !committed.has(group)) };
};

/** The slots of a step's groups, in the order of insertion. */
export const slotsInOrder = ({
  groups,
  responses,
  omitted,
}: Pick<StreamStep, 'groups' | 'responses' | 'omitted'>): readonly number[] => {
  const left = new Set(omitted);
  return groups.flatMap((group) => slotsOf(group, responses)).filter((slot) => !left.has(slot));
};

/** The time (ms) from an answer until the request that follows it is ready to leave. */
export const LATELY_MS = 750;

/** How much evaluations of so many ms on average hold up requests: 0 up to 250 ms, 1 from 750 ms on. */
export const slowness = (evaluationMs: number): number =>
  Math.min(1, Math.max(0, (1.5 * evaluationMs) / LATELY_MS - 0.5));

/**
 * The places that programs take. Those that are to be evaluated take theirs until they are, so that requests do not run
 * ahead of evaluations. Where evaluations are quick, as many as there are places take none.
 */
export const placesHeld = (
  { inFlight, slow }: { readonly inFlight: number; readonly slow: number },
  { asked, waiting }: { readonly asked: number; readonly waiting: number },
): number => asked + slow * waiting + (1 - slow) * Math.max(0, waiting - inFlight);

/**
 * The places that programs may take at once: `inFlight`, and more requests that wait beside the model, so that none of
 * its places is empty. `arrivals` is the number of recent answers: as many places are soon free. Few wait where answers
 * are slow, and none where evaluations are, since what waits knows nothing of later commits.
 */
export const mostHeld = ({ inFlight, responses, arrivals = 0, slow = 0 }: Omit<Sizes, 'batch'>): number => {
  const beside = Math.max(Math.ceil(inFlight / 8), responses, soon(inFlight, arrivals));
  // A group is asked for whole.
  return inFlight + Math.max(responses - 1, Math.floor((1 - slow) * beside));
};

const soon = (inFlight: number, arrivals: number): number => Math.min(3 * inFlight, arrivals);

/** The most answers of one report, where they come quickly: half of the places. */
export const reportedAtOnce = (inFlight: number): number => Math.max(1, Math.ceil(inFlight / 2));

/**
 * The most steps that a turn commits, with twice as many programs as are in flight: fast answers give a turn several.
 */
export const stepsInTurn = ({ batch, responses, inFlight }: Pick<Sizes, 'batch' | 'responses' | 'inFlight'>): number =>
  Math.max(1, Math.floor((2 * inFlight) / (batch * responses)));

/**
 * The programs of a stream in one step workflow: 1,200 to 1,300 events of history where answers are fast, at most
 * EVENTS of workflows/stream/stream.ts where they are not.
 */
export const WINDOW_PROGRAMS = 1_024;

type Sizes = {
  readonly batch: number;
  readonly responses: number;
  readonly inFlight: number;
  readonly arrivals?: number;
  /** How much evaluations hold up requests: 0 where they are quick, 1 where they are slow. */
  readonly slow?: number;
};

/** Groups for which there is room, or enough until further ones are planned. */
const readyGroups = (sizes: Sizes, held: number): number => {
  const { responses, inFlight, arrivals = 0, slow = 0 } = sizes;
  // Where evaluations are slow, no group is planned before there is room for all of it.
  const room = mostHeld(sizes) - held - slow * (responses - 1);
  return Math.ceil(Math.max((1 - slow) * soon(inFlight, arrivals), room) / responses);
};

/** The most groups planned and not committed: asked for, ready, or finished and waiting for their step or turn. */
export const plannedAhead = (sizes: Sizes): number => {
  const asked = Math.ceil(mostHeld(sizes) / sizes.responses);
  return asked + readyGroups(sizes, 0) + (1 + stepsInTurn(sizes)) * sizes.batch;
};

type Planned = {
  readonly ready: number;
  /** Groups that are asked for or finished and are not committed by the same turn. */
  readonly open: number;
  /** Places that programs hold. */
  readonly held: number;
};

/** Groups to plan, beside those that are ready and open. */
export const toPlan = (sizes: Sizes, { ready, open, held }: Planned): number =>
  Math.max(0, Math.min(readyGroups(sizes, held) - ready, plannedAhead(sizes) - ready - open));

/** The number of groups that are still to be asked for, where so many are asked for and not committed. */
export const groupsLeft = (left: {
  readonly batch: number;
  readonly responses: number;
  readonly uncommitted: number;
  /** The programs and the uncommitted steps that limits leave. */
  readonly programs: number;
  readonly steps: number;
  /** The stream comes to its end; a step that has begun is filled. */
  readonly closing: boolean;
}): number => {
  const { batch, uncommitted, programs, responses, steps, closing } = left;
  const filling = (batch - (uncommitted % batch)) % batch;
  const most = Math.min(Math.ceil(programs / responses), steps * batch - uncommitted, closing ? filling : Infinity);
  return Math.max(0, most);
};
