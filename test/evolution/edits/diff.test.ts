// From a response to a child: what counts as the answer, as a block, as a match (docs/methods/thetaevolve.md, From an
// answer to a child).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyBlocks } from '../../../evolution/edits/apply.ts';
import { parseBlocks, readAnswer, readBlocks } from '../../../evolution/edits/diff.ts';
import { afterReasoning } from '../../../evolution/edits/reasoning.ts';

const block = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE\n`;
const apply = (
  program: string,
  answer: string,
  change: { enforceBlock?: boolean; strict?: boolean; match?: 'lines' | 'substring' } = {},
) => applyBlocks(program, parseBlocks(answer), { enforceBlock: true, strict: false, ...change });

const PROGRAM = `import math
# EVOLVE-BLOCK-START
def f(x):
    y = x + 1
    return y

def g(x):
    y = x + 1
    return y
# EVOLVE-BLOCK-END
print(f(1))
`;

describe('the answer', () => {
  it('is what follows the last closing think tag', () => {
    expect(readAnswer('plan</think>draft<think>more</think>final', 'answer')).toBe('final');
    expect(readAnswer('no reasoning', 'answer')).toBe('no reasoning');
  });
  it('is nothing while a think block is open', () => {
    expect(readAnswer(`<think>${block('a', 'b')}`, 'answer')).toBe('');
    expect(readAnswer(`<think>a</think>x<think>${block('a', 'b')}`, 'answer')).toBe('');
  });
  it('with parse: whole is the whole response, drafts in the reasoning included', () => {
    const response = `<think>\n${block('a', 'b')}`;
    expect(parseBlocks(readAnswer(response, 'whole'))).toHaveLength(1);
  });
});

describe('reasoning in the text', () => {
  const BAD = block('a', 'bad');
  const GOOD = block('a', 'good');
  const only = (text: string, blocks: string): void => {
    expect(parseBlocks(readAnswer(text, 'answer'))).toEqual(parseBlocks(blocks));
  };
  it.each([
    ['<think>', '</think>'],
    ['<THINK>', '</THINK>'],
    ['<thinking>', '</thinking>'],
    ['<thought>', '</thought>'],
    ['<reasoning>', '</reasoning>'],
    ['<seed:think>', '</seed:think>'],
    ['[THINK]', '[/THINK]'],
    ['◁think▷', '◁/think▷'],
    ['<|begin_of_thought|>', '<|end_of_thought|>'],
    ['<|START_THINKING|>', '<|END_THINKING|>'],
    ['<|channel|>analysis<|message|>', '<|end|><|start|>assistant<|channel|>final<|message|>'],
    ['<|channel|>commentary to=a <|constrain|>json<|message|>', '<|call|><|channel|>final <|constrain|>py<|message|>'],
    ['<|channel>thought', '<channel|>'],
    ['<longcat_think>', '</longcat_think>'],
    ['<think>', '</mm:think>'],
    ['<REASONING_SCRATCHPAD>', '</REASONING_SCRATCHPAD>'],
    ['<think effort="high">', '<//think>'],
  ])('%s is left out, nested too, and where a template wrote its beginning', (begin, end) => {
    only(`${begin}\n${BAD}${end}\n${GOOD}`, GOOD);
    only(`${BAD}${end}\n${GOOD}`, GOOD);
    only(`${begin}a${end}${BAD}${begin}b${end}\n${GOOD}`, GOOD);
    only(`${begin}\n${BAD}`, '');
    if (!begin.includes('channel|>')) only(`${begin}a${begin}b${end}\n${BAD}${end}\n${GOOD}`, GOOD);
  });
  it.each([
    ['analysis', 'assistantfinal'],
    ['Here is my thought process:\n', 'Here is my response:\n'],
    ['Here are my reasoning steps:\n', '[BEGIN FINAL RESPONSE]\n'],
  ])('is left out where words stand for its marks: %s', (begin, end) => {
    only(`${begin}I try\n${BAD}${end}${GOOD}`, GOOD);
    only(`${begin}I try\n${GOOD}`, GOOD);
    expect(afterReasoning(`${begin}${end}${BAD}${end}${GOOD}`)).toBeNull();
  });
  it('is left out with the marks of other families in it', () => {
    for (const thought of ['a<thought>b</thought>c', 'a</thought>b', 'asks of <think>these</think> tags', '`</think>`'])
      only(`<think>${thought}${BAD}</think>\n${GOOD}`, GOOD);
  });
  it('may be spoken of, and a program may hold its marks', () => {
    for (const line of ['x = "</think>"', "x = '<think>a</think>'", 'x = f"{a}</think>" # "b"']) {
      const program = block('a', line);
      only(program, program);
      only(`<think>it says "</think>", and \`<think>\`, don't I?</think>\n${program}`, program);
    }
    const bare = block('a', 'TEXT = """\n</think>\n"""');
    only(`<think>hm</think>\n${bare}`, bare);
    only(bare, bare);
  });
  it('is never guessed: where its end cannot be known, there is no answer', () => {
    for (const text of [
      `<think>I end with </think> and go on\n${BAD}</think>\n${GOOD}`,
      `<think>\n\`\`\`\n</think>\n\`\`\`\n${BAD}</think>\n${GOOD}`,
      `<thinking><thinking>inner</thinking>outer\n${BAD}`,
      `${'<think>a</think>'.repeat(1_000)}${GOOD}`,
    ])
      expect(afterReasoning(text)).toBeNull();
  });
  it('takes no long time, whatever is written', () => {
    for (const part of ['</think>', '<think>', '"</think>', '```\n', '>', "'<think>"]) {
      afterReasoning(part.repeat(100_000));
      readBlocks(part.repeat(100_000));
    }
  });
});

