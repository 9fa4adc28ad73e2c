// Templates of prompts: what a file may not hold, by file and line, and how values are put in.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTemplate, render, type Template, type Values } from '../../../evolution/prompts/parts/template.ts';

const known = ['task', 'parent', 'edit_rules'];
const SYSTEM = '<!-- section: system -->';
const USER = '<!-- section: user -->';
const parse = (...lines: readonly string[]) =>
  parseTemplate(lines.join('\n'), { file: 'prompts/theta.md', sections: { system: known, user: known } });
const problems = (...lines: readonly string[]): readonly string[] => {
  const parsed = parse(...lines);
  return parsed.kind === 'problems' ? parsed.problems : [];
};
const template = (...user: readonly string[]): Template => {
  const parsed = parse(SYSTEM, 'S', USER, ...user);
  if (parsed.kind === 'problems') throw new Error(parsed.problems.join('\n'));
  return parsed.template;
};
const user = (lines: readonly string[], values: Partial<Values>): string =>
  render(template(...lines), { task: '', parent: '', edit_rules: '', ...values } as Values).user;

describe('bad input: a template that cannot be meant is refused with file and line', () => {
  it.each<readonly [readonly string[], string]>([
    [
      [SYSTEM, 'S', USER, 'a', '{{parant}}'],
      '5: unknown placeholder {{parant}}: did you mean {{parent}}? expected one of task, parent, edit_rules',
    ],
    [
      [SYSTEM, 'S', USER, '{{zzzzzzzz}}'],
      '4: unknown placeholder {{zzzzzzzz}}: expected one of task, parent, edit_rules',
    ],
    [[SYSTEM, 'S', USER, '{{}}'], '4: unknown placeholder {{}}: expected one of task, parent, edit_rules'],
    [
      [SYSTEM, 'S', '<!-- section: assistant -->', 'A', USER, 'U'],
      '3: unknown section "assistant": expected system or user, once each',
    ],
    [[SYSTEM, 'S', USER, 'U', USER, 'V'], '5: duplicate section user: the first is in line 3'],
    [[SYSTEM, 'S'], '2: missing section user: expected a line <!-- section: user -->, got system'],
    [[USER, 'U'], '2: missing section system: expected a line <!-- section: system -->, got user'],
    [[SYSTEM, '', USER, 'U'], '1: empty section system: expected text or placeholders'],
    [['', 'hello', SYSTEM, 'S', USER, 'U'], '2: expected a line <!-- section: system --> before any text'],
    [
      [SYSTEM, 'S {{task', USER, 'U'],
      '2: unbalanced braces: {{ without }} in the same line; in text, put a space between two braces',
    ],
    [
      [SYSTEM, 'S', USER, '{"a": {"b": 1}}'],
      '4: unbalanced braces: }} without {{ in the same line; in text, put a space between two braces',
    ],
  ])('%j is refused at line %s', (lines, problem) => {
    expect(problems(...lines)).toEqual([`prompts/theta.md:${problem}`]);
  });

  it('names all problems at once, and both sections of an empty file', () => {
    expect(problems('')).toHaveLength(2);
    expect(problems(SYSTEM, '{{a}}', '{{b}}', USER, '}}').map((problem) => problem.split(': ')[0])).toEqual([
      'prompts/theta.md:2',
      'prompts/theta.md:3',
      'prompts/theta.md:5',
    ]);
  });

  it('takes sections in either order, CRLF, a byte order mark, and spaces in markers and braces', () => {
    const parsed = parseTemplate(`\ufeff<!--section:user-->\r\n{{ task }}!\r\n\r\n${SYSTEM}\r\nS\r\n`, {
      file: 'f',
      sections: { system: known, user: known },
    });
    expect(parsed.kind === 'template' && render(parsed.template, { task: 'T' })).toEqual({ system: 'S', user: 'T!' });
  });
});

const NASTY = [
  '{{task}}',
  '{{parent}}',
  '{{',
  '}}',
  '{',
  '}',
  '$&',
  '$1',
  '$$',
  '$`',
  '\n',
  '\n\n',
  '\r\n',
  USER,
  SYSTEM,
  '```',
  '\\',
  '\u2028',
  'x',
];
const value = fc
  .array(fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: 'binary' })), { maxLength: 12 })
  .map((parts) => parts.join(''));

describe('values stand verbatim', () => {
  it('whatever they hold: no second expansion, nothing cut, braces, $ and markers as they are', () => {
    fc.assert(
      fc.property(value, value, (task, parent) => {
        expect(user(['a {{task}} b {{parent}} c', '', '<{{task}}>'], { task, parent })).toBe(
          `a ${task} b ${parent} c\n\n<${task}>`,
        );
      }),
    );
  });

  it('alone in a line as well, where they are not empty', () => {
    fc.assert(
      fc.property(
        value.filter((text) => text !== ''),
        value.filter((text) => text !== ''),
        (task, parent) => {
          expect(user(['{{task}}', '', '{{parent}}'], { task, parent })).toBe(`${task}\n\n${parent}`);
        },
      ),
    );
  });

  it('a single brace of the template is text, beside a placeholder too', () => {
    expect(user(['{{{task}}} and {x}'], { task: 'T' })).toBe('{T} and {x}');
  });

  it('a long program comes through whole', () => {
    const parent = 'x = 1\n'.repeat(200_000);
    expect(user(['a', '{{parent}}'], { parent })).toBe(`a\n${parent}`);
  });
});

describe('a line of one placeholder alone whose value is empty', () => {
  it.each<readonly [string, readonly string[], string]>([
    ['disappears with the blank line after it', ['a', '', '{{task}}', '', 'b'], 'a\n\nb'],
    ['takes one blank line only', ['a', '', '{{task}}', '', '', 'b'], 'a\n\n\nb'],
    ['disappears where no blank line follows', ['a', '{{task}}', 'b'], 'a\nb'],
    ['at the end takes the blank line before it', ['a', '', '{{task}}'], 'a'],
    ['several at the end', ['a', '', '{{task}}', '', '{{parent}}'], 'a'],
    ['several at the beginning', ['{{task}}', '', '{{parent}}', '', 'a'], 'a'],
    ['beside other text the line stays', ['a', '- {{task}}', 'b'], 'a\n- \nb'],
    ['beside another placeholder the line stays', ['a', '{{task}}{{parent}}', 'b'], 'a\n\nb'],
    ['may be indented', ['a', '', '  {{task}} ', '', 'b'], 'a\n\nb'],
  ])('%s', (_name, lines, expected) => {
    expect(user(lines, {})).toBe(expected);
  });

  it('optional sections joined by blank lines: the prompt is the sections that are there, whatever is missing', () => {
    fc.assert(
      fc.property(value, value, value, (task, parent, rules) => {
        expect(user(['{{task}}', '', '{{parent}}', '', '{{edit_rules}}'], { task, parent, edit_rules: rules })).toBe(
          [task, parent, rules].filter((text) => text !== '').join('\n\n'),
        );
      }),
    );
  });
});

it('a placeholder that the builder gives no value is a fault of the builder, not an empty text', () => {
  expect(() => render(template('{{task}}'), {})).toThrow('expected a value for {{task}}');
});
