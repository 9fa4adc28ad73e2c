// Kind `script`: every shape of evaluator that people have, what counts as a failure, and evaluators that misbehave, by
// the guest, the sandbox and the scorer that ship.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Scorer } from '../../../activities/sandbox/contract/types.ts';
import { createConfinedSandbox } from '../../../activities/sandbox/host/confined-sandbox.ts';
import { createEvaluator } from '../../../activities/sandbox/host/evaluator.ts';
import { createScorer } from '../../../activities/sandbox/host/scorer.ts';
import { readTask } from '../../../activities/task/load-task.ts';
import type { Evaluation } from '../../../evolution/scoring/evaluation.ts';
import { createPlainLauncher } from '../../doubles/plain-launcher.ts';

const root = mkdtempSync(join(tmpdir(), 'script-'));
const launcher = createPlainLauncher();
const log = (): void => undefined;
const sandbox = createConfinedSandbox({ launcher, home: 'h', concurrency: 1, log });
const scorers = new Map<string, Scorer>();
afterAll(async () => {
  await Promise.all([sandbox.close(), ...[...scorers.values()].map((scorer) => scorer.close())]);
  rmSync(root, { recursive: true });
});

let made = 0;
type Folder = { readonly [path: string]: string | Buffer };
const folderOf = (files: Folder): string => {
  const folder = join(root, `Task ${(made += 1)}`);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
};

const PROGRAM = 'def helper():\n    return 1\n\ndef solve(x=1):\n    return 3 * x\n';
const LIMITS = 'limits: {cpuSeconds: 20, wallSeconds: 20, memoryMiB: 512, outputMiB: 1, pids: 64}\n';
const evaluated = async (
  evaluator: string,
  { yaml = '', files = {}, code }: { readonly yaml?: string; readonly files?: Folder; readonly code?: string } = {},
): Promise<Evaluation> => {
  const yamlText = `title: T\nkind: script\ndirection: maximise\n${yaml.includes('limits') ? '' : LIMITS}${yaml}`;
  const initial = yaml.includes('program:') ? {} : { 'initial.py': PROGRAM };
  const folder = folderOf({ 'task.yaml': yamlText, 'evaluator.py': evaluator, ...initial, ...files });
  const task = await readTask(folder);
  // What the scorer does hangs on nothing else of the task.
  const scorer = scorers.get(JSON.stringify(task.hidden)) ?? createScorer(launcher, task, log);
  scorers.set(JSON.stringify(task.hidden), scorer);
  const gate = { check: async (codes: readonly string[]) => codes.map(() => null), close: async () => undefined };
  const job = { key: `k${made}`, run: 'r', seed: 1, acceptSavedOnTimeout: false, scoring: 'tolerant' } as const;
  return createEvaluator({ sandbox, scorer, gate, task }).evaluate(
    { ...job, code: code ?? task.initialProgram },
    new AbortController().signal,
  );
};

