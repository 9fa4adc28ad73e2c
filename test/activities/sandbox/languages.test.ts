// Programs in C++ on the levels that an engine has: what compiles, what does not and why, and what a compiler must not be made to do.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Evaluation } from '../../../evolution/scoring/evaluation.ts';
import type { Task } from '../../../evolution/task/task.ts';
import { createForkSandbox } from '../../../activities/sandbox/levels/fork.ts';
import {
  createDockerGate,
  createDockerSandbox,
  createDockerScorer,
} from '../../../activities/sandbox/levels/docker.ts';
import { createEvaluator, type Evaluator } from '../../../activities/sandbox/host/evaluator.ts';
import { readTask } from '../../../activities/task/load-task.ts';
import { ensureTaskImage } from '../../../deploy/images/task/task-image.ts';
import { dockerHost, imageCache, never, testHome, testImage } from './levels/docker.ts';

const folder = mkdtempSync(join(tmpdir(), 'evolve-cpp-'));
const builds = join(folder, 'builds');
const LEVELS = { fork: createForkSandbox, docker: createDockerSandbox };
const on = {} as Record<keyof typeof LEVELS, { readonly evaluator: Evaluator; readonly script: Evaluator }>;
let called: Evaluator;
const closing: (() => Promise<void>)[] = [];
let compiles = 0;

const MAIN = `
#include <cstdio>
#include <iostream>
#include <string>
int main() {
  std::string line;
  std::getline(std::cin, line);
  std::printf("{\\"value\\": {\\"x\\": %d, \\"asked\\": %d}}\\n", x(), line.find("\\"call\\":\\"construct\\"") == 1);
}
`;
const program = (kernel: string, main = MAIN): string =>
  `// EVOLVE-BLOCK-START\n${kernel}\n// EVOLVE-BLOCK-END\n${main}`;

const yaml = (kind: string): string =>
  `kind: ${kind}\nlanguage: cpp\ndirection: maximise\nproblem: make x large\nlimits: { cpuSeconds: 3, wallSeconds: 20, memoryMiB: 256, compileSeconds: 6 }\n`;
const taskIn = async (name: string, kind: string, evaluate: string): Promise<Task> => {
  const into = join(folder, name);
  mkdirSync(into);
  writeFileSync(join(into, 'task.yaml'), yaml(kind));
  writeFileSync(join(into, 'evaluator.py'), evaluate);
  writeFileSync(join(into, 'initial.cpp'), program('int x() { return 1; }'));
  return readTask(into);
};

beforeAll(async () => {
  const home = testHome();
  const base = await testImage();
  const solution = await taskIn(
    'solution',
    'solution',
    'def evaluate(instance, solution):\n    return {"valid": solution["asked"] == 1, "score": solution["x"], "metrics": {}, "reasons": ["wrong"]}\n',
  );
  const fn = await taskIn(
    'function',
    'function',
    'import numpy as np\n\ndef evaluate(instance, candidate):\n    got = [candidate.call([np.arange(6.0).reshape(2, 3), {"by": 2}], on_ask=lambda asked: asked["a"] + 1).value for _ in range(2)]\n    return {"valid": True, "score": float(np.sum(got[0]["twice"])), "metrics": {"answers": str([one["answer"] for one in got])}, "reasons": []}\n',
  );
  const script = await taskIn(
    'script',
    'script',
    'import subprocess\n\ndef evaluate(path):\n    subprocess.run(["g++", path, "-o", "built"], check=True)\n    said = subprocess.run(["./built"], input="{\\"call\\":\\"construct\\"}", capture_output=True, text=True, check=True).stdout\n    return {"score": len(said)}\n',
  );
  const image = await ensureTaskImage(solution.world!, {
    ...{ dockerHost, base, home: 'cccccccccccc', cacheDir: imageCache, say: console.log },
  });
  const options = { dockerHost, image, home, concurrency: 2, log: () => undefined };
  const gate = createDockerGate(options);
  const levelOf = (level: keyof typeof LEVELS): ((task: Task) => Evaluator) => {
    const sandbox = LEVELS[level](options);
    closing.push(() => sandbox.close());
    const run: typeof sandbox.run = (job, signal) => {
      if (job.entry === 'build') compiles += 1;
      return sandbox.run(job, signal);
    };
    const watched = { ...sandbox, run, converse: sandbox.converse, level: sandbox.level, imageId: sandbox.imageId };
    return (task) => {
      const scorer = createDockerScorer({ ...options, task });
      closing.push(() => scorer.close());
      return createEvaluator({ sandbox: watched, gate, scorer, task, builds });
    };
  };
  const [fork, docker] = [levelOf('fork'), levelOf('docker')];
  for (const [level, of] of Object.entries({ fork, docker }) as ['fork' | 'docker', typeof fork][])
    on[level] = { evaluator: of(solution), script: of(script) };
  called = fork({ ...fn, harness: 'def invoke(function, request, ask):\n    return function(*request, ask)\n' });
  closing.push(() => gate.close());
});
afterAll(async () => {
  for (const close of closing) await close();
  rmSync(folder, { recursive: true, force: true });
});

let keys = 0;
const evaluate = (code: string, by = on.fork.evaluator): Promise<Evaluation> =>
  by.evaluate(
    { key: `cpp-${(keys += 1)}`, run: 'test', code, seed: 1, acceptSavedOnTimeout: true, scoring: 'tolerant' },
    never(),
  );

