// The counts of an open step, or of all that is under way in a stream, in words. All functions are pure.

/** As a step's workflow tells them. */
export type InStep = {
  readonly total: number;
  readonly responses: number;
  readonly applied: number;
  readonly evaluated: number;
  readonly toEvaluate: number;
};

/** Uncommitted programs by the state of their work. */
export const inFlight = ({ total, responses, applied, evaluated, toEvaluate }: InStep) => ({
  asked: Math.max(0, total - responses),
  applying: Math.max(0, responses - applied),
  evaluating: Math.max(0, toEvaluate - evaluated),
  finished: Math.max(0, Math.min(applied, total) - Math.max(0, toEvaluate - evaluated)),
});

/**
 * `5 of 8 answered, 3 evaluating, 1 done`. A stream has work of several steps under way, and its text says what is ahead
 * of what: `8 under way: 3 requested, 2 to be evaluated, 3 to be committed`.
 */
export const inStepText = (counts: InStep, stream: boolean): string => {
  const { asked, applying, evaluating, finished } = inFlight(counts);
  const { total, responses } = counts;
  if (stream)
    return `${total} under way: ${asked} requested, ${applying + evaluating} to be evaluated, ${finished} to be committed`;
  return [
    `${responses} of ${total} answered`,
    ...(evaluating === 0 ? [] : [`${evaluating} evaluating`]),
    `${finished} done`,
  ].join(', ');
};
