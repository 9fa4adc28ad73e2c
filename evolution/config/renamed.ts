// Names of settings, and values, that have changed. The old ones are read wherever settings are read: in files, flags,
// messages, sweeps and what earlier versions stored. The new ones are written.
import { isPlain, merge, type Path, valueAt } from './layers.ts';

const SINCE = '0.3.0';

/** By dotted key as it was: as it is. */
const KEYS: Readonly<Record<string, string>> = {
  'population.founding': 'population.initialisation',
  'population.protectOwners': 'population.protectElites',
};

/** By dotted key as it is: values as they were, and as they are. */
const VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'population.eviction': { sparing: 'protect-elites' },
};

type Renaming = { readonly key: string; readonly now: string; readonly value: unknown };

/** What the settings hold under a name, or as a value, that has changed. A key that stands there under both is not read. */
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

/** The settings under the names of today: the same object where they are so already. */
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

/** Where the settings that were written have the value that stands at a path today. */
export const writtenPath = (settings: unknown, path: Path): Path => {
  const found = renamingsIn(settings).find(({ now }) => now === path.join('.'));
  return found === undefined ? path : found.key.split('.');
};

/** A setting as it was called at first. Names that are made from settings, and draws, do not change with it. */
export const firstNames = ([key, value]: readonly [string, unknown]): readonly [string, unknown] => [
  firstKey(key),
  Object.entries(VALUES[key] ?? {}).find(([, now]) => now === value)?.[0] ?? value,
];

export const firstKey = (key: string): string => Object.entries(KEYS).find(([, now]) => now === key)?.[0] ?? key;
