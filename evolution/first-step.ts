// Step 0 evaluates the initial program. Whoever plans, parks or rewinds it says the same of it.

/** The type of the failure of a step 0 whose initial program is not valid, or whose task cannot be used. */
export const NO_VALID_START = 'NoValidStart';

/** Why step 0 is not done again. */
export const KEEPS_STEP_0 =
  'Step 0 is done again only while a run has no valid program, because scores of two tasks could not be compared';
