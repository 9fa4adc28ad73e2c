// What a model reads under `code` (docs/methods/codeevolve.md, The conversation; CodeEvolve 4 and
// 5).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPrompt } from '../../../deploy/offline-model/prompt.ts';
import { parseBlocks } from '../../../evolution/edits/diff.ts';
import type { ConversationParts } from '../../../evolution/prompts/conversation.ts';
import { type CardProgram, errorOf, programCard } from '../../../evolution/prompts/parts/program-card.ts';
import { buildConversation } from '../../support/models/prompts.ts';
import { plainTask } from '../../support/domain/plain-task.ts';

const task = plainTask({ id: 'third', title: 'Third', direction: 'minimise', scoreName: 'c3' });
const code = (name: string): string =>
  `# EVOLVE-BLOCK-START\ndef construct(instance):\n    return "${name}"\n# EVOLVE-BLOCK-END\n`;
const card = (change: Partial<CardProgram> = {}): string =>
  programCard(task, { code: code('x'), outcome: 'valid', score: 1.5, metrics: {}, exitCode: 0, error: '', ...change });
const settings = { enforceBlock: true, maxCodeChars: 50_000, strict: true };
const estimateTokens = (text: string): number => Math.ceil(text.length / 4);
const ancestors = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    card: card({ code: code(`ancestor ${index}`) }),
    response: `<think>secret ${index}</think>answer ${index}`,
  }));
const inspirations = (count: number) =>
  Array.from({ length: count }, (_, index) => () => card({ code: code(`inspiration ${index}`) }));
const build = (change: Partial<ConversationParts> = {}) =>
  buildConversation({
    prompt: 'PROMPT',
    code: code('target'),
    task,
    limits: task.limits,
    settings,
    operator: 'exploit',
    ancestors: ancestors(3),
    inspirations: inspirations(2),
    target: card({ code: code('target') }),
    failure: null,
    budget: { maxPromptTokens: null, estimateTokens },
    ...change,
  });
const systemOf = (change: Partial<ConversationParts>): string => {
  const [{ role, content } = { role: null, content: '' }] = build(change).messages;
  expect(role).toBe('system');
  return content;
};
const positions = (text: string, words: readonly string[]): readonly number[] =>
  words.map((word) => text.indexOf(word));

describe('the system message', () => {
  it("CodeEvolve 4: exploitation's system text is the parent's own prompt, byte for byte, then rules and limits", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (prompt) => {
        expect(systemOf({ prompt: `P${prompt}` }).startsWith(`P${prompt}\n\n# How to edit\n`)).toBe(true);
      }),
    );
    const system = systemOf({ prompt: 'P\r\n' });
    expect(system.startsWith('P\r\n\n\n# How to edit\n')).toBe(true);
    expect(parseBlocks(system)).toHaveLength(1);
    expect(system).toContain('after 60 s of CPU time, or when it takes more than 1 GiB of memory');
    expect(system).toContain('no block is taken');
    const loose = systemOf({
      limits: { cpuSeconds: 5, memoryBytes: 300 << 20 },
      settings: { ...settings, strict: false },
    });
    expect(loose).toMatch(/300 MiB/);
    expect(loose).not.toContain('no block is taken');
  });
});

describe('the conversation', () => {
  it('CodeEvolve 5: exploration shows 2 messages; exploitation at available depth d: 2·min(k, d) + 2', () => {
    expect(build({ ancestors: [] }).messages.map(({ role }) => role)).toEqual(['system', 'user']);
    for (const k of [1, 2, 5]) {
      for (const d of [0, 1, 3, 9]) {
        const { messages } = build({ ancestors: ancestors(d).slice(-k) });
        expect(messages).toHaveLength(2 * Math.min(k, d) + 2);
        expect(messages.slice(1).map(({ role }) => role)).toEqual(
          messages.slice(1).map((_, index) => (index % 2 === 0 ? 'user' : 'assistant')),
        );
      }
    }
  });
  it('shows ancestors oldest first, labelled, with the answers that led on, without reasoning', () => {
    const { messages } = build();
    expect(messages[1]!.content).toContain(
      '# Earlier version\n\nThis is an earlier version, 3 changes before the present program.',
    );
    expect(messages[1]!.content).toContain(code('ancestor 0'));
    expect(messages[5]!.content).toContain('an earlier version, the one before');
    expect([2, 4, 6].map((index) => messages[index]!.content)).toEqual(['answer 0', 'answer 1', 'answer 2']);
    const odd = build({
      ancestors: [
        { card: 'c', response: '<think>open' },
        { card: 'c', response: '' },
      ],
    }).messages;
    expect([odd[2]!.content, odd[4]!.content]).toEqual(['(no answer)', '(no answer)']);
    expect(
      build({ ancestors: [{ card: 'c', response: '<think>a</think>b' }], parse: 'whole' }).messages[2]!.content,
    ).toBe('<think>a</think>b');
  });
  it('ends with inspirations, target, failed attempt, hint and request in this order', () => {
    const last = build({
      failure: () =>
        card({ code: code('failed'), outcome: 'no_solution', score: null, exitCode: 1, error: 'NameError' }),
      hints: ['Try hexagons.'],
    }).messages.at(-1)!.content;
    const order = positions(last, [
      '# Inspirations',
      '## Inspiration 1',
      '## Inspiration 2',
      '# Current program',
      '# Latest failed attempt',
      '# Hint from a person',
      '# Task',
    ]);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order[0]).toBe(0);
    const bare = build({ inspirations: [] }).messages.at(-1)!.content;
    expect(bare.startsWith('# Current program\n\nMetrics: ')).toBe(true);
    expect(bare).not.toMatch(/Inspiration|failed|Hint/);
  });
  it('is read by the offline model: target and others', () => {
    const last = build({
      failure: () => card({ code: code('failed'), error: 'Traceback\n```\nx = 1\n```' }),
    }).messages.at(-1)!.content;
    const { parent, others } = readPrompt(last);
    expect(parent).toBe(code('target').trimEnd());
    expect(others).toEqual(['inspiration 0', 'inspiration 1', 'failed'].map((name) => code(name).trimEnd()));
  });
  it('has two task texts: one refines, one explores', () => {
    const last = (change: Partial<ConversationParts>): string =>
      build(change).messages.at(-1)!.content.split('# Task')[1]!;
    const [refine, explore] = [last({}), last({ operator: 'explore', task: { ...task, direction: 'maximise' } })];
    expect(refine).toMatch(/Refine[^]*lowers c3/);
    expect(explore).toMatch(/another paradigm[^]*raises c3[^]*not a repair/);
  });
});

