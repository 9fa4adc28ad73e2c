// What an evaluator apart from the program gives as score and metrics, in every form: taken where it is certain what it
// means, else the program is invalid, with the name and the value. By the guest and the scorer that ship.
import Docker from 'dockerode';
import { afterAll, expect, test } from 'vitest';
import { type Conversation, InfrastructureError, type Scorer } from '../../../../activities/sandbox/contract/types.ts';
import { createScorer } from '../../../../activities/sandbox/host/scorer.ts';
import { createDockerLauncher } from '../../../../activities/sandbox/launchers/docker-launcher.ts';
import { loadTask } from '../../../../activities/task/load-task.ts';
import { testHome, testImage } from './docker.ts';
import { all } from './from-outside.ts';

const HOME = testHome();
const quiet = (): void => undefined;
const { signal } = new AbortController();
const open: Scorer[] = [];
afterAll(async () => {
  await Promise.all(open.map((scorer) => scorer.close()));
});

/** One evaluator that gives the case with the number that it is asked for, as every kind of evaluation asks. */
const scorerOf = async (given: readonly string[]): Promise<Scorer> => {
  const source = `import numpy as np
from decimal import Decimal
from fractions import Fraction
def case(index):
    return [${given.map((text) => `lambda: ${text}`).join(', ')}][index]()
def evaluate(instance, solution):
    return case(instance["index"] if "index" in instance else solution)
evaluate_hidden = evaluate
`;
  const task = { ...(await loadTask('circle-packing-square-26')), scoreName: 's', evaluatorSource: source };
  const launcher = createDockerLauncher({
    ...{ docker: new Docker(), image: await testImage(), home: HOME, log: quiet, trusted: true },
  });
  const scorer = createScorer(launcher, task, quiet);
  open.push(scorer);
  return scorer;
};
const unasked = new Proxy({} as Conversation, { get: () => () => null });

const score = (value: string): string => `{"valid": True, "score": ${value}, "metrics": {}, "reasons": []}`;
const metrics = (value: string): string => `{"valid": True, "score": 3, "metrics": ${value}, "reasons": []}`;
const also = (entry: string): string => `{"valid": True, "score": 3, "metrics": {}, "reasons": [], ${entry}}`;

const TAKEN: readonly (readonly [given: string, found: object])[] = [
  ...[
    '3',
    '3.0',
    'np.float32(3)',
    'np.longdouble(3)',
    'np.int64(3)',
    'np.array(3.0)',
    'np.array([[3]])',
    'Decimal("3")',
    'Fraction(6, 2)',
  ].map((value) => [score(value), { score: 3, strictScore: 3 }] as const),
  ['3', { score: 3 }],
  ['{"valid": np.bool_(True), "score": 3}', { score: 3, metrics: {} }],
  ['{"valid": 1, "score": 3, "reasons": "one sentence"}', { score: 3, reasons: ['one sentence'] }],
  [
    metrics('{"a": np.float64(2), "b": Decimal("0.5"), "c": np.array([4]), "d": True, "e": "text"}'),
    { metrics: { a: 2, b: 0.5, c: 4, d: true, e: 'text' } },
  ],
  [
    metrics(
      '{"a": float("nan"), "b": float("-inf"), "c": np.array([1, 2]), "d": {7}, "e": [1, "x"], "f": 10**400, "g": 10**20, (1, 2): 1}',
    ),
    {
      metrics: {
        a: 'nan',
        b: '-inf',
        c: 'array([1, 2])',
        d: '{7}',
        e: "[1, 'x']",
        f: 'a whole number of more than 300 digits',
        g: 1e20,
        '(1, 2)': 1,
      },
    },
  ],
  [metrics('{"s_strict": Decimal("2.5"), "error": 0.1, "timeout": False}'), { strictScore: 2.5 }],
  [
    metrics('{"s_strict": float("nan")}'),
    { strictScore: null, reasons: ['s_strict is nan: expected a finite number'] },
  ],
];
const REFUSED: readonly (readonly [given: string, reason: string])[] = [
  [score('float("nan")'), 'expected a finite score, got nan'],
  [score('np.float64("-inf")'), 'expected a finite score, got -inf'],
  [score('Decimal("Infinity")'), 'expected a finite score, got inf'],
  [score('10**400'), 'expected a finite score, got a whole number of more than 300 digits'],
  [score('"3.5"'), "expected a finite score, got the text '3.5'"],
  [score('True'), 'expected a finite score, got True'],
  [score('np.array([1, 2])'), 'expected a finite score, got a ndarray'],
  [score('{1}'), 'expected a finite score, got a set'],
  [score('np.ma.array([1.0], mask=[True]).mean()'), 'expected a finite score, got a MaskedConstant'],
  [score('1 + 2j'), 'expected a finite score, got a complex number'],
  [score('None'), 'expected a finite score, got nothing'],
  ['None', 'the evaluator gave nothing: expected a dict with valid, score, metrics and reasons'],
  ['{"valid": "no", "score": 3}', "valid is the text 'no': expected True or False"],
  [also('"error": "no module named jax"'), 'no module named jax'],
  [also('"timeout": True'), 'the evaluator says timeout: true'],
  [metrics('{"error": "out of memory"}'), 'out of memory'],
  [metrics('{"timeout": np.bool_(True)}'), 'the evaluator says timeout: true'],
  [metrics('{"status": "error"}'), 'the evaluator says status: error'],
];

