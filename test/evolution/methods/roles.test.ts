// Roles that a run asks for: somebody must have each, and a judge is named (docs/methods/alpharesearch.md, The gate).
import { describe, expect, it } from 'vitest';
import { judgeNotes } from '../../../evolution/ideas/idea.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

const openai = { kind: 'openai', baseUrl: 'http://127.0.0.1:1/v1', name: 'm' };
const resolve = (settings: object) => configFrom(settings);

describe('roles', () => {
  it.each(['on', 'shadow'])('ideas with the gate %s need a judge, which no model is by default', (gate) => {
    expect(() => resolve({ method: 'research', model: openai, ideation: { gate } })).toThrow(
      /model\.roles: expected a model with the role judge.* add judge to model\.roles, or add a model with that role to models .*or set ideation\.gate to off/,
    );
    expect(() => resolve({ ideation: { kind: 'proposal', gate }, model: openai })).toThrow(/the role judge/);
    for (const cure of [
      { ideation: { gate: 'off' } },
      { models: [{ name: 'rm', roles: ['judge'] }] },
      { model: { ...openai, roles: ['exploit', 'judge'] } },
    ]) {
      expect(() => resolve({ method: 'research', model: openai, ...cure })).not.toThrow();
    }
  });

  it("the offline model has every role, and hands the judge's on to none", () => {
    expect(resolve({ method: 'research' }).model.roles).toEqual([
      'exploit',
      'explore',
      'meta',
      'idea',
      'judge',
      'repair',
    ]);
    const { models } = resolve({ method: 'research', models: [{ ...openai, name: 'gpt' }] });
    expect(models[0]!.roles).not.toContain('judge');
    expect(resolve({ method: 'theta', model: openai }).model.roles).not.toContain('judge');
  });

  it('a role that is asked for and that nobody serves is an error', () => {
    expect(() => resolve({ model: { ...openai, roles: ['idea'] } })).toThrow(
      /the role exploit, which writes programs, got none/,
    );
    expect(() => resolve({ model: { ...openai, roles: ['explore'] } })).not.toThrow();
    expect(() =>
      resolve({ method: 'research', ideation: { gate: 'off' }, model: { ...openai, roles: ['meta'] } }),
    ).toThrow(/the role idea/);
  });

  it('a judge is said to be a stand-in before the run begins', () => {
    expect(
      judgeNotes(resolve({ method: 'research', model: openai, models: [{ name: 'rm', roles: ['judge'] }] })),
    ).toEqual([
      expect.stringMatching(
        /^ideas are judged by rm: a prompt-only judge, a stand-in, unless it was trained as a reward model/,
      ),
    ]);
    expect(judgeNotes(resolve({ method: 'research' }))).toEqual([expect.stringMatching(/offline model.*no judgement/)]);
    expect(judgeNotes(resolve({ method: 'research', model: openai, ideation: { gate: 'off' } }))).toEqual([]);
    expect(judgeNotes(resolve({}))).toEqual([]);
  });
});

describe('method research', () => {
  it('has the published settings', () => {
    expect(resolve({ method: 'research', model: { ...openai, roles: ['exploit', 'judge'] } })).toMatchObject({
      batch: 1,
      responses: 1,
      limits: { steps: 1_000 },
      population: { cap: 1_000, archive: 100, islands: 5, map: 'grid', features: ['score', 'length'], bins: 10 },
      selection: { kind: 'mixture', exploration: 0.2, exploitation: 0.7, rest: 'population' },
      migration: { topology: 'ring', interval: 50, rate: 0.1 },
      prompt: {
        style: 'proposal',
        priorPrograms: 0,
        elites: 0,
        inspirations: 0,
        diverse: 0,
        ancestors: 0,
        bestEver: false,
      },
      ideation: { kind: 'proposal', gate: 'on', threshold: 5.5, judge: 'prompted', digits: 8, stopAtHuman: false },
      diff: { maxCodeChars: 100_000, accept: 'either' },
      model: { temperature: 0.7, topP: 0.95, maxTokens: 8_192, timeoutSeconds: 300 },
    });
  });
});
