// What the workflow bundle registers.

export { evolutionRun } from './run/evolution-run.ts';
export { evolutionStep } from './step/evolution-step.ts';
export { sweep } from './sweep/sweep.ts';
