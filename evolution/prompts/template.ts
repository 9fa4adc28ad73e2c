// Prompts as Markdown with named sections and {{placeholders}} (docs/prompts.md, Templates). Called by the builders of prompts, and by
// activities/prompts/templates.ts and the task loader, which read the files.
import { nearest } from '../config/nearest.ts';
import type { SectionOf, TemplateName } from './placeholders.ts';

type Piece = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'value'; readonly name: string };
/** The pieces of one line. */
type Line = readonly Piece[];

export type Template<S extends string = 'system' | 'user'> = { readonly [section in S]: readonly Line[] };
export type TemplateOf<N extends TemplateName> = Template<SectionOf<N>>;
export type Values = { readonly [name: string]: string };
export type Parsed<S extends string = string> =
  | { readonly kind: 'template'; readonly template: Template<S> }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

const MARKER = /^\s*<!--\s*section\s*:\s*(.*?)\s*-->\s*$/i;
const PLACEHOLDER = /(\{\{[^{}]*\}\})/;

/** Every problem, as `file:line: what was expected, what came`. `sections`: those that there are, each with its placeholders. */
export const parseTemplate = <const S extends string>(
  text: string, { file, sections }: { readonly file: string; readonly sections: { readonly [section in S]: readonly string[] } },
): Parsed<S> => {
  const names = Object.keys(sections) as S[];
  const isSection = (name: string): name is S => Object.hasOwn(sections, name);
  const problems: string[] = [];
  const at = (line: number, problem: string): number => problems.push(`${file}:${line}: ${problem}`);
  const found = new Map<string, { readonly line: number; readonly lines: Line[] }>();
  let open: { readonly known: readonly string[] | null; readonly lines: Line[] } | null = null;
  const source = text.replace(/^\ufeff/, '').split(/\r\n?|\n/);
  for (const [index, content] of source.entries()) {
    const line = index + 1;
    const name = MARKER.exec(content)?.[1];
    if (name === undefined) {
      if (open !== null) open.lines.push(piecesOf(content, open.known, (problem) => at(line, problem)));
      else if (content.trim() !== '') at(line, `expected a line <!-- section: ${names[0]} --> before any text`);
      continue;
    }
    const lines: Line[] = [];
    open = { known: isSection(name) ? sections[name] : null, lines };
    const earlier = found.get(name);
    if (earlier !== undefined) at(line, `duplicate section ${name}: the first is in line ${earlier.line}`);
    else if (!isSection(name)) at(line, `unknown section ${JSON.stringify(name)}: expected ${listed(names)}, once each`);
    if (earlier === undefined) found.set(name, { line, lines });
  }
  for (const name of names) {
    const section = found.get(name);
    if (section === undefined) at(source.length, `missing section ${name}: expected a line <!-- section: ${name} -->, got ${[...found.keys()].join(', ') || 'no section'}`);
    else if (section.lines.every(isBlank)) at(section.line, `empty section ${name}: expected text or placeholders`);
  }
  if (problems.length > 0) return { kind: 'problems', problems };
  return { kind: 'template', template: Object.fromEntries(names.map((name) => [name, trimmed(found.get(name)!.lines, isBlank)])) as unknown as Template<S> };
};

const listed = (names: readonly string[]): string => (names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`);

/** `known` null: the section is none, and its placeholders are nobody's. */
const piecesOf = (line: string, known: readonly string[] | null, report: (problem: string) => void): Line =>
  line.split(PLACEHOLDER).flatMap((text, index): Piece[] => {
    if (index % 2 === 1) {
      const name = text.slice(2, -2).trim();
      if (known !== null && !known.includes(name)) report(unknownName(name, known));
      return [{ kind: 'value', name }];
    }
    const brace = /\{\{|\}\}/.exec(text)?.[0];
    if (brace !== undefined) {
      const other = brace === '{{' ? '}}' : '{{';
      report(`unbalanced braces: ${brace} without ${other} in the same line; in text, put a space between two braces`);
    }
    return text === '' ? [] : [{ kind: 'text', text }];
  });

const unknownName = (name: string, known: readonly string[]): string => {
  const near = nearest(name, known);
  return `unknown placeholder {{${name}}}: ${near === null ? '' : `did you mean {{${near}}}? `}expected one of ${known.join(', ')}`;
};

const isBlank = (line: Line): boolean => line.every((piece) => piece.kind === 'text' && piece.text.trim() === '');

/** Without the blank ones at both ends. */
const trimmed = <T>(lines: readonly T[], blank: (line: T) => boolean): readonly T[] =>
  lines.slice(Math.max(0, lines.findIndex((line) => !blank(line))), lines.findLastIndex((line) => !blank(line)) + 1);

/**
 * Values stand verbatim, whatever they hold: nothing in them is looked at again. A line of one placeholder alone whose value is empty is left out,
 * with one blank line after it; at the end of a section, with those before it.
 */
export const renderSection = <S extends string>(template: Template<S>, section: S, values: Values): string => renderLines(template[section], values);

export const render = (template: Template, values: Values): { readonly system: string; readonly user: string } => ({
  system: renderSection(template, 'system', values), user: renderSection(template, 'user', values),
});

const renderLines = (lines: readonly Line[], values: Values): string => {
  const kept: { readonly text: string; readonly blank: boolean }[] = [];
  let left = false;
  for (const line of lines) {
    const blank = isBlank(line);
    const skipped: boolean = blank ? left : isEmptyAlone(line, values);
    left = skipped && !blank;
    if (!skipped) kept.push({ text: line.map((piece) => (piece.kind === 'text' ? piece.text : valueOf(piece.name, values))).join(''), blank });
  }
  return trimmed(kept, ({ blank }) => blank).map(({ text }) => text).join('\n');
};

const isEmptyAlone = (line: Line, values: Values): boolean => {
  const placeholders = line.flatMap((piece) => (piece.kind === 'value' ? [piece.name] : piece.text.trim() === '' ? [] : [null]));
  const [name] = placeholders;
  return placeholders.length === 1 && typeof name === 'string' && valueOf(name, values) === '';
};

const valueOf = (name: string, values: Values): string => {
  if (!Object.hasOwn(values, name)) throw new Error(`template: expected a value for {{${name}}}, got none`);
  return values[name]!;
};
