// Parents for the tests of the mutation operator, plain and awkward, and an independent reading of SEARCH/REPLACE
// answers.
import { readFileSync } from 'node:fs';

const packing = readFileSync(new URL('../../../tasks/circle-packing-square-26/initial.py', import.meta.url), 'utf8');

const small = `import math

# EVOLVE-BLOCK-START
SIZE = 12
STEP = 0.25

def spread(count, gap=STEP):
    """Positions on a line."""
    places = []
    for i in range(count):
        if i % 2 == 0:
            places.append(gap * i)
        elif i > 3:
            places.append(gap * i + 0.5)
        else:
            places.append(min(gap, 1.5))
    return places

def total(values):
    result = 0.0
    for value in values:
        result += value
        result += value
    return result
# EVOLVE-BLOCK-END

print(total(spread(SIZE)))
`;

const awkward = `text = """
# not the marker
"""
# EVOLVE-BLOCK-START (free text behind the marker)
class Thing:
\tname = 'a # b'; size = 0x1F
\tscale = 1e-3

\t@staticmethod
\tdef make(*, depth=2, label="x\\"y"):  # a comment with 3 and 4.5

\t\tnote = '''
three = 3
<<<<<<< not a marker
\t\t'''
\t\ttry:
\t\t\tvalue = [1, 2.5, 3_000,
\t\t\t\t4.0 * depth + -1.5e2,
\t\t\t]
\t\texcept (ValueError, KeyError) as problem:
\t\t\tvalue = []
\t\telse:
\t\t\tpass
\t\tfinally:
\t\t\tdepth = depth \\
\t\t\t\t+ 1
\t\twhile depth > 0 and not False: depth -= 1
\t\treturn {'v': value, 'f': f"{depth:>{4}}", 'n': 1j, 'lambda': lambda q, *a: q ** 2}


   
# EVOLVE-BLOCK-END
Thing.make()
`;

const repeated = `# EVOLVE-BLOCK-START
${'x = 1.5\ny = x + 2\n'.repeat(6)}# EVOLVE-BLOCK-END
x = 1.5
y = x + 2
`;

export const PARENTS: Readonly<Record<string, string>> = {
  packing,
  small,
  awkward,
  repeated,
  crlf: small.replaceAll('\n', '\r\n'),
  noMarkers: small
    .split('\n')
    .filter((line) => !line.includes('EVOLVE-BLOCK'))
    .join('\n'),
  notPython: '# EVOLVE-BLOCK-START\nlet x = 5; // 3.5 `${"un"terminated}\n  """ open 7\nend 1..2\n# EVOLVE-BLOCK-END\n',
};

export const EMPTY_BLOCKS = [
  '# EVOLVE-BLOCK-START\n# EVOLVE-BLOCK-END\nx = 1\n',
  'a = 1\n# EVOLVE-BLOCK-START\n\n# only a comment\n"""and a string"""\n# EVOLVE-BLOCK-END',
];

export function promptOf(program: string, others: readonly string[] = []): string {
  const prior = others.map((other, at) => `## Program ${at + 1}\n\`\`\`python\n${other}\n\`\`\`\n`).join('\n');
  return `Metrics: 1.5\n\n${prior}\n# Current program\n\`\`\`python\n${program}\n\`\`\`\n\n# How to answer\nExample:\n\`\`\`\n<<<<<<< SEARCH\nfor i in range(3):\n=======\nfor i in range(4):\n>>>>>>> REPLACE\n\`\`\`\n`;
}

export type Block = { readonly search: readonly string[]; readonly replace: readonly string[] };

export function blocksOf(answer: string): readonly Block[] {
  const lines = answer.split('\n');
  const blocks: Block[] = [];
  for (let at = lines.indexOf('<<<<<<< SEARCH'); at >= 0; at = lines.indexOf('<<<<<<< SEARCH', at + 1)) {
    const middle = lines.indexOf('=======', at),
      end = lines.indexOf('>>>>>>> REPLACE', middle);
    blocks.push({ search: lines.slice(at + 1, middle), replace: lines.slice(middle + 1, end) });
  }
  return blocks;
}

export function placesOf(lines: readonly string[], search: readonly string[]): readonly number[] {
  return lines.flatMap((_, at) =>
    at + search.length <= lines.length &&
    search.every((line, offset) => lines[at + offset]?.trimEnd() === line.trimEnd())
      ? [at]
      : [],
  );
}
