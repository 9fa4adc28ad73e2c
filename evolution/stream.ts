// In a run with `schedule: continuous` the groups of many steps form a stream: they are numbered in the order in which
// they are planned, and a step commits those that were finished next. Ids are in the name of the stream's first step,
// so that an answer keeps its id whichever step commits it.
import { slotsOf } from './slots.ts';

/** Which groups of a stream are committed: all below `next` except those that are open. */
export type StreamPlace = { readonly next: number; readonly open: readonly number[] };

/** What one step commits of a stream, and the place after it. */
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