const LOAD = `import importlib.util
def load(path):
    spec = importlib.util.spec_from_file_location("candidate_program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
`;
/** By its shape: the evaluator. All give 3, or a number of the row. */
const SHAPES: { readonly [name: string]: string } = {
  'a path': `${LOAD}def evaluate(program_path):\n    return load(program_path).solve()`,
  'a path by a plain name': `${LOAD}def evaluate(program):\n    return load(program).solve()`,
  'a path and a folder': `${LOAD}import json, os
def evaluate(path, temp_dir):
    open(os.path.join(temp_dir, "log.txt"), "w").write("x")
    return {"combined_score": load(path).solve(), "seconds": 12.5}`,
  'a path and a file': `${LOAD}import json
def evaluate(program_path, results_path=None):
    json.dump({"score": load(program_path).solve(), "n": 1}, open(results_path, "w"))`,
  'a function': 'def evaluate(solve):\n    return solve(1)',
  'a function by its name': 'def evaluate(fn):\n    return max(map(fn, [1]))',
  'a function by its annotation':
    'from typing import Callable\ndef evaluate(x: Callable[[int], int]) -> float:\n    return max(map(x, [1]))',
  'a module': 'def evaluate(candidate):\n    return candidate.solve(1)',
  'a text': 'def evaluate(code):\n    space = {}\n    exec(code, space)\n    return space["solve"]()',
  'a text by its use':
    'def evaluate(program):\n    space = {}\n    exec(program, space)\n    return {"score": space["solve"]()}',
  async: `${LOAD}import asyncio
async def evaluate(path):
    await asyncio.sleep(0)
    return load(path).solve()`,
  'main with a folder, metrics.json and correct.json': `${LOAD}import argparse, json, os
def main(program_path, results_dir):
    json.dump({"combined_score": load(program_path).solve(), "public": {"n": 2}, "private": {"secret": 4}}, open(os.path.join(results_dir, "metrics.json"), "w"))
    json.dump({"correct": True, "error": ""}, open(os.path.join(results_dir, "correct.json"), "w"))
if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program_path", default="initial.py")
    main(parser.parse_args().program_path, "results")`,
  'a script that prints': `${LOAD}import sys, json
print("loading ...")
print(json.dumps({"status": "success", "combined_score": load(sys.argv[1]).solve(), "metrics": {"n": 2}}, indent=1))
if __name__ == "__main__":
    sys.exit(0)`,
  'main that ends with an exit': `${LOAD}import json, sys
def main(program_path):
    print(json.dumps({"score": load(program_path).solve()}))
    sys.exit(0)`,
  'a file of results with a byte order mark': `${LOAD}import json
def evaluate(program_path, results_path):
    json.dump({"score": load(program_path).solve()}, open(results_path, "w", encoding="utf-8-sig"))`,
  'a script whose results.json holds something else': `${LOAD}import json, sys
open("results.json", "w").write("[1, 2]")
print(json.dumps({"score": load(sys.argv[1]).solve()}))`,
  'a tuple beside a log in results.json': `${LOAD}def evaluate(path):
    open("results.json", "w").write('{"n": 1}\\n{"n": 2}\\n')
    return load(path).solve(), {"n": 2}`,
  'a script that prints a number last': `${LOAD}import sys\nprint("hello")\nprint(load(sys.argv[1]).solve())`,
  'a script that writes where it is told': `${LOAD}import sys, json
def main():
    program_path, results_dir = sys.argv[1:3]
    out = sys.argv[2]
    json.dump({"score": load(program_path).solve(), "n": 2}, open(out, "w"))
main()`,
  'a script with options': `${LOAD}import argparse, json, os
parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--program-path", required=True)
parser.add_argument("--results-dir", required=True)
args = parser.parse_args()
json.dump({"score": load(args.program_path).solve()}, open(os.path.join(args.results_dir, "metrics.json"), "w"))`,
  'a tuple': `${LOAD}def evaluate(path):\n    return load(path).solve(), {"n": 2, "log": "fine"}`,
  'a dataclass': `${LOAD}from dataclasses import dataclass, field
@dataclass
class Result:
    score: float
    artifacts: dict = field(default_factory=dict)
def evaluate(path):
    return Result(load(path).solve())`,
  'an object with metrics and artifacts': `${LOAD}class EvaluationResult:
    def __init__(self, metrics, artifacts): self.metrics, self.artifacts = metrics, artifacts
def evaluate(path):
    return EvaluationResult({"combined_score": load(path).solve(), "odd": float("nan")}, {"log": "words for the model"})`,
  'a decimal': `${LOAD}from decimal import Decimal\ndef evaluate(path):\n    return Decimal(load(path).solve())`,
  'files beside it, by the working directory and __file__': `${LOAD}import csv, os, helper
from .helper import ZERO
def evaluate(path):
    own = os.path.dirname(os.path.abspath(__file__))
    assert open("data/raw.bin", "rb").read() == b"\\x00\\xff"
    assert os.path.dirname(path) == own == os.getcwd()
    return load(path).solve() + sum(float(row["y"]) for row in csv.DictReader(open(os.path.join(own, "data.csv")))) + helper.ZERO`,
  'an evaluator that imports itself, or that the program imports': `import evaluator
from dataclasses import dataclass
def evaluate(path):
    import sys
    assert sys.modules["evaluator"].evaluate is evaluate and evaluator.evaluate is evaluate
    return 3.0`,
  'folders of the machine, which are elsewhere here': `${LOAD}import csv
def evaluate(path):
    with open("/tmp/eval.log", "a") as log:
        log.write(open('/benchmark/helper.py').read())
    return load(path).solve()`,
  'a program that is started, and imports what lies beside the evaluator': `import subprocess, sys
def evaluate(path):
    code = "import helper; print(helper.ZERO + 3)"
    return float(subprocess.run([sys.executable, "-c", code], cwd="/", capture_output=True, text=True).stdout)`,
  'threads left behind': `${LOAD}import threading, time
def evaluate(path):
    threading.Thread(target=time.sleep, args=(600,)).start()
    return load(path).solve()`,
  'a child that comes back too': `${LOAD}import os
def evaluate(path):
    os.fork()
    return load(path).solve()`,
};
const BESIDE: Folder = {
  'data.csv': '\ufeffx,y\n1,0\n',
  'data/raw.bin': Buffer.from([0, 255]),
  'helper.py': 'ZERO = 0\n',
  '.git/config': 'no part of it',
  'runs/old.json': '{}',
};

