// The early checks in their order, and what equivalence lets through (ThetaEvolve Eq. 1,
// ThetaEvolve).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DiffSettings } from '../../../evolution/config/run-config.ts';
import { applyResponse } from '../../../evolution/edits/early-checks.ts';
import { normalise } from '../../../evolution/edits/equivalence.ts';
import { thetaDefaults } from '../../../evolution/methods/theta.ts';

const PARENT = `"""A task."""
import math
# EVOLVE-BLOCK-START
def f(x):
    """Adds."""
    a=1
    return x + a

# EVOLVE-BLOCK-END
`;
const block = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE\n`;
const check = (response: string, settings: Partial<DiffSettings> = {}, parentCode = PARENT) =>
  applyResponse({
    response,
    parentCode,
    parentNorm: normalise(parentCode),
    settings: { ...thetaDefaults.diff, ...settings },
    entry: 'f',
  });

describe('early checks', () => {
  it('ThetaEvolve 10: prose without blocks, and blocks only inside <think>, are no_diff', () => {
    for (const response of [
      '',
      'I would try an optimiser.',
      '```python\nx = 1\n```',
      `<think>\n${block('    a=1', '    a=2')}</think>\nDone.`,
      `<think>\n${block('    a=1', '    a=2')}`,
    ]) {
      expect(check(response)).toMatchObject({ outcome: 'no_diff', code: null, norm: null, blocks: 0, length: 0 });
    }
    expect(check('').reason).toBe('the response is empty');
  });

  it.each([
    ['indented', (text: string) => text.replace(/^/gm, '    ')],
    ['in an indented fence', (text: string) => `    \`\`\`\n${text.replace(/^/gm, '    ')}\n    \`\`\``],
    ['in a fence, indented', (text: string) => `\`\`\`python\n${text.replace(/^/gm, '  ')}\n\`\`\``],
    ['quoted', (text: string) => text.replace(/^/gm, '> ')],
    ['bold', (text: string) => text.replace(/^([<>]{7} .*)$/gm, '**$1**')],
    ['with eight signs', (text: string) => text.replace('<<<<<<<', '<<<<<<<<').replace('>>>>>>>', '>>>>>>>>')],
    ['with colons', (text: string) => text.replace('SEARCH', 'SEARCH:').replace('REPLACE', 'REPLACE:')],
    ['in small letters', (text: string) => text.replace('SEARCH', 'search').replace('REPLACE', 'replace')],
    ['without blanks', (text: string) => text.replace('< S', '<S').replace('> R', '>R')],
    ['escaped', (text: string) => text.replace(/^([<=>])/gm, String.raw`\$1`)],
    ['as entities', (text: string) => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;')],
    ['in wide signs', (text: string) => text.replaceAll('<', '\uff1c').replaceAll('>', '\uff1e')],
    ['behind a character without width', (text: string) => `\u200b${text}`],
    ['behind a tag', (text: string) => `<answer>${text}</answer>`],
    ['behind a fence', (text: string) => `\`\`\`python ${text}\n\`\`\``],
    ['with a file behind', (text: string) => text.replace('SEARCH', 'SEARCH a.py')],
    ['of another system', (text: string) => text.replace('<<<<<<<', '-------').replace('>>>>>>>', '+++++++')],
    ['of two systems', (text: string) => text.replace('<<<<<<<', '-------')],
    ['without a beginning', (text: string) => text.replace('<<<<<<< SEARCH\n', '')],
  ])('edits whose markers are almost right are asked for again, and are no program: %s', (_what, changed) => {
    const answer = changed(block('    a=1', '    a=2').trim());
    for (const accept of ['edits', 'either', 'program'] as const) {
      const { outcome, code, nothingTaken, reason } = check(answer, { accept });
      expect([outcome, code]).toEqual(['no_diff', null]);
      if (accept === 'edits')
        expect([nothingTaken, reason]).toEqual([true, expect.stringMatching(/expected the marker/)]);
    }
  });

  it('an edit whose markers are almost right is told beside one that applies', () => {
    for (const sign of ['<<<<<<<<', '-------'])
      expect(check(`${block('    a=1', '    a=2')}${block('x', 'y').replace('<<<<<<<', sign)}`)).toMatchObject({
        outcome: null,
        unmatched: [{ block: 2, reason: expect.stringMatching(/expected the marker/) }],
      });
  });

  it('an answer whose reasoning has no certain end is asked for again', () => {
    const answer = `<think>I end with </think> and go on\n</think>\n${block('    a=1', '    a=2')}`;
    expect(check(answer)).toMatchObject({
      outcome: 'no_diff',
      nothingTaken: true,
      reason: expect.stringMatching(/where the reasoning ends/),
    });
  });

  it('ThetaEvolve 11: one matching and one unmatched block give a child and one report; none matching is no_change', () => {
    expect(check(block('    a=1', '    a=2') + block('    nowhere', ''))).toMatchObject({
      outcome: null,
      blocks: 2,
      unmatched: [{ block: 2 }],
      code: PARENT.replace('a=1', 'a=2'),
    });
    expect(check(block('nowhere', '') + block('"""A task."""', 'x = 1'))).toMatchObject({
      outcome: 'no_change',
      blocks: 2,
      norm: normalise(PARENT),
      reason:
        'none of 2 blocks applies, so the program is unchanged; block 1: no match: the program has none of these lines; line 1 of SEARCH is "nowhere"',
    });
  });

  it('ThetaEvolve 12: an added comment, blank line, docstring, or spacing is no_change; a renamed variable is evaluated', () => {
    const edits: readonly (readonly [string, string])[] = [
      ['    a=1', '    a=1  # one'],
      ['    a=1', '    # one\n    a=1'],
      ['    a=1', '\n\n    a=1\n'],
      ['    a=1', '    a = 1'],
      ['    a=1', '    a = \\\n        1'],
      ['    """Adds."""', '    """Adds\n    two numbers."""'],
      ['    """Adds."""', '    "one" \'two\''],
      ['    """Adds."""', '    # no docstring'],
      ['    a=1\n    return x + a', '    a=1\n    return x+a'],
      ['    """Adds."""\n    a=1\n    return x + a', '  a=1\n  return x + a'],
    ];
    for (const [search, replace] of edits)
      expect(check(block(search, replace)), replace).toMatchObject({ outcome: 'no_change', unmatched: [] });
    for (const replace of [
      '    b=1',
      '    a=1.0',
      '    a=1;',
      '    a="1"',
      '    a=(1)',
      '    "text"\n    a=1\n    "text"',
    ]) {
      expect(check(block('    a=1', replace)).outcome, replace).toBeNull();
    }
  });

  it('ThetaEvolve 14: text that is no Python is no_solution without being run', () => {
    for (const replace of [
      '    a=(1',
      '    a="1',
      '    a=1)',
      "    a='''1",
      '   a=1',
      '    a=1$',
      '    a=01',
      '    a=1x',
      '\ta=1',
      '    a=f"{"',
    ]) {
      expect(check(block('    a=1', replace)), replace).toMatchObject({
        outcome: 'no_solution',
        reason: expect.stringMatching(/^does not compile: line \d+: /),
      });
    }
  });

  it('a program above the limit is no_solution, with both numbers; one at the limit is not', () => {
    const long = (length: number) =>
      check(block('    a=1', `    a="${'x'.repeat(length - PARENT.length - 1)}"`), { maxCodeChars: 1000 });
    expect(long(1001)).toMatchObject({
      outcome: 'no_solution',
      length: 1001,
      reason: 'the program has 1001 characters, at most 1000 are allowed',
    });
    expect(long(1000)).toMatchObject({ outcome: null, length: 1000 });
  });

  it('the first check that hits decides: an unchanged program above the limit is no_change', () => {
    expect(check(block('    a=1', '    a = 1'), { maxCodeChars: 10 }).outcome).toBe('no_change');
  });

  it('strict: one unmatched block rejects the response', () => {
    expect(check(block('    a=1', '    a=2') + block('nowhere', ''), { strict: true })).toMatchObject({
      outcome: 'no_change',
      reason: expect.stringMatching(
        /^1 of 2 blocks does not apply, and then none is taken, so the program is unchanged; block 2: /,
      ),
    });
  });

  it('never throws, whatever comes back (law)', () => {
    const noise = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.constantFrom(
        '<<<<<<< SEARCH\n',
        '=======\n',
        '>>>>>>> REPLACE\n',
        '<think>',
        '</think>',
        '    a=1\n',
        '\0',
        '\ud800',
        '\r',
        '"""',
        "f'{",
      ),
    );
    fc.assert(
      fc.property(fc.array(noise, { maxLength: 12 }), fc.boolean(), (parts, whole) => {
        const { outcome, code, norm, length } = check(parts.join(''), { parse: whole ? 'whole' : 'answer' });
        expect(length).toBe(code === null ? 0 : code.length);
        expect(norm === null).toBe(outcome === 'no_diff');
      }),
      { numRuns: 250 },
    );
  });
});

