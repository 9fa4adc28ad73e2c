// Answers that are whole programs (diff.accept), and reasons of blocks that are broken (docs/prompts.md, What an
// answer may be).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DiffSettings } from '../../../evolution/config/run-config.ts';
import { readBlocks } from '../../../evolution/edits/diff.ts';
import { applyResponse } from '../../../evolution/edits/early-checks.ts';
import { normalise } from '../../../evolution/edits/equivalence.ts';
import { isBlockMarker } from '../../../evolution/edits/markers.ts';
import { readProgram, replaceProgram } from '../../../evolution/edits/whole-program.ts';
import { thetaDefaults } from '../../../evolution/methods/theta.ts';

const PARENT = 'import math\n# EVOLVE-BLOCK-START\ndef f(x):\n    return x\n# EVOLVE-BLOCK-END\nprint(f(1))\n';
const CHILD = PARENT.replace('return x', 'return x + 1');
const INNER = 'def f(x):\n    return x + 1\n';
const fence = (code: string, language = 'python', marks = '```'): string => `${marks}${language}\n${code}${marks}\n`;
const block = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE\n`;
const check = (response: string, settings: Partial<DiffSettings> = {}, parentCode = PARENT) =>
  applyResponse({
    response,
    parentCode,
    parentNorm: normalise(parentCode),
    settings: { ...thetaDefaults.diff, ...settings },
  });

describe('accept', () => {
  it('either: a text in a fence is the whole text, with its markers or without', () => {
    const text = (words: string): string => `<!-- EVOLVE-BLOCK-START text -->\n${words}\n<!-- EVOLVE-BLOCK-END -->\n`;
    for (const given of ['Answer in one word.\n', text('Answer in one word.')])
      expect(check(fence(given, ''), { accept: 'either' }, text('Answer.')).code).toBe(text('Answer in one word.'));
  });
  it('edits: a whole program is no_diff, as ThetaEvolve has it', () => {
    expect(check(fence(INNER), { accept: 'edits' })).toMatchObject({ outcome: 'no_diff', code: null });
  });
  it.each(['program', 'either'] as const)('%s: what a fence holds replaces the text between the markers', (accept) => {
    for (const code of [
      INNER,
      CHILD,
      `# EVOLVE-BLOCK-START\n${INNER}# EVOLVE-BLOCK-END\n`,
      `import math\n${INNER}print(f(1))\n`,
      `import math\n\n${INNER}`,
    ]) {
      expect(check(`Here it is.\n\n${fence(code)}\nDone.`, { accept }), code).toMatchObject({
        outcome: null,
        code: CHILD,
        blocks: 1,
        unmatched: [],
      });
    }
  });
  it('what the answer has outside the block is not taken', () => {
    const cheat = CHILD.replace('print(f(1))', 'print(99)').replace('import math', 'import os');
    expect(check(fence(cheat), { accept: 'program', moveImports: false }).code).toBe(CHILD);
    expect(check(fence(cheat), { accept: 'program' }).code).toBe(CHILD.replace('START\n', 'START\nimport os\n'));
  });
  it('imports of the parent that it uses and does not bind stay, and nobody else keeps them', () => {
    const parent = PARENT.replace('START\n', 'START\nimport numpy as np\nimport json\n');
    const inner = INNER.replace('x + 1', 'np.abs(x)');
    const kept = parent.replace('import json\n', '').replace('return x', 'return np.abs(x)');
    expect(check(fence(inner), { accept: 'either' }, parent)).toMatchObject({
      code: kept,
      ambiguous: [{ block: 1, reason: expect.stringMatching(/^kept: the imports/) }],
    });
    expect(check(fence(inner), { accept: 'program', moveImports: false }, parent).code).not.toContain('numpy');
    const open = '"""Text."""\nfrom __future__ import annotations\nimport numpy as np\nprint(np.e)\n';
    const given = open.replace('import numpy as np\n', '').replace('np.e', 'np.pi');
    expect(check(fence(given), { accept: 'program' }, open).code).toBe(open.replace('np.e', 'np.pi'));
  });
  it('without markers, or with enforceBlock off, it replaces the file', () => {
    expect(check(fence('y = 2\n'), { accept: 'program' }, 'x = 1\n').code).toBe('y = 2\n');
    expect(check(fence(INNER), { accept: 'program', enforceBlock: false }).code).toBe(INNER);
  });
  it('either: blocks come first, a program only where there is no whole block; program: blocks are not read', () => {
    const both = `${block('    return x', '    return x + 1')}\n${fence('z = 1\n')}`;
    expect(check(both, { accept: 'either' }).code).toBe(CHILD);
    expect(check(both, { accept: 'program' }).code).toContain('z = 1');
    expect(check(block('    return x', '    return x + 1'), { accept: 'program' })).toMatchObject({
      outcome: 'no_diff',
      reason: 'no program in a fence in the answer',
    });
  });
  it('the other early checks hold: equal to the parent, no Python, too long', () => {
    expect(check(fence(PARENT.replace('return x', 'return x  # same')), { accept: 'program' }).outcome).toBe(
      'no_change',
    );
    expect(check(fence('def f(x:\n'), { accept: 'program' })).toMatchObject({
      outcome: 'no_solution',
      reason: expect.stringContaining('does not compile'),
    });
    expect(check(fence(`x = "${'a'.repeat(200)}"\n`), { accept: 'program', maxCodeChars: 100 }).reason).toContain(
      'at most 100 are allowed',
    );
  });
});

