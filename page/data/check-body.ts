// Checks what a verb is asked with against the table of verbs. The dialogs make right ones; this is for everything else
// that reaches the server.
import { isPlain } from '../../evolution/config/layers.ts';
import { didYouMean } from '../../evolution/config/nearest.ts';
import { shown } from '../../evolution/config/shown.ts';
import { type Field, fieldsOf, type VerbName } from './actions.ts';

/** Names one asking, so that the same one again (a second click, a repeated request) acts once. */
export const REQUEST = /^[A-Za-z0-9-]{8,64}$/;

/** One sentence for each mistake; none where all is well. `request` stands beside the verb's own fields. */
export const bodyProblems = (verb: VerbName, body: unknown): readonly string[] => {
  if (!isPlain(body)) return [`${verb}: expected one JSON object, got ${shown(body)}.`];
  const fields = fieldsOf(verb);
  const names = ['request', ...Object.keys(fields)];
  const { request } = body;
  return [
    ...(typeof request === 'string' && REQUEST.test(request)
      ? []
      : [`request: expected 8 to 64 letters, digits and - that name this asking, got ${shown(request)}.`]),
    ...Object.keys(body).flatMap((key) =>
      names.includes(key)
        ? []
        : [`${key}: ${verb} takes no such key.${didYouMean(key, names) || ` It takes ${names.join(', ')}.`}`],
    ),
    ...Object.entries(fields).flatMap(([name, field]) => {
      const value = body[name];
      if (value === undefined) return field.needed ? [`${name}: expected ${expected(field)}, got nothing.`] : [];
      if (value === null && field.orNull) return [];
      return holds(field, value) ? [] : [`${name}: expected ${expected(field)}, got ${shown(value)}.`];
    }),
  ];
};

const MOST = 1_000;
/** Settings and sweeps are never as deep; what writes them as text again goes one call deeper for each level. */
const MOST_DEEP = 32;

const isDeeper = (value: unknown, than: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (than === 0 || Object.values(value).some((inner) => isDeeper(inner, than - 1)));

const holds = ({ type, min = 0, max, options, pattern }: Field, value: unknown): boolean => {
  switch (type) {
    case 'text':
    case 'long-text':
      return (
        typeof value === 'string' &&
        /\S/.test(value) &&
        value.length <= (max ?? MOST) &&
        (pattern === undefined || pattern.test(value))
      );
    case 'whole':
      return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= (max ?? Infinity);
    case 'flag':
      return typeof value === 'boolean';
    case 'choice':
      return options!.includes(value as string);
    case 'settings':
      return isPlain(value) && !isDeeper(value, MOST_DEEP);
    case 'limits':
      return (
        isPlain(value) &&
        Object.keys(value).length > 0 &&
        Object.values(value).every((one) => one === null || (typeof one === 'number' && Number.isFinite(one)))
      );
  }
};

const expected = ({ type, min, max, options, expected: words, orNull }: Field): string => {
  const plain = {
    text: words ?? `a text of 1 to ${max ?? MOST} characters`,
    'long-text': `a text of 1 to ${max ?? MOST} characters`,
    whole: `a whole number from ${min} to ${max}`,
    flag: 'true or false',
    choice: `one of ${options?.join(', ')}`,
    settings: `a mapping of settings, at most ${MOST_DEEP} levels deep`,
    limits: 'a mapping of limits to numbers or null',
  }[type];
  return orNull ? `${plain}, or null` : plain;
};
