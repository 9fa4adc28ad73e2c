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