describe('the token budget', () => {
  const texts = (conversation: ReturnType<typeof build>): string =>
    conversation.messages.map(({ content }) => content).join('\n');
  it('drops the oldest ancestors, then the last inspirations, and nothing else', () => {
    const whole = build();
    expect(whole).toMatchObject({ dropped: { ancestors: 0, inspirations: 0 }, overBudget: false });
    const at = (maxPromptTokens: number) => build({ budget: { maxPromptTokens, estimateTokens } });
    expect(at(whole.tokens)).toEqual(whole);
    const less = at(whole.tokens - 1);
    expect(less).toMatchObject({ dropped: { ancestors: 1, inspirations: 0 }, overBudget: false });
    expect(less.messages).toEqual([whole.messages[0], ...whole.messages.slice(3)]);
    const none = at(1);
    expect(none).toMatchObject({ dropped: { ancestors: 3, inspirations: 2 }, overBudget: true });
    expect(none.messages).toEqual(build({ ancestors: [], inspirations: [] }).messages);
    const one = at(build({ ancestors: [], inspirations: inspirations(1) }).tokens);
    expect(one.dropped).toEqual({ ancestors: 3, inspirations: 1 });
    expect(texts(one)).toContain('inspiration 0');
    expect(texts(one)).not.toContain('inspiration 1');
  });
  it('never cuts a text: what is shown is shown whole; the estimate is that of what is shown (law)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 5 }),
        fc.integer({ min: 0, max: 3 }),
        fc.integer({ min: 1, max: 900 }),
        (depth, shown, maxPromptTokens) => {
          const built = build({
            ancestors: ancestors(depth),
            inspirations: inspirations(shown),
            budget: { maxPromptTokens, estimateTokens },
          });
          const all = texts(built);
          for (let index = 0; index < depth; index++)
            expect(all.includes(code(`ancestor ${index}`))).toBe(index >= built.dropped.ancestors);
          for (let index = 0; index < shown; index++)
            expect(all.includes(code(`inspiration ${index}`))).toBe(index < shown - built.dropped.inspirations);
          expect(all).toContain(code('target'));
          expect(built.tokens).toBe(built.messages.reduce((sum, { content }) => sum + estimateTokens(content), 0));
          expect(built.overBudget).toBe(built.tokens > maxPromptTokens);
          if (built.overBudget) expect(built.dropped).toEqual({ ancestors: depth, inspirations: shown });
          expect(built.dropped.inspirations === 0 || built.dropped.ancestors === depth).toBe(true);
        },
      ),
    );
  });
});

describe('the card', () => {
  it('has metrics with ten significant digits, the exit code and the code whole', () => {
    expect(
      card({ score: 1.45678901234, metrics: { runtime_s: 2, gaps: 0.123456789012, tight: true, c3: 9 }, exitCode: 0 }),
    ).toBe(
      `Metrics: c3 = 1.456789012, valid = yes, running time: less than 25 % of the limit, gaps = 0.123456789, tight = true, exit code = 0\n\n\`\`\`python\n${code('x')}\`\`\``,
    );
    expect(card({ code: 'y = """\n```\n"""', outcome: 'invalid', score: null, exitCode: null })).toBe(
      'Metrics: c3 = none, valid = no (invalid)\n\n````python\ny = """\n```\n"""\n````',
    );
  });
  it('shows the last 2,000 characters of the error, and says that there was more', () => {
    const long = card({ error: `begin${'e'.repeat(2990)}end\n` });
    expect(long).toContain('The last 2000 of 2998 characters of its error output\n\n```text\neee');
    expect(long.split('```text\n')[1]!.split('\n```')[0]).toBe(`${'e'.repeat(1997)}end`);
    expect(card({ error: ' boom\n' })).toMatch(/Its error output\n\n```text\nboom\n```$/);
    expect(card({ error: `${'🙂'.repeat(1500)}x` }).isWellFormed()).toBe(true);
  });
  it('takes its error from what the evaluator and the program said', () => {
    expect(errorOf({ reasons: ['expected 26 circles, got 25'], stderrTail: ' warning\n' })).toBe(
      'expected 26 circles, got 25\nwarning',
    );
    expect(errorOf({ reasons: [], stderrTail: '' })).toBe('');
  });
});
