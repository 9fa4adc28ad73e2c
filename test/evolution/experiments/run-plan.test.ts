// What a run will do and cost, before it starts, and when somebody at a terminal is asked.
import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { onceAgreed } from '../../../cli/flags/agreed.ts';
import { RunPlan } from '../../../evolution/experiments/run-plan.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

const LIMITS = { cpuSeconds: 36, wallSeconds: 90, memoryBytes: 1, outputBytes: 1, pids: 1, cores: 1 };
const task = { id: 't', problem: 'x'.repeat(400), prompts: [], initialProgram: 'y'.repeat(400), limits: LIMITS };
const openai = {
  kind: 'openai',
  baseUrl: 'http://127.0.0.1:1/v1',
  name: 'm',
  price: { in: 1, out: 10 },
  maxTokens: 4000,
};
const planOf = (settings: object) => new RunPlan(configFrom({ model: openai, ...settings }), task);

afterEach(() => vi.restoreAllMocks());

test('it names programs, tokens, a range of dollars, which a limit cuts, and the time of evaluations', () => {
  const plan = planOf({ batch: 4, responses: 4, limits: { steps: 10 } });
  expect(plan.lines).toEqual([
    expect.stringContaining('asking m at http://127.0.0.1:1/v1'),
    'A step makes 16 programs: 4 parents, 4 answers each.',
    'It ends after 10 steps.',
    'So it makes at most 160 programs.',
    expect.stringMatching(/^They take about [\d,]+ tokens in and 160,000 out\.$/),
    'Their evaluations take at most 1 h 36 min of CPU time, if each uses all of its limit (limits.cpuSeconds of task.yaml).',
  ]);
  expect(planOf({ evaluation: { cpuSeconds: 9 }, limits: { steps: 10 } }).lines.at(-1)).toMatch(
    / \(evaluation\.cpuSeconds\)\.$/,
  );
  expect(plan.cost()).toMatch(/^This run costs about \$1\.[89]\d, or up to \$6\.[67]\d where its answers are long\.$/);
  expect(planOf({ limits: { steps: 10, costUsd: 3 } }).cost()).toContain('at most about $3.');
  expect(planOf({ model: { ...openai, price: null } }).cost()).toContain('is not known');
});

test.each([
  ['a dollar', true, { batch: 4, responses: 4, limits: { steps: 10 } }],
  ['less than a dollar', false, { batch: 1, responses: 1, limits: { steps: 10 } }],
  ['a limit below it', false, { batch: 4, responses: 4, limits: { steps: 10, costUsd: 0.5 } }],
  [
    'no price and few programs',
    false,
    { batch: 4, responses: 4, limits: { steps: 10 }, model: { ...openai, price: null } },
  ],
  [
    'more than 1,000 programs for nothing',
    true,
    { limits: { steps: 200 }, model: { ...openai, price: { in: 0, out: 0 } } },
  ],
  ['no end', true, { limits: { wallSeconds: 60 } }],
  ['the offline model, whatever its size', false, { limits: { programs: 100_000 }, model: { kind: 'offline' } }],
])('%s asks: %s', (_, asks, settings) => {
  expect(planOf(settings).asks).toBe(asks);
});

test('a person at a terminal is asked, and a script or --yes never', async () => {
  const plan = planOf({ limits: { steps: 200 } });
  const start = vi.fn<() => Promise<number>>(async () => 0);
  const written: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  expect(await onceAgreed({ plan }, {}, start)).toBe(0);
  expect(written.join('')).toContain('A step makes 512 programs');
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!;
  const tty = Object.getOwnPropertyDescriptor(process.stderr, 'isTTY');
  const at = (answer: string) => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true });
    Object.defineProperty(process, 'stdin', { value: terminal, configurable: true });
    terminal.write(`${answer}\n`);
  };
  try {
    Object.defineProperty(process.stderr, 'isTTY', { value: true, configurable: true });
    at('n');
    expect(await onceAgreed({ plan }, {}, start)).toBe(1);
    expect(start).toHaveBeenCalledTimes(1);
    at('y');
    await onceAgreed({ plan }, {}, start);
    at('n');
    await onceAgreed({ plan }, { yes: true }, start);
    expect(start).toHaveBeenCalledTimes(3);
  } finally {
    Object.defineProperty(process, 'stdin', stdin);
    if (tty === undefined) Reflect.deleteProperty(process.stderr, 'isTTY');
    else Object.defineProperty(process.stderr, 'isTTY', tty);
  }
});
