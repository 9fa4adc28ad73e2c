// The worker bundles this file, and registers the workflows that it exports.

export { policyUpdate } from './learning/policy-update.ts';
export { evolutionRun } from './run/evolution-run.ts';
export { evaluatorCall } from './step/evaluator-call.ts';
export { evolutionStep } from './step/evolution-step.ts';
export { sweep } from './sweep/sweep.ts';
