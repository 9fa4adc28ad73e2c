// What `function` evaluation promises, as one table of tests run against each isolation level (docker.test.ts,
// bubblewrap.test.ts, fork.test.ts).
import { afterAll, beforeAll, describe, expect, test as anyTest } from 'vitest';
import type { Gate, Sandbox, Scorer } from '../../../../activities/sandbox/contract/types.ts';
import { createEvaluator, type Evaluator } from '../../../../activities/sandbox/host/evaluator.ts';
import { hiddenDraws } from '../../../../activities/sandbox/host/hidden-draws.ts';
import type { Evaluation } from '../../../../evolution/scoring/evaluation.ts';
import type { Task } from '../../../../evolution/task/task.ts';
import { FULL } from '../../../support/sizes.ts';
import { never, quickLimits } from './docker.ts';
import { plainTask } from '../../../support/domain/plain-task.ts';

/** Doubles five numbers, asks for the sum of two others on the way, and names the hidden seed. */
const EVALUATOR = `
import numpy as np
from candidate import CandidateError

def evaluate(instance, candidate):
    data = np.arange(5.0)
    total, asked = 0.0, []
    def on_ask(message):
        asked.append(message["more"])
        return {"given": float(len(asked))}
    for index in range(instance["calls"]):
        try:
            answer = candidate.call({"data": data, "index": index}, on_ask=on_ask, seconds=instance["seconds"], measure=True)
        except CandidateError as error:
            if error.kind == "raised" and instance["forgiving"]:
                continue
            raise
        value = answer.value
        if not isinstance(value, np.ndarray) or value.shape != (5,):
            return {"valid": False, "score": None, "metrics": {}, "reasons": ["expected 5 numbers"]}
        if list(data) != [0.0, 1.0, 2.0, 3.0, 4.0]:
            return {"valid": False, "score": None, "metrics": {}, "reasons": ["the data changed"]}
        total += float(value.sum())
    return {"valid": True, "score": total, "metrics": {"asked": len(asked), "hidden_seed": instance["hidden_seed"], "secret": instance["secret"]}, "reasons": []}
`;
const HARNESS = `
def invoke(function, request, ask):
    return function(request["data"], request["index"], ask)
`;
const HONEST =
  'import numpy as np\ndef double(data, index, ask):\n    return data * 2 + ask({"more": index})["given"] * 0\n';

const task = plainTask({
  id: 'double',
  title: 'Double',
  kind: 'function',
  entry: 'double',
  scoreName: 'total',
  instance: { calls: 3, seconds: 3, forgiving: false },
  hidden: { secret: 7 },
  limits: { ...quickLimits, cpuSeconds: 3, wallSeconds: 12 },
  initialProgram: HONEST,
  evaluatorSource: EVALUATOR,
  harness: HARNESS,
  evaluatorDigest: 'd',
});

/** What the code of a level decides, and not the code that all levels share. */
export const OF_A_LEVEL =
  /^calls the function|^several programs|too much CPU|^children|^a timed task|^text without end/;

export type FunctionParts = {
  readonly sandbox: Sandbox;
  readonly gate: Gate;
  readonly scorerFor: (task: Task) => Scorer;
};

