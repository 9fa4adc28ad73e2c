// Inputs of the builders of prompts, drawn by number: everything present or absent, and words full of what templates
// are made of.
import type { DeltaPrompt, ShownDelta } from '../../../evolution/prompts/delta-prompt.ts';
import type { IdeaProgramPrompt } from '../../../evolution/prompts/idea-prompts.ts';
import type { EvolvedParent, EvolvedProgram, OpenEvolvePrompt } from '../../../evolution/prompts/openevolve-prompt.ts';
import type { ShownProgram } from '../../../evolution/prompts/parts/program-card.ts';
import type { EditSettings } from '../../../evolution/prompts/parts/sections.ts';
import type { ContextRole, ThetaPrompt } from '../../../evolution/prompts/theta-prompt.ts';
import { rng, type Rng } from '../../../evolution/rng.ts';
import type { Task } from '../../../evolution/task/task.ts';
import { plainTask } from '../domain/plain-task.ts';

const WORDS = [
  '{{task}}',
  '{x}',
  '}}',
  '$&',
  '$1',
  '$$',
  '`',
  '```',
  '<!-- section: user -->',
  '# Task',
  'x = 1',
  '\n',
  '\n\n',
  '    y = {"a": {"b": 2}}',
  '<<<<<<< SEARCH',
  '\\n',
  'ü',
  '\t',
  '2.635',
];

const chance = (random: Rng): boolean => random.int(2) === 0;
const words = (random: Rng): string => `w${Array.from({ length: random.int(9) }, () => random.pick(WORDS)).join(' ')}`;
const always = (text: string) => (): string => text;
const list = <T>(random: Rng, most: number, make: (random: Rng) => T): readonly T[] =>
  Array.from({ length: random.int(most + 1) }, () => make(random));
const code = (random: Rng): string =>
  `${chance(random) ? '# EVOLVE-BLOCK-START\n' : ''}${words(random)}${random.pick(['', '\n', '\n\n'])}`;
const number = (random: Rng): number => random.next() * 10 ** random.int(5) - 2;

const taskOf = (random: Rng): Task =>
  plainTask({
    id: 't',
    title: 'T',
    direction: random.pick(['maximise', 'minimise'] as const),
    entry: 'solve',
    scoreName: 'points',
  });
const statedOf = (random: Rng) => ({ problem: words(random), advice: '' });
const settingsOf = (random: Rng): EditSettings => ({
  enforceBlock: chance(random),
  maxCodeChars: 1000,
  accept: random.pick(['edits', 'either', 'program'] as const),
});
const tellingOf = (random: Rng) => ({
  scores: random.pick(['shown', 'masked'] as const),
  feedback: random.pick(['full', 'label-only', 'none'] as const),
});
const programOf = (random: Rng): ShownProgram =>
  chance(random)
    ? { code: code(random), outcome: 'valid', score: number(random), metrics: { runtime_s: random.int(60) } }
    : { code: code(random), outcome: 'invalid', score: null, metrics: {} };
const besides = (random: Rng) => ({
  reintroduced: list(random, 3, words),
  idea: chance(random) ? null : words(random),
  hints: list(random, 2, words),
  settings: settingsOf(random),
});
const labelOf = (random: Rng) => random.pick(['improved', 'degraded', 'unchanged', 'failed'] as const);
const maxTokensOf = (random: Rng): number | null => random.pick([null, 1, 150, 250, 400]);

export const thetaInput = (index: number): ThetaPrompt => {
  const random = rng('theta', index);
  const role = (): ContextRole => random.pick(['elite', 'diverse', 'inspiration', 'best', 'ancestor'] as const);
  return {
    task: taskOf(random),
    stated: statedOf(random),
    parent: programOf(random),
    prior: list(random, 3, programOf),
    context: list(random, 4, () => ({ role: role(), program: programOf(random) })),
    ...besides(random),
    ...tellingOf(random),
    maxTokens: maxTokensOf(random),
  };
};

export const openEvolveInput = (index: number): OpenEvolvePrompt => {
  const random = rng('openevolve', index);
  const evolved = (): EvolvedProgram => ({ ...programOf(random), label: chance(random) ? null : labelOf(random) });
  const parent: EvolvedParent = {
    ...evolved(),
    before: chance(random) ? null : { score: number(random), length: random.int(99) },
    artifacts: chance(random) ? '' : words(random),
  };
  return {
    task: taskOf(random),
    stated: statedOf(random),
    parent,
    coordinates: list(random, 2, () => ({
      name: random.pick(['score', 'length', 'diversity']),
      value: number(random),
    })),
    best: list(random, 5, evolved),
    diverse: list(random, 2, evolved),
    inspirations: list(random, 2, evolved),
    ...besides(random),
    ...tellingOf(random),
    maxTokens: maxTokensOf(random),
  };
};