describe('blocks', () => {
  it('are read with CRLF line ends and with blanks after the markers', () => {
    expect(parseBlocks(block('a', 'b').replaceAll('\n', '\r\n'))).toEqual([{ search: ['a'], replace: ['b'] }]);
    expect(parseBlocks('<<<<<<< SEARCH  \na\n======= \t\nb\n>>>>>>> REPLACE ')).toEqual([
      { search: ['a'], replace: ['b'] },
    ]);
  });
  it('end where a line holds the marker and nothing else: a line that ends in ======= is text', () => {
    expect(parseBlocks(block('title\n# =======', 'x =======\n  ======='))).toEqual([
      { search: ['title', '# ======='], replace: ['x =======', '  ======='] },
    ]);
  });
  it.each([
    ['a title underlined by the signs of the divider', block('a', 'heading\n=======\ntext'), /line 5 .*second divider/],
    ['a divider that is repeated', block('a', 'b').replace('=======', '=======\n======='), /line 4 .*second divider/],
    ['an end that is repeated', `${block('a', 'b')}>>>>>>> REPLACE\n`, /line 6 .*second >>>>>>> REPLACE/],
    ['a marker with a colon', block('a', 'b\n<<<<<<< SEARCH:'), /line 5 .*almost a marker/],
    ['a marker of another length', block('a', '>>>>>>>> REPLACE\nb'), /line 4 .*almost a marker/],
    ['the number of a line', block('a', ':start_line:996\n-------\nb'), /line 4 .*almost a marker/],
    ['a divider that is escaped', block('a', 'b\n\\=======\nc'), /line 5 .*almost a marker/],
    ['an end of another system', block('a', 'b').replace('>>>>>>> R', '+++++++ R'), /line 5 .*almost a marker/],
    [
      'an end behind which something stands',
      block('a', 'b').replace('ACE\n', 'ACE</answer>'),
      /line 5 .*almost a marker/,
    ],
    ['an end before the divider', '<<<<<<< SEARCH\n>>>>>>> REPLACE\na\n', /no line =======/],
    ['a divider of another length', block('a', 'b').replace('=======', '========'), /no line =======/],
    ['a marker of a version control', block('<<<<<<< HEAD\na', 'b'), /line 2 .*almost a marker/],
    ['no divider', block('a', 'b').replace('=======\n', ''), /no line =======/],
  ])('that could be read in two ways are never applied: %s', (_what, answer, broken) => {
    expect(readBlocks(answer)).toEqual([{ broken: expect.stringMatching(broken) }]);
  });
  it('need all three markers at the first column, in order; a block that is cut off is none', () => {
    for (const answer of [
      '<<<<<<< SEARCH\na\n=======\nb\n',
      '<<<<<<< SEARCH\na\n>>>>>>> REPLACE',
      '=======\nb\n>>>>>>> REPLACE',
      block('a', 'b').replace(/^/gm, '  '),
      '<<<<<< SEARCH\na\n=======\nb\n>>>>>> REPLACE',
    ]) {
      expect(parseBlocks(answer)).toEqual([]);
    }
    expect(parseBlocks(`<<<<<<< SEARCH\nlost\n${block('a', 'b')}`)).toEqual([{ search: ['a'], replace: ['b'] }]);
  });
  it('survive being read back: any lines without markers (law)', () => {
    const line = fc
      .string({ maxLength: 12 })
      .filter((text) => !/[\r\n]|^(<{7} SEARCH|={7}|>{7} REPLACE)\s*$/.test(text));
    const lines = fc.array(line, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(fc.tuple(lines, lines), { maxLength: 4 }), (pairs) => {
        const answer = pairs
          .map(([search, replace]) => `prose\n${block(search.join('\n'), replace.join('\n'))}`)
          .join('');
        expect(parseBlocks(answer)).toEqual(pairs.map(([search, replace]) => ({ search, replace })));
      }),
    );
  });
});

