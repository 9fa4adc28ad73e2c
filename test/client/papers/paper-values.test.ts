// Which of the numbers that the papers print stands beside a run: that of its method, model and settings.
import { describe, expect, it } from 'vitest';
import { paperValues } from '../../../client/papers/paper-values.ts';
import { readExperiment } from '../../../client/papers/experiments.ts';
import { planOf } from '../../../evolution/experiments/plan.ts';

const { of, human } = paperValues();
const configOf = (paper: string, id: string, row: string, one: string) => {
  const plan = planOf(readExperiment(paper, id), {
    scale: 1,
    seeds: null,
    answers: { kind: 'published', baseUrl: 'http://127.0.0.1:1/v1' },
    over: {},
    trainer: null,
    policy: null,
  });
  return plan.configs[plan.cells.find((cell) => cell.row.name === row && cell.of.id === one)!.group!]!;
};

describe("the paper's value of a run", () => {
  it('is that of learning where it learns, whoever trains, however many steps it has', () => {
    const learns = configOf('thetaevolve', 'table-2', 'w/ RL', 'cp-1b5');
    expect(of(learns)).toBe(2.5225);
    expect(
      of({ ...learns, learning: { ...learns.learning, trainer: 'tinker' }, limits: { ...learns.limits, steps: 9 } }),
    ).toBe(2.5225);
    const plain = configOf('thetaevolve', 'table-2', 'w/o RL (late)', 'cp-1b5');
    expect(of(plain)).toBe(2.2491);
    expect(of({ ...plain, limits: { ...plain.limits, steps: 9 } })).toBe(2.2491);
  });

  it('is that of its model', () => {
    expect(of(configOf('codeevolve', 'table-1', 'CodeEvolve', 'square-26-qwen'))).toBe(2.63598);
    expect(of(configOf('codeevolve', 'table-1', 'CodeEvolve', 'square-26-gemini'))).toBe(2.63597);
    expect(of(configOf('thetaevolve', 'table-2', 'w/o RL (late)', 'cp-1b5'))).toBe(2.2491);
  });
  it('is that of its ablation, on the scale of the task', () => {
    const standard = configOf('deltaevolve', 'table-1', 'Standard', 'hexagon');
    const masked = configOf('deltaevolve', 'table-1', 'Blind-Elite', 'hexagon');
    expect([of(standard), of(masked)]).toEqual([3.930092 / 0.972, 3.930092 / 0.97]);
  });
  it('is null for a model, a method or a task that no paper has', () => {
    const config = configOf('codeevolve', 'table-1', 'CodeEvolve', 'square-26-qwen');
    expect(of({ ...config, model: { ...config.model, name: 'another' } })).toBeNull();
    expect(of({ ...config, method: 'static' })).toBeNull();
    expect(of({ ...config, task: 'golomb-ruler-12' })).toBeNull();
  });
});

it("all of AlphaResearch's eight problems have a human best; one is of another formula", () => {
  const { cases } = readExperiment('alpharesearch', 'table-4').experiment;
  expect(cases).toHaveLength(8);
  for (const { task } of cases) expect(human(task), task).not.toBeNull();
  expect(human('third-autocorrelation')).toEqual({ value: 1.4581, metric: 'c3_typo' });
  expect(human('golomb-ruler-12')).toBeNull();
});
