// Issue 6, item 10: the offline model answers each role in its format. Each test goes from the method's prompt
// through the model to the method's parser.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { complete } from '../../../deploy/offline-model/completion.ts';
import { OPERATORS } from '../../../deploy/offline-model/mutate/mutate.ts';
import { NO_FAULTS } from '../../../deploy/offline-model/options.ts';
import { type AskedMessage, readRequest, textOf } from '../../../deploy/offline-model/request.ts';
import type { DiffSettings } from '../../../evolution/config/run-config.ts';
import { completeDelta } from '../../../evolution/deltas/complete.ts';
import { deltaOf } from '../../../evolution/deltas/delta.ts';
import { parseDelta } from '../../../evolution/deltas/parse.ts';
import { applyBlocks } from '../../../evolution/edits/apply.ts';
import { parseBlocks, readAnswer } from '../../../evolution/edits/diff.ts';
import { applyResponse } from '../../../evolution/edits/early-checks.ts';
import { normalise } from '../../../evolution/edits/equivalence.ts';
import { editPrompt, openPrompt } from '../../../evolution/exploration/prompt-edit.ts';
import { parseIdea, parseVerdict } from '../../../evolution/ideas/idea.ts';
import type { ShownParent } from '../../../evolution/prompts/delta-prompt.ts';
import { programCard } from '../../../evolution/prompts/parts/program-card.ts';
import {
  buildConversation,
  buildDeltaPrompt,
  buildIdeaProgramPrompt,
  buildIdeaPrompt,
  buildJudgePrompt,
  buildMetaPrompt,
  buildMissingDeltaRepair,
  buildOpenEvolvePrompt,
  buildThetaPrompt,
} from '../../support/models/prompts.ts';
import { PARENTS, promptOf } from './programs.ts';
import { plainTask } from '../../support/domain/plain-task.ts';

const stated = { problem: 'Pack circles:\n\nas large as you can.', advice: '' };
const task = plainTask({ id: 'pack', title: 'Pack', scoreName: 'sum' });
const settings: DiffSettings = {
  accept: 'edits',
  match: 'lines',
  strict: true,
  enforceBlock: true,
  moveImports: true,
  maxCodeChars: 50_000,
  parse: 'answer',
  lazyScope: 'parent',
};
const SEEDS = Array.from({ length: 20 }, (_, seed) => seed);
const names = ['packing', 'small', 'awkward', 'noMarkers'];

const asked = ({ system, user }: { readonly system: string; readonly user: string }): readonly AskedMessage[] => [
  { role: 'system', content: system },
  { role: 'user', content: user },
];
const ask = (messages: readonly AskedMessage[], seed = 0, options = NO_FAULTS): string =>
  complete(
    { ...readRequest(JSON.stringify({ model: 'offline-gp', messages, seed })), maxTokens: null },
    options,
    0,
    false,
  ).choices[0]?.text ?? '';

/** The answer's edits apply to the program, all of them, and change it. */
const expectEdits = (answer: string, code: string): void => {
  const blocks = parseBlocks(readAnswer(answer, 'answer'));
  const { applied, unmatched, code: child } = applyBlocks(code, blocks, settings);
  expect({ applied, unmatched }).toEqual({ applied: blocks.length, unmatched: [] });
  expect(child).not.toBe(code);
};
const card = (code: string) =>
  programCard(task, {
    code,
    outcome: 'valid',
    score: 1.25,
    metrics: { runtime_s: 0.1 },
    exitCode: 0,
    error: 'a warning:\n```\nnot = code\n```',
  });

