// The prompts of an island and their edits (CodeEvolve 4.2, Eq. 1; CodeEvolve 4, 7, 8, 19, 20, 25).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBlocks } from '../../../evolution/edits/diff.ts';
import { editPrompt, openPrompt } from '../../../evolution/exploration/prompt-edit.ts';
import {
  addPrompt,
  creditPrompt,
  drawPrompt,
  exploitPrompt,
  foundPrompts,
  type PromptPopulation,
  rankPrompts,
} from '../../../evolution/exploration/prompt-population.ts';
import { rng } from '../../../evolution/rng.ts';
import { expectUniform } from '../../support/domain/chi-square.ts';
import { buildMetaPrompt } from '../../support/models/prompts.ts';

const PROMPT =
  'Fixed head\r\n# PROMPT-BLOCK-START\nYou are an expert.\nPack circles.\n# PROMPT-BLOCK-END\nbetween  \n# PROMPT-BLOCK-START\nUse numpy.\n# PROMPT-BLOCK-END\nFixed tail';
const block = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE\n`;
const edit = (answer: string, prompt = PROMPT) => editPrompt(prompt, answer, { parse: 'answer' });

const three = (): PromptPopulation =>
  ['p1', 'p2'].reduce(
    (population, id) => addPrompt(population, { id, text: id, parent: 'p0' }),
    foundPrompts({ id: 'p0', text: 'p0' }),
  );

describe('edits of a prompt', () => {
  it('change the text between the markers, of any block, in order', () => {
    expect(
      edit(
        block('Pack circles.', 'Pack circles.\nTry lattices.') +
          block('Try lattices.', 'Try hexagons.') +
          block('Use numpy.', 'Use scipy.'),
      ),
    ).toEqual({
      text: PROMPT.replace('Pack circles.', 'Pack circles.\nTry hexagons.').replace('numpy', 'scipy'),
      reason: null,
    });
    expect(
      edit(`<think>${block('Use numpy.', 'no')}</think>${block('You are an expert.', 'You are a geometer.')}`).text,
    ).toBe(PROMPT.replace('an expert', 'a geometer'));
    expect(edit('<<<<<<< SEARCH\nUse numpy.\n=======\n>>>>>>> REPLACE').text).toBe(PROMPT.replace('Use numpy.\n', ''));
  });
  it('CodeEvolve 19: one unmatched block keeps the prompt; an edit outside a block never lands', () => {
    const good = block('Use numpy.', 'Use scipy.');
    for (const [answer, reason] of [
      [good + block('Use scipy', 'x'), 'block 2: no match'],
      [good + block('Fixed head', 'x'), 'block 2: no match'],
      [block('Fixed tail', 'x'), 'block 1: no match'],
      [block('# PROMPT-BLOCK-START\nUse numpy.', 'x'), 'contains a marker'],
      [block('Use numpy.', 'Use numpy.\n# PROMPT-BLOCK-END'), 'contains a marker'],
      [block('Pack circles.\nbetween', 'x'), 'no match'],
      [good + block('', 'x'), 'block 2: empty SEARCH'],
      [block('between', 'x'), 'no match'],
    ] as const)
      expect(edit(answer)).toEqual({ text: PROMPT, reason: expect.stringContaining(reason) });
  });
  it('CodeEvolve 19: whatever the edits, nothing outside the blocks changes (law)', () => {
    const line = fc.constantFrom(
      'You are an expert.',
      'Pack circles.',
      'Use numpy.',
      'Fixed head',
      'between',
      '# PROMPT-BLOCK-START',
      '# PROMPT-BLOCK-END',
      'new',
      '',
    );
    const lines = fc.array(line, { minLength: 1, maxLength: 3 }).map((some) => some.join('\n'));
    const outside = (text: string): readonly string[] => text.split(/(?<=START)[^]*?(?=# PROMPT-BLOCK-END)/);
    fc.assert(
      fc.property(fc.array(fc.tuple(lines, lines), { maxLength: 4 }), (pairs) => {
        const { text, reason } = edit(pairs.map(([search, replace]) => block(search, replace)).join(''));
        expect(outside(text)).toEqual(outside(PROMPT));
        expect(text === PROMPT).toBe(reason !== null);
      }),
    );
  });
  it('CodeEvolve 20: an answer that fails or changes nothing leaves P, and no new prompt', () => {
    for (const [answer, reason] of [
      ['', 'no SEARCH/REPLACE block'],
      ['I would rather not.', 'no SEARCH/REPLACE block'],
      [`<think>${block('Use numpy.', 'x')}`, 'no SEARCH/REPLACE block'],
      [block('Use numpy.', 'Use numpy.  '), 'change nothing'],
      [block('Use numpy.', 'Use scipy.') + block('Use scipy.', 'Use numpy.'), 'change nothing'],
    ] as const)
      expect(edit(answer)).toEqual({ text: PROMPT, reason: expect.stringContaining(reason) });
    const emptied = edit(block('You are an expert.\nPack circles.', '') + block('Use numpy.', ''));
    expect(emptied).toEqual({ text: PROMPT, reason: expect.stringContaining('leave nothing') });
  });
  it('need a block whose markers are in order', () => {
    for (const [prompt, reason] of [
      ['Use numpy.', 'no PROMPT-BLOCK'],
      ['# PROMPT-BLOCK-START\nUse numpy.', 'has no end'],
      ['Use numpy.\n# PROMPT-BLOCK-END', 'has not begun'],
      ['# PROMPT-BLOCK-START\n# PROMPT-BLOCK-START\nUse numpy.\n# PROMPT-BLOCK-END', 'before the one above'],
    ] as const)
      expect(edit(block('Use numpy.', 'x'), prompt)).toEqual({ text: prompt, reason: expect.stringContaining(reason) });
  });
  it('an initial prompt without markers is open as a whole, one with markers stays', () => {
    expect(openPrompt('Use numpy.\n\n')).toBe('# PROMPT-BLOCK-START\nUse numpy.\n# PROMPT-BLOCK-END\n');
    expect(openPrompt(PROMPT)).toBe(PROMPT);
    expect(edit(block('Use numpy.', 'Use jax.'), openPrompt('Use numpy.')).text).toBe(
      '# PROMPT-BLOCK-START\nUse jax.\n# PROMPT-BLOCK-END\n',
    );
    const empty = '# PROMPT-BLOCK-START\n# PROMPT-BLOCK-END\n# PROMPT-BLOCK-START\na\n# PROMPT-BLOCK-END';
    expect(edit(block('a', 'b'), empty).text).toBe(empty.replace('\na\n', '\nb\n'));
  });
});

describe('the prompt population', () => {
  it('CodeEvolve 8: f < 0 everywhere: prompt fitness equals the maximum, failures count nothing, none is 0', () => {
    expect(three().map(({ bestFit }) => bestFit)).toEqual([null, null, null]);
    const made = [
      { prompt: 'p1', fit: -7 },
      { prompt: 'p1', fit: null },
      { prompt: 'p1', fit: -3 },
      { prompt: 'p1', fit: -5 },
      { prompt: 'p2', fit: null },
      { prompt: 'p2', fit: Number.NaN },
    ];
    expect(made.reduce(creditPrompt, three()).map(({ bestFit }) => bestFit)).toEqual([null, -3, null]);
    const fits = fc.array(
      fc.record({ prompt: fc.constantFrom('p0', 'p1', 'p2'), fit: fc.option(fc.integer({ min: -99, max: -1 })) }),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(fits, (all) => {
        const population = all.reduce(creditPrompt, three());
        expect(all.toReversed().reduce(creditPrompt, three())).toEqual(population);
        for (const { id, bestFit } of population) {
          const own = all.flatMap(({ prompt, fit }) => (prompt === id && fit !== null ? [fit] : []));
          expect(bestFit).toBe(own.length === 0 ? null : Math.max(...own));
        }
      }),
    );
  });
  it('grows by changed prompts, once each, and knows their parents', () => {
    const again = addPrompt(three(), { id: 'p1', text: 'other', parent: 'p2' });
    expect(again).toEqual(three());
    expect(three().map(({ parent }) => parent)).toEqual([null, 'p0', 'p0']);
    expect(creditPrompt(three(), { prompt: 'of another island', fit: 1 })).toEqual(three());
    expect(JSON.parse(JSON.stringify(three()))).toEqual(three());
  });
  it('CodeEvolve 4: exploitation takes the prompt that made the parent, byte for byte, from whichever island', () => {
    const own = { id: 'elsewhere', text: PROMPT };
    expect(exploitPrompt({ rule: 'own', own, population: three(), rng: rng(1) })).toBe(own);
  });
  it('by policy, exploitation draws by rank, prompts without fitness last', () => {
    const population = [
      { prompt: 'p2', fit: -1 },
      { prompt: 'p1', fit: -2 },
    ].reduce(creditPrompt, three());
    expect(rankPrompts(population).map(({ id }) => id)).toEqual(['p2', 'p1', 'p0']);
    expect(rankPrompts(three()).map(({ id }) => id)).toEqual(['p0', 'p1', 'p2']);
    const drawn = Array.from(
      { length: 20_000 },
      (_, epoch) => exploitPrompt({ rule: 'policy', own: { id: '', text: '' }, population, rng: rng(3, epoch) }).id,
    );
    const share = (id: string) => drawn.filter((other) => other === id).length / drawn.length;
    for (const [index, id] of ['p2', 'p1', 'p0'].entries())
      expect(Math.abs(share(id) - 6 / 11 / (index + 1))).toBeLessThan(0.012);
  });
  it("CodeEvolve 7: exploration's parent and prompt are uniform and independent (χ², p > 0.001)", () => {
    const parents = ['a', 'b', 'c', 'd'];
    const drawn = Array.from(
      { length: 12_000 },
      (_, epoch) => `${rng(5, 'parent', 0, epoch).pick(parents)} ${drawPrompt(three(), rng(5, 'prompt', 0, epoch)).id}`,
    );
    expectUniform(
      drawn,
      parents.flatMap((parent) => three().map(({ id }) => `${parent} ${id}`)),
    );
  });
  it('CodeEvolve 25: where no prompt was ever changed, every prompt is the initial one', () => {
    const initial = foundPrompts({ id: 'p0', text: openPrompt('Pack circles.') });
    const drawn = Array.from({ length: 100 }, (_, epoch) => drawPrompt(initial, rng(1, 'prompt', epoch)).text);
    expect(new Set(drawn)).toEqual(new Set([initial[0]!.text]));
  });
});

describe('the meta-prompt', () => {
  const { system, user } = buildMetaPrompt({ prompt: PROMPT, card: 'Metrics: c3 = 1.5\n\n```python\nx = 1\n```' });
  it('shows the prompt whole, the program, the rules and the task', () => {
    expect(user).toContain(
      `# Current prompt\n\n\`\`\`text\n${PROMPT}\n\`\`\`\n\n# A program of this search\n\nMetrics: c3 = 1.5`,
    );
    expect(`${system}${user}`).not.toMatch(/undefined|\[object/);
  });
  it('its example follows its own rules: read as an answer, it is one block that the prompt does not hold', () => {
    expect(parseBlocks(user)).toHaveLength(1);
    expect(edit(user).reason).toContain('no match');
  });
});
