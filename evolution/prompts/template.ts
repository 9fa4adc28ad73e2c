// Prompts as Markdown with named sections and {{placeholders}} (docs/prompts.md, Templates). Called by the builders of prompts, and by
// activities/prompts/templates.ts and the task loader, which read the files.
import { nearest } from '../config/nearest.ts';

const SECTIONS = ['system', 'user'] as const;
type Section = (typeof SECTIONS)[number];

type Piece = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'value'; readonly name: string };
/** The pieces of one line. */
type Line = readonly Piece[];

export type Template = { readonly [section in Section]: readonly Line[] };
export type Values = { readonly [name: string]: string };
export type Parsed = { readonly kind: 'template'; readonly template: Template } | { readonly kind: 'problems'; readonly problems: readonly string[] };

const MARKER = /^\s*<!--\s*section\s*:\s*(.*?)\s*-->\s*$/i;
const PLACEHOLDER = /(\{\{[^{}]*\}\})/;

/** Every problem, as `file:line: what was expected, what came`. `known`: the placeholders that there are. */
export const parseTemplate = (text: string, { file, known }: { readonly file: string; readonly known: readonly string[] }): Parsed => {
  const problems: string[] = [];
  const at = (line: number, problem: string): number => problems.push(`${file}:${line}: ${problem}`);
  const found = new Map<string, { readonly line: number; readonly lines: Line[] }>();
  let open: Line[] | null = null;
  const source = text.replace(/^\ufeff/, '').split(/\r\n?|\n/);
  for (const [index, content] of source.entries()) {
    const line = index + 1;
    const name = MARKER.exec(content)?.[1];
    if (name === undefined) {
      const pieces = piecesOf(content, known, (problem) => at(line, problem));
      if (open !== null) open.push(pieces);
      else if (content.trim() !== '') at(line, 'expected a line <!-- section: system --> before any text');
      continue;
    }
    open = [];
    const earlier = found.get(name);
    if (earlier !== undefined) at(line, `duplicate section ${name}: the first is in line ${earlier.line}`);
    else if (!isSection(name)) at(line, `unknown section ${JSON.stringify(name)}: expected system or user, once each`);
    if (earlier === undefined) found.set(name, { line, lines: open });
  }
  for (const name of SECTIONS) {
    const section = found.get(name);
    if (section === undefined) at(source.length, `missing section ${name}: expected a line <!-- section: ${name} -->, got ${[...found.keys()].join(', ') || 'no section'}`);
    else if (section.lines.every(isBlank)) at(section.line, `empty section ${name}: expected text or placeholders`);
  }
  const linesOf = (name: Section): readonly Line[] => trimmed(found.get(name)!.lines, isBlank);
  return problems.length > 0 ? { kind: 'problems', problems } : { kind: 'template', template: { system: linesOf('system'), user: linesOf('user') } };
};

const isSection = (name: string): name is Section => (SECTIONS as readonly string[]).includes(name);

const piecesOf = (line: string, known: readonly string[], report: (problem: string) => void): Line =>
  line.split(PLACEHOLDER).flatMap((text, index): Piece[] => {
    if (index % 2 === 1) {
      const name = text.slice(2, -2).trim();
      if (!known.includes(name)) report(unknownName(name, known));
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
export const render = (template: Template, values: Values): { readonly system: string; readonly user: string } => ({
  system: renderLines(template.system, values), user: renderLines(template.user, values),
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
