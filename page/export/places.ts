// An exported page is sent to others, so it names no machine, endpoint or folder of whoever wrote it: these are replaced
// by what they are. They stand in settings, and from there in errors, events and the names of models' endpoints.
import { basename } from 'node:path';

const ADDRESS = /^https?:\/\//;

const stringsIn = (value: unknown): readonly string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(stringsIn)
      : [];

/** What stands for each place that these settings name, the longest first, because one may hold another. */
const standInsOf = (settings: readonly unknown[]): readonly (readonly [place: string, standIn: string])[] => {
  const found = new Map<string, string>();
  let endpoints = 0;
  for (const text of settings.flatMap(stringsIn))
    if (ADDRESS.test(text) && URL.canParse(text)) {
      if (found.has(text)) continue;
      const { host } = new URL(text);
      const name = found.get(host) ?? `endpoint-${(endpoints += 1)}`;
      found.set(text, `http://${name}.invalid`).set(host, name);
    } else if (text.startsWith('/') && !/\s/.test(text) && basename(text) !== '') found.set(text, basename(text));
  return [...found].sort(([a], [b]) => b.length - a.length);
};

/** An answer without the places that the settings name. */
export const withoutPlaces = (settings: readonly unknown[]): ((answer: unknown) => unknown) => {
  const standIns = standInsOf(settings);
  const hide = (value: unknown): unknown => {
    if (typeof value === 'string')
      return standIns.reduce((text, [place, standIn]) => text.replaceAll(place, standIn), value);
    if (Array.isArray(value)) return value.map(hide);
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [hide(key) as string, hide(inner)]));
    return value;
  };
  return standIns.length === 0 ? (answer) => answer : hide;
};