test('says where the time of the program went', async () => {
  const code = `import time
def work():
    end = time.process_time() + 0.8
    while time.process_time() < end:
        pass
def solve(x=1):
    work()
    return 3 * x
`;
  const evaluator = `${LOAD}def evaluate(program_path):\n    return load(program_path).solve()`;
  const { score, profile } = await evaluated(evaluator, { code });
  expect(score).toBe(3);
  expect(profile!.functions[0]).toMatchObject({ name: 'work' });
});

test.each(Object.entries(SHAPES))('%s', async (_, evaluator) => {
  expect(await evaluated(evaluator, { files: BESIDE })).toMatchObject({ outcome: 'valid', score: 3 });
});

test('a failure that the evaluator prints stands against files that the program wrote', async () => {
  const judge = `import json, subprocess, sys
subprocess.run([sys.executable, sys.argv[1]])
print(json.dumps({"error": "wrong"}))`;
  const code = `import json, os
for name in ("results.json", "metrics.json"):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), "w") as file:
        json.dump({"combined_score": 1e6, "correct": True}, file)`;
  expect(await evaluated(judge, { code })).toMatchObject({ outcome: 'invalid', reasons: ['wrong'] });
});

test('what task.yaml says of the shape, the function and the score holds', async () => {
  const yaml = (keys: string): string => `evaluate: {${keys}}\n`;
  const two = `${LOAD}def judge(thing):\n    return {"good": len(thing), "bad": 1}\ndef evaluate(path):\n    return 1`;
  expect(await evaluated(two, { yaml: yaml('function: judge, shape: text, score: good') })).toMatchObject({
    outcome: 'valid',
    metrics: { bad: 1 },
  });
  const elsewhere = {
    yaml: yaml('file: judge/check.py, program: src/start.py'),
    files: { 'judge/check.py': SHAPES['a path']!, 'src/start.py': PROGRAM },
  };
  expect(await evaluated('', elsewhere)).toMatchObject({ outcome: 'valid', score: 3 });
});

test('a program finds its module by its name while it is loaded, as dataclasses need it', async () => {
  const code = `from __future__ import annotations
from dataclasses import dataclass
@dataclass
class Point:
    x: int = 3
def solve():
    return Point().x`;
  expect(await evaluated(SHAPES['a path']!, { code })).toMatchObject({ outcome: 'valid', score: 3 });
});

test('a program file may have any name, and the evaluator may import it by that', async () => {
  const task = { yaml: 'evaluate: {program: program.py}\n', files: { 'program.py': PROGRAM } };
  const evaluator = 'import program\ndef evaluate(path):\n    return program.solve()';
  expect(await evaluated(evaluator, task)).toMatchObject({ outcome: 'valid', score: 3 });
});

