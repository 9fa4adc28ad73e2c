// The form of a delta in an answer: delimiters and labels are literal (DeltaEvolve, section 2, Output format), what stands in angle
// brackets is ours. Read back unchanged, each form counts as no delta. Called by instructions.ts.

export const SUMMARY_FORMAT = `#DELTA-SUMMARY-START
FROM: <one sentence: the strategy of the program that you were given>
TO: <one sentence: the strategy of the program as you leave it>
#DELTA-SUMMARY-END`;

export const PLAN_FORMAT = `#DELTA-PLAN-DETAILS-START
[Modification 1]
COMPONENT: <the part of the method that changed, such as starting points, constraint handling or the main loop>
OLD_LOGIC: <what it did before, in short>
NEW_LOGIC: <what it does now, in detail: rules, formulas, the values of all parameters>
HYPOTHESIS: <why this should raise the score>
[Modification 2]
COMPONENT: ...
OLD_LOGIC: ...
NEW_LOGIC: ...
HYPOTHESIS: ...
#DELTA-PLAN-DETAILS-END`;