describe('which fence is the program', () => {
  it('the first of Python, else the first without a language, else the first of any', () => {
    const programOf = (answer: string) => readProgram(answer);
    expect(programOf(fence('a\n', 'text') + fence('b\n', '') + fence('c\n', 'py') + fence('d\n'))).toEqual({
      program: 'c\n',
    });
    expect(programOf(fence('a\n', 'text') + fence('b\n', ''))).toEqual({ program: 'b\n' });
    expect(programOf(fence('a\n', 'text'))).toEqual({ program: 'a\n' });
    expect(programOf(fence('x = """\n```\n"""\n', 'python', '````'))).toEqual({ program: 'x = """\n```\n"""\n' });
    expect(programOf(fence('a\n').replaceAll('\n', '\r\n'))).toEqual({ program: 'a\n' });
  });
  it('none that is open, empty or holds markers of blocks; the reason says so', () => {
    expect(readProgram('```python\nx = 1\n')).toEqual({ reason: 'the fence of the program is not closed' });
    expect(readProgram(fence('\n') + fence(block('a', 'b')))).toEqual({
      reason: 'no program in a fence in the answer',
    });
  });
  it.each([
    [
      'a fence within a text',
      '```python\ndef f(x):\n    """A:\n```\nf(1)\n```\n    """\n    return 3\n```',
      /triple quotes/,
    ],
    ['code behind a fence', '```import math\ndef f(x):\n    return math.pi\n```', /opens a fence holds code/],
    ['code behind the language', '```python def f(x):\n    return 3\n```', /opens a fence holds code/],
    ['a diff', '```diff\n-    return x\n+    return 3\n```', /holds a diff/],
  ])('none that could be read in two ways, which is asked for again: %s', (_what, answer, reason) => {
    expect(check(answer, { accept: 'program' })).toMatchObject({
      ...{ outcome: 'no_diff', code: null, nothingTaken: true },
      reason: expect.stringMatching(reason),
    });
    for (const info of ['python title="a.py"', 'python:src/a.py', 'python # a.py'])
      expect(check(`\`\`\`${info}\n${INNER}\`\`\`\n`, { accept: 'program' }).code).toBe(CHILD);
  });
  it('broken EVOLVE-BLOCK markers are refused with what was expected', () => {
    for (const code of [
      `# EVOLVE-BLOCK-START\n${INNER}`,
      `${INNER}# EVOLVE-BLOCK-END\n`,
      `# EVOLVE-BLOCK-START\n${INNER}# EVOLVE-BLOCK-END\n# EVOLVE-BLOCK-START\nx\n# EVOLVE-BLOCK-END\n`,
    ]) {
      expect(check(fence(code), { accept: 'either' })).toMatchObject({
        outcome: 'no_diff',
        reason: expect.stringMatching(/marker broken: expected 1 pair /),
      });
    }
  });
  it('several blocks are filled in order, and need their markers', () => {
    const two =
      '# EVOLVE-BLOCK-START\na = 1\n# EVOLVE-BLOCK-END\nm = 0\n# EVOLVE-BLOCK-START\nb = 1\n# EVOLVE-BLOCK-END\n';
    expect(replaceProgram(two, two.replaceAll('1', '2').replace('m = 0', 'm = 9'), { enforceBlock: true })).toEqual({
      code: two.replaceAll('1', '2'),
    });
    expect(replaceProgram(two, 'a = 2\n', { enforceBlock: true })).toEqual({
      reason: expect.stringContaining('2 EVOLVE-BLOCKs'),
    });
  });
});