test.each([
  ['when it is loaded', 'print(42)\nexit()'],
  ['when it is called', 'def solve():\n    print(42)\n    raise SystemExit(0)'],
])('a script is not at its end where the program exits %s, whatever that has printed', async (_, code) => {
  const result = await evaluated(SHAPES['a script that prints a number last']!, { code });
  expect(result).toMatchObject({ outcome: 'no_solution', reasons: [expect.stringMatching(/^SystemExit: /)] });
  const asText = 'import sys\nexec(open(sys.argv[1]).read())\nprint(solve())';
  expect(await evaluated(asText, { code })).toMatchObject({ outcome: 'no_solution', score: null });
});

test('artifacts and long texts are kept whole and are no reasons, other metrics stand beside the score', async () => {
  const result = await evaluated(SHAPES['an object with metrics and artifacts']!);
  expect(result).toMatchObject({ outcome: 'valid', metrics: { odd: 'nan' }, reasons: [] });
  expect(result.artifacts).toEqual([{ name: 'log', kind: 'text', text: 'words for the model' }]);
  const long = await evaluated('def evaluate(path):\n    return {"score": 1, "told": "x" * 900, "reasons": ["why"]}');
  expect(long).toMatchObject({ metrics: {}, reasons: ['why'] });
  expect(long.artifacts).toEqual([{ name: 'told', kind: 'text', text: 'x'.repeat(900) }]);
});

test('tables, pictures and files in the folder of results are kept', async () => {
  const result = await evaluated(`import os
PNG = b"\\x89PNG\\r\\n\\x1a\\n" + b"1234"
def evaluate(path, results_dir):
    for name, content in {"plot.png": PNG, "cases.csv": b"case,seconds\\na,1.5\\n", "log.txt": b"done", "model.bin": b"x"}.items():
        open(os.path.join(results_dir, name), "wb").write(content)
    return {"score": 1, "artifacts": {
        "worst": [{"case": "b", "gap": 0.5}, {"case": "c"}], "by": {"n": [1, 2], "t": [0.5, 0.25]}, "log.txt": "said",
        "shape": "<svg xmlns='http://www.w3.org/2000/svg'></svg>"}}`);
  expect(result.artifacts).toEqual([
    { name: 'cases.csv', kind: 'table', text: 'case\tseconds\na\t1.5' },
    { name: 'log.txt', kind: 'text', text: 'said' },
    { name: 'plot.png', kind: 'png', text: Buffer.from('\x89PNG\r\n\x1a\n1234', 'latin1').toString('base64') },
    { name: 'worst', kind: 'table', text: 'case\tgap\nb\t0.5\nc\t' },
    { name: 'by', kind: 'table', text: 'n\tt\n1\t0.5\n2\t0.25' },
    { name: 'shape', kind: 'svg', text: "<svg xmlns='http://www.w3.org/2000/svg'></svg>" },
  ]);
});

