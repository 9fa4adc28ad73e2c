// The entries in the fields of a verb, and the body that they make.
import { bodyProblems } from '../../../evolution/steering/base/check.ts';
import type { Field, Fields } from '../../../evolution/steering/base/fields.ts';

export type Entries = { readonly [name: string]: string | boolean };

/** The entries that make a body. */
export const entriesOf = (body: object): Entries =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      value === null ? 'none' : value === true ? true : String(value),
    ]),
  );

/** Undefined for an empty field; what cannot be read as the field's type is refused by the check. */
const valueOf = (field: Field, entry: string | boolean | undefined): unknown => {
  if (field.type === 'choice') return entry ?? Object.keys(field.options!)[0];
  if (field.type === 'flag') return entry === true ? true : undefined;
  if (typeof entry !== 'string' || entry.trim() === '') return undefined;
  if (field.type === 'long-text') return entry;
  if (field.orNull && entry.trim() === 'none') return null;
  return field.type === 'text' ? entry.trim() : Number(entry);
};

/** Null while the entries are not complete. */
export const bodyFrom = (fields: Fields, entries: Entries): { readonly [name: string]: unknown } | null => {
  const values = Object.entries(fields)
    .map(([name, field]) => [name, valueOf(field, entries[name])] as const)
    .filter(([, value]) => value !== undefined);
  const body = Object.fromEntries(values);
  return bodyProblems(fields, body, {}).length === 0 ? body : null;
};
