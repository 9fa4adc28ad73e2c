// `evolve check-judge`: a judge's accuracy on rm-eval.jsonl (AlphaResearch 2.3.1, Table 2).
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type ChatRequest, ModelError } from '../../../activities/llm/chat/client.ts';
import { carryOut } from '../../../cli/program.ts';
import { checkJudge, type EvalRecord, readEvalRecords } from '../../../client/learning/reward-model.ts';

const record = (index: number, rating: number): EvalRecord => ({
  title: `Title ${index}`,
  abstract: `Abstract ${index}.`,
  avg_rating: rating,
});
const judge = (answer: (request: ChatRequest, k: number) => string) => {
  const asked: ChatRequest[] = [];
  return {
    asked,
    check: {
      model: 'rm',
      timeoutMs: 1_000,
      sampling: { temperature: 0.3, topP: 0.9, maxTokens: 700, reasoningEffort: null, stream: false },
      parallel: 2,
      pauseMs: 1,
      question: ({ title = '', idea }: { readonly title?: string | undefined; readonly idea: string }) =>
        `${title}|${idea}`,
      client: {
        chat: async (request: ChatRequest) => {
          asked.push(request);
          return {
            model: 'rm',
            usage: { in: 1, out: 1 },
            choices: [{ text: answer(request, asked.length - 1), reasoning: null, finishReason: 'stop' }],
          };
        },
      },
    },
  };
};

describe('a judge', () => {
  it('is asked of each record once, sampled as it is told; what has no score counts as wrong, and both accuracies are reported', async () => {
    const answers: Record<string, string> = {
      'Title 0|Abstract 0.': '\\boxed{6}',
      'Title 1|Abstract 1.': '<think>\\boxed{9}</think>\\boxed{5.5}',
      'Title 2|Abstract 2.': 'I cannot say.',
      'Title 3|Abstract 3.': '\\boxed{3}',
    };
    const { asked, check } = judge(({ messages }) => answers[messages[0]!.content]!);
    expect(await checkJudge([record(0, 5.6), record(1, 5.4), record(2, 7), record(3, 8)], check)).toEqual({
      count: 4,
      unparsed: 1,
      accuracy: 0.5,
      accuracyParsed: 2 / 3,
      mae: expect.closeTo((0.4 + 0.1 + 5) / 3, 9),
      mse: expect.closeTo((0.16 + 0.01 + 25) / 3, 9),
    });
    expect(asked).toHaveLength(4);
    for (const one of asked) expect(one).toMatchObject({ temperature: 0.3, topP: 0.9, maxTokens: 700, n: 1 });
  });

  it('that fails for a while is asked again; one that refuses ends the measurement', async () => {
    const flaky = judge((_, k) => {
      if (k < 2) throw new ModelError('HTTP 503', { status: 503, fatal: false, retryAfterMs: null });
      return '\\boxed{6}';
    });
    expect(await checkJudge([record(0, 6)], flaky.check)).toMatchObject({ count: 1, accuracy: 1 });
    const refusing = judge(() => {
      throw new ModelError('HTTP 401: bad key', { status: 401, fatal: true, retryAfterMs: null });
    });
    await expect(checkJudge([record(0, 6), record(1, 6), record(2, 6)], refusing.check)).rejects.toThrow(
      /record \d: the judge could not be asked: HTTP 401: bad key/,
    );
    expect(refusing.asked.length).toBeLessThan(3);
  });

  it('that asks for a wait of a day ends the measurement, and says until when', async () => {
    const closed = judge(() => {
      throw new ModelError('HTTP 429', { status: 429, fatal: false, retryAfterMs: 86_400_000 });
    });
    await expect(checkJudge([record(0, 6)], closed.check)).rejects.toThrow(
      /the judge could not be asked: HTTP 429; it asks for a wait of 24 hours, until \d{4}-/,
    );
    expect(closed.asked).toHaveLength(1);
  });
});

it('a line that is no record is named with file and line', () => {
  expect(() =>
    readEvalRecords('{"title": "t", "abstract": "a", "avg_rating": 5}\n{"title": "t"}\nno json\n', 'e.jsonl'),
  ).toThrow(/e\.jsonl:2: expected \{title, abstract, avg_rating\}.*\ne\.jsonl:3: expected/);
  expect(() => readEvalRecords('\n', 'e.jsonl')).toThrow('expected at least one line');
});

it('the command asks the endpoint and prints the accuracy; the offline model is no judge', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'evolve-check-judge-')), 'rm-eval.jsonl');
  writeFileSync(file, [record(0, 6), record(1, 4)].map((one) => `${JSON.stringify(one)}\n`).join(''));
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => {
        bodies.push(Buffer.concat(parts).toString());
        response.setHeader('content-type', 'application/json').end(
          JSON.stringify({
            id: 'x',
            object: 'chat.completion',
            created: 0,
            model: 'rm',
            choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: '\\boxed{6}' } }],
            usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
          }),
        );
      });
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  const printed: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.push(String(text));
    return true;
  });
  const log = vi.spyOn(console, 'log').mockImplementation((...texts) => {
    printed.push(`${texts.join(' ')}\n`);
  });
  try {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    await carryOut(['check-judge', file, '--model', 'rm', '--base-url', baseUrl, '--json']);
    expect(JSON.parse(printed.splice(0).join(''))).toMatchObject({
      model: 'rm',
      sampling: { temperature: 0, topP: 0.95, maxTokens: 8192 },
      threshold: 5.5,
      count: 2,
      unparsed: 0,
      accuracy: 0.5,
      mae: 1,
    });
    expect(bodies).toHaveLength(2);
    expect(bodies[0]).toContain('boxed{}');
    expect(JSON.parse(bodies[0]!)).toMatchObject({ temperature: 0, top_p: 0.95, max_tokens: 8192 });

    // The judge of a run's settings is asked as that run's gate asks, and otherwise only where it is told to.
    const config = join(dirname(file), 'run.yaml');
    const judgeOfRun = `{ name: reward, roles: [judge], topP: 0.8, maxTokens: 900, price: { in: 0, out: 0 } }`;
    writeFileSync(
      config,
      `method: research\nideation: { judgeTemperature: 0.7 }\nmodel: { kind: openai, name: writer, baseUrl: "${baseUrl}" }\nmodels: [${judgeOfRun}]\n`,
    );
    await carryOut(['check-judge', file, '--config', config, '--set', 'ideation.judgeTemperature=0.1', '--json']);
    expect(JSON.parse(printed.splice(0).join(''))).toMatchObject({
      model: 'reward',
      sampling: { temperature: 0.1, topP: 0.8, maxTokens: 900 },
    });
    await expect(carryOut(['check-judge', file, '--model', 'offline'])).rejects.toThrow(
      'the offline model, which judges nothing',
    );
  } finally {
    write.mockRestore();
    log.mockRestore();
    server.close();
  }
});