describe('applying blocks', () => {
  it('replaces the first match of whole consecutive lines, in order, on the evolving text', () => {
    const { code, applied, unmatched } = apply(
      PROGRAM,
      block('    y = x + 1', '    y = x + 2') + block('    y = x + 2\n    return y', '    return x + 2'),
    );
    expect(code).toBe(PROGRAM.replace('    y = x + 1\n    return y', '    return x + 2'));
    expect([applied, unmatched]).toEqual([2, []]);
  });
  it('takes leading white space exactly and ignores trailing white space', () => {
    expect(apply(PROGRAM, block('y = x + 1', 'y = 0')).unmatched[0]!.reason).toMatch(/^no match/);
    expect(apply(PROGRAM, block('    y = x', '    y = 0')).applied).toBe(0);
    expect(apply(PROGRAM, block('    y = x + 1  \t', '    y = 0')).applied).toBe(1);
    expect(
      apply(PROGRAM.replace('def f(x):', 'def f(x):   '), block('def f(x):\n    y = x + 1', 'def f(x):')).applied,
    ).toBe(1);
  });
  it('an empty REPLACE deletes the lines', () => {
    expect(apply(PROGRAM, '<<<<<<< SEARCH\n    y = x + 1\n=======\n>>>>>>> REPLACE').code).toBe(
      PROGRAM.replace('    y = x + 1\n', ''),
    );
  });
  it('an empty SEARCH never matches, blank lines alone neither', () => {
    for (const search of ['<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE', block('', 'x'), block('  \n', 'x')]) {
      expect(apply(PROGRAM, search)).toMatchObject({
        code: PROGRAM,
        applied: 0,
        unmatched: [{ block: 1, reason: 'empty SEARCH' }],
      });
    }
  });
  it('ThetaEvolve 14: an edit of a marker line or outside the block is unmatched, with the reason', () => {
    expect(apply(PROGRAM, block('import math', 'import os')).unmatched).toEqual([
      { block: 1, reason: 'outside the EVOLVE-BLOCK' },
    ]);
    expect(apply(PROGRAM, block('print(f(1))', 'print(9)')).unmatched[0]!.reason).toMatch(/outside/);
    expect(apply(PROGRAM, block('# EVOLVE-BLOCK-START\ndef f(x):', 'def f(x):')).unmatched[0]!.reason).toMatch(
      /contains a marker/,
    );
    expect(apply(PROGRAM, block('def f(x):', '# EVOLVE-BLOCK-END\ndef f(x):')).unmatched[0]!.reason).toMatch(
      /contains a marker/,
    );
  });
  it('a line that stands outside too is edited inside', () => {
    const twice = `x = 1\n# EVOLVE-BLOCK-START\nx = 1\n# EVOLVE-BLOCK-END\n`;
    expect(apply(twice, block('x = 1', 'x = 2')).code).toBe('x = 1\n# EVOLVE-BLOCK-START\nx = 2\n# EVOLVE-BLOCK-END\n');
  });
  it('of several places takes the first, and says that there are others', () => {
    const twice = apply(PROGRAM, block('    y = x + 1', '    y = x + 2') + block('def f(x):', 'def f(z):'));
    expect(twice.code).toBe(PROGRAM.replace('    y = x + 1', '    y = x + 2').replace('f(x):', 'f(z):'));
    expect([twice.applied, twice.unmatched, twice.ambiguous]).toEqual([
      2,
      [],
      [{ block: 1, reason: 'ambiguous: 2 places match, the first is taken' }],
    ]);
    // The text as the blocks before left it counts.
    expect(
      apply(PROGRAM, block('def f(x):\n    y = x + 1', 'def f(x):\n    y = 0') + block('    y = x + 1', '    y = 1'))
        .ambiguous,
    ).toEqual([]);
    expect(
      apply(
        PROGRAM,
        block('    return y', '    return y') + block('    y = x + 1', '    return y') + block('    return y', ''),
      ).ambiguous.map(({ block: number, reason }) => [number, reason.split(',')[0]]),
    ).toEqual([
      [1, 'ambiguous: 2 places match'],
      [2, 'ambiguous: 2 places match'],
      [3, 'ambiguous: 3 places match'],
    ]);
  });
  it('places outside the block are none that could have been meant', () => {
    const program = 'x = 1\n# EVOLVE-BLOCK-START\nx = 1\n# EVOLVE-BLOCK-END\nx = 1\n';
    expect(apply(program, block('x = 1', 'x = 2')).ambiguous).toEqual([]);
    expect(apply(program, block('x = 1', 'x = 2'), { enforceBlock: false }).ambiguous).toEqual([
      { block: 1, reason: 'ambiguous: 3 places match, the first is taken' },
    ]);
    expect(apply('x = 1\nx = 1\n# EVOLVE-BLOCK-START\n# EVOLVE-BLOCK-END\n', block('x = 1', 'x = 2'))).toMatchObject({
      applied: 0,
      ambiguous: [],
      unmatched: [{ block: 1, reason: 'outside the EVOLVE-BLOCK' }],
    });
  });
  it('counts no further than ten places, overlapping ones too', () => {
    expect(apply('a\n'.repeat(9), block('a\na', 'b')).ambiguous).toEqual([
      { block: 1, reason: 'ambiguous: 8 places match, the first is taken' },
    ]);
    expect(apply('a\n'.repeat(500), block('a', 'b')).ambiguous).toEqual([
      { block: 1, reason: 'ambiguous: 10 or more places match, the first is taken' },
    ]);
  });
  it('is told with a rejection, too', () => {
    expect(apply(PROGRAM, block('    y = x + 1', 'y') + block('nowhere', ''), { strict: true })).toMatchObject({
      code: PROGRAM,
      applied: 0,
      unmatched: [{ block: 2 }],
      ambiguous: [{ block: 1 }],
    });
  });
  it('every block is applied or unmatched with one of the known reasons, and an ambiguous one is applied (law)', () => {
    const line = fc.constantFrom(
      'a',
      '  a',
      'b',
      'b ',
      '',
      '# EVOLVE-BLOCK-START',
      '# EVOLVE-BLOCK-END',
      '<<<<<<< SEARCH',
      '=======',
      '>>>>>>> REPLACE',
      'ü\u2028',
      '\t',
    );
    const text = fc.array(line, { maxLength: 14 }).map((lines) => lines.join('\n'));
    const wanted = fc.array(line, { maxLength: 2 }).map((lines) => lines.join('\n'));
    const answers = fc
      .array(fc.tuple(wanted, wanted), { maxLength: 5 })
      .map((pairs) => pairs.map(([search, replace]) => block(search, replace)).join(''));
    fc.assert(
      fc.property(text, answers, fc.boolean(), fc.boolean(), (program, answer, enforceBlock, crlf) => {
        const read = (of: string) => applyBlocks(program, readBlocks(of), { enforceBlock, strict: false });
        const { code, applied, unmatched, ambiguous } = read(answer);
        expect(applied + unmatched.length).toBe(readBlocks(answer).length);
        for (const { reason } of unmatched)
          expect(reason).toMatch(
            /^(no match: |empty SEARCH$|outside the EVOLVE-BLOCK$|contains a marker: |marker broken: )/,
          );
        const failed = new Set(unmatched.map(({ block: number }) => number));
        expect(ambiguous.filter(({ block: number }) => failed.has(number))).toEqual([]);
        expect(ambiguous.map(({ block: number }) => number)).toEqual(
          [...new Set(ambiguous.map(({ block: number }) => number))].toSorted((a, b) => a - b),
        );
        if (applied === 0) expect(code).toBe(program);
        // Strict: all or nothing.
        expect(applyBlocks(program, readBlocks(answer), { enforceBlock, strict: true }).code).toBe(
          unmatched.length === 0 ? code : program,
        );
        // CRLF and white space at the ends of lines never matter to what matches.
        if (crlf) expect(read(answer.replaceAll('\n', ' \t\r\n'))).toMatchObject({ applied, unmatched, ambiguous });
      }),
      { numRuns: 400 },
    );
  });
  it('where an edit lands is the first of the places that could have been meant (law)', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(
        lines,
        fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 }),
        (program, search) => {
          const { code, applied, ambiguous } = apply(program.join('\n'), block(search.join('\n'), 'X'));
          const places = program
            .map((_, at) => at)
            .filter((at) => search.every((line, index) => program[at + index] === line));
          expect(applied).toBe(places.length > 0 ? 1 : 0);
          expect(ambiguous.length).toBe(places.length > 1 ? 1 : 0);
          if (places.length > 1)
            expect(ambiguous[0]!.reason).toContain(`: ${places.length}${places.length >= 10 ? ' or more' : ''} places`);
          if (places.length > 0)
            expect(code).toBe(
              [...program.slice(0, places[0]), 'X', ...program.slice(places[0]! + search.length)].join('\n'),
            );
        },
      ),
      { numRuns: 300 },
    );
  });
  it('a match may not reach over a marker', () => {
    const two = '# EVOLVE-BLOCK-START\na\n# EVOLVE-BLOCK-END\nb\n# EVOLVE-BLOCK-START\nc\n# EVOLVE-BLOCK-END\n';
    expect(apply(two, block('b', 'x')).applied).toBe(0);
    expect(apply(two, block('c', 'x')).applied).toBe(1);
  });
  it('without markers, or with enforceBlock off, the whole file is open', () => {
    expect(apply('a = 1\n', block('a = 1', 'a = 2')).code).toBe('a = 2\n');
    expect(apply(PROGRAM, block('# EVOLVE-BLOCK-START\ndef f(x):', 'def f(x):'), { enforceBlock: false }).applied).toBe(
      1,
    );
  });
  it('ThetaEvolve 11: unmatched blocks are reported by number, the rest apply; strict rejects all', () => {
    const answer = block('    nothing', 'x') + block('def g(x):', 'def g(z):');
    expect(apply(PROGRAM, answer)).toMatchObject({ applied: 1, unmatched: [{ block: 1 }] });
    expect(apply(PROGRAM, answer, { strict: true })).toMatchObject({
      code: PROGRAM,
      applied: 0,
      unmatched: [{ block: 1 }],
    });
  });
  it('the child of a CRLF program has LF ends', () => {
    expect(apply('a = 1\r\nb = 2\r\n', block('b = 2', 'b = 3')).code).toBe('a = 1\nb = 3\n');
  });
  it('what lies outside the block, and the markers, are the same in every child (law)', () => {
    const lines = PROGRAM.split('\n');
    const anyLine = fc.constantFrom(...lines, 'z = 1', '', '# EVOLVE-BLOCK-START', '# EVOLVE-BLOCK-END');
    const some = fc.array(anyLine, { minLength: 1, maxLength: 3 });
    const fixed = (code: string): readonly string[] => [
      code.split('# EVOLVE-BLOCK-START')[0]!,
      code.split('# EVOLVE-BLOCK-END')[1]!,
    ];
    fc.assert(
      fc.property(fc.array(fc.tuple(some, some), { maxLength: 6 }), (pairs) => {
        const { code } = apply(
          PROGRAM,
          pairs.map(([search, replace]) => block(search.join('\n'), replace.join('\n'))).join(''),
        );
        expect(fixed(code)).toEqual(fixed(PROGRAM));
        expect(code.match(/EVOLVE-BLOCK/g)).toHaveLength(2);
      }),
      { numRuns: 150 },
    );
  });
});