describe('an idea', () => {
  const prompt = asked(
    buildIdeaPrompt({
      proposal: 'Place circles on a grid.\n\n# Method\n\nGreedy.',
      code: PARENTS['packing']!,
      metrics: { sum: 1.5 },
      hints: ['Try hexagons.'],
    }),
  );
  test('names a mutation operator and what it will do, says that no language model made it, and holds no edit', () => {
    for (const seed of SEEDS) {
      const idea = parseIdea(readAnswer(ask(prompt, seed), 'answer'));
      const name = /^Operator: (.+)\.$/m.exec(idea)?.[1];
      expect(OPERATORS.map((operator) => operator.name)).toContain(name);
      expect(idea).toContain(`It will ${OPERATORS.find((operator) => operator.name === name)!.does}`);
      expect(idea).toContain('no language model');
      expect(parseBlocks(idea)).toEqual([]);
    }
  });
  test('depends on prompt and seed alone', () => {
    expect(ask(prompt, 3)).toBe(ask(prompt, 3));
    expect(new Set(SEEDS.map((seed) => ask(prompt, seed))).size).toBeGreaterThan(10);
  });
  test('comes also where the program holds nothing that may be changed', () => {
    expect(parseIdea(ask(asked(buildIdeaPrompt({ proposal: 'p', code: '# nothing\n', metrics: {} }))))).toContain(
      'Operator: ',
    );
  });
  test('is carried out by the operator that it names, under both prompts that carry ideas out', () => {
    const code = PARENTS['small']!;
    for (const operator of ['swap operator', 'duplicate statement', 'swap literals']) {
      const proposal = `Mechanical idea.\nOperator: ${operator}.\nIt will do so.`;
      const research = asked(
        buildIdeaProgramPrompt({
          previous: { proposal: 'Operator: swap names.', code, metrics: {} },
          proposal,
          settings,
        }),
      );
      const theta = asked(
        buildThetaPrompt({
          task,
          stated,
          parent: { code, outcome: 'valid', score: 1, metrics: {} },
          prior: [],
          idea: proposal,
          settings,
        }),
      );
      const deltas = (messages: readonly AskedMessage[]) =>
        messages.with(0, { role: 'system', content: `${messages[0]!.content}\n#DELTA-PLAN-DETAILS-START` });
      for (const messages of [research, theta]) {
        expectEdits(ask(messages), code);
        expect(parseDelta(ask(deltas(messages))).delta.plan.map(({ component }) => component)).toContain(
          `Mutation operator: ${operator}`,
        );
      }
    }
  });
});

describe('a judgement', () => {
  const judge = (idea: string, seed = 0): string => ask([{ role: 'user', content: buildJudgePrompt({ idea }) }], seed);
  test('is a number from 3 to 9 in a box, the same for the same idea whatever the seed', () => {
    const scores = Array.from({ length: 300 }, (_, index) =>
      parseVerdict(readAnswer(judge(`Idea ${index}: use \\boxed{1} of a\n\n# Heading\n\nThe proposal:\n`), 'answer')),
    );
    expect(scores.every((score) => score >= 3 && score <= 9)).toBe(true);
    expect(new Set(scores).size).toBeGreaterThan(30);
    expect(judge('The same.', 1)).toBe(judge('The same.', 99));
    expect(judge('The same.')).toContain('no language model');
  });
  test('falls on both sides of the published threshold 5.5', () => {
    const passed = Array.from({ length: 300 }, (_, index) => parseVerdict(judge(`idea ${index}`))).filter(
      (score) => score >= 5.5,
    ).length;
    expect(passed).toBeGreaterThan(100);
    expect(passed).toBeLessThan(250);
  });
});

describe('an edit of the prompt', () => {
  const meta = (prompt: string, seed: number): string =>
    ask(asked(buildMetaPrompt({ prompt, card: card(PARENTS['packing']!) })), seed);
  const ordered = (text: string): readonly string[] =>
    text
      .split(/[\n ]+/)
      .filter((word) => word !== '')
      .toSorted();
  test.each([
    ['lines', 'Title\n# PROMPT-BLOCK-START\n- one\n- two\n\n- three. And four.\n# PROMPT-BLOCK-END\nClosed. Words.'],
    ['sentences of one line', openPrompt('Pack circles. Make them large! Do they fit? Yes.')],
    [
      'several blocks',
      '# PROMPT-BLOCK-START\na\n# PROMPT-BLOCK-END\nmiddle\n# PROMPT-BLOCK-START\nb\nc\n# PROMPT-BLOCK-END\n',
    ],
    [
      'lines that edits could be mistaken for',
      openPrompt('=======\nfirst\nsecond\n<<<<<<< SEARCH\n```\nfenced\n```\n'),
    ],
    ['lines that come twice', openPrompt('same\nother\nsame\nother\n')],
  ])('puts what is there into another order: %s', (_name, prompt) => {
    const texts = new Set<string>();
    for (const seed of SEEDS) {
      const { text, reason } = editPrompt(prompt, meta(prompt, seed), settings);
      expect(reason).toBeNull();
      expect(ordered(text)).toEqual(ordered(prompt));
      texts.add(text);
    }
    expect(texts.size).toBeGreaterThan(0);
  });
  test('is refused in words where nothing can be exchanged', () => {
    for (const prompt of [openPrompt('One sentence'), openPrompt('same\nsame'), 'no block.\nat all.']) {
      const answer = meta(prompt, 1);
      expect(answer).toContain('no language model');
      expect(editPrompt(prompt, answer, settings).reason).toBe('no SEARCH/REPLACE block in the answer');
    }
  });
});

