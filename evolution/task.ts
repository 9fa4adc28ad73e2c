// The task contract: what a folder in tasks/ amounts to once it is read and checked.
import type { Direction, Json } from './types.ts';

export type TaskLimits = {
  /** CPU seconds of the candidate's container. */
  readonly cpuSeconds: number;
  /** Backstop on the wall clock, seconds. */
  readonly wallSeconds: number;
  readonly memoryBytes: number;
  readonly outputBytes: number;
  readonly pids: number;
};

export type Task = {
  readonly id: string;
  readonly title: string;
  readonly version: number;
  readonly kind: 'solution';
  readonly direction: Direction;
  /** Function the candidate must define. */
  readonly entry: string;
  /** Name of the raw objective, e.g. `sum_radii`. */
  readonly scoreName: string;
  /** Public parameters handed to the candidate (seed and time_limit_s are added at run time). */
  readonly instance: { readonly [key: string]: Json };
  readonly limits: TaskLimits;
  readonly references: readonly { readonly name: string; readonly value: number; readonly source: string; readonly strict: boolean }[];
  /** Weighted prompt parts; weights sum to 1; texts already have their placeholders resolved. */
  readonly prompts: readonly { readonly name: string; readonly weight: number; readonly text: string }[];
  /** Its own templates of prompts, by style, as text; the shipped ones hold where it has none. */
  readonly templates?: { readonly [style: string]: string };
  readonly initialProgram: string;
  /** Python source with `evaluate(instance, solution) -> {valid, score, metrics, reasons}`; runs in the trusted container only. */
  readonly evaluatorSource: string;
  /** SHA-256 over evaluator, instance and version: part of every evaluation's key. */
  readonly evaluatorDigest: string;
  /** How the solution is drawn for people: `circles-in-unit-square` or none. */
  readonly picture: 'circles-in-unit-square' | null;
};
