// How cheats are read, filled and judged; no container.
import fc from 'fast-check';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type Cheat,
  drawn,
  expand,
  fill,
  kindsFor,
  literal,
  parseExpected,
  readCheats,
} from '../../../activities/check/cheats.ts';
import { offence } from '../../../activities/check/check-cheats.ts';
import { loadTask } from '../../../activities/task/load-task.ts';
import type { Evaluation } from '../../../evolution/scoring/evaluation.ts';
import type { Json } from '../../../evolution/types.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', 'tasks');
const task = await loadTask('circle-packing-square-26');

describe('the common cheats', () => {
  test('are of many kinds, each with a name of its own, what it does and no token left', async () => {
    for (const kind of ['solution', 'containment', 'function'] as const) {
      const cheats = await readCheats([kind], ROOT, '');
      expect(cheats.length).toBeGreaterThanOrEqual(25);
      expect(new Set(cheats.map(({ name }) => name)).size).toBe(cheats.length);
      for (const cheat of cheats) {
        expect(cheat.what.length).toBeGreaterThan(10);
        expect(fill(cheat.code, task, { circles: [] })).not.toMatch(/__(ENTRY|HONEST|PROGRAM|VARIANT)__/);
      }
    }
  });
  test('fit the kind of the task', () => {
    expect(kindsFor({ kind: 'solution' })).toEqual(['solution', 'containment', 'own']);
    expect(kindsFor({ kind: 'function' })).toEqual(['function', 'containment', 'own']);
    expect(kindsFor({ kind: 'function', timed: true, world: { language: 'cpp' } })).toEqual(['own']);
  });
});

describe('reading', () => {
  test('ends are alternatives with executions or a score', () => {
    expect(parseExpected('no_solution memory program_error or honest or valid 0.5', 'f')).toEqual([
      { outcome: 'no_solution', executions: ['memory', 'program_error'], score: null },
      { outcome: 'honest', executions: [], score: null },
      { outcome: 'valid', executions: [], score: 0.5 },
    ]);
    expect(() => parseExpected('fine', 'cheat.py')).toThrow(
      'cheat.py: # expects: expected one of no_solution, invalid, valid, honest, got "fine"',
    );
    expect(() => parseExpected('valid much', 'cheat.py')).toThrow('expected a score after valid, got "much"');
  });
  test('variants make a cheat each; an arrow inside the expression is not its end', () => {
    const cheats = expand(
      'solution',
      'a.py',
      '# Does it.\n# expects: invalid\n# variant one: "a -> b" -> honest\n# variant two: 2\nx = __VARIANT__\n',
    );
    expect(cheats.map(({ name, code, expected }) => [name, code, expected[0]!.outcome])).toEqual([
      ['solution/a one', '# Does it.\n# expects: invalid\nx = "a -> b"\n', 'honest'],
      ['solution/a two', '# Does it.\n# expects: invalid\nx = 2\n', 'invalid'],
    ]);
    expect(() => expand('own', 'b.py', 'x = 1\n')).toThrow('b.py: expected a first line');
  });
  test('tokens are replaced as text, dollar signs and all', () => {
    expect(fill('__PROGRAM__\nf = __ENTRY__\ny = __HONEST__\n', task, { a: '$& __ENTRY__' })).toBe(
      'def construct(instance):\n    return {"a": "$& construct"}\n\nf = construct\ny = {"a": "$& construct"}\n',
    );
  });
  test('a literal keeps every JSON value that Python reads as its own', () => {
    expect(literal({ a: [1, -0.5, 1e-7, true, false, null, 'x"\n'] })).toBe(
      '{"a": [1, -0.5, 1e-7, True, False, None, "x\\"\\n"]}',
    );
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true })), (values) => {
        expect(JSON.parse(literal(values as Json))).toEqual(values.map((value) => (Object.is(value, -0) ? 0 : value)));
      }),
    );
  });
  test('a sample is the same for the same seed, in order, without repeats', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(60), fc.nat(), (size, count, seed) => {
        const all = Array.from({ length: size }, (_, index) => index);
        const some = drawn(all, { count, seed });
        expect(some).toEqual(drawn(all, { count, seed }));
        expect(some).toEqual(all.filter((item) => some.includes(item)));
        expect(some.length).toBe(Math.min(count, size));
      }),
    );
  });
});

describe('an offence', () => {
  const baseline = { task, solution: null, honest: 0.5, best: 0.9 };
  const cheat = (expects: string): Cheat => ({
    kind: 'solution',
    name: 'x',
    what: 'x',
    code: '',
    expected: expects === '' ? [] : parseExpected(expects, 'x'),
  });
  const result = (more: Partial<Evaluation>): Evaluation => ({
    outcome: 'valid',
    execution: 'ok',
    score: 0.5,
    strictScore: 0.5,
    metrics: {},
    reasons: [],
    solution: null,
    exitCode: 0,
    cpuMs: 1,
    wallMs: 1,
    peakBytes: 1,
    stdoutTail: '',
    stderrTail: '',
    isolation: 'fake',
    imageId: '',
    ...more,
  });
  const failed = {
    outcome: 'no_solution',
    score: null,
    strictScore: null,
    execution: 'memory',
    reasons: ['too much'],
  } as const;

  test("is a score better than the initial program's, in the task's direction, tolerant or strict", () => {
    expect(offence(cheat(''), result({ score: 0.9 }), baseline)).toBeNull();
    expect(offence(cheat(''), result({ score: 0.91 }), baseline)).toContain('better than the initial program');
    expect(offence(cheat(''), result({ strictScore: 0.91 }), baseline)).toContain('better than the initial program');
    const down = { ...baseline, task: { ...task, direction: 'minimise' as const } };
    expect(offence(cheat(''), result({ score: 0.95, strictScore: 0.95 }), down)).toBeNull();
    expect(offence(cheat(''), result({ score: 0.85 }), down)).toContain('better');
  });
  test('is another end than one of those expected', () => {
    expect(offence(cheat('no_solution memory or honest'), result(failed), baseline)).toBeNull();
    expect(offence(cheat('no_solution memory or honest'), result({}), baseline)).toBeNull();
    expect(offence(cheat('no_solution timeout_cpu'), result(failed), baseline)).toBe(
      'expected no_solution timeout_cpu, got no_solution, memory: too much',
    );
    expect(offence(cheat('honest'), result({ score: 0.4 }), baseline)).toContain('expected honest, got valid, 0.4');
  });
  test("of a function task's common cheat is only a score or a breach", () => {
    const fn = { ...baseline, task: { ...task, kind: 'function' as const } };
    expect(offence(cheat('honest'), result({ score: 0.4, strictScore: 0.4 }), fn)).toBeNull();
    expect(offence(cheat(''), result({ stderrTail: 'x\nbreach: a socket\n' }), fn)).toBe('breach: a socket');
  });
  test('is an end without a reason', () => {
    expect(offence(cheat(''), result({ ...failed, reasons: [] }), baseline)).toContain('expected a reason');
  });
});
