// Artifacts of the program that is to be changed, in the requests of every style: within their share, once, and never of
// drawn data.
import { describe, expect, it } from 'vitest';
import { requestText as textOf } from '../../../../../evolution/prompts/shares.ts';
import type { Artifact } from '../../../../../evolution/scoring/artifacts.ts';
import { promptRun, type SentRequest } from '../../../../support/worlds/prompt-world.ts';

const KEY = 'sk-proj-0123456789abcdef0123456789';
const ARTIFACTS: readonly Artifact[] = [
  { name: 'worst', kind: 'table', text: 'case\tgap\nseven\t0.31' },
  { name: 'log', kind: 'text', text: `opened with ${KEY}\n${'a line of the log\n'.repeat(2_000)}` },
  { name: 'plot.png', kind: 'png', text: 'iVBORw0KGgo=' },
];
const SMALL = { batch: 2, responses: 1, seed: 7, limits: { steps: 6 }, population: { islands: 1 } };
const TASK = 'circle-packing-square-26';
const STEPS = 6;

const asked = async (settings: object, task = TASK): Promise<readonly SentRequest[]> => {
  const { requests } = await promptRun({
    task,
    settings: { ...SMALL, ...settings },
    steps: STEPS,
    artifacts: ARTIFACTS,
  });
  expect(requests.length).toBeGreaterThan(STEPS);
  return requests;
};
const times = (text: string, part: string): number => text.split(part).length - 1;

describe('a request for a program shows those of its parent once', () => {
  it.each(['theta', 'delta', 'research', 'code', 'openevolve', 'greedy-refine', 'naive'])('%s', async (method) => {
    const programs = (await asked({ method, prompt: { artifacts: 500 } })).filter(({ stage }) => stage === 'program');
    expect(programs.length).toBeGreaterThan(0);
    for (const { messages } of programs) {
      const text = textOf(messages);
      expect(times(text, 'What its evaluation showed')).toBe(1);
      expect(times(text, 'seven\t0.31')).toBe(1);
      expect(text).toContain('plot.png: (a picture, png)');
      expect(text).not.toContain('iVBORw0KGgo');
      expect(text).not.toContain(KEY);
      expect(times(text, 'a line of the log')).toBeLessThanOrEqual(500 / 'a line of the log'.length);
    }
  });
});

it.each<[string, object, string?]>([
  ['no share', { prompt: { artifacts: 0 } }],
  ['feedback that is a label', { prompt: { feedback: 'label-only' } }],
  ['data that are drawn', {}, 'online-bin-packing'],
])('%s: no request shows any', async (_, settings, task) => {
  for (const { messages } of await asked({ method: 'theta', repair: { rounds: 1 }, ...settings }, task)) {
    expect(textOf(messages)).not.toContain('seven');
    expect(textOf(messages)).not.toContain('a line of the log');
  }
});