test('what is too large is cut or left out and says so, however large it is; the score stays', async () => {
  const result = await evaluated(`def evaluate(path):
    return {"score": 1, "artifacts": {
        "text": "x" * 100_000_000, "rows": [[1, 2]] * 1_000_000, "picture": b"\\xff\\xd8\\xff" + bytes(600_000),
        "bytes": b"\\xff\\x00\\xfe", "wide": "\\u2603" * 60_000, "wider": "\\u2603" * 60_000, **{f"n{i}": i for i in range(100)}}}`);
  expect(result).toMatchObject({ outcome: 'valid', score: 1 });
  const told = Object.fromEntries(result.artifacts!.map(({ name, text }) => [name, text]));
  expect(result.artifacts).toHaveLength(20);
  expect(told).toMatchObject({
    text: expect.stringMatching(/^x{65436}\n\[cut: 100000000 characters came\]$/),
    rows: expect.stringMatching(/^(1\t2\n){2000}\[cut: 1000000 lines came\]$/),
    picture: '[left out: a picture of more than 524288 bytes]',
    bytes: '[left out: 3 bytes that are neither text nor a picture in PNG, JPEG or SVG]',
    wider: expect.stringMatching(/^\[left out: 360002 bytes, /),
    artifacts: '[left out: 87 of 106 artifacts]',
  });
});

test('what the program puts in their place is bounded too', async () => {
  const code = `import sys
class Claim:
    def __init__(self, found): pass
    shown = {}
    def plain(self, room):
        return {"metrics": {"score": 9}, "odd": {}, "texts": [], "artifacts": {"a": {"kind": "png", "text": "AAAA"}, "b": {"kind": "text", "text": "y" * 90_000}, "c": 7,
            "d": {"kind": "table", "text": [1]}, "e": {"kind": ["table"], "text": "z"}, "f": {"kind": "png", "text": {"g": 1}}}}
sys._getframe(0)
for frame in [sys._getframe(depth) for depth in range(40) if depth < len(__import__("inspect").stack())]:
    if "Claim" in frame.f_globals:
        frame.f_globals["Claim"] = Claim
def solve():
    return 3`;
  const result = await evaluated(SHAPES['a path']!, { code });
  expect(result.artifacts).toEqual([
    { name: 'a', kind: 'text', text: '\0\0\0' },
    { name: 'b', kind: 'text', text: expect.stringMatching(/^y{65436}\n\[cut: 90000 characters came\]$/) },
    { name: 'c', kind: 'text', text: '7' },
    { name: 'd', kind: 'table', text: 'name\tvalue\nkind\ttable\ntext\t[1]' },
    { name: 'e', kind: 'table', text: "name\tvalue\nkind\t['table']\ntext\tz" },
    { name: 'f', kind: 'table', text: "name\tvalue\nkind\tpng\ntext\t{'g': 1}" },
  ]);
});

test('an artifact of another form than ours is dropped, and parks no run', async () => {
  const [first, ...more] = [
    `{"name": "a", "kind": "text", "text": "x"}`,
    `{"name": "b", "kind": "table", "text": [1]}`,
    '7',
  ];
  const evaluatorSource = `import __main__
__main__.artifacts_of = lambda given: [${[first, ...more].join(', ')}]
def evaluate(instance, solution):
    return {"valid": True, "score": 1}
`;
  const task = {
    ...(await readTask(
      folderOf({
        'task.yaml': `title: T\nkind: script\ndirection: maximise\n${LIMITS}`,
        'evaluator.py': 'def evaluate(path):\n    return 1',
        'initial.py': PROGRAM,
      }),
    )),
    evaluatorSource,
  };
  const scorer = createScorer(launcher, task, log);
  try {
    expect(await scorer.score(1, new AbortController().signal)).toMatchObject({
      ...{ valid: true, score: 1 },
      artifacts: [{ name: 'a', kind: 'text', text: 'x' }],
    });
  } finally {
    await scorer.close();
  }
});

test('the score counts however many metrics come before it, names that are cut stay apart, and what is left out is told', async () => {
  const many = '{**{f"m{number}": number for number in range(1000)}, "score": 1, "metrics": {}}';
  expect(await evaluated(`def evaluate(path):\n    return ${many}`)).toMatchObject({
    ...{ outcome: 'valid', score: 1, metrics: { m0: 0, m400: 400 } },
    reasons: ['metrics: 1002 came, and 500 of them are kept'],
  });
  const long = await evaluated('def evaluate(path):\n    return {"score": 1, "x" * 64 + "a": 2, "x" * 64 + "b": 3}');
  expect(Object.values(long.metrics)).toEqual([2, 3]);
});

test('a number of a kind that Python counts as real is taken', async () => {
  const source = `import numbers
@numbers.Real.register
class longdouble:
    def item(self): return self
    def __float__(self): return 2.5
def evaluate(path):
    return {"score": longdouble()}`;
  expect(await evaluated(source)).toMatchObject({ outcome: 'valid', score: 2.5 });
});

/** By what is returned: the reason for which it is no score. */
const FAILURES: readonly (readonly [returned: string, reason: string | RegExp])[] = [
  ['{"combined_score": float("-inf"), "eval_time": 12.3}', 'combined_score is -inf: expected a finite number'],
  ['{"combined_score": float("nan"), "score": 4}', 'combined_score is nan: expected a finite number'],
  ['{"combined_score": 0.0, "error": "no module named jax"}', 'no module named jax'],
  ['{"score": 0, "timeout": True}', 'the evaluator says timeout: true'],
  ['{"score": 7, "correct": False}', 'the evaluator says correct: false'],
  ['{"combined_score": 0.0, "validity": 0.0}', 'the evaluator says validity: 0.0'],
  ['({"combined_score": -0.2}, {"error": "timed out"})', 'timed out'],
  ['{"status": "error", "combined_score": 0}', 'the evaluator says status: error'],
  ['{"error": 0.0}', /^expected a number as score/],
  ['{"score": "3.5"}', "score is the text '3.5': expected a finite number"],
  ['"3.5"', /^evaluator\.py returned the text '3\.5': expected a number/],
  ['{"score": 1 + 2j}', 'score is a complex number: expected a finite number'],
  ['1 + 2j', /returned a complex number: expected a number/],
  ['{1, 2}', /returned a set: expected/],
  ['{"score": True}', 'score is True: expected a finite number'],
  ['{"score": 10 ** 400}', 'score is a whole number of more than 300 digits: expected a finite number'],
  ['{"score": None, "speed": 3.0}', 'score is nothing: expected a finite number'],
  ['{"grade": None}', 'expected a number as score, got grade: nothing'],
  ['{"score": masked}', 'score is a MaskedConstant: expected a finite number'],
  ['evaluate', /returned a function: expected/],
  ['(x for x in iter(int, 1))', /returned a generator: expected/],
  ['itself()', /^expected a number as score, got me: a dict/],
  ['None', /^evaluator\.py returned nothing, .*: return the score from evaluate\(program_path\)$/],
  [
    '{"speed": 3, "error": 0.1, "size": 4}',
    'which number is the score: speed, size? Name it in task.yaml: evaluate: {score: speed}',
  ],
];
test.each(FAILURES)('%s is no score', async (returned, reason) => {
  const itself = `def itself():\n    made = {}\n    made["me"] = made\n    return made
# What numpy calls the mean of nothing.
class MaskedConstant:
    def item(self): return 0.0
masked = MaskedConstant()\n`;
  const result = await evaluated(`${itself}def evaluate(path):\n    return ${returned}`);
  expect(result).toMatchObject({ outcome: 'invalid', score: null });
  // The reason says it.
  expect(Object.values(result.metrics)).not.toContain(result.reasons[0]);
  expect(result.reasons[0]).toEqual(typeof reason === 'string' ? reason : expect.stringMatching(reason));
});

describe('an evaluator that', () => {
  const quick = 'limits: {cpuSeconds: 2, wallSeconds: 2, memoryMiB: 512, outputMiB: 1, pids: 64}\n';
  test.each([
    ['raises', 'def evaluate(path):\n    raise ValueError("bad data")', 'ValueError: bad data (evaluator.py, line 2)'],
    ['exits', 'import sys\ndef evaluate(path):\n    sys.exit(3)', 'SystemExit: 3 (evaluator.py, line 3)'],
    ['exits without a word', 'def evaluate(path):\n    raise SystemExit', 'SystemExit: (evaluator.py, line 2)'],
    ['exits when it is read', 'import sys\nsys.exit("no key")', 'SystemExit: no key (evaluator.py, line 2)'],
    ['is no Python', 'def evaluate(path:\n', /^SyntaxError: /],
    [
      'asks for what nobody knows',
      'def evaluate(path, judge):\n    return 1',
      /asks for judge, and nothing here is called so/,
    ],
    [
      'lacks its package',
      'import no_such_package\ndef evaluate(path):\n    return 1',
      "ModuleNotFoundError: No module named 'no_such_package' (evaluator.py, line 1)",
    ],
    [
      'writes what is no JSON',
      'def evaluate(path, results_path):\n    open(results_path, "w").close()',
      /^evaluator\.py wrote results\.json, which is no JSON: Expecting value/,
    ],
    ['hangs', 'import time\ndef evaluate(path):\n    time.sleep(600)', /^stopped after 2 s/],
    [
      'prints without end',
      'def evaluate(path):\n    while True: print("x" * 10000)',
      /^stopped because it wrote more than/,
    ],
  ] as const)('%s', async (_, evaluator, reason) => {
    const result = await evaluated(evaluator, { yaml: quick });
    expect(result.outcome).not.toBe('valid');
    expect(result.reasons[0]).toEqual(typeof reason === 'string' ? reason : expect.stringMatching(reason));
  });
  test.each([
    ['exits', 'print("partial")\nexit()', 'no_solution', /^SystemExit/],
    [
      'ends its process',
      'import os\nos._exit(0)',
      'no_solution',
      /^the program ended without handing over a solution$/,
    ],
    [
      'raises what cannot be written',
      'raise ValueError("bad \\udcc1")',
      'no_solution',
      /^ValueError: bad \? \(initial/,
    ],
    [
      'swallows every exception',
      'def solve():\n    while True:\n        try: open("x").fileno()\n        except BaseException: pass',
      'no_solution',
      /^stopped after 2 s/,
    ],
  ] as const)('meets a program that %s', async (_, code, outcome, reason) => {
    const result = await evaluated(SHAPES['a path']!, { code, yaml: quick });
    expect(result).toMatchObject({ outcome, score: null, reasons: [expect.stringMatching(reason)] });
  });
  test.each([
    ['closes its output', 'import sys\n    sys.stdout.close()'],
    ['sends it elsewhere', 'import os\n    os.dup2(os.open("/dev/null", os.O_WRONLY), 1)'],
    ['writes bytes past it', 'import os\n    os.write(1, b"\\xff{\\"score\\": 99}\\n\\x00")'],
    ['reads what nobody wrote', 'import sys\n    sys.stdin.read()'],
    ['leaves a thread', 'import threading, time\n    threading.Thread(target=time.sleep, args=(60,)).start()'],
    ['leaves a process and zombies', 'import subprocess\n    for _ in range(9): subprocess.Popen(["sleep", "60"])'],
    [
      'replaces the clock',
      'import time, unittest.mock as mock\n    time.process_time = time.time = mock.Mock(side_effect=[1.0])',
    ],
    ['prints halves of characters', 'print("\\udcc1")'],
    [
      'gives a metric without end',
      'deep = []\n    for _ in range(99999): deep = [deep]\n    return {"score": 1, "deep": deep}',
    ],
  ])('%s has its score all the same', async (_, body) => {
    const result = await evaluated(`def evaluate(path):\n    ${body}\n    return 1`, { yaml: quick });
    expect(result).toMatchObject({ outcome: 'valid', score: 1 });
  });
  test('meets a program that fails, which is told with the line', async () => {
    const result = await evaluated(SHAPES['a path']!, { code: '# first\ndef solve():\n    return 1 / 0\n' });
    expect(result).toMatchObject({ outcome: 'no_solution', execution: 'program_error' });
    expect(result.reasons[0]).toBe('ZeroDivisionError: division by zero (initial.py, line 3)');
  });
  test("meets an initial program without a block that fails: lines are those of the person's files, and no others", async () => {
    const files = { 'initial.py': 'def solve():\n    return 1 / 0\n' };
    const result = await evaluated(SHAPES['a path']!, { files });
    expect(result.reasons[0]).toBe('ZeroDivisionError: division by zero (initial.py, line 2)');
    expect(result.stderrTail.match(/File ".*?task\/(.*?)", line \d+/g)?.length).toBe(2);
    expect(result.stderrTail).not.toMatch(/harness|Traceback/);
  });
});