test('a program is compiled once, gets its instance and is scored', async () => {
  const result = await evaluate(program('int x() { int unused; return 7; }'));
  expect(result).toMatchObject({ outcome: 'valid', score: 7 });
  expect(result.stderrTail).toMatch(/program\.cpp:2:\d+: warning: unused variable/);
  const before = compiles;
  expect(await evaluate(program('int x() { int unused; return 7; }'))).toMatchObject({ score: 7 });
  expect(compiles).toBe(before);
  expect(readdirSync(builds)).toHaveLength(1);
});

test('what does not compile is refused with its line, before it runs', async () => {
  const result = await evaluate(program('int x() { return y; }'));
  expect(result).toMatchObject({ outcome: 'no_solution', execution: 'rejected' });
  expect(result.reasons[0]).toMatch(/^does not compile: program\.cpp:2:18: error: .y. was not declared/);
  expect(result.stderrTail).toContain('return y;');
});

test.each([
  ['crashes', 'int x() { volatile int *p = nullptr; return *p; }', /SIGSEGV/],
  ['ends', 'int x() { throw 1; }', /SIGABRT/],
  ['says nothing', '#include <cstdlib>\nint x() { exit(0); }', /ended before it gave an answer/],
  [
    'prints',
    '#include <cstdio>\nint x() { puts("hello"); return 1; }',
    /expected lines of JSON objects on stdout.*hello/,
  ],
  [
    'needs too much',
    '#include <cstring>\n#include <cstdlib>\nint x() { for (;;) memset(malloc(1 << 20), 1, 1 << 20); }',
    /256 MiB of memory/,
  ],
  ['never ends', 'int x() { for (;;) asm volatile(""); }', /3 s of CPU time/],
])('a program that %s has no solution, and its reason says so', async (_, kernel, reason) => {
  const result = await evaluate(program(kernel));
  expect(result.outcome).toBe('no_solution');
  expect(result.reasons.join('\n')).toMatch(reason);
});

test('a checkpoint counts where the time runs out', async () => {
  const main = `#include <cstdio>\nint main() { std::puts("{\\"checkpoint\\": {\\"x\\": 5, \\"asked\\": 1}}"); std::fflush(stdout); for (;;) asm volatile(""); }\n`;
  expect(await evaluate(program('', main))).toMatchObject({ outcome: 'valid', score: 5, execution: 'timeout_cpu' });
});

test.each([
  [
    'never ends',
    '#if __INCLUDE_LEVEL__ < 150\n#include __FILE__\n#include __FILE__\n#endif\n',
    /^does not compile: the compiler was stopped after 6 s of CPU time/,
  ],
  [
    'needs 8 GB',
    'template <int N> struct S { S<N - 1> a; S<N - 1> b; char c[N]; };\ntemplate <> struct S<0> {};\nconstexpr int big = 1 << 30;\nstruct T { int v[big]; constexpr T() : v{} { for (int i = 0; i < big; i++) v[i] = i; } };\nconstexpr T t;\nint x() { return t.v[1]; }',
    /^does not compile: /,
  ],
  ['writes 8 GB', 'char a[8ll << 30] = {1};\nint x() { return a[1]; }', /^does not compile: /],
  [
    'writes outside',
    'asm(".pushsection .x\\n.incbin \\"/proc/1/environ\\"\\n.popsection");\n#include "/etc/shadow"\nint x() { return 1; }',
    /^does not compile: /,
  ],
])('a compiler that %s ends as an ordinary refusal of one sentence, on each level', async (_, kernel, reason) => {
  const results = await Promise.all([on.fork, on.docker].map((level) => evaluate(program(kernel), level.evaluator)));
  for (const result of results) {
    expect(result).toMatchObject({ outcome: 'no_solution', execution: 'rejected' });
    expect(result.reasons).toHaveLength(1);
    expect(result.reasons[0]).toMatch(reason);
  }
});

test.each(['fork', 'docker'] as const)('on %s, an evaluator compiles and runs the program itself', async (level) => {
  const result = await evaluate(program('int x() { return 7; }'), on[level].script);
  expect(result).toMatchObject({ outcome: 'valid', score: '{"value": {"x": 7, "asked": 1}}\n'.length });
});

test('arrays go both ways as bytes, and a program may ask', async () => {
  const main = `
#include <cstdio>
#include <iostream>
#include <string>
int main() {
  std::string line, answer;
  while (std::getline(std::cin, line)) {
    double v[6];
    std::cin.read(reinterpret_cast<char *>(v), sizeof v);
    std::printf("{\\"ask\\": {\\"a\\": %d}}\\n", (int)line.size());
    std::fflush(stdout);
    std::getline(std::cin, answer);
    for (double &one : v) one *= 2;
    std::printf("{\\"value\\": {\\"twice\\": {\\"$array\\": \\"float64\\", \\"shape\\": [3, 2]}, \\"answer\\": %s}}\\n", answer.substr(10, answer.size() - 11).c_str());
    std::fwrite(v, sizeof v, 1, stdout);
    std::fflush(stdout);
  }
}
`;
  const result = await evaluate(program('', main), called);
  const asked = '{"call":"construct","args":[{"$array":"float64","shape":[2,3]},{"by":2}]}'.length;
  expect(result).toMatchObject({ outcome: 'valid', score: 30, metrics: { answers: `[${asked + 1}, ${asked + 1}]` } });
});
