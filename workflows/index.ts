// What the workflow bundle registers.
export { evolutionRun } from './evolution-run.ts';
export { evolutionStep } from './evolution-step.ts';
export { sweep } from './sweep.ts';