test.each([9, 15])(
  'an evaluator that signal %s ended is a fault of the machine, but not where it sent it',
  async (number) => {
    const itself = `__import__("os").kill(__import__("os").getpid(), ${number})`;
    const scorer = await scorerOf([itself, '3', '__import__("time").sleep(100)']);
    expect(await scorer.score(0, signal)).toMatchObject({ valid: false });
    expect(await scorer.score(1, signal)).toMatchObject({ score: 3 });
    const ended = expect(scorer.score(2, signal)).rejects.toThrow(InfrastructureError);
    const killed = setInterval(
      () => void all((container) => container.kill({ signal: number }).catch(quiet))(HOME),
      1_000,
    );
    await ended.finally(() => clearInterval(killed));
    expect(await scorer.score(1, signal)).toMatchObject({ score: 3 });
  },
);

test('artifacts are bounded, whatever their size and form, and hidden data show none', async () => {
  const scorer = await scorerOf([
    also(
      `"artifacts": {"a": np.arange(4).reshape(2, 2), "b": "x" * 100_000_000, "c": b"\\x89PNG\\r\\n\\x1a\\n", "d": [np.float64(1), None],
        "e": type("Odd", (dict,), {"__len__": lambda self: 1 / 0})(x=1), "f": iter(int, 1)}`,
    ),
  ]);
  const judged = (extra: object) =>
    scorer.judge({ candidate: unasked, reference: null, extra: { index: 0, ...extra } }, signal);
  for (const one of [await scorer.score(0, signal), await judged({})]) {
    expect(one).toMatchObject({ valid: true, score: 3 });
    expect(one.artifacts).toEqual([
      { name: 'a', kind: 'table', text: '0\t1\n2\t3' },
      { name: 'b', kind: 'text', text: expect.stringMatching(/^x{65436}\n\[cut: 100000000 characters came\]$/) },
      { name: 'c', kind: 'png', text: 'iVBORw0KGgo=' },
      { name: 'd', kind: 'table', text: 'value\n1.0\n' },
      { name: 'e', kind: 'text', text: expect.stringMatching(/^\[left out: ZeroDivisionError/) },
      { name: 'f', kind: 'text', text: expect.stringContaining('callable_iterator') },
    ]);
  }
  const hidden = await judged({ holdout: true });
  expect(hidden).toMatchObject({ valid: true, score: 3 });
  expect(hidden.artifacts).toBeUndefined();
});

test('each form is taken or refused by its name, for solutions, for programs that are called and for hidden data', async () => {
  const cases = [
    ...TAKEN.map(([given, found]) => [given, { valid: true, ...found }] as const),
    ...REFUSED.map(
      ([given, reason]) => [given, { valid: false, score: null, strictScore: null, reasons: [reason] }] as const,
    ),
  ];
  const scorer = await scorerOf(cases.map(([given]) => given));
  for (const [index, [given, expected]] of cases.entries()) {
    const judged = (extra: object) =>
      scorer.judge({ candidate: unasked, reference: null, extra: { index, ...extra } }, signal);
    const found = [await scorer.score(index, signal), await judged({}), await judged({ holdout: true })];
    for (const one of found) expect(one, given).toMatchObject(expected);
  }
});
