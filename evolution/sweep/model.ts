// The model of a sweep that names none is written into its base once, so that every expansion makes the same runs.
import { defined } from '../config/layers.ts';
import { OFFLINE_MODEL } from '../config/offline.ts';
import type { SweepSpec } from './spec.ts';

type Named = Partial<Pick<NonNullable<SweepSpec['base']['model']>, 'kind' | 'name' | 'baseUrl'>>;

const kindOf = ({ kind, name, baseUrl }: Named): Named['kind'] =>
  kind ?? (name === undefined && baseUrl === undefined ? undefined : name === OFFLINE_MODEL ? 'offline' : 'openai');

/** `theirs` counts where the base names no model of another kind; null is the offline model. */
export const withModel = (spec: SweepSpec, theirs: Named | null): SweepSpec => {
  const own = spec.base.model ?? {};
  const [kind, other] = [kindOf(own), theirs === null ? 'offline' : kindOf(theirs)];
  if (kind !== undefined && (theirs === null || kind !== other)) return spec;
  return { ...spec, base: { ...spec.base, model: { kind: other, ...theirs, ...own } as typeof own } };
};

/** The model of the stored sweep, or null. */
export const modelBegunWith = (spec: unknown): Named | null => {
  const { kind, name, baseUrl } = (spec as { readonly base?: { readonly model?: Named } }).base?.model ?? {};
  const named = defined({ kind, name, baseUrl });
  return Object.keys(named).length === 0 ? null : (named as Named);
};
