// A sweep as its form holds it: a list of values for each setting that varies, seeds, repetitions.
import { isPlain } from '../../../evolution/config/layers.ts';
import type { Json } from '../../../evolution/types.ts';
import { type Flat, flat, listed, nested } from './settings-values.ts';

export type SweepForm = {
  readonly name: string;
  readonly axes: readonly { readonly key: string; readonly values: string }[];
  readonly seeds: string;
  readonly repeat: string;
  readonly maxParallel: string;
  /** Successive halving: programs after which the first part is dropped; empty means none. */
  readonly first: string;
  /** The parts of a file without a field in the form: other ways to vary settings or to halve. */
  readonly rest: { readonly [key: string]: Json };
};

export const EMPTY_SWEEP: SweepForm = {
  name: '',
  axes: [{ key: '', values: '' }],
  seeds: '',
  repeat: '',
  maxParallel: '',
  first: '',
  rest: {},
};

const number = (text: string): Json => (Number.isFinite(Number(text)) ? Number(text) : text);

/** The values of one axis: `4, 8` or, for lists and mappings, a list as JSON. */
export const valuesOf = (text: string): readonly Json[] => {
  const trimmed = text.trim();
  if (!trimmed.startsWith('[')) return listed(trimmed);
  try {
    return JSON.parse(trimmed) as readonly Json[];
  } catch {
    return listed(trimmed);
  }
};

/** The sweep as in a file. */
export const sweepOf = (form: SweepForm, base: Flat): { readonly [key: string]: Json } => {
  const grid = form.axes
    .filter(({ key }) => key.trim() !== '')
    .map(({ key, values }) => [key.trim(), valuesOf(values)] as const);
  const seeds = listed(form.seeds);
  return {
    name: form.name.trim(),
    ...(Object.keys(base).length === 0 ? {} : { base: nested(base) }),
    ...(grid.length === 0 ? {} : { grid: Object.fromEntries(grid) }),
    ...(seeds.length === 0 ? {} : { seeds }),
    ...(form.repeat.trim() === '' ? {} : { repeat: number(form.repeat) }),
    ...(form.maxParallel.trim() === '' ? {} : { maxParallel: number(form.maxParallel) }),
    ...(form.first.trim() === '' ? {} : { stopWhen: { halving: { first: number(form.first) } } }),
    ...form.rest,
  };
};

/** A file as the form shows it, and the settings of its base. Nothing of it is lost: `sweepOf` makes the same again. */
export const formOf = (file: { readonly [key: string]: Json }): { readonly form: SweepForm; readonly base: Flat } => {
  const { name = '', base = {}, grid, seeds, repeat, maxParallel, stopWhen, ...rest } = file;
  const first = simpleHalving(stopWhen);
  const axes = isPlain(grid)
    ? Object.entries(grid).map(([key, values]) => ({ key, values: JSON.stringify(values) }))
    : [];
  return {
    base: isPlain(base) ? flat(base) : {},
    form: {
      name: String(name),
      axes: axes.length === 0 ? EMPTY_SWEEP.axes : axes,
      seeds: Array.isArray(seeds) ? seeds.join(', ') : '',
      repeat: repeat === undefined ? '' : String(repeat),
      maxParallel: maxParallel === undefined ? '' : String(maxParallel),
      first: first === null ? '' : String(first),
      rest: stopWhen === undefined || first !== null ? rest : { ...rest, stopWhen },
    },
  };
};

/** The one number of `{halving: {first}}`; null where it says more, or nothing. */
const simpleHalving = (stopWhen: Json | undefined): Json => {
  const halving = isPlain(stopWhen) ? stopWhen['halving'] : undefined;
  return isPlain(stopWhen) &&
    Object.keys(stopWhen).length === 1 &&
    isPlain(halving) &&
    Object.keys(halving).join() === 'first'
    ? (halving['first'] as Json)
    : null;
};

/** The number of runs, before anything is checked. */
export const runsOf = ({ axes, seeds, repeat }: SweepForm): number =>
  axes.filter(({ key }) => key.trim() !== '').reduce((product, { values }) => product * valuesOf(values).length, 1) *
  Math.max(1, listed(seeds).length) *
  Math.max(1, Number(repeat) || 1);
