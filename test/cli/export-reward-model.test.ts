// `evolve export reward-model`, from a file of records to three files (AlphaResearch 2.3.1,
// AlphaResearch 18 and 19).
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { judgeQuestion } from '../../activities/step/ask/stages/judge.ts';
import { carryOut } from '../../cli/program.ts';
import { parseVerdict } from '../../evolution/ideas/idea.ts';

const folder = mkdtempSync(join(tmpdir(), 'evolve-reward-model-'));
let files = 0;
const file = (...lines: readonly unknown[]): string => {
  const path = join(folder, `records-${files++}.jsonl`);
  writeFileSync(path, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
  return path;
};
const record = (index: number, change: object = {}) => ({
  id: `p${index}`,
  year: 2020,
  date: '2019-11',
  title: `Title ${index}`,
  abstract: `An abstract, the ${index}th.`,
  ratings: [3, 6, 6, 8].slice(0, 1 + (index % 4)),
  ...change,
});
const evolve = async (...args: readonly string[]): Promise<string> => {
  const printed: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.push(String(text));
    return true;
  });
  const log = vi.spyOn(console, 'log').mockImplementation((...texts) => {
    printed.push(`${texts.join(' ')}\n`);
  });
  try {
    await carryOut(['export', 'reward-model', ...args]);
  } finally {
    write.mockRestore();
    log.mockRestore();
  }
  return printed.join('');
};
const lines = (path: string): readonly Record<string, unknown>[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('evolve export reward-model', () => {
  const records = [
    ...Array.from({ length: 200 }, (_, index) => record(index)),
    ...Array.from({ length: 150 }, (_, index) => record(1_000 + index, { year: 2025, date: '2024-11-04' })),
    record(1_500, { date: '2024-11-05', title: 'TITLE 7!' }),
    record(1_501, { date: '2024-11-05', id: 'p9', title: 'Another' }),
  ];

  it('AlphaResearch 18: train and eval are disjoint by id, title and date; every response parses to its target', async () => {
    const out = join(folder, 'out');
    const report = JSON.parse(await evolve(file(...records), '--out', out, '--json')) as Record<string, unknown>;
    expect(report).toMatchObject({
      folder: out,
      train: 200,
      eval: 100,
      steps: 4,
      dropped: [
        { id: 'p1500', reason: 'its title is there already' },
        { id: 'p9', reason: 'its id is there already' },
      ],
    });
    expect(readdirSync(out).sort()).toEqual(['rm-config.yaml', 'rm-eval.jsonl', 'rm-train.jsonl']);
    const [train, test] = [lines(join(out, 'rm-train.jsonl')), lines(join(out, 'rm-eval.jsonl'))];
    expect([train.length, test.length]).toEqual([200, 100]);
    const of = new Map(records.map((one) => [one.abstract, one]));
    const trained = train.map(({ question }) => of.get(String(question).split('\n').at(-1)!)!);
    const tested = test.map(({ abstract }) => of.get(String(abstract))!);
    for (const key of ['id', 'title', 'date'] as const) {
      expect(
        tested.filter((one) => trained.some((other) => other[key].toLowerCase() === one[key].toLowerCase())),
      ).toEqual([]);
    }
    for (const [index, { response, question, messages }] of train.entries()) {
      const { ratings } = trained[index]!;
      const mean = ratings.reduce((a, b) => a + b, 0) / ratings.length;
      expect(parseVerdict(String(response))).toBeCloseTo(mean, 1);
      expect(messages).toEqual([
        { role: 'user', content: question },
        { role: 'assistant', content: response },
      ]);
    }
    for (const [index, { avg_rating: average }] of test.entries()) {
      const { ratings } = tested[index]!;
      expect(average).toBe(ratings.reduce((a, b) => a + b, 0) / ratings.length);
    }
  });

  it('AlphaResearch 19: the batch factors of the written recipe multiply to 128', async () => {
    const out = join(folder, 'recipe');
    await evolve(file(record(1)), '--out', out);
    const text = readFileSync(join(out, 'rm-config.yaml'), 'utf8');
    const recipe = parse(text) as {
      micro_batch_size: number;
      gradient_accumulation_steps: number;
      datasets: { path: string }[];
    };
    const gpus = Number(/--num_processes (\d+)/.exec(text)![1]);
    expect(gpus * recipe.micro_batch_size * recipe.gradient_accumulation_steps).toBe(128);
    expect(recipe.datasets[0]!.path).toBe('rm-train.jsonl');
  });

  it('asks as the gate of a task does, by its own template where it has one', async () => {
    const [plain, asTask] = [join(folder, 'plain'), join(folder, 'as-task')];
    await evolve(file(record(1)), '--out', plain);
    await evolve(file(record(1)), '--out', asTask, '--task', 'circle-packing-square-26');
    expect(readFileSync(join(asTask, 'rm-train.jsonl'), 'utf8')).toBe(
      readFileSync(join(plain, 'rm-train.jsonl'), 'utf8'),
    );
    const own = judgeQuestion({
      id: 't',
      templates: { judge: '<!-- section: user -->\nRate {{title}}: {{idea}} in \\boxed{}.' },
    });
    expect(own({ title: 'A', idea: 'B' })).toBe('Rate A: B in \\boxed{}.');
    const error = await evolve(file(record(1)), '--out', join(folder, 'no-task'), '--task', 'circles').catch(
      (failure: unknown) => failure as Error,
    );
    expect((error as Error).message).toMatch(
      /^--task: unknown task "circles": expected the path of a folder with a task.yaml, or one of /,
    );
  });

  it('names file, line and key of every bad record, and writes nothing', async () => {
    const bad = file(
      record(1),
      '{"id": ',
      '',
      record(2, { ratings: [5, 'six'] }),
      [1],
      record(3, { year: '2020', title: null }),
      record(4, { ratings: 5 }),
    );
    const out = join(folder, 'nothing');
    const error = await evolve(bad, '--out', out).catch((failure: unknown) => failure as Error);
    expect(
      String((error as Error).message)
        .split('\n')
        .map((line) => line.replace(bad, 'F')),
    ).toEqual([
      expect.stringMatching(/^F:2: expected one JSON object a line: /) as string,
      'F:4: ratings.1: expected a number, got "six"',
      'F:5: expected a JSON object, got a list ([1])',
      'F:6: title: expected a text, got null',
      'F:6: year: expected a whole number, got "2020"',
      'F:7: ratings: expected a list of numbers, got 5',
    ]);
    expect(readdirSync(folder)).not.toContain('nothing');
  });

  it('says what is wrong with flags, with an empty file and with a folder that is full', async () => {
    await expect(evolve(file(record(1)))).rejects.toThrow(/--out/);
    await expect(evolve(file(), '--out', join(folder, 'x'))).rejects.toThrow(/expected at least one record/);
    await expect(evolve(join(folder, 'absent'), '--out', join(folder, 'x'))).rejects.toThrow(
      /<records>: expected a file of JSON lines.*no such file/,
    );
    await expect(evolve(file(record(1)), '--out', folder)).rejects.toThrow(/--out: expected a new or empty folder/);
    await expect(evolve(file(record(1)), '--out', join(folder, 'x'), '--eval-from', 'soon')).rejects.toThrow(
      /--train-before, --eval-from: .*YYYY-MM-DD/,
    );
    await expect(evolve(file(record(1, { date: '2024-11' })), '--out', join(folder, 'x'))).rejects.toThrow(
      /expected records dated before 2024-01-01 to train with, got none of 1/,
    );
  });
});
