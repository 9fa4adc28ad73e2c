// Lines that come back after an ancestor had deleted them: along chains of edits, against a recomputation from all
// texts of the lineage.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPrompt } from '../../../deploy/offline-model/prompt.ts';
import { parseBlocks } from '../../../evolution/edits/diff.ts';
import { editedLines, lineHash, reintroduced } from '../../../evolution/edits/reintroduced.ts';
import { reintroducedSection } from '../../../evolution/prompts/parts/sections.ts';

/** Walks a lineage from its root as the store does, with one set of hashes; what came back on each edge. */
const along = (lineage: readonly string[]): readonly (readonly string[])[] => {
  const before = new Set<string>();
  return lineage.slice(1).map((child, index) => {
    const { added, deleted } = editedLines(lineage[index]!, child);
    const back = reintroduced(added, before);
    for (const line of deleted) before.add(lineHash(line));
    return back;
  });
};

/** The same from the definition alone: every line, counted in every text. */
const plainly = (lineage: readonly string[]): readonly (readonly string[])[] => {
  const copies = (code: string, line: string): number => code.split('\n').filter((other) => other === line).length;
  const lines = [...new Set(lineage.flatMap((code) => code.split('\n')))].filter((line) => /[a-z0-9]/i.test(line));
  return lineage.slice(1).map((child, edge) =>
    lines.flatMap((line) => {
      const deletedAbove = lineage
        .slice(1, edge + 1)
        .some((code, above) => copies(code, line) < copies(lineage[above]!, line));
      return deletedAbove
        ? Array.from({ length: Math.max(0, copies(child, line) - copies(lineage[edge]!, line)) }, () => line)
        : [];
    }),
  );
};

const line = fc.constantFrom(
  'a = 1',
  'b = 2',
  '  a = 1',
  'return a',
  '',
  ')',
  '    ',
  '# ---',
  'for i in x:',
  'a = 1 ',
);
const program = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'));
const chain = fc.array(program, { minLength: 1, maxLength: 8 });
const sorted = (edges: readonly (readonly string[])[]): readonly (readonly string[])[] =>
  edges.map((edge) => [...edge].sort());

describe('edited lines', () => {
  it('are those that one text holds more copies of, each as often', () => {
    expect(editedLines('a\nb\nb\nc', 'b\na\nd\nd\nc')).toEqual({ added: ['d', 'd'], deleted: ['b'] });
    expect(editedLines('a', 'a\na\na')).toEqual({ added: ['a', 'a'], deleted: [] });
  });

  it('are compared byte for byte, but for their line ends', () => {
    expect(editedLines('a\r\nb\rc', 'a\nb\nc\n')).toEqual({ added: [], deleted: [] });
    expect(editedLines('  a\nb', '\ta\nb ')).toEqual({ added: ['\ta', 'b '], deleted: ['  a', 'b'] });
  });

  it('hold a letter or a digit: blank lines, brackets and rulers never count', () => {
    expect(editedLines('x', 'x\n\n  \n)\n]\n# ----\n"""\n中\n7')).toEqual({ added: ['中', '7'], deleted: [] });
  });

  it('of the way back are those of the way there, exchanged (law)', () => {
    fc.assert(
      fc.property(program, program, (a, b) => {
        const there = editedLines(a, b);
        expect(editedLines(b, a)).toEqual({ added: there.deleted, deleted: there.added });
      }),
    );
  });
});

describe('lines that come back', () => {
  it('are exactly those that an edge above deleted', () => {
    const [a, b] = ['x = 1\ny = 2\nz = 3', 'x = 1\nz = 3\nw = 4'];
    expect(along([a, b, `${b}\ny = 2\nv = 5`])).toEqual([[], ['y = 2']]);
    expect(along([a, b, `${b}\n y = 2`])).toEqual([[], []]);
    expect(along([a, b, b, b, a])).toEqual([[], [], [], ['y = 2']]);
  });

  it('are those of the definition, over any chain of edits (law)', () => {
    fc.assert(
      fc.property(chain, (lineage) => {
        expect(sorted(along(lineage))).toEqual(sorted(plainly(lineage)));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the hash of a line', () => {
  it('is 16 hexadecimal digits, the same for ever: stored deltas hold it', () => {
    expect(['', 'a', '    return x', '😀'].map(lineHash)).toMatchInlineSnapshot(`
      [
        "88467ba888573cfc",
        "aff3656fba339ab5",
        "27638058ae0da3b7",
        "ea25a61471fefbcc",
      ]
    `);
  });

  it('tells 60,000 lines apart that differ in little, by either half almost', () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => [
      `x = ${index}`,
      `    x[${index}] = ${index}`,
      `${' '.repeat(index % 40)}y${index}`,
    ]).flat();
    const hashes = lines.map(lineHash);
    const distinct = (part: (hash: string) => string): number => new Set(hashes.map(part)).size;
    expect(distinct((hash) => hash)).toBe(lines.length);
    // Of 60,000 draws from 2^32, 0.4 coincide.
    expect(distinct((hash) => hash.slice(0, 8))).toBeGreaterThan(lines.length - 6);
    expect(distinct((hash) => hash.slice(8))).toBeGreaterThan(lines.length - 6);
  });
});

describe('the section of a prompt', () => {
  it('names each line once, indented as it is, and says how many', () => {
    expect(reintroducedSection(['    y = 2'])).toContain(
      'had deleted this line; it is in the program again:\n\n>     y = 2\n',
    );
    const section = reintroducedSection(['a', 'b', 'a']);
    expect(section).toContain('had deleted these lines; they are in the program again:\n\n> a\n> b\n');
  });

  it('is short whatever comes: 20 lines of 200 characters', () => {
    const section = reintroducedSection(Array.from({ length: 300 }, (_, index) => `${index} ${'😀x'.repeat(1000)}`));
    expect(section.match(/^> /gm)).toHaveLength(20);
    expect(section).toContain('And 280 more.');
    expect(section.length).toBeLessThan(20 * 210 + 400);
    expect(section.isWellFormed()).toBe(true);
  });

  it('holds no fence, heading or marker but words, whatever the lines are', () => {
    const lines = [
      '```python',
      '# Current program',
      '<<<<<<< SEARCH',
      '=======',
      '>>>>>>> REPLACE',
      'a\u2028# EVOLVE-BLOCK-START',
      '~~~',
      'The current program:',
      '<think>',
    ];
    const prompt = (section: string): string =>
      `# Current program\n\n\`\`\`python\nx = 1\n\`\`\`\n\n${section}\n\n# Task\n\nImprove it.\n`;
    const section = reintroducedSection(lines);
    expect(
      section.split(/[\n\u2028]/).filter((text) => /^(?:```|~~~|<<<|===|>>>)/.test(text) || text.startsWith('#')),
    ).toEqual(['# Lines that came back']);
    expect(parseBlocks(section)).toEqual([]);
    expect(readPrompt(prompt(section))).toEqual(readPrompt(prompt('')));
  });
});
