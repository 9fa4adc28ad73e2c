// Settings come in layers, of which one is laid over another, and a value in them is found by its path.
import { canonicalJson } from '../canonical-json.ts';
import type { Json } from '../types.ts';

export type Path = readonly (string | number)[];

export const isPlain = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** The same object without the keys that hold undefined. */
export const defined = <T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };

/** Mappings merge key by key; everything else is replaced as a whole. */
export const merge = <T extends object>(below: T, above: object): T => {
  const result = { ...below } as Record<string, unknown>;
  for (const [key, value] of Object.entries(above)) {
    if (value === undefined) continue;
    const present = result[key];
    result[key] = isPlain(present) && isPlain(value) ? merge(present, value) : value;
  }
  return result as T;
};

/** The value at a path through mappings and lists; undefined where there is none. */
export const valueAt = (data: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, part) =>
      value !== null && typeof value === 'object' && Object.hasOwn(value, part)
        ? (value as Record<string, unknown>)[part]
        : undefined,
    data,
  );

/** `{'population.islands': 4}` as the mapping `{population: {islands: 4}}`. The keys must be known ones. */
export const fromDotted = (dotted: { readonly [key: string]: unknown }): Record<string, unknown> =>
  Object.entries(dotted).reduce<Record<string, unknown>>(
    (tree, [key, value]) =>
      merge(tree, key.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), value) as object),
    {},
  );

/** `{limits: {steps: 4}}` as `{'limits.steps': 4}`. Settings are one level deep: what lies below is one value. */
export const flat = (settings: { readonly [key: string]: unknown }): { readonly [key: string]: Json } =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([key, value]): readonly (readonly [string, Json])[] =>
      isPlain(value)
        ? Object.entries(value).map(([inner, one]) => [`${key}.${inner}`, one as Json] as const)
        : [[key, value as Json] as const],
    ),
  );

/** The form of an address by which endpoints are compared and keys are kept: without a trailing slash. */
export const tidyUrl = (url: string): string => url.trim().replace(/\/+$/, '');

/**
 * A text without passwords in addresses, without keys in their queries (by name, or by length and signs), and without
 * segments of paths that begin as keys do.
 */
export const hideCredentials = (text: string): string =>
  text
    .replace(/\/\/[^/@\s"]{1,500}@/g, '//***@')
    .replace(
      /([?&;][^=&\s"]{0,60}(?:key|token|secret|password|auth|sig|credential)[^=&\s"]{0,60}=)[^&\s"#]+/gi,
      '$1***',
    )
    .replace(/([?&;][^=&\s"]{1,60}=)(?=[\w.~+/%-]{0,60}\d)(?=[\w.~+/%-]{0,60}[A-Za-z])[\w.~+/%-]{16,2000}/g, '$1***')
    .replace(/(\/)(?:sk|pk|rk|gsk|ghp|glpat|AKIA|AIza)[-_A-Z0-9](?=[\w-]{0,60}\d)[\w-]{14,500}/g, '$1***');

/** The settings of endpoints, whose addresses may hold a key. */
const ENDPOINTS: readonly string[] = ['model', 'models', 'embedding', 'learning'];

const hidden = (value: unknown): unknown => {
  if (typeof value === 'string') return hideCredentials(value);
  if (Array.isArray(value)) return value.map(hidden);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, hidden(one)]));
};

/** The settings without what addresses may hold of a key. */
export const withoutCredentials = <T extends object>(settings: T): T =>
  Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [key, ENDPOINTS.includes(key) ? hidden(value) : value]),
  ) as T;

/** The dotted keys in which two versions differ; a list counts as one key. */
export const changedKeys = (before: unknown, after: unknown, path: readonly string[] = []): readonly string[] => {
  if (!isPlain(before) || !isPlain(after))
    return canonicalJson(before) === canonicalJson(after) ? [] : [path.join('.')];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
    changedKeys(before[key], after[key], [...path, key]),
  );
};