describe('broken blocks', () => {
  it('are reported by number with what they lack, and the whole ones apply', () => {
    const answer = `<<<<<<< SEARCH\nlost\n${block('    return x', '    return x + 1')}<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n<<<<<<< SEARCH\n    y\n=======\nz\n`;
    expect(check(answer)).toMatchObject({
      outcome: null,
      code: CHILD,
      blocks: 4,
      unmatched: [
        { block: 1, reason: 'marker broken: no line ======= before the next SEARCH' },
        { block: 3, reason: 'marker broken: no line ======= between SEARCH and REPLACE' },
        { block: 4, reason: 'marker broken: no line >>>>>>> REPLACE up to the end of the answer' },
      ],
    });
    expect(check(answer, { strict: true }).outcome).toBe('no_change');
  });
  it('alone are no_diff, and the reason names the first; a marker that is almost one is shown', () => {
    expect(check('<<<<<<< SEARCH\n    return x\n=======\n    return 2\n')).toMatchObject({
      outcome: 'no_diff',
      code: null,
      reason:
        'no whole SEARCH/REPLACE block in the answer; block 1: marker broken: no line >>>>>>> REPLACE up to the end of the answer',
    });
    expect(check('<<<<<< SEARCH\na\n=======\nb\n>>>>>> REPLACE\n').reason).toContain('got "<<<<<< SEARCH"');
    expect(check(block('    return x', 'y').replace(/^/gm, '  ')).reason).toContain('from the first column');
  });
  it('a SEARCH that differs in indentation only is told so, with the line', () => {
    expect(check(block('def f(x):\n  return x', 'y')).reason).toContain(
      'line 4 of the program differs from it in indentation: the program begins it with 4 spaces, SEARCH with 2',
    );
  });
});

describe('fuzz', () => {
  const pieces = fc.constantFrom(
    '<<<<<<< SEARCH',
    '=======',
    '>>>>>>> REPLACE',
    '```python',
    '```',
    '````',
    '~~~',
    '# EVOLVE-BLOCK-START',
    '# EVOLVE-BLOCK-END',
    'def f(x):',
    '    return x',
    '    return 2',
    '',
    'import math',
    'print(f(1))',
    '<think>',
    '</think>',
    '<<<<<<< SEARCH  \r',
    '\ud800',
    '```python\r',
  );
  const answers = fc.array(pieces, { maxLength: 25 }).map((lines) => lines.join('\n'));
  const accepts = fc.constantFrom<DiffSettings['accept']>('edits', 'program', 'either');

  it('no answer throws, and no child differs outside the block (law)', () => {
    fc.assert(
      fc.property(answers, accepts, fc.boolean(), (answer, accept, strict) => {
        const { code, outcome, blocks, unmatched, length } = check(answer, { accept, strict });
        expect(length).toBe(code?.length ?? 0);
        expect(code === null).toBe(outcome === 'no_diff');
        expect(unmatched.length).toBeLessThanOrEqual(blocks);
        if (code !== null) {
          expect(code.startsWith('import math\n# EVOLVE-BLOCK-START\n')).toBe(true);
          expect(code.endsWith('# EVOLVE-BLOCK-END\nprint(f(1))\n')).toBe(true);
          expect(code.match(/EVOLVE-BLOCK-(START|END)/g)).toHaveLength(2);
          expect(code.split('\n').some((line) => isBlockMarker(line))).toBe(false);
        }
      }),
      { numRuns: 400 },
    );
  });
  it('each SEARCH marker outside a block begins exactly one block, whole or broken, and CRLF changes nothing (law)', () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const blocks = readBlocks(answer);
        expect(blocks).toHaveLength(answer.split('\n').filter((line) => /^<<<<<<< SEARCH\s*$/.test(line)).length);
        expect(readBlocks(answer.replaceAll('\r', '').replaceAll('\n', '\r\n'))).toEqual(
          readBlocks(answer.replaceAll('\r', '')),
        );
      }),
      { numRuns: 400 },
    );
  });
});