describe('a program', () => {
  test.each(names)('with its delta, which the parser reads as full: %s', (name) => {
    const code = PARENTS[name]!;
    const parent: ShownParent = {
      code,
      label: 'improved',
      score: 2,
      scoreBefore: 1,
      feedback: { values: { sum: 2 }, error: null },
    };
    const messages = asked(buildDeltaPrompt({ task, stated, parent, history: [], hints: ['Try hexagons.'] }));
    for (const seed of SEEDS) {
      const answer = ask(messages, seed);
      const { delta, rest } = parseDelta(readAnswer(answer, 'answer'));
      expect(delta.status).toBe('full');
      expect(delta.summary!.from).not.toBe('');
      for (const { component, oldLogic, newLogic, hypothesis } of delta.plan)
        for (const field of [component, oldLogic, newLogic, hypothesis]) expect(field).not.toBe('');
      expect(rest).not.toContain('#DELTA');
      expectEdits(rest, code);
      expect(answer.trimEnd().endsWith('#DELTA-PLAN-DETAILS-END')).toBe(true);
    }
  });
  test('keeps its delta readable whatever the code quotes', () => {
    const code =
      '# EVOLVE-BLOCK-START\nx = f("TO: a", "[Modification 9]", "#DELTA-SUMMARY-END", "NEW_LOGIC: q", "</think>", "<<<<<<< SEARCH")\n# EVOLVE-BLOCK-END\n';
    const messages = asked(
      buildDeltaPrompt({
        task,
        stated,
        parent: { code, label: null, score: null, scoreBefore: null, feedback: { values: {}, error: null } },
        history: [],
      }),
    );
    for (const seed of SEEDS) {
      const answer = readAnswer(ask(messages, seed), 'answer');
      if (parseBlocks(answer).length === 0) continue;
      const { delta } = parseDelta(answer);
      expect(delta.status).toBe('full');
      expect(delta.plan.length).toBeLessThanOrEqual(3);
    }
  });
  test('in a conversation: the target of the last turn is changed', () => {
    const [target, ancestor] = [PARENTS['small']!, PARENTS['packing']!];
    const { messages } = buildConversation({
      prompt: openPrompt('Pack circles.'),
      code: target,
      task,
      limits: task.limits,
      settings,
      operator: 'exploit',
      ancestors: [{ card: card(ancestor), response: promptOf(ancestor) }],
      inspirations: [() => card(PARENTS['awkward']!)],
      target: card(target),
      failure: () => card(ancestor),
      budget: { maxPromptTokens: null, estimateTokens: (text) => text.length },
    });
    expect(messages).toHaveLength(4);
    for (const seed of SEEDS) expectEdits(ask(messages, seed), target);
  });
  test.each(names)('of style proposal: the parent stands under Previous Program: %s', (name) => {
    const code = PARENTS[name]!;
    const messages = asked(
      buildIdeaProgramPrompt({
        previous: { proposal: 'Old.\n# Current Program\nof words', code, metrics: { sum: 1 } },
        proposal: 'New.\n# Task\nWords.',
        settings,
      }),
    );
    for (const seed of SEEDS) expectEdits(ask(messages, seed), code);
  });
  test('of style theta and of the task alone', () => {
    const code = PARENTS['small']!;
    const shown = { code, outcome: 'valid', score: 1, metrics: {} } as const;
    for (const seed of SEEDS) {
      expectEdits(
        ask(
          asked(
            buildThetaPrompt({
              task,
              stated,
              parent: shown,
              prior: [{ ...shown, code: PARENTS['packing']! }],
              settings,
            }),
          ),
          seed,
        ),
        code,
      );
      expectEdits(
        ask(
          [{ role: 'user', content: `Pack circles.\n\n\`\`\`python\n${code}\`\`\`\n\nWrite <<<<<<< SEARCH blocks.` }],
          seed,
        ),
        code,
      );
    }
  });
  test('of style openevolve: the parent among attempts, best programs and inspirations', () => {
    const code = PARENTS['small']!;
    const shown = { code: PARENTS['packing']!, outcome: 'valid', score: 1, metrics: {}, label: 'improved' } as const;
    const parent = {
      ...shown,
      code,
      before: { score: 0.5, length: 1 },
      output: 'Traceback:\n```python\nx = 1\n```',
    };
    const messages = asked(
      buildOpenEvolvePrompt({
        task,
        stated,
        parent,
        coordinates: [{ name: 'length', value: 3 }],
        best: [shown, shown],
        diverse: [shown],
        inspirations: [shown],
        settings,
      }),
    );
    for (const seed of SEEDS) expectEdits(ask(messages, seed), code);
  });
  test.each(names)('whole, in a fence, where whole programs are accepted alone; edits where both are: %s', (name) => {
    const code = PARENTS[name]!;
    const parent = { code, outcome: 'valid', score: 1, metrics: {} } as const;
    const prompt = (accept: DiffSettings['accept']) =>
      asked(
        buildThetaPrompt({
          task,
          stated,
          parent,
          prior: [{ ...parent, code: 'x = 1' }],
          settings: { ...settings, accept },
        }),
      );
    for (const seed of SEEDS) {
      for (const options of [NO_FAULTS, { ...NO_FAULTS, trivial: true }]) {
        const answer = ask(prompt('program'), seed, options);
        expect(parseBlocks(answer)).toEqual([]);
        const {
          code: child,
          outcome,
          reason,
        } = applyResponse({
          response: answer,
          parentCode: code,
          parentNorm: normalise(code),
          settings: { ...settings, accept: 'program' },
        });
        expect(child, reason ?? '').not.toBeNull();
        expect(child).not.toBe(code);
        expect(outcome).not.toBe('no_diff');
      }
      expectEdits(ask(prompt('either'), seed), code);
    }
  });
  test('whole in every style, where whole programs are accepted alone', () => {
    const code = PARENTS['small']!;
    const whole: DiffSettings = { ...settings, accept: 'program' };
    const prompts: { readonly [style: string]: readonly AskedMessage[] } = {
      conversation: buildConversation({
        prompt: openPrompt('Pack circles.'),
        code,
        task,
        limits: task.limits,
        settings: whole,
        operator: 'explore',
        ancestors: [{ card: card(PARENTS['packing']!), response: 'An answer.' }],
        inspirations: [],
        target: card(code),
        failure: null,
        budget: { maxPromptTokens: null, estimateTokens: (text) => text.length },
      }).messages,
      delta: asked(
        buildDeltaPrompt({
          task,
          stated,
          parent: { code, label: null, score: null, scoreBefore: null, feedback: { values: {}, error: null } },
          history: [],
          settings: whole,
        }),
      ),
      proposal: asked(
        buildIdeaProgramPrompt({
          previous: { proposal: 'Old.', code, metrics: {} },
          proposal: 'New.',
          settings: whole,
        }),
      ),
    };
    for (const [style, messages] of Object.entries(prompts)) {
      for (const seed of SEEDS.slice(0, 10)) {
        const { rest, delta } = parseDelta(readAnswer(ask(messages, seed), 'answer'));
        const {
          code: child,
          outcome,
          reason,
        } = applyResponse({
          response: style === 'delta' ? rest : ask(messages, seed),
          parentCode: code,
          parentNorm: normalise(code),
          settings: whole,
        });
        expect(child, `${style}: ${reason}`).not.toBeNull();
        expect(outcome).not.toBe('no_diff');
        expect(delta.status).toBe(style === 'delta' ? 'full' : 'missing');
      }
    }
  });
  test('in the order of the common frame, with rules before programs', () => {
    const code = PARENTS['small']!;
    const shown = { code, outcome: 'valid', score: 1, metrics: {}, label: null } as const;
    const other = { ...shown, code: PARENTS['packing']! };
    const tried = { total: 0, latest: [], alike: null, stream: false, island: null, mode: null };
    const said = { task, stated: { ...stated, advice: '# Advice\n\nBe bold.' }, tried, settings };
    const prompts = [
      buildThetaPrompt({ ...said, parent: shown, prior: [other] }),
      buildOpenEvolvePrompt({
        ...{ ...said, parent: { ...shown, before: null, output: '' }, coordinates: [] },
        ...{ best: [other], diverse: [other], inspirations: [] },
      }),
      buildIdeaProgramPrompt({
        ...{ ...said, previous: { proposal: 'Old.', code, metrics: {} }, proposal: 'New.' },
        best: `# Best program of this search\n\n\`\`\`python\n${other.code}\`\`\``,
        tried: '',
      }),
    ];
    for (const prompt of prompts)
      for (const seed of SEEDS) {
        expect(`${prompt.system}\n${prompt.user}`.indexOf('# How to edit')).toBeLessThan(
          `${prompt.system}\n${prompt.user}`.indexOf('# Advice'),
        );
        expectEdits(ask(asked(prompt), seed), code);
      }
  });
  test('passes the early checks of its method nearly always', () => {
    const parentCode = PARENTS['packing']!;
    const messages = asked(
      buildIdeaProgramPrompt({
        previous: { proposal: 'p', code: parentCode, metrics: {} },
        proposal: ask([{ role: 'user', content: 'x' }]),
        settings,
      }),
    );
    const early = SEEDS.map(
      (seed) =>
        applyResponse({ response: ask(messages, seed), parentCode, parentNorm: normalise(parentCode), settings })
          .outcome,
    );
    expect(early.filter((outcome) => outcome === null).length).toBeGreaterThan(0.85 * SEEDS.length);
  });
});

