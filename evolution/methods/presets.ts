// What each method sets when the user does not: one file a method, all of one shape. Called by config/defaults.ts.
import type { RunConfig } from '../config/run-config.ts';
import type { MethodName } from './names.ts';
import { thetaDefaults } from './theta.ts';

/** Everything but the task; seed and model are what a run takes when nothing else is said. */
export type MethodDefaults = Omit<RunConfig, 'task'>;

export const PRESETS: { readonly [method in MethodName]: MethodDefaults } = { theta: thetaDefaults };
