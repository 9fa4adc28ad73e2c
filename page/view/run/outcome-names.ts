// The outcomes of programs in words and colours, in the order in which shares are stacked.
export const OUTCOMES: readonly { readonly outcome: string; readonly name: string; readonly colour: string }[] = [
  { outcome: 'valid', name: 'valid', colour: '--s2' },
  { outcome: 'invalid', name: 'invalid', colour: '--s1' },
  { outcome: 'no_solution', name: 'no solution', colour: '--bad' },
  { outcome: 'duplicate', name: 'duplicate', colour: '--s6' },
  { outcome: 'no_change', name: 'no change', colour: '--s5' },
  { outcome: 'no_diff', name: 'no edit', colour: '--s3' },
  { outcome: 'rejected', name: 'idea rejected', colour: '--s4' },
  { outcome: 'unparsed', name: 'judge not readable', colour: '--s7' },
  { outcome: 'idea_failed', name: 'no idea', colour: '--s0' },
  { outcome: 'rm_failed', name: 'judge not reached', colour: '--wait' },
];

const NAMES: ReadonlyMap<string, string> = new Map(OUTCOMES.map(({ outcome, name }) => [outcome, name]));

/** The word for an outcome, the same in every view. */
export const outcomeName = (outcome: string): string => NAMES.get(outcome) ?? outcome.replaceAll('_', ' ');
