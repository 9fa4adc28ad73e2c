// The workflows that the worker bundles and registers.

export { evolutionRun } from './run/evolution-run.ts';
export { evolutionStep } from './step/evolution-step.ts';
export { sweep } from './sweep/sweep.ts';
