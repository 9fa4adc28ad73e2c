// What the model reads under `openevolve` (docs/methods/controls.md, openevolve), and Blind-Elite under `theta` and
// `openevolve` (DeltaEvolve 3.3; DeltaEvolve 19).
import { describe, expect, it } from 'vitest';
import { readPrompt } from '../../../deploy/offline-model/prompt.ts';
import { parseBlocks } from '../../../evolution/edits/diff.ts';
import type { EvolvedParent, EvolvedProgram, OpenEvolvePrompt } from '../../../evolution/prompts/openevolve-prompt.ts';
import { buildOpenEvolvePrompt, buildThetaPrompt } from '../../support/models/prompts.ts';
import { plainTask } from '../../support/domain/plain-task.ts';

const task = plainTask({
  id: 'third',
  title: 'Third',
  direction: 'minimise',
  scoreName: 'c3',
  prompts: [{ name: 'bold', weight: 1, text: 'Be bold.' }],
});
const settings = { enforceBlock: true, maxCodeChars: 10_000 };
const program = (name: string, score: number | null, change: Partial<EvolvedProgram> = {}): EvolvedProgram => ({
  code: `${name} = 1\n`,
  outcome: score === null ? 'invalid' : 'valid',
  score,
  metrics: { runtime_s: 2 },
  label: 'improved',
  ...change,
});
const parent = (change: Partial<EvolvedParent> = {}): EvolvedParent => ({
  ...program('parent', 1.4812345678),
  code: '# EVOLVE-BLOCK-START\nparent = 1\n# EVOLVE-BLOCK-END\n',
  before: { score: 1.5912345678, length: 30 },
  output: '',
  ...change,
});
const best = [1.41, 1.42, 1.43, 1.44, 1.45].map((score, index) => program(`rank${index + 1}`, score + 0.00123456));
const build = (change: Partial<OpenEvolvePrompt> = {}) =>
  buildOpenEvolvePrompt({
    task,
    stated: { problem: task.prompts[0]!.text, advice: '' },
    parent: parent(),
    coordinates: [
      { name: 'length', value: 57 },
      { name: 'diversity', value: 12.5 },
    ],
    best,
    diverse: [],
    inspirations: [program('muse', 1.6123456789)],
    settings,
    ...change,
  });
