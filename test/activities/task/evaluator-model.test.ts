// An evaluator that asks a model (`evaluator: {network: model}`), by the guest, the sandbox and the bookkeeping that ship: a
// played model worker stores the answers.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createConfinedSandbox } from '../../../activities/sandbox/host/confined-sandbox.ts';
import { createEvaluator } from '../../../activities/sandbox/host/evaluator.ts';
import { createScorer } from '../../../activities/sandbox/host/scorer.ts';
import { type AskModel, EvaluatorModel } from '../../../activities/step/evaluate/evaluator-model.ts';
import type { CallDocument } from '../../../activities/store/documents/step-documents.ts';
import { readTask } from '../../../activities/task/load-task.ts';
import { defaultsFor } from '../../../evolution/methods/defaults.ts';
import { answeredId, programId } from '../../../evolution/ids.ts';
import { fitProblem } from '../../../evolution/methods/rules/task-fit.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { createPlainLauncher } from '../../doubles/plain-launcher.ts';

const root = mkdtempSync(join(tmpdir(), 'asking-'));
const launcher = createPlainLauncher();
const sandbox = createConfinedSandbox({ launcher, home: 'h', concurrency: 1, log: () => undefined });
const closing: (() => Promise<void>)[] = [() => sandbox.close()];
afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
  rmSync(root, { recursive: true });
});

const ASK = `import asyncio, json, os, urllib.error, urllib.request
BASE = os.environ.get("OPENAI_BASE_URL", "")
def sent(body, url=None):
    request = urllib.request.Request(url or BASE + "/chat/completions", json.dumps(body).encode(), {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"]})
    return json.load(urllib.request.urlopen(request))
def ask(text):
    return sent({"model": "any", "messages": [{"role": "user", "content": text}]})["choices"][0]["message"]["content"]
`;
const PROGRAM = 'def solve():\n    return 3\n';

let made = 0;
const taskOf = async (evaluator: string, yaml = 'evaluator: {network: model}\n') => {
  const folder = join(root, `task-${(made += 1)}`);
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'task.yaml'),
    `title: T\nkind: script\ndirection: maximise\nlimits: {cpuSeconds: 20}\n${yaml}`,
  );
  writeFileSync(join(folder, 'evaluator.py'), `${ASK}${evaluator}`);
  writeFileSync(join(folder, 'initial.py'), PROGRAM);
  return readTask(folder);
};

const asked: string[] = [];
let store = memoryStore();
beforeEach(() => {
  store = memoryStore();
  asked.length = 0;
});
const of = { run: 'r', step: 1, epoch: 0, version: 1, group: 0, slot: 2, program: programId('r', 1, 0, 2) };
/** Answers as a model worker does, and takes 15 tokens for each. */
const answers: AskModel = async ({ run, step, epoch, group, round }) => {
  const id = answeredId(of.program, 'evaluator', round);
  const request = (await store.getRequests([id])).get(id)!;
  const texts = await store.getTexts(request.messages.map(({ content }) => content));
  const prompt = request.messages.map(({ content }) => texts.get(content)).join('|');
  asked.push(prompt);
  const [response] = await store.putTexts([`${prompt}!`]);
  const call: CallDocument = {
    ...{ _id: id, run, step, epoch, group, stage: 'evaluator', response: response!, reasoning: null },
    ...{ model: 'm', finishReason: 'stop', usage: { in: 10, out: 5 }, costUsd: 0.01 },
  };
  await store.putCalls([call]);
};

const configOf = (modelCalls: number, modelTokens = 1_000) => {
  const config = defaultsFor({ task: 'x', method: 'theta' });
  const model = { ...config.model, roles: ['exploit', 'evaluator'] as const, maxTokens: 50 };
  return { ...config, model, evaluation: { ...config.evaluation, modelCalls, modelTokens } };
};

type Way = { readonly calls?: number; readonly tokens?: number; readonly ask?: AskModel; readonly code?: string };
const evaluated = async (evaluator: string, { calls = 10, tokens, ask = answers, code = PROGRAM }: Way = {}) => {
  const task = await taskOf(evaluator);
  const scorer = createScorer(launcher, task, () => undefined);
  closing.push(() => scorer.close());
  const gate = { check: async (codes: readonly string[]) => codes.map(() => null), close: async () => undefined };
  const models = new EvaluatorModel({ store, ask, of, config: configOf(calls, tokens) });
  const job = { key: `k${made}`, run: 'r', seed: 1, acceptSavedOnTimeout: false, scoring: 'tolerant' } as const;
  const evaluator_ = createEvaluator({ sandbox, scorer, gate, task });
  return { ...(await evaluator_.evaluate({ ...job, code, models }, new AbortController().signal)), models };
};