export const deltaInput = (index: number): DeltaPrompt => {
  const random = rng('delta', index);
  const feedback = () => ({
    values: chance(random) ? {} : { points: number(random) },
    error: chance(random) ? null : words(random),
  });
  const shown = (): ShownDelta => ({
    role: random.pick(['top', 'diverse'] as const),
    time: random.int(99),
    label: labelOf(random),
    level: random.pick(['L1', 'L2'] as const),
    feedback: feedback(),
    delta: {
      summary: { from: words(random), to: words(random) },
      status: 'full',
      plan: [{ component: words(random), oldLogic: words(random), newLogic: words(random), hypothesis: words(random) }],
    },
  });
  return {
    task: taskOf(random),
    stated: statedOf(random),
    history: list(random, 3, shown),
    parent: {
      code: code(random),
      label: chance(random) ? null : labelOf(random),
      score: number(random),
      scoreBefore: number(random),
      feedback: feedback(),
    },
    dimensions: list(random, 2, () => 'complexity'),
    ...besides(random),
    ...tellingOf(random),
  };
};

export const proposalInput = (index: number): IdeaProgramPrompt => {
  const random = rng('proposal', index);
  const { hints, settings } = besides(random);
  return {
    task: taskOf(random),
    promptText: words(random),
    evolvedPrompt: chance(random) ? null : words(random),
    previous: {
      proposal: words(random),
      code: code(random),
      metrics: chance(random) ? {} : { points: number(random), valid: true },
    },
    proposal: words(random),
    settings,
    hints,
  };
};

export const conversationInput = (index: number) => {
  const random = rng('conversation', index);
  const { reintroduced, idea, hints, settings } = besides(random);
  const { scoreName, direction } = taskOf(random);
  return {
    prompt: words(random),
    code: code(random),
    task: { scoreName, direction },
    operator: random.pick(['exploit', 'explore'] as const),
    limits: { cpuSeconds: 1 + random.int(99), memoryBytes: random.pick([1 << 30, 300 << 20]) },
    settings: { ...settings, strict: chance(random) },
    ancestors: list(random, 3, () => ({
      card: words(random),
      response: random.pick(['', words(random), `<think>${words(random)}</think>${words(random)}`]),
    })),
    inspirations: list(random, 3, words).map(always),
    target: words(random),
    failure: chance(random) ? null : always(words(random)),
    reintroduced,
    idea,
    hints,
    budget: { maxPromptTokens: maxTokensOf(random), estimateTokens: (text: string) => Math.ceil(text.length / 4) },
  };
};

export const taskOnlyInput = (index: number) => {
  const random = rng('task-only', index);
  const { idea, hints, settings } = besides(random);
  return {
    task: { ...taskOf(random), initialProgram: code(random) },
    stated: statedOf(random),
    idea,
    hints,
    settings,
  };
};

export const ideaInput = (index: number) => {
  const random = rng('idea', index);
  const proposed = () => ({
    proposal: words(random),
    metrics: chance(random) ? {} : { points: number(random), valid: true },
  });
  return { ...proposed(), code: code(random), inspirations: list(random, 3, proposed), hints: list(random, 2, words) };
};

export const judgeInput = (index: number) => {
  const random = rng('judge', index);
  return { title: chance(random) ? '' : words(random), idea: words(random) };
};

export const metaInput = (index: number) => {
  const random = rng('meta', index);
  return { prompt: `${words(random)}${random.pick(['', '\n'])}`, card: words(random) };
};

export const repairInput = (index: number) => {
  const random = rng('repair', index);
  const summary = chance(random) ? null : { from: words(random), to: words(random) };
  const plan =
    summary !== null && chance(random)
      ? []
      : list(random, 2, () => ({
          component: words(random),
          oldLogic: words(random),
          newLogic: words(random),
          hypothesis: words(random),
        }));
  return {
    delta: {
      summary,
      plan: summary !== null ? [] : plan,
      status:
        summary !== null ? ('summary_only' as const) : plan.length > 0 ? ('plan_only' as const) : ('missing' as const),
    },
    parentDelta: chance(random)
      ? null
      : { summary: { from: words(random), to: words(random) }, plan: [], status: 'summary_only' as const },
    blocks: [
      { search: [words(random)], replace: [words(random)] },
      ...list(random, 2, () => ({ search: [words(random)], replace: [] })),
    ],
  };
};
