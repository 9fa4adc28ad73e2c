// A block that does not apply is told which line differs and what stands there (docs/prompts.md, What an answer may be).
import { expect, it } from 'vitest';
import { applyBlocks } from '../../../evolution/edits/apply.ts';
import { whyNoMatch } from '../../../evolution/edits/nearest.ts';

const PROGRAM = [
  'import math',
  '',
  'def f(x):',
  '    y = x + 1',
  '    for i in range(10):',
  '        y += i',
  '    return y',
];

it.each([
  [
    ['def f(x):', '    y = x + 2', '    for i in range(10):'],
    'no match: line 2 of SEARCH is "    y = x + 2", but line 4 of the program is "    y = x + 1"',
  ],
  [
    ['  for i in range(10):', '    y += i'],
    'no match: line 1 of SEARCH is "  for i in range(10):", and line 5 of the program differs from it in indentation: the program begins it with 4 spaces, SEARCH with 2 spaces',
  ],
  [['    return y', '', 'print(f(1))'], 'no match: line 2 of SEARCH is "", but the program ends before it'],
  [
    ['    for j in range(100):'],
    'no match: line 1 of SEARCH is "    for j in range(100):"; the nearest line of the program is line 5, "    for i in range(10):"',
  ],
  [['while True:'], 'no match: the program has none of these lines; line 1 of SEARCH is "while True:"'],
  [['', 'z'.repeat(200)], `no match: the program has none of these lines; line 2 of SEARCH is "${'z'.repeat(80)}..."`],
])('%j', (search, reason) => {
  expect(whyNoMatch(PROGRAM, search)).toBe(reason);
});

it.each([
  ['a no-break space', '\u00a0   y = x + 1', 'column 1 is U+00A0 in SEARCH, U+0020 in the program'],
  ['a space without width', '    y = x\u200b + 1', 'column 10 is U+200B in SEARCH, U+0020 in the program'],
  ['a quotation mark', '    z = \u2018a\u2019', 'column 9 is U+2018 in SEARCH, U+0027 in the program'],
  ['an entity', '    if x &lt; 2:', 'column 10 is U+0026 in SEARCH, U+003C in the program'],
  ['a tab', '\tn = 1', 'column 1 is U+0009 in SEARCH, U+0020 in the program'],
])('%s that nobody sees is named', (_what, line, named) => {
  const program = ['    y = x + 1', "    z = 'a'", '    if x < 2:', '        n = 1'];
  expect(whyNoMatch(program, [line])).toContain(`; both look equal, and ${named}`);
});

it('a block from another program is told where its lines stand', () => {
  const search = ['    return y * 2'];
  const { unmatched } = applyBlocks(PROGRAM.join('\n'), [{ search, replace: [] }], {
    enforceBlock: true,
    strict: false,
    others: [
      { name: 'an elite', code: 'pass' },
      { name: 'an inspiration', code: 'def f(y):\n    return y * 2  \n' },
    ],
  });
  expect(unmatched).toEqual([
    { block: 1, reason: 'no match: these lines stand in an inspiration, not in the program to change' },
  ]);
});
