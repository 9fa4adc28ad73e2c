// The kind of patch of a group, drawn by weight (ShinkaEvolve, arXiv 2509.19349): edits, rewrite, or cross.
import type { DiffSettings } from '../config/run-config.ts';
import type { Rng } from '../rng.ts';
import type { ProgramId } from '../types.ts';
import { fencedProgram, type PatchAsked } from './parts/sections.ts';
import type { ShownCode } from './parts/shown-code.ts';

const KINDS = ['diff', 'full', 'cross'] as const;
export type PatchWeights = { readonly [kind in (typeof KINDS)[number]]: number };

/** `with`: the program to cross with. */
export type Patch =
  | { readonly kind: 'diff' | 'full'; readonly with?: undefined }
  | { readonly kind: 'cross'; readonly with: ProgramId };

/** A cross is drawn only where the prompt shows other programs. Without any weight left it is a whole program. */
export const drawPatch = (weights: PatchWeights, others: readonly ProgramId[], random: Rng): Patch => {
  const kinds = KINDS.filter((kind) => weights[kind] > 0 && (kind !== 'cross' || others.length > 0));
  const kind = kinds.length === 0 ? 'full' : kinds[random.weighted(kinds.map((one) => weights[one]))]!;
  return kind === 'cross' ? { kind, with: random.pick(others) } : { kind };
};

/** The form of a group's answer. */
export const patchedDiff = (diff: DiffSettings, patch: Patch | undefined): DiffSettings =>
  patch === undefined ? diff : { ...diff, accept: patch.kind === 'diff' ? 'edits' : 'program' };

/** The words beside the rules of an answer. In the common frame a program that is `shown` above is named. */
export const patchSection = ({ kind, code }: PatchAsked, shown: ShownCode | null): string => {
  switch (kind) {
    case 'diff':
      return '';
    case 'full':
      return '# Rewrite\n\nRewrite the current program as a whole. Another method, another structure or other parameters are welcome; inputs and outputs stay as they are.';
    case 'cross':
      return `# Program to cross with\n\n${shown === null ? fencedProgram(code) : (named(shown.nameOf(code)) ?? shown.show(code, 'the program to cross with'))}\n\nMake one new program of the current program and this one: take the best parts of both. Inputs and outputs stay as they are.`;
  }
};

const named = (name: string | null): string | null => (name === null ? null : `It is ${name}.`);
