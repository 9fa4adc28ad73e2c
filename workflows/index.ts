// The worker bundles this file, and registers the workflows that it exports.

export { evolutionRun } from './run/evolution-run.ts';
export { evolutionStep } from './step/evolution-step.ts';
export { sweep } from './sweep/sweep.ts';
