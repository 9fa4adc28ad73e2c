// Closed code stays closed: whatever an answer does, the child's code outside the EVOLVE-BLOCK is its parent's and is
// read in the same place.
// Attempts: programs and scores.
import { expect, it } from 'vitest';
import { applyResponse } from '../../../evolution/edits/early-checks.ts';
import { normalise } from '../../../evolution/edits/equivalence.ts';
import { DIFF } from '../../support/models/untrusted-readers.ts';

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
  ['a function above binds it later', `${LINE}\n\n\ndef f():\n    global x, construct`, /defines construct anew/],
  ['a carriage return alone hides a decorator', `${LINE}\n\nx = 1\r@print`, /becomes part of/],
])('%s', (_, replace, reason) => {
  for (const parent of [PARENT, FILES])
    expect(after(block(LINE, replace), { parent })).toMatchObject({
      outcome: 'no_solution',
      reason: expect.stringMatching(reason),
    });
});

const BELOW = `def construct(instance):
    return pack(instance["n"])


# EVOLVE-BLOCK-START
def pack(n):
${LINE}
# EVOLVE-BLOCK-END
`;

it.each([
  ['def construct(instance):\n    return 1'],
  ['async def construct(instance):\n    return 1'],
  ['class construct:\n    pass'],
  ['construct = None'],
  ['construct: object = None'],
  ['x, (construct, y) = 1, (2, 3)'],
  ['x = construct = None'],
  ['construct @= None'],
  ['x = 1; construct = 2'],
  ['if x: construct = None'],
  ['if x:\n    construct = None'],
  ['(construct := None)'],
  ['import math, construct'],
  ['from math import (pi, sin as construct)'],
  ['for x, construct in []:\n    pass'],
  ['with open("x") as (construct, y):\n    pass'],
  ['match 1:\n    case construct:\n        pass'],
  ['del pack, construct'],
  ['from . import (x, y as construct)'],
  ['def f(a=(construct := 1)):\n    pass'],
  ['f"{(construct:=1)}"'],
])('a closed function is not defined anew below it: %s', (added) => {
  expect(after(block(LINE, `${LINE}\n\n\n${added}`), { parent: BELOW })).toMatchObject({
    outcome: 'no_solution',
    reason: expect.stringMatching(/defines construct anew/),
  });
});

it('a name within a function or a class is another one, and what stands above is replaced', () => {
  for (const added of [
    'class Packer:\n    construct = 1\n\n    def construct(self):\n        return 1',
    'class Packer: construct = 1',
    'construct.calls = 0',
    'def other():\n    def construct(k):\n        return k\n    for construct in []:\n        pass\n    return construct',
    'if __name__ == "__main__":\n    print(construct({"n": 3}), len([construct]))',
    'x = [construct for construct in ()]\nx.construct = max(x, key=construct)',
  ])
    for (const parent of [PARENT, BELOW])
      expect(after(block(LINE, `${LINE}\n\n\n${added}`), { parent })).toMatchObject({ outcome: null, reason: null });
  const main = 'if __name__ == "__main__":\n    print(construct({"n": 3}))\n';
  const whole = `${PARENT.replace('math.pi', 'math.e').replaceAll(/# EVOLVE.*\n/g, '')}\n\n${main}`;
  expect(after(`\`\`\`python\n${whole}\`\`\`\n`)).toMatchObject({ outcome: null, reason: null });
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
    reason: expect.stringMatching(
      /^the code outside the EVOLVE-BLOCK is changed: expected .* got "    # EVOLVE-BLOCK-END"$/,
    ),
  });
});
