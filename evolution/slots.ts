// A response's place in its step: group * n + sample, n the responses a group. What people injected comes after them.

/** First the slot of the group's sample 0. */
export const slotOf = (group: number, sample: number, responses: number): number => group * responses + sample;

export const groupOf = (slot: number, responses: number): number => Math.floor(slot / responses);

export const sampleOf = (slot: number, responses: number): number => slot % responses;

/** The numbers from `first` on. */
export const range = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => first + index);

/** Slots of a group; with `first` and `count` only those of these samples. */
export const slotsOf = (group: number, responses: number, first = 0, count = responses - first): number[] =>
  range(slotOf(group, first, responses), count);
