// Sums over what models said: of components, of prompts that evolve, of ideas and their judge.
import { describe, expect, test } from 'vitest';
import type { ChangeLabel } from '../../../../evolution/deltas/delta.ts';
import { rng } from '../../../../evolution/rng.ts';
import { type Changed, DeltaSums } from '../../../../page/api/program/deltas.ts';
import { keepBest } from '../../../../page/api/program/keep-best.ts';
import { agreementOf, type JudgedProgram, IdeaSums, PromptSums } from '../../../../page/api/program/prompts.ts';

const changed = (program: string, label: ChangeLabel, gain: number | null, ...components: string[]): Changed => ({
  program,
  gain,
  delta: {
    summary: { from: 'a', to: `to ${program}` },
    plan: components.map((component) => ({ component, oldLogic: '', newLogic: 'new', hypothesis: '' })),
    status: 'full',
    label,
  },
});

describe('components', () => {
  test('are counted once for each change, whatever their case, with the best examples', () => {
    const sums = new DeltaSums();
    for (const [index, gain] of [0.1, 0.4, 0.2, 0.3].entries())
      sums.add(changed(`p${index}`, 'improved', gain, 'Step size', 'step SIZE'));
    sums.add(changed('p4', 'degraded', -0.5, 'Step size', 'Start'));
    sums.add(changed('p5', 'failed', null, 'Start'));
    const { components, deltas } = sums.answer();
    expect(deltas).toBe(6);
    expect(components.map(({ component }) => component)).toEqual(['Step size', 'Start']);
    const [first, second] = components;
    expect(first).toMatchObject({ changed: 5, bestGain: 0.4 });
    expect(first!.meanGain).toBeCloseTo(0.1);
    expect(first!.labels).toEqual({ improved: 4, degraded: 1, unchanged: 0, failed: 0 });
    expect(first!.examples.map(({ program }) => program)).toEqual(['p1', 'p3', 'p2']);
    expect(second).toMatchObject({ meanGain: -0.5, bestGain: null });
  });

  test('that are too many are counted, and the rest stays bounded', () => {
    const sums = new DeltaSums();
    for (let index = 0; index < 5_000; index++) sums.add(changed(`p${index}`, 'improved', 1, `part ${index}`));
    const { components, others } = sums.answer();
    expect(components.length + others).toBe(5_000);
  });
});

const asked = (program: string, more: Partial<JudgedProgram> = {}): JudgedProgram => ({
  program,
  step: 1,
  group: 0,
  island: 0,
  outcome: 'valid',
  score: 1,
  fit: 1,
  gain: 0.1,
  ...more,
});

test('prompts have the programs that they made, and the prompt of their island that they came from', () => {
  const sums = new PromptSums();
  const initial = (text: string) => ({ id: 'initial', text, parent: null });
  sums.add(asked('a'), initial('t0'));
  sums.add(asked('b', { island: 1 }), initial('t1'));
  sums.add(asked('c', { island: 1, fit: 3, score: 3 }), { id: 'r:1', text: 't2', parent: 'initial' });
  sums.add(asked('d', { island: 1, outcome: 'invalid', fit: null, score: null, gain: null }), {
    id: 'r:1',
    text: 't2',
    parent: 'initial',
  });
  const { prompts } = sums.answer();
  expect(prompts).toHaveLength(3);
  expect(prompts[2]).toMatchObject({ parent: 1, programs: 2, valid: 1, helped: 1, best: { program: 'c', score: 3 } });
  expect(sums.textsOf(2)).toEqual({ text: 't2', before: 't1' });
  expect(sums.textsOf(0)).toEqual({ text: 't0', before: null });
  expect(sums.textsOf(9)).toBeNull();
});