test('a missing delta is logged from its patch, the sections that are asked for alone', () => {
  const blocks = [{ search: ['a = 1'], replace: ['a = 2'] }];
  const summary = { from: 'Before.', to: 'After.' };
  for (const [given, status] of [
    [deltaOf(null, []), 'full'],
    [deltaOf(summary, []), 'plan_only'],
  ] as const) {
    const answer = ask(asked(buildMissingDeltaRepair({ delta: given, parentDelta: null, blocks })));
    const { delta, rest } = parseDelta(answer);
    expect(delta.status).toBe(status);
    expect(rest.trim()).toBe('');
    expect(completeDelta({ delta, parentDelta: null, blocks: 1, addedLines: 1, deletedLines: 1 }).summary.to).not.toBe(
      '',
    );
  }
});

test('no prompt makes it throw, and each is answered the same twice', () => {
  const pieces = [
    ...Object.values(PARENTS).map((code) => promptOf(code)),
    'The proposal:\n',
    '\\boxed{}',
    '# Current prompt\n',
    '# PROMPT-BLOCK-START\n',
    '# PROMPT-BLOCK-END\n',
    '# Your task\n',
    '# Current Proposal\n',
    '# Current Program\n',
    '# Previous Program\n',
    '#DELTA-SUMMARY-START\n',
    '#DELTA-PLAN-DETAILS-START\n',
    '# Patch\n',
    '```diff\n',
    '```\n',
    '```python\n',
    '~~~~\n',
    '<<<<<<< SEARCH\n',
    '=======\n',
    '>>>>>>> REPLACE\n',
    'Operator: recombine.\n',
    'Operator: constructor.\n',
    'Write the whole program.\n',
    '<think>',
    '</think>',
    '\u2028',
    '\ud800',
    '\r\n',
    '"""',
    "f'{",
  ];
  const text = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 20 })), { maxLength: 14 })
    .map((all) => all.join(''));
  const messages = fc.array(
    fc.record({ role: fc.constantFrom('system', 'user', 'assistant', 'tool'), content: text }),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(messages, fc.integer({ min: 0, max: 1e6 }), fc.boolean(), (asking, seed, trivial) => {
      const request = {
        messages: asking,
        promptText: textOf(asking),
        n: 2,
        seed,
        maxTokens: null,
        stream: false,
        includeUsage: false,
      };
      const texts = () => complete(request, { ...NO_FAULTS, trivial }, 0, false).choices.map((choice) => choice.text);
      const first = texts();
      expect(texts()).toEqual(first);
      for (const answer of first) expect(answer).toMatch(/\S/);
    }),
    { numRuns: 120, seed: 1 },
  );
});
