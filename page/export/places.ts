// An exported page is sent to others, so it names no machine, endpoint or folder of whoever wrote it: these are
// replaced by what they are. They stand in settings, and from there in errors, events and the names of models.
import { basename } from 'node:path';

const ADDRESS = /^https?:\/\//;

const stringsIn = (value: unknown): readonly string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(stringsIn)
      : [];

/** A text as it stands inside a string of JSON. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The stand-in of each place that these settings name, in JSON; the longest first, because one may hold another. */
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
  return [...found]
    .map(([place, standIn]) => [inJson(place), inJson(standIn)] as const)
    .sort(([a], [b]) => b.length - a.length);
};

/** An odd number of backslashes stands before this place, so the character there is part of an escape. */
const isEscaped = (json: string, at: number): boolean => {
  let first = at;
  while (json[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
};
/** The letters of an escape such as `\n` or `\u001b` are no text: what seems to begin with them is another word. */
const isInEscape = (json: string, at: number): boolean => {
  const digits = /u[\da-f]{0,3}$/i.exec(json.slice(Math.max(0, at - 4), at))?.[0].length ?? 0;
  return isEscaped(json, at) || (digits > 0 && isEscaped(json, at - digits));
};

/** Takes the places that the settings name out of an answer, which is JSON before and after. */
export const withoutPlaces = (settings: readonly unknown[]): ((json: string) => string) => {
  const standIns = standInsOf(settings);
  return (json) =>
    standIns.reduce(
      (text, [place, standIn]) => text.replaceAll(place, (_, at: number) => (isInEscape(text, at) ? place : standIn)),
      json,
    );
};

/** Who acted on the page from another machine is known by an address, which names that machine. */
export const withoutVisitors = (json: string): string =>
  json.replaceAll(/"name":"[0-9a-f]*[.:][0-9a-f.:]*","from":"page"/g, '"name":null,"from":"page"');
