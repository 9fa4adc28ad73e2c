// A slot is a response's place in its step: group * n + sample. Injected programs come after the last group's.

/** The numbers from `first` on. */
export const range = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => first + index);

export const slotOf = (group: number, sample: number, responses: number): number => group * responses + sample;

export const groupOf = (slot: number, responses: number): number => Math.floor(slot / responses);

export const sampleOf = (slot: number, responses: number): number => slot % responses;

/** The slots of a group; with `first` and `count`, those of these samples only. */
export const slotsOf = (group: number, responses: number, first = 0, count = responses - first): number[] =>
  range(slotOf(group, first, responses), count);

/** The number of slots that the model's programs take in a whole step. */
export const slotsIn = ({ batch, responses }: { readonly batch: number; readonly responses: number }): number =>
  batch * responses;

/** The number that gives all programs a total order of birth. */
export const bornSeq = (step: number, slot: number): number => step * 1e6 + slot;
