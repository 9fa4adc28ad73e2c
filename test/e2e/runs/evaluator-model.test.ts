// A run whose task's evaluator asks a model, on real parts: the container has no network and no key, the model worker asks,
// and every request is booked, shown and counted once.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { usageOf } from '../../../client/read/usage.ts';
import { endpointFor, sharedHome } from '../../support/machine/live.ts';
import { collect } from '../../activities/store/fixtures.ts';

const EVALUATOR = `import _socket, ctypes, glob, json, os, socket, urllib.request

def ask(text):
    body = json.dumps({"model": "x", "messages": [{"role": "user", "content": text}]}).encode()
    request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, {"content-type": "application/json"})
    return json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"]

def tried(attempt):
    try:
        attempt()
        return 1
    except OSError:
        return 0

def connect(family, address):
    one = _socket.socket(family, _socket.SOCK_STREAM)
    one.settimeout(3)
    one.connect(address)

def system_call():
    if ctypes.CDLL(None).socket(socket.AF_INET, socket.SOCK_STREAM, 0) < 0:
        raise OSError

def texts():
    for name in glob.glob("/proc/*/environ") + glob.glob("/proc/*/cmdline") + glob.glob("/run/**", recursive=True):
        try:
            yield open(name, errors="replace").read()
        except OSError:
            pass

def evaluate(path):
    source = open(path).read()
    port = int(open("port.txt").read())
    reached = sum(map(tried, [
        lambda: connect(_socket.AF_UNIX, "/var/run/docker.sock"),
        lambda: connect(_socket.AF_INET, ("127.0.0.1", port)),
        lambda: connect(_socket.AF_INET, ("172.17.0.1", port)),
        lambda: socket.create_connection(("127.0.0.1", port), 3),
        lambda: urllib.request.urlopen("http://127.0.0.1:%d/v1/models" % port, timeout=3),
        lambda: socket.getaddrinfo("example.com", 80),
        system_call,
    ]))
    keys = sum("sk-" + "secret" in text for text in texts())
    said = [ask("judge this: " + source), ask("and once more: " + source)]
    return {"score": float(len(source)), "answers": sum(len(one) > 0 for one in said), "reached": reached, "keys": keys}
`;

describe('an evaluator that asks a model', () => {
  const live = sharedHome();
  const root = mkdtempSync(join(tmpdir(), 'evolve-asks-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('is answered, booked, limited and counted, and says so on each result', async () => {
    const folder = join(root, 'asks-a-model');
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'task.yaml'),
      'title: T\nkind: script\ndirection: maximise\nevaluator: {network: model}\nlimits: {cpuSeconds: 20}\n',
    );
    writeFileSync(join(folder, 'evaluator.py'), EVALUATOR);
    writeFileSync(join(folder, 'initial.py'), 'import math\n\ndef solve(x=1.5):\n    return 3 * math.sqrt(x) + 2\n');
    const usage = (): { readonly in: number; readonly out: number } => ({ in: 40, out: 10 });
    const writer = await endpointFor({ models: ['writer'], usage });
    const judge = await endpointFor({ models: ['judge'], usage });
    writeFileSync(join(folder, 'port.txt'), new URL(judge.url).port);
    await live.engine.start('asks', {
      method: 'greedy-refine',
      task: folder,
      seed: 4,
      batch: 1,
      responses: 2,
      limits: { steps: 2 },
      evaluation: { modelCalls: 2, modelTokens: 20_000 },
      model: { name: 'writer', baseUrl: writer.url, price: { in: 1, out: 1 } },
      models: [{ name: 'judge', baseUrl: judge.url, roles: ['evaluator'], maxTokens: 500, price: { in: 2, out: 2 } }],
    });
    const ended = await live.engine.ended('asks');
    expect(ended).toMatchObject({ status: 'finished', committedStep: 2 });
    const programs = await collect(live.engine.store.eachProgram('asks'));
    const keys = [...new Set(programs.flatMap(({ evaluation }) => evaluation ?? []))];
    const evaluations = [...(await live.engine.store.getEvaluations(keys)).values()];
    expect(evaluations.length).toBeGreaterThan(0);
    for (const evaluation of evaluations)
      expect(evaluation).toMatchObject({
        ...{ outcome: 'valid', modelCalls: 2 },
        metrics: { answers: 2, reached: 0, keys: 0 },
      });
    expect(judge.asked).toHaveLength(2 * evaluations.length);
    const { roles, unanswered, total } = await usageOf(live.engine.store, ended);
    const own = roles.find(({ role }) => role === 'evaluator')!;
    expect(own).toMatchObject({
      answers: judge.asked.length,
      costUsd: expect.closeTo((50 * 2 * judge.asked.length) / 1e6),
    });
    expect(unanswered.requests).toBe(0);
    const bills = [writer.billed(), judge.billed()];
    expect(total.tokens).toEqual({
      in: bills.reduce((sum, bill) => sum + bill.in, 0),
      out: bills.reduce((sum, bill) => sum + bill.out, 0),
    });
    expect(ended.totals.tokens).toEqual(total.tokens);
    expect(await live.must('show', programs[0]!._id)).toContain('its evaluator called a model 2 times');
    const judging = `models=[{name: judge, baseUrl: '${judge.url}', roles: [evaluator], maxTokens: 500, price: {in: 2, out: 2}}]`;
    const trial = ['task', 'score', folder, '--json', '--set', judging, '--set', 'evaluation.modelCalls=2'];
    const scored = await live.home.evolve(trial, {
      OPENAI_BASE_URL: judge.url,
      OPENAI_API_KEY: 'sk-secret',
      EVOLVE_MODEL: 'judge',
    });
    expect(JSON.parse(scored.stdout)).toMatchObject({ outcome: 'valid', metrics: { answers: 2, reached: 0, keys: 0 } });
    expect(scored.stderr).toMatch(/may ask judge 2 times and use 100,000 tokens. That costs at most \$0.20 for 1 eval/);
    expect(scored.stderr).toMatch(/asked a model 2 times: 100 tokens, \$0.00020/);
    expect((await live.home.evolve(['task', 'score', folder])).stderr).toMatch(
      /modelCalls: expected the most requests/,
    );
  });
});