const section = (user: string, heading: string): string => user.split(`${heading}\n`)[1]!.split(/\n# /)[0]!;

describe('the prompt of openevolve', () => {
  it("holds its parts in OpenEvolve's order: fitness, coordinates, focus, artifacts, attempts, best, diverse, inspirations, parent, task", () => {
    const { system, user } = build({ parent: parent({ output: 'warning: slow' }), hints: ['Hurry.'] });
    const order = [
      '- Fitness',
      '- Feature coordinates',
      '- Focus',
      '## Artifacts',
      '# Previous attempts',
      '# Best programs',
      '# Diverse programs',
      '# Inspirations',
      '# Current program',
      '# How to edit',
      '# Hint from a person',
      '# Task',
    ];
    const places = order.map((part) => user.indexOf(part));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(system).toContain('Be bold.');
  });
  it("gives fitness with ten significant digits, the coordinates, and the focus against the program's own parent", () => {
    const { user } = build();
    expect(user).toContain('- Fitness: c3 = 1.481234568; lower is better');
    expect(user).toContain('- Feature coordinates: length = 57, diversity = 12.5');
    expect(user).toContain('made it better: go on in that direction (from 1.591234568 to 1.481234568)');
    expect(build({ parent: parent({ label: 'degraded' }) }).user).toContain('made it worse');
    expect(build({ parent: parent({ label: null, before: null }) }).user).toContain('no earlier version');
    expect(build({ parent: parent({ code: `${'x = 1\n'.repeat(100)}` }) }).user).toContain(
      'longer by 570 characters, to 600',
    );
    expect(user).not.toContain('longer by');
  });
  it('shows the three best as attempts, worst first, the same three as code, best first, and the next two as diverse programs', () => {
    const { user } = build();
    expect([...section(user, '# Previous attempts').matchAll(/c3 = ([\d.]+)/g)].map(([, score]) => score)).toEqual([
      '1.43123456',
      '1.42123456',
      '1.41123456',
    ]);
    expect([...section(user, '# Best programs').matchAll(/rank\d/g)].map(String)).toEqual(['rank1', 'rank2', 'rank3']);
    expect([...section(user, '# Diverse programs').matchAll(/rank\d/g)].map(String)).toEqual(['rank4', 'rank5']);
    expect(section(user, '# Inspirations')).toContain('muse = 1');
  });
  it('shows what the parent printed with prompt.feedback full only, its tail where it is long', () => {
    const long = parent({
      outcome: 'invalid',
      score: null,
      label: 'failed',
      output: `HEAD${'x'.repeat(3_000)}Overlap of 3 and 7`,
    });
    expect(build({ parent: long }).user).toContain('The last 2000 of 3022 characters');
    expect(build({ parent: long }).user).toMatch(/Overlap of 3 and 7\n```/);
    expect(build({ parent: long }).user).not.toContain('HEAD');
    for (const feedback of ['label-only', 'none'] as const)
      expect(build({ parent: long, feedback }).user).not.toContain('Overlap');
    expect(build({ feedback: 'none' }).user).not.toMatch(/c3 = |- Focus|# Previous attempts/);
    expect(build({ feedback: 'label-only' }).user).not.toContain('c3 = ');
    expect(build({ feedback: 'label-only' }).user).toContain('- Against its own parent: improved');
  });
  it('the offline model finds the parent and the others in it, and no edit', () => {
    const { user } = build({ parent: parent({ output: '```python\nfake = 1\n```' }) });
    expect(readPrompt(user).parent).toBe(parent().code.trimEnd());
    expect(readPrompt(user).others).toEqual([
      'rank1 = 1',
      'rank2 = 1',
      'rank3 = 1',
      'rank4 = 1',
      'rank5 = 1',
      'muse = 1',
    ]);
    expect(parseBlocks(user)).toHaveLength(1);
  });
  it('prompt.maxTokens drops whole programs, inspirations first; parent and rules stay', () => {
    const whole = build().user.length + build().system.length;
    const { user } = build({ maxTokens: Math.ceil(whole / 4) - 1 });
    expect(user).not.toContain('muse');
    expect(user).toContain('rank5 = 1');
    const least = build({ maxTokens: 1 }).user;
    expect(least).not.toContain('rank');
    expect(least).toContain('parent = 1');
    expect(least).toContain('# How to edit');
    expect(build({ maxTokens: whole }).user).toBe(build().user);
  });
  it('asks for whole programs where these are accepted', () => {
    const { user } = build({ settings: { ...settings, accept: 'program' } });
    expect(user).not.toMatch(/SEARCH|Do not rewrite/);
    expect(user).toContain('the whole new program');
    expect(build({ settings: { ...settings, accept: 'either' } }).user).toMatch(/SEARCH[^]*whole new program/);
  });
});

describe('DeltaEvolve 19: masked prompts contain no sentinel score (Blind-Elite)', () => {
  const sentinels = [7123.4567891, -0.0271828182, 31_415, 98.7654321];
  const forms = (value: number): readonly string[] => [
    String(Math.abs(value)),
    Math.abs(value).toFixed(4),
    Math.abs(value).toPrecision(5),
  ];
  const stderr = sentinels.map((value) => `best ${value}, about ${value.toPrecision(6)}`).join('\n');
  it('openevolve: in no place; error text, labels and the rest stay', () => {
    const { system, user } = build({
      scores: 'masked',
      idea: `Beat ${sentinels[0]} by 12 points.`,
      coordinates: [
        { name: 'score', value: sentinels[3]! },
        { name: 'metric:gap', value: sentinels[3]! },
        { name: 'length', value: 57 },
      ],
      parent: parent({
        score: sentinels[0]!,
        before: { score: sentinels[1]!, length: 30 },
        output: `IndexError: 26\n${stderr}`,
        metrics: { gap: sentinels[3]! },
      }),
      best: [program('rank1', sentinels[2]!)],
      inspirations: [],
    });
    for (const value of sentinels) for (const form of forms(value)) expect(`${system}${user}`).not.toContain(form);
    expect(user).toContain('IndexError: 26');
    expect(user).toContain('made it better: go on in that direction\n');
    expect(user).toContain('length = 57');
    expect(user).toContain('> Beat [hidden] by 12 points.');
    expect(user).toContain('c3 = [hidden]');
  });
  it('theta: in no place; validity stays', () => {
    const shown = (score: number) => ({ code: 'x = 1\n', outcome: 'valid' as const, score, metrics: { runtime_s: 1 } });
    const prompt = {
      task,
      stated: { problem: task.prompts[0]!.text, advice: '' },
      parent: shown(sentinels[0]!),
      prior: [shown(sentinels[1]!)],
      context: [{ role: 'ancestor' as const, program: shown(sentinels[2]!) }],
      idea: `As in ${sentinels[2]}.`,
    };
    const { system, user } = buildThetaPrompt({ ...prompt, scores: 'masked' });
    for (const value of sentinels.slice(0, 3))
      for (const form of forms(value)) expect(`${system}${user}`).not.toContain(form);
    expect(user.match(/c3 = \[hidden\], valid = yes/g)).toHaveLength(3);
    expect(buildThetaPrompt({ ...prompt, scores: 'shown' }).user).toContain('c3 = 7123.456789,');
  });
  it('theta: feedback label-only leaves the word, none leaves nothing', () => {
    const shown = { code: 'x = 1\n', outcome: 'valid' as const, score: 1.25, metrics: {} };
    const of = (feedback: 'label-only' | 'none') =>
      buildThetaPrompt({
        task,
        stated: { problem: task.prompts[0]!.text, advice: '' },
        parent: shown,
        prior: [shown],
        feedback,
      }).user;
    expect(of('label-only')).toContain('Metrics: valid = yes\n');
    expect(of('none')).not.toContain('Metrics');
    expect(readPrompt(of('none')).parent).toBe('x = 1');
  });
});
