// Templates of prompts: Markdown with named sections and {{placeholders}} (docs/prompts.md, Templates).
import { nearest } from '../../config/nearest.ts';
import { both, type StyleName, STYLES } from '../../config/styles.ts';

/** The templates of the calls beside programs: ideas, judgements, edited prompts, missing deltas. */
const REQUEST_PLACEHOLDERS = {
  idea: both([
    'task',
    'problem',
    'advice',
    'aim',
    'tried',
    'best',
    'previous_idea',
    'code',
    'metrics',
    'programs',
    'hints',
    'score_name',
    'direction',
  ]),
  judge: { user: ['context', 'proposal', 'title', 'idea'] },
  'judge-published': { user: ['context', 'proposal', 'title', 'idea'] },
  meta: both(['prompt', 'parent', 'tried', 'problem', 'edit_rules']),
  repair: both(['delta_rules', 'before', 'summary', 'plan', 'patch', 'wanted']),
} as const;

type RequestTemplate = keyof typeof REQUEST_PLACEHOLDERS;
export type TemplateName = StyleName | RequestTemplate;
export const TEMPLATE_NAMES = [...Object.keys(STYLES), ...Object.keys(REQUEST_PLACEHOLDERS)] as readonly TemplateName[];

type Sections<N extends TemplateName> = N extends StyleName
  ? (typeof STYLES)[N]['placeholders']
  : N extends RequestTemplate
    ? (typeof REQUEST_PLACEHOLDERS)[N]
    : never;
type SectionOf<N extends TemplateName> = keyof Sections<N> & string;
type NamesIn<T> = T extends readonly (infer Name extends string)[] ? Name : never;

/** A value for each placeholder of a template or section; empty: nothing to say. */
export type ValuesOf<N extends TemplateName, S extends SectionOf<N> = SectionOf<N>> = {
  readonly [name in NamesIn<Sections<N>[S]>]: string;
};

/** The placeholders of each section of a template. */
export const sectionsOf = <N extends TemplateName>(
  name: N,
): { readonly [section in SectionOf<N>]: readonly string[] } =>
  (name in STYLES ? STYLES[name as StyleName].placeholders : REQUEST_PLACEHOLDERS[name as RequestTemplate]) as never;

type Piece = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'value'; readonly name: string };
/** The pieces of one line. */
type Line = readonly Piece[];

export type Template<S extends string = 'system' | 'user'> = { readonly [section in S]: readonly Line[] };
export type TemplateOf<N extends TemplateName> = Template<SectionOf<N>>;
export type Values = { readonly [name: string]: string };
type Parsed<S extends string = string> =
  | { readonly kind: 'template'; readonly template: Template<S> }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** For a line without blanks around it: two runs of blanks never meet, so the time is linear. */
const MARKER = /^<!--\s*section\s*:(.*)-->$/i;
const MAX_PROBLEMS = 20;
const PLACEHOLDER = /(\{\{[^{}]*\}\})/;

/** The template, or every problem as `file:line: what was expected, what came`. `sections` have their placeholders. */
export const parseTemplate = <const S extends string>(
  text: string,
  { file, sections }: { readonly file: string; readonly sections: { readonly [section in S]: readonly string[] } },
): Parsed<S> => {
  const names = Object.keys(sections) as S[];
  const isSection = (name: string): name is S => Object.hasOwn(sections, name);
  const problems: string[] = [];
  const at = (line: number, problem: string): number => problems.push(`${file}:${line}: ${problem}`);
  const seen = new Map<string, { readonly line: number; readonly lines: Line[] }>();
  let open: { readonly known: readonly string[] | null; readonly lines: Line[] } | null = null;
  const source = text.replace(/^\ufeff/, '').split(/\r\n?|\n/);
  for (const [index, content] of source.entries()) {
    const line = index + 1;
    const name = MARKER.exec(content.trim())?.[1]?.trim();
    if (name === undefined) {
      if (open !== null) open.lines.push(piecesOf(content, open.known, (problem) => at(line, problem)));
      else if (content.trim() !== '') at(line, `expected a line <!-- section: ${names[0]} --> before any text`);
      continue;
    }
    const lines: Line[] = [];
    open = { known: isSection(name) ? sections[name] : null, lines };
    const earlier = seen.get(name);
    if (earlier !== undefined) at(line, `duplicate section ${name}: the first is in line ${earlier.line}`);
    else if (!isSection(name))
      at(line, `unknown section ${JSON.stringify(name)}: expected ${listed(names)}, once each`);
    if (earlier === undefined) seen.set(name, { line, lines });
  }
  for (const name of names) {
    const section = seen.get(name);
    if (section === undefined)
      at(
        source.length,
        `missing section ${name}: expected a line <!-- section: ${name} -->, got ${[...seen.keys()].join(', ') || 'no section'}`,
      );
    else if (section.lines.every(isBlank)) at(section.line, `empty section ${name}: expected text or placeholders`);
  }
  if (problems.length > 0) return { kind: 'problems', problems: problems.slice(0, MAX_PROBLEMS) };
  return {
    kind: 'template',
    template: Object.fromEntries(
      names.map((name) => [name, trimmed(seen.get(name)!.lines, isBlank)]),
    ) as unknown as Template<S>,
  };
};

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

/** `known` is null where the line is in no known section, so that its placeholders are not checked. */
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

/** Without the blank lines at both ends. */
const trimmed = <T>(lines: readonly T[], blank: (line: T) => boolean): readonly T[] =>
  lines.slice(
    Math.max(
      0,
      lines.findIndex((line) => !blank(line)),
    ),
    lines.findLastIndex((line) => !blank(line)) + 1,
  );

/**
 * Values stand verbatim. A line of one placeholder is left out when its value is empty, with one blank line after it;
 * at the end of a section with the blank lines before it.
 */
export const renderSection = <S extends string>(template: Template<S>, section: S, values: Values): string =>
  renderLines(template[section], values);

export const render = (template: Template, values: Values): { readonly system: string; readonly user: string } => ({
  system: renderSection(template, 'system', values),
  user: renderSection(template, 'user', values),
});

const renderLines = (lines: readonly Line[], values: Values): string => {
  const kept: { readonly text: string; readonly blank: boolean }[] = [];
  let left = false;
  for (const line of lines) {
    const blank = isBlank(line);
    const skipped: boolean = blank ? left : isEmptyAlone(line, values);
    left = skipped && !blank;
    if (!skipped)
      kept.push({
        text: line.map((piece) => (piece.kind === 'text' ? piece.text : valueOf(piece.name, values))).join(''),
        blank,
      });
  }
  return trimmed(kept, ({ blank }) => blank)
    .map(({ text }) => text)
    .join('\n');
};

const isEmptyAlone = (line: Line, values: Values): boolean => {
  const placeholders = line.flatMap((piece) =>
    piece.kind === 'value' ? [piece.name] : piece.text.trim() === '' ? [] : [null],
  );
  const [name] = placeholders;
  return placeholders.length === 1 && typeof name === 'string' && valueOf(name, values) === '';
};

const valueOf = (name: string, values: Values): string => {
  if (!Object.hasOwn(values, name)) throw new Error(`template: expected a value for {{${name}}}, got none`);
  return values[name]!;
};