/** `some`: the tests that are enough on a level where no run is by default. `npm run test:full` has all of them. */
export const functionContract = (name: string, make: () => Promise<FunctionParts>, some = /./): void => {
  const test = (title: string, run: () => Promise<void>): void => anyTest.runIf(FULL || some.test(title))(title, run);
  describe(`function tasks on ${name}`, () => {
    let parts: FunctionParts;
    const scorers: Scorer[] = [];
    beforeAll(async () => {
      parts = await make();
    });
    afterAll(async () => {
      await Promise.all([...scorers, parts.gate, parts.sandbox].map((part) => part.close()));
    });

    const evaluatorOf = (changed: Partial<Task> = {}): Evaluator => {
      const own = { ...task, ...changed };
      const scorer = parts.scorerFor(own);
      scorers.push(scorer);
      return createEvaluator({
        sandbox: parts.sandbox,
        gate: parts.gate,
        scorer,
        task: own,
        hidden: hiddenDraws('s'.repeat(64)),
      });
    };
    let keys = 0;
    const evaluate = (code: string, evaluator: Evaluator): Promise<Evaluation> =>
      evaluator.evaluate(
        { key: `f${(keys += 1)}`, run: 'functions', code, seed: 1, acceptSavedOnTimeout: false, scoring: 'tolerant' },
        never(),
      );
    const once = (code: string, changed: Partial<Task> = {}): Promise<Evaluation> =>
      evaluate(code, evaluatorOf(changed));

    test('calls the function as often as the evaluator wants, carries arrays and questions, and scores', async () => {
      const result = await once(HONEST);
      expect(result).toMatchObject({
        outcome: 'valid',
        execution: 'ok',
        score: 60,
        solution: null,
        metrics: { asked: 3, secret: 7 },
        isolation: parts.sandbox.level,
      });
    });
    test('draws the same hidden seed for the same program, another for another one', async () => {
      const evaluator = evaluatorOf();
      const seed = async (code: string): Promise<unknown> => (await evaluate(code, evaluator)).metrics['hidden_seed'];
      const first = await seed(HONEST);
      expect(await seed(HONEST)).toBe(first);
      expect(await seed(`${HONEST}# other\n`)).not.toBe(first);
    });
    test('several programs talk to their own evaluators at the same time', async () => {
      const evaluator = evaluatorOf();
      const results = await Promise.all(
        [1, 2, 3, 4].map((factor) =>
          evaluate(`def double(data, index, ask):\n    return data * ${factor}\n`, evaluator),
        ),
      );
      expect(results.map(({ score }) => score)).toEqual([30, 60, 90, 120]);
    });
    test('every call gets fresh copies: editing them in place changes nothing for the evaluator', async () => {
      expect(await once('def double(data, index, ask):\n    data *= 2\n    return data\n')).toMatchObject({
        outcome: 'valid',
        score: 60,
      });
    });
    const failing: {
      readonly [what: string]: readonly [code: string, execution: string | readonly string[], reason: RegExp];
    } = {
      'an exception': [
        'def double(data, index, ask):\n    raise ValueError("no idea")\n',
        'program_error',
        /ValueError: no idea/,
      ],
      'an exception at load': ['raise RuntimeError("not today")\ndef double(*_): pass\n', 'program_error', /not today/],
      'an exit at load': ['import os\nos._exit(0)\ndef double(*_): pass\n', 'invalid_output', /./],
      'an exit during a call': ['import os\ndef double(data, index, ask):\n    os._exit(3)\n', 'program_error', /./],
      'an answer that is not finite': [
        'def double(data, index, ask):\n    return data / 0.0\n',
        ['invalid_output', 'program_error'],
        /finite/,
      ],
      'an object': ['def double(data, index, ask):\n    return object()\n', 'program_error', /expected lists, numbers/],
      'a late answer': ['import time\ndef double(data, index, ask):\n    time.sleep(30)\n', 'timeout_wall', /./],
      'too much CPU': ['def double(data, index, ask):\n    while True: pass\n', ['timeout_cpu', 'timeout_wall'], /./],
      'an answer before the call': [
        'import os, struct\nfor fd in range(3, 12):\n    try: os.write(fd, b"V" + struct.pack(">I", 0))\n    except OSError: pass\ndef double(data, index, ask):\n    return data * 99\n',
        'invalid_output',
        /./,
      ],
      'messages between calls': [
        'import os, struct, threading, time\ndef flood():\n    time.sleep(0.2)\n    for fd in range(3, 12):\n        for _ in range(50):\n            try: os.write(fd, b"K" + struct.pack(">I", 0))\n            except OSError: pass\n' +
          'def double(data, index, ask):\n    threading.Thread(target=flood).start()\n    time.sleep(0.5)\n    return data\n',
        ['invalid_output', 'program_error'],
        /./,
      ],
      'a question nobody expects in that form': [
        'def double(data, index, ask):\n    ask({"other": 1})\n    return data\n',
        ['program_error', 'invalid_output', 'ok'],
        /./,
      ],
      'greetings without end': [
        'import os, struct\ndef double(data, index, ask):\n    many = (b"R" + struct.pack(">I", 0)) * 10000\n    while True:\n        for fd in range(3, 12):\n            try: os.write(fd, many)\n            except OSError: pass\n',
        ['invalid_output', 'program_error'],
        /./,
      ],
      'text without end': [
        'import os\ndef double(data, index, ask):\n    while True: os.write(2, b"x" * 65536)\n',
        'output_limit',
        /output/,
      ],
      'a message too large': [
        'import numpy as np\ndef double(data, index, ask):\n    return np.zeros(1 << 21)\n',
        'output_limit',
        /output/,
      ],
    };
    for (const [what, [code, execution, reason]] of Object.entries(failing))
      test(`${what} is no valid score`, async () => {
        const result = await once(code);
        expect(result.outcome, JSON.stringify(result)).not.toBe('valid');
        expect([execution].flat()).toContain(result.execution);
        expect(result.reasons.join()).toMatch(reason);
      });
    test('children that compute count as the program does', async () => {
      const result = await once(
        'import os, time\ndef double(data, index, ask):\n    for _ in range(4):\n        if os.fork() == 0:\n            while time.process_time() < 0.5: pass\n            os._exit(0)\n    for _ in range(4): os.wait()\n    return data * 2\n',
        {
          instance: { ...task.instance, calls: 1, seconds: 60 },
          limits: { ...quickLimits, cpuSeconds: 1, wallSeconds: 60 },
        },
      );
      expect(result).toMatchObject({ outcome: 'no_solution', execution: 'timeout_cpu' });
      expect(result.reasons.join()).toContain('stopped after 1 s of CPU time');
    });
    test('an evaluator that counts failures may go on after an exception', async () => {
      const code = 'def double(data, index, ask):\n    if index == 1: raise ValueError("once")\n    return data * 2\n';
      expect(await once(code, { instance: { ...task.instance, forgiving: true } })).toMatchObject({
        outcome: 'valid',
        score: 40,
      });
      expect(await once(code)).toMatchObject({ outcome: 'no_solution', execution: 'program_error' });
    });
    test('an answer of the wrong shape is invalid, not a crash', async () => {
      expect(await once('def double(data, index, ask):\n    return data[:4]\n')).toMatchObject({
        outcome: 'invalid',
        execution: 'ok',
        reasons: ['expected 5 numbers'],
      });
    });
    test("a timed task has its own program beside it as a reference, and the clock is the host's", async () => {
      const evaluatorSource = `
def evaluate(instance, candidate):
    slow = candidate.call({"data": [1.0], "index": 0})
    quick = candidate.reference.call({"data": [1.0], "index": 0})
    return {"valid": True, "score": slow.wall_ms / quick.wall_ms, "metrics": {"slow": slow.wall_ms, "quick": quick.wall_ms}, "reasons": []}
`;
      const run = once(
        'import time\ntime.perf_counter = time.time = lambda: 0.0\ndef double(data, index, ask):\n    time.sleep(0.3)\n    return data\n',
        { timed: true, evaluatorSource, initialProgram: 'def double(data, index, ask):\n    return data\n' },
      );
      if (parts.sandbox.level !== 'docker') {
        await expect(run).rejects.toThrow(
          `isolation ${parts.sandbox.level} cannot keep a program on a core of its own, so no time can be scored: set evaluation.sandbox to docker`,
        );
        return;
      }
      const result = await run;
      expect(result.outcome, JSON.stringify(result)).toBe('valid');
      expect(result.metrics['slow']).toBeGreaterThan(299);
      // How quick it is depends on what else the machine does.
      expect(result.metrics['quick']).toBeGreaterThan(0);
    });
    test('hidden instances are a call of their own, and a task without them says so', async () => {
      const evaluatorSource = `${EVALUATOR}\ndef evaluate_hidden(instance, candidate):\n    return {"valid": True, "score": 1 + candidate.call({"data": [1.0], "index": 0}).value[0], "metrics": {}, "reasons": []}\n`;
      const code = 'def double(data, index, ask):\n    return [2 * item for item in data]\n';
      const hidden = (changed: Partial<Task>): Promise<Evaluation> =>
        evaluatorOf(changed).evaluate(
          {
            key: `h${(keys += 1)}`,
            run: 'functions',
            code,
            seed: 1,
            acceptSavedOnTimeout: false,
            scoring: 'tolerant',
            holdout: true,
          },
          never(),
        );
      expect(await hidden({ evaluatorSource })).toMatchObject({ outcome: 'valid', score: 3 });
      expect(await hidden({})).toMatchObject({ outcome: 'invalid', reasons: ['this task has no hidden evaluation'] });
    });
    test('ten thousand small calls take seconds, not minutes', async () => {
      const evaluatorSource =
        'def evaluate(instance, candidate):\n    total = sum(candidate.call(i).value for i in range(10000))\n    return {"valid": True, "score": total, "metrics": {"calls": candidate.calls}, "reasons": []}\n';
      const result = await once('def double(item):\n    return item * 2\n', {
        evaluatorSource,
        harness: 'def invoke(function, request, ask):\n    return function(request)\n',
        limits: { ...quickLimits, cpuSeconds: 30, wallSeconds: 300 },
      });
      expect(result).toMatchObject({ outcome: 'valid', score: 99990000, metrics: { calls: 10000 } });
    });
  });
};