test.each([
  ['urllib', 'def evaluate(path):\n    return {"score": 1, "said": ask("a")}', ['a']],
  [
    'threads',
    'from concurrent.futures import ThreadPoolExecutor\ndef evaluate(path):\n    with ThreadPoolExecutor(4) as pool:\n        return {"score": 1, "said": " ".join(pool.map(ask, "abcd"))}',
    ['a', 'b', 'c', 'd'],
  ],
  [
    'a child that it forks',
    'import multiprocessing\ndef evaluate(path):\n    out, back = os.pipe()\n    if os.fork() == 0:\n        os.write(back, ask("a").encode()); os._exit(0)\n    return {"score": 1, "said": os.read(out, 9).decode()}',
    ['a'],
  ],
  [
    'asyncio',
    `async def evaluate(path):
    reader, writer = await asyncio.open_connection("127.0.0.1", 8000)
    body = json.dumps({"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}]}]}).encode()
    writer.write(b"POST /v1/chat/completions HTTP/1.1\\r\\nconnection: close\\r\\ncontent-length: %d\\r\\n\\r\\n" % len(body) + body)
    answer = json.loads((await reader.read()).split(b"\\r\\n\\r\\n")[1])
    return {"score": 1, "said": answer["choices"][0]["message"]["content"]}`,
    ['a'],
  ],
])('%s', async (_, evaluator, prompts) => {
  const result = await evaluated(evaluator);
  expect(result).toMatchObject({ outcome: 'valid', metrics: { said: prompts.map((one) => `${one}!`).join(' ') } });
  expect([...asked].sort()).toEqual(prompts);
  expect(result.models.calls).toBe(prompts.length);
  expect(result.models.paid).toEqual({ tokens: 15 * prompts.length, costUsd: 0.01 * prompts.length });
});

/** Programs of the kind `script` share the container with the evaluator, and may do what it may. */
const ATTACK = `def evaluate(path):
    space = {"sent": sent, "ask": ask}
    exec(open(path).read(), space)
    return {"score": 1, "said": str(space["solve"]())}`;
// Attempts: programs and scores.
describe('a program beside such an evaluator', () => {
  test('cannot spend more than the run allows, in calls and in tokens', async () => {
    const greedy = `def solve():
    said = []
    for number in range(9):
        try:
            said.append(ask("more %d" % number))
        except Exception as error:
            said.append(str(error))
    return said[-1] + str(len([one for one in said if one.endswith("!")]))
`;
    const byCalls = await evaluated(ATTACK, { calls: 3, code: greedy });
    expect(byCalls.metrics['said']).toBe(
      'HTTP Error 403: the evaluator may ask a model 3 times for one program (evaluation.modelCalls)3',
    );
    expect(asked).toHaveLength(3);
    store = memoryStore();
    asked.length = 0;
    // Each takes 15, and could take 50 and its prompt: the seventh could pass the bound.
    const byTokens = await evaluated(ATTACK, { calls: 100, tokens: 150, code: greedy });
    expect(byTokens.metrics['said']).toMatch(
      /^HTTP Error 403: the evaluator may use 150 tokens .* of which 105 are used.*7$/,
    );
    expect(asked).toHaveLength(7);
  });

  test('reaches nothing else, and no malformed request reaches a model', async () => {
    const code = `import json, socket
def tried(work):
    try:
        return str(work())
    except Exception as error:
        return json.load(error)["error"]["message"][:30] if hasattr(error, "code") else type(error).__name__
def solve():
    connection = socket.socket()
    return " / ".join([
        tried(lambda: connection.connect(("127.0.0.1", 22))),
        tried(lambda: sent({}, "http://127.0.0.1:8000/v1/models")),
        tried(lambda: sent({"messages": []})),
        tried(lambda: sent({"messages": [{"role": "user", "content": "x"}], "stream": True})),
        tried(lambda: sent({"messages": [{"role": "tool", "content": "x"}]})),
    ])
`;
    const { metrics } = await evaluated(ATTACK, { code });
    const refused = 'expected messages of text alon';
    expect(metrics['said']).toBe(
      ['PermissionError', '/v1/models: expected /chat/com', refused, refused, refused].join(' / '),
    );
    expect(asked).toEqual([]);
  });
});

test('an evaluation that is repeated after a crash pays for no request twice', async () => {
  const twice = 'def evaluate(path):\n    return {"score": 1, "said": ask("a") + ask("a") + ask("b")}';
  let left = 2;
  const crashes: AskModel = async (call, signal) => {
    if (left-- === 0) throw new Error('the worker ends');
    return answers(call, signal);
  };
  await expect(evaluated(twice, { ask: crashes })).rejects.toThrow('the worker ends');
  expect(asked).toEqual(['a', 'a']);
  const again = await evaluated(twice);
  expect(again).toMatchObject({ outcome: 'valid', metrics: { said: 'a!a!b!' } });
  expect(asked).toEqual(['a', 'a', 'b']);
  expect(again.models.calls).toBe(3);
  // What the first attempt asked and this one does not counts against the bound all the same.
  const other = await evaluated(twice.replaceAll('"a"', '"c"'), { calls: 4 });
  expect(other.outcome).toBe('no_solution');
  expect(asked).toEqual(['a', 'a', 'b', 'c']);
});

test('a task says that its evaluator asks, and a run how much', async () => {
  await expect(taskOf('', 'evaluator: {network: all}\n')).rejects.toThrow(
    /task.yaml:5: evaluator.network: expected model/,
  );
  const asks = await taskOf('def evaluate(path):\n    return 1');
  const silent = await taskOf('def evaluate(path):\n    return 1', '');
  expect(asks.evaluatorDigest).not.toBe(silent.evaluatorDigest);
  expect(fitProblem(configOf(0), asks)?.message).toMatch(
    /expected the most requests that the evaluator of task-\d+ may/,
  );
  expect(fitProblem(configOf(5), silent)?.message).toMatch(/expected 0, since the evaluator of task-\d+ asks no model/);
  expect([fitProblem(configOf(5), asks), fitProblem(configOf(0), silent)]).toEqual([null, null]);
});
