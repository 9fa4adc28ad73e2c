// A program as prompts show it.
import type { Outcome } from '../types.ts';

export type ShownProgram = {
  readonly code: string;
  readonly outcome: Outcome;
  /** Raw objective; null unless valid. */
  readonly score: number | null;
  readonly metrics: { readonly [name: string]: number | string | boolean };
};