describe('ideas', () => {
  test('are binned by the score of the judge, with what became of them', () => {
    const sums = new IdeaSums();
    const idea = (score: number | null) => ({ text: 't', score, would: null });
    const [refused, failed] = [
      { outcome: 'rejected', fit: null, score: null, gain: null },
      { outcome: 'invalid', fit: null, score: null, gain: null },
    ] as const;
    sums.add(asked('a', { group: 0 }), idea(7.2));
    sums.add(asked('b', { group: 1, gain: -0.3 }), idea(7.9));
    sums.add(asked('c', { group: 2, ...refused }), idea(2));
    sums.add(asked('d', { group: 3, ...failed }), idea(10));
    sums.add(asked('e', { group: 4 }), idea(-1));
    sums.add(asked('f', { group: 5 }), idea(null));
    const { bins, ...rest } = sums.answer({ gate: 'on', threshold: 5.5 });
    expect(bins[7]).toMatchObject({ ideas: 2, carried: 2, programs: 2, valid: 2, helped: 1 });
    expect(bins[7]!.meanGain).toBeCloseTo(-0.1);
    expect(bins[2]).toMatchObject({ ideas: 1, carried: 0, programs: 0 });
    expect(bins[9]).toMatchObject({ ideas: 1, valid: 0, meanGain: null });
    expect(rest).toMatchObject({ ideas: 6, programs: 5, unjudged: 1, unparsed: 1, agreement: 0 });
    expect(rest.newest.map(({ program }) => program)).toEqual(['f', 'e', 'd', 'c', 'b', 'a']);
    expect(rest.overrated.map(({ program }) => program)).toEqual(['d', 'b']);
    expect(rest.underrated.map(({ program }) => program)).toEqual(['a']);
  });

  test('are one each, however many programs they have, with the best and the mean of these', () => {
    const sums = new IdeaSums();
    const add = (step: number, group: number, gains: readonly (number | null)[], score: number) => {
      for (const [slot, gain] of gains.entries())
        sums.add(
          asked(`${step}.${group}.${slot}`, {
            ...{ step, group, gain, fit: gain, score: gain },
            outcome: score < 5.5 ? 'rejected' : gain === null ? 'invalid' : 'valid',
          }),
          { text: 'the same words', score, would: null },
        );
    };
    add(1, 0, [-0.2, 0.4, null], 8);
    add(1, 1, [-0.1, -0.3, -0.2], 9);
    add(2, 0, [null, null, null], 3);
    const { ideas, programs, newest, overrated, underrated, agreement, bins } = sums.answer({
      gate: 'on',
      threshold: 5.5,
    });
    expect([ideas, programs, agreement]).toEqual([3, 6, 0]);
    expect(newest.map((one) => [one.program, one.programs, one.valid, one.helped])).toEqual([
      ['2.0.0', 0, 0, 0],
      ['1.1.0', 3, 3, 0],
      ['1.0.1', 3, 2, 1],
    ]);
    expect(newest.at(-1)!.meanGain).toBeCloseTo(0.1);
    expect([overrated, underrated].map((all) => all.map(({ program }) => program))).toEqual([['1.1.0'], ['1.0.1']]);
    expect(bins[8]).toMatchObject({ ideas: 1, carried: 1, programs: 3, valid: 2, helped: 1 });
  });

  test('the agreement is the share of pairs that the judge orders rightly', () => {
    const random = rng(1, 'agreement');
    const [first, second] = [0, 1].map(() => Array.from({ length: 12 }, () => random.int(4))) as [number[], number[]];
    let [pairs, won] = [0, 0];
    for (const [a, n] of first.entries())
      for (const [b, m] of second.entries()) {
        pairs += n * m;
        won += n * m * (a > b ? 1 : a === b ? 0.5 : 0);
      }
    expect(agreementOf(first, second)).toBeCloseTo(won / pairs);
    expect(agreementOf([0], [3])).toBeNull();
  });
});

test('the best of many are kept in order, and of equals the earlier', () => {
  const random = rng(2, 'best');
  const all = Array.from({ length: 200 }, (_, index) => ({ index, value: random.int(20) }));
  const kept: typeof all = [];
  for (const one of all) keepBest(kept, one, 7, ({ value }) => value);
  expect(kept).toEqual(all.toSorted((a, b) => b.value - a.value || a.index - b.index).slice(0, 7));
});
