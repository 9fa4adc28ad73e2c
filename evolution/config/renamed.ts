// Some names and values of settings have changed. The old ones are read wherever settings are read: in files, flags,
// messages, sweeps and what earlier versions stored. Only the new ones are written.
import { isPlain, merge, type Path, valueAt } from './layers.ts';

const SINCE = '0.3.0';

/** From the dotted key as it was to the key of today. */
const KEYS: Readonly<Record<string, string>> = {
  'population.founding': 'population.initialisation',
  'population.protectOwners': 'population.protectElites',
};

/** From the dotted key of today to its values: as they were, and as they are. */
const VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'population.eviction': { sparing: 'protect-elites' },
};

type Renaming = { readonly key: string; readonly now: string; readonly value: unknown };

/**
 * What the settings hold under an old name, or as an old value. An old key is not read where the new one stands too.
 */
const renamingsIn = (settings: unknown): readonly Renaming[] => [
  ...Object.entries(KEYS).flatMap(([key, now]) => {
    const value = valueAt(settings, key.split('.'));
    return value === undefined || valueAt(settings, now.split('.')) !== undefined ? [] : [{ key, now, value }];
  }),
  ...Object.entries(VALUES).flatMap(([key, values]) => {
    const value = currentValue(values, valueAt(settings, key.split('.')));
    return value === null ? [] : [{ key, now: key, value }];
  }),
];

const currentValue = (values: Readonly<Record<string, string>>, value: unknown): string | null =>
  typeof value === 'string' && Object.hasOwn(values, value) ? values[value]! : null;

/** The settings under the names of today; the same object where they have them already. */
export const withCurrentNames = <T>(settings: T): T =>
  renamingsIn(settings).reduce<T>(
    (renamed, { key, now, value }) => merge(without(renamed as object, key.split('.')), nested(now, value)) as T,
    settings,
  );

const nested = (key: string, value: unknown): object =>
  key.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), value) as object;

const without = (tree: object, [first, ...rest]: readonly string[]): object =>
  Object.fromEntries(
    Object.entries(tree).flatMap(([key, value]): [string, unknown][] =>
      key !== first ? [[key, value]] : rest.length === 0 ? [] : [[key, isPlain(value) ? without(value, rest) : value]],
    ),
  );

/** One sentence for each old name and value that the settings hold, for the person who wrote them. */
export const renamingNotes = (settings: unknown): readonly string[] =>
  renamingsIn(settings).map(({ key, now, value }) =>
    key === now
      ? `${key} ${String(valueAt(settings, key.split('.')))} is called ${String(value)} since ${SINCE}`
      : `${key} is called ${now} since ${SINCE}`,
  );

/** The dotted key as it is called today. */
export const currentKey = (key: string): string => (Object.hasOwn(KEYS, key) ? KEYS[key]! : key);

/** Settings by dotted key, under the names of today. */
export const currentCombination = <T>(combination: { readonly [key: string]: T }): { readonly [key: string]: T } =>
  Object.fromEntries(
    Object.entries(combination).map(([key, value]) => [
      currentKey(key),
      (currentValue(VALUES[currentKey(key)] ?? {}, value) as T | null) ?? value,
    ]),
  );

/** The path at which the settings, as they were written, hold the value that stands at a path of today. */
export const writtenPath = (settings: unknown, path: Path): Path => {
  const found = renamingsIn(settings).find(({ now }) => now === path.join('.'));
  return found === undefined ? path : found.key.split('.');
};

/**
 * A setting under its first name. Ids and random draws that are made from settings use it, so that a new name changes
 * neither.
 */
export const firstNames = ([key, value]: readonly [string, unknown]): readonly [string, unknown] => [
  firstKey(key),
  Object.entries(VALUES[key] ?? {}).find(([, now]) => now === value)?.[0] ?? value,
];

export const firstKey = (key: string): string => Object.entries(KEYS).find(([, now]) => now === key)?.[0] ?? key;
