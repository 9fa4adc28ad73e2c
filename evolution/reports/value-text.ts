// A value of a setting as people read it: a hint by its words, a mapping by its keys, and no JSON.
import type { Json } from '../types.ts';
import { isPlain } from '../config/layers.ts';

type Mapping = { readonly [key: string]: Json };

/** `“try a hexagon” (island 2)`, `in 1, out 2`, `score, length`. */
export const valueText = (value: Json | undefined): string => {
  if (value == null) return 'none';
  if (Array.isArray(value))
    return value.length === 0 ? 'none' : value.map(valueText).join(value.some(isInner) ? '; ' : ', ');
  return isPlain(value) ? mappingText(value as Mapping) : String(value);
};

const isInner = (value: Json): boolean => Array.isArray(value) || isPlain(value);

const mappingText = ({ text, ...rest }: Mapping): string => {
  const others = Object.entries(typeof text === 'string' || text === undefined ? rest : { text, ...rest })
    .filter(([, one]) => one !== null)
    .map(([key, one]) => `${key} ${isInner(one) ? `(${valueText(one)})` : valueText(one)}`)
    .join(', ');
  if (typeof text === 'string') return others === '' ? `“${text}”` : `“${text}” (${others})`;
  return others || 'none';
};