describe("match: substring (CodeEvolve's code)", () => {
  const parts = { match: 'substring' } as const;
  it('finds a part of a line and keeps what stands around it', () => {
    expect(apply(PROGRAM, block('x + 1\n    return y', 'x + 2\n    return y'), parts)).toMatchObject({
      applied: 1,
      code: PROGRAM.replace('x + 1', 'x + 2'),
    });
    expect(apply(PROGRAM, block('  def g', 'def h'), parts)).toMatchObject({
      applied: 1,
      code: PROGRAM.replace('def g', 'def h'),
    });
  });
  it('takes white space inside as it stands', () => {
    expect(apply(PROGRAM, block('y = x +  1', 'y = 0'), parts)).toMatchObject({
      applied: 0,
      unmatched: [
        { block: 1, reason: expect.stringMatching(/^no match: line 1 of SEARCH is "y = x \+ {2}1", but line 4 /) },
      ],
    });
  });
  it('reports several places, refuses an empty SEARCH, markers and what lies outside the block, in part too', () => {
    expect(apply(PROGRAM, block('y = x + 1', 'y = x'), parts).ambiguous).toEqual([
      { block: 1, reason: 'ambiguous: 2 places match, the first is taken' },
    ]);
    const reasons = [
      block(' \n ', 'a'),
      block('print', 'exec'),
      block('START\ndef', 'START\ndef'),
      block('# EVOLVE-BLOCK-END', 'a'),
    ].map((one) => apply(PROGRAM, one, parts).unmatched[0]?.reason);
    expect(reasons).toEqual([
      'empty SEARCH',
      'outside the EVOLVE-BLOCK',
      'outside the EVOLVE-BLOCK',
      'contains a marker: the EVOLVE-BLOCK lines stay as they are',
    ]);
  });
  it('looks through a long program once, however often the text occurs where nothing may be edited', () => {
    const closed = 'a'.repeat(400_000);
    const program = `${closed}\n# EVOLVE-BLOCK-START\nb\n# EVOLVE-BLOCK-END\n${'a\n'.repeat(100_000)}`;
    expect(apply(program, block('a', 'c'), parts).unmatched).toEqual([
      { block: 1, reason: 'outside the EVOLVE-BLOCK' },
    ]);
  });
  it('agrees with whole lines where a block is whole lines that occur once', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.stringMatching(/^[a-z]{3,8}$/), { minLength: 3, maxLength: 12 }),
        fc.nat(),
        fc.stringMatching(/^[A-Z]{1,6}$/),
        (lines, at, to) => {
          const from = lines[at % lines.length]!;
          fc.pre(lines.filter((line) => line.includes(from)).length === 1);
          const answer = block(from, to);
          expect(apply(lines.join('\n'), answer, parts)).toEqual(apply(lines.join('\n'), answer));
        },
      ),
    );
  });
});
