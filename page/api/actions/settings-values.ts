// Settings as a form holds them: a value for each dotted key, and back to the mapping that a file has; the text that a
// person typed as a value, and the file as YAML.
import { flat, fromDotted, isPlain } from '../../../evolution/config/layers.ts';
import type { Json } from '../../../evolution/types.ts';

export type Flat = { readonly [key: string]: Json };

export { flat };

export const nested = (values: Flat): { readonly [key: string]: Json } =>
  fromDotted(values) as { readonly [key: string]: Json };

/** Two values are the same setting. */
export const same = (one: Json | undefined, other: Json | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** A value as a person writes it into a field. */
export const written = (value: Json | undefined): string =>
  value === undefined || value === null
    ? ''
    : Array.isArray(value) && value.every((one) => typeof one === 'string' || typeof one === 'number')
      ? value.join(', ')
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);

/** The type of a field's value. */
type Kind = { readonly type: 'text' | 'whole' | 'number' | 'flag' | 'choice' | 'list' | 'mapping' };

/** The value that was typed. Text that is not of the field's type stays text, and the check says what was expected. */
export const read = ({ type }: Kind, text: string): Json => {
  const trimmed = text.trim();
  if (trimmed === 'null') return null;
  if (type === 'flag') return trimmed === 'true' ? true : trimmed === 'false' ? false : trimmed;
  if (type === 'whole' || type === 'number')
    return trimmed !== '' && Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
  if (type === 'text' || type === 'choice') return trimmed;
  try {
    return JSON.parse(trimmed) as Json;
  } catch {
    return type === 'list' ? listed(trimmed) : trimmed;
  }
};

/** `1, 2, true, words` as a list of values. */
export const listed = (text: string): readonly Json[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map(scalar);

const scalar = (text: string): Json =>
  text === 'true' || text === 'false' || text === 'null' || /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)
    ? text.startsWith('.') || text.startsWith('+')
      ? Number(text)
      : (JSON.parse(/^-?\d+\.$/.test(text) ? text.slice(0, -1) : text) as Json)
    : text;

/** The file that says the same. JSON's form of a value is YAML too, so only mappings are laid out. */
export const asYaml = (settings: { readonly [key: string]: Json }, indent = ''): string =>
  Object.entries(settings)
    .map(([key, value]) => {
      const name = /^[A-Za-z][\w.-]*$/.test(key) ? key : JSON.stringify(key);
      if (isPlain(value))
        return Object.keys(value).length === 0
          ? `${indent}${name}: {}\n`
          : `${indent}${name}:\n${asYaml(value as { readonly [key: string]: Json }, `${indent}  `)}`;
      if (Array.isArray(value) && value.some(isPlain))
        return `${indent}${name}:\n${value.map((one) => `${indent}  - ${inline(one as Json)}\n`).join('')}`;
      return `${indent}${name}: ${inline(value)}\n`;
    })
    .join('');

const WORD = /^[A-Za-z/][\w ./:@+-]*$/;
/** A text stays bare where no reader of YAML takes it for something else. */
const inline = (value: Json): string =>
  typeof value === 'string' && WORD.test(value) && !/:( |$)| $|^(true|false|null|yes|no|on|off|y|n)$/i.test(value)
    ? value
    : JSON.stringify(value);
