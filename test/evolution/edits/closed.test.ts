// Closed code stays closed: whatever an answer does, the child's code outside the EVOLVE-BLOCK is its parent's and is
// read in the same place.
import { expect, it } from 'vitest';
import { applyResponse } from '../../../evolution/edits/early-checks.ts';
import { normalise } from '../../../evolution/edits/equivalence.ts';
import { DIFF } from '../../support/untrusted-readers.ts';

const PARENT = `import math

# EVOLVE-BLOCK-START
def pack(n):
    return [math.pi] * n
# EVOLVE-BLOCK-END


def construct(instance):
    """The entry."""
    return pack(instance["n"])
`;
const FILES = `# === FILE: main.py ===\n${PARENT}\n# === FILE: other.py ===\n# EVOLVE-BLOCK-START\nx = 1\n# EVOLVE-BLOCK-END\n`;

const block = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE\n`;
const LINE = '    return [math.pi] * n';
const after = (response: string, { parent = PARENT, match = 'lines' as 'lines' | 'substring' } = {}) =>
  applyResponse({ response, parentCode: parent, parentNorm: normalise(parent), settings: { ...DIFF, match } });

it('an honest edit is evaluated', () => {
  for (const replace of [
    '    return [math.e] * n',
    `${LINE}\n\n\ndef helper(construct=None):\n    return max([1], key=lambda x: x)`,
    `    if n > 3:\n        return []\n    text = '''a\n# no marker\n'''\n    return [text]`,
    `    return [\n        math.e,\n    ] * n\n\n@staticmethod\ndef own():\n    pass`,
  ]) {
    expect(after(block(LINE, replace))).toMatchObject({ outcome: null, reason: null });
    expect(after(block(LINE, replace), { parent: FILES })).toMatchObject({ outcome: null, reason: null });
    expect(after(`\`\`\`python\ndef pack(n):\n${replace}\n\`\`\`\n`)).toMatchObject({ outcome: null, reason: null });
  }
});

it.each([
  ['a file head moves what follows into another file', `${LINE}\n# === FILE: away.py ===\ny = 1`, /head of a file/],
  ['a head with letters of other scripts is one to Python', `${LINE}\n# === FILE: é.py ===\ny = 1`, /head of a file/],
  ['an open string takes closed lines in', `${LINE}\n_ = """`, /becomes part of|does not compile/],
  ['a decorator changes the closed function', `${LINE}\n\n@print`, /becomes part of/],
  ['a function is defined anew', `${LINE}\n\n\ndef construct(instance):\n    return 1`, /defines construct anew/],
  ['a name is bound anew', `${LINE}\n\n\nconstruct = None`, /defines construct anew/],
])('%s', (_, replace, reason) => {
  for (const parent of [PARENT, FILES])
    expect(after(block(LINE, replace), { parent })).toMatchObject({
      outcome: 'no_solution',
      reason: expect.stringMatching(reason),
    });
});

it('a header of open code gets no closed body', () => {
  const parent = 'def construct(i):\n    # EVOLVE-BLOCK-START\n    x = 1\n    # EVOLVE-BLOCK-END\n    return x\n';
  expect(after(block('    x = 1', '    x = 2'), { parent })).toMatchObject({ outcome: null });
  expect(after(block('    x = 1', '    x = 1\ndef other():\n    x = 2'), { parent })).toMatchObject({
    outcome: 'no_solution',
    reason: expect.stringMatching(/becomes part of/),
  });
});

it('two blocks that make a marker together change closed code', () => {
  const forged = block('    return', '    #\n    return') + block('#\n    return', '# EVOLVE-BLOCK-\n    return');
  const joined = block('math.pi', 'math.e') + forged + block('BLOCK-', 'BLOCK-END');
  expect(after(joined, { match: 'substring' })).toMatchObject({
    outcome: 'no_solution',
    reason: expect.stringMatching(/^closed code is changed: expected .* got "    # EVOLVE-BLOCK-END"$/),
  });
});
