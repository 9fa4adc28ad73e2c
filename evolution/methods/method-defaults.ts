// The shape of a method's file: what it sets when the user does not.
import type { RunConfig } from '../config/run-config.ts';

/** Everything but the task; seed and model are what a run takes when nothing else is said. */
export type MethodDefaults = Omit<RunConfig, 'task'>;