describe('equivalence', () => {
  const same = (a: string, b: string): boolean => normalise(a) === normalise(b);

  it('forgets docstrings of modules, classes and functions, wherever a body may stand', () => {
    expect(same('"a"\nx = 1\n', 'x=1')).toBe(true);
    expect(same('"a"; x = 1\n', 'x=1')).toBe(true);
    expect(same('class A:\n  "a"\n  x = 1\n', 'class A:\n  x = 1\n')).toBe(true);
    expect(same('async def f() -> int:\n  ("a")\n  return 1\n', 'async def f() -> int:\n  return 1\n')).toBe(true);
    expect(same('def f(): "a"\nx = 1\n', 'def f(): "b"\nx = 1\n')).toBe(true);
    expect(
      same(
        'def f(a=lambda: 0, *, b: "t" = {1: 2}):\n  "a"\n  return a\n',
        'def f(a=lambda: 0, *, b: "t" = {1: 2}):\n  return a\n',
      ),
    ).toBe(true);
  });

  it('keeps strings that are no docstrings, and bodies that hold only one', () => {
    expect(same('x = 1\n"a"\n', 'x = 1\n')).toBe(false);
    expect(same('if x:\n  "a"\n  y = 1\n', 'if x:\n  y = 1\n')).toBe(false);
    expect(same('def f():\n  f"{x}"\n  y = 1\n', 'def f():\n  y = 1\n')).toBe(false);
    expect(same('def f():\n  b"a"\n  y = 1\n', 'def f():\n  y = 1\n')).toBe(false);
    expect(same('def f():\n  "a".join(y)\n', 'def f():\n  "b".join(y)\n')).toBe(false);
    expect(same('def f():\n  "a"\nx = 1\n', 'def f():\nx = 1\n')).toBe(false);
    expect(same('def f(): "a"\nx = 1\n', 'def f(): x = 1\n')).toBe(false);
  });

  it('keeps names, literals, block structure and what an f-string prints', () => {
    expect(same('x = 1', 'x = 0x1')).toBe(false);
    expect(same("x = 'a'", 'x = "a"')).toBe(false);
    expect(same('x = "a b"', 'x = "a  b"')).toBe(false);
    expect(same('if a:\n  b\n  c\n', 'if a:\n  b\nc\n')).toBe(false);
    expect(same('x = f"{a+b}"', 'x = f"{ a + b }"')).toBe(true);
    expect(same('x = f"{a+b} "', 'x = f"{a+b}"')).toBe(false);
    expect(same('x = f"{a+b=}"', 'x = f"{a + b=}"')).toBe(false);
    expect(same('x = f"{a:>4}"', 'x = f"{a: >4}"')).toBe(false);
    expect(same("x = f'{d['k']!r:{w}}'", "x = f'{ d[ 'k' ]!r:{ w }}'")).toBe(true);
  });

  it('ignores line ends, a byte order mark and the width of indentation', () => {
    expect(same('if a:\n    b\n', '\ufeffif a:\r\n\tb')).toBe(true);
  });

  it('compares text that is no Python by its non-blank lines, right-trimmed, and never with Python', () => {
    expect(same('def (:  \n\n x', 'def (:\n x\n')).toBe(true);
    expect(same('def (:\n x', 'def (:\n  x')).toBe(false);
    expect(same('(', '')).toBe(false);
  });

  it('is idempotent: the canonical text of a Python source is its own canonical text', () => {
    const source =
      'def f ( x ) :\n  "doc"\n  if x : return [ 1,2 ]  # c\n  return x [ 1 : ] @ y\n\nclass A ( B ) : pass\n';
    expect(normalise(normalise(source))).toBe(normalise(source));
  });
});
