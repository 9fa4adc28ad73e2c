// What `evolve export reward-model` writes (AlphaResearch 2.3.1, 4.1; AlphaResearch 18 and 19).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseVerdict } from '../../../evolution/ideas/idea.ts';
import { REWARD_CONFIG, stepsOf } from '../../../evolution/ideas/reward-config.ts';
import {
  evalLine,
  jsonLines,
  type ReviewRecord,
  SPLIT_DEFAULTS,
  splitRecords,
  targetOf,
  trainLine,
} from '../../../evolution/ideas/reward-records.ts';
import { buildJudgePrompt } from '../../support/models/prompts.ts';

const record = (change: Partial<ReviewRecord> = {}): ReviewRecord => ({
  id: 'a',
  year: 2020,
  date: '2019-11',
  title: 'A title',
  abstract: 'An abstract.',
  ratings: [5, 6],
  ...change,
});

const records = fc.array(
  fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
    year: fc.integer({ min: 2017, max: 2025 }),
    date: fc.constantFrom(
      '2016-11-04',
      '2023-12',
      '2023-12-31',
      '2024-01-01',
      '2024-05-20',
      '2024-10',
      '2024-10-02',
      '2024-12-01',
    ),
    title: fc.constantFrom('One', 'one!', 'Two', 'Three: a study', 'Three  a Study', 'Four', '???', ''),
    abstract: fc.constantFrom('Text.', '"Quoted" \\boxed{3}\nline'),
    ratings: fc.array(fc.integer({ min: 0, max: 10 }), { maxLength: 4 }),
  }),
  { maxLength: 25 },
);
const key = (title: string): string => title.toLowerCase().replace(/[^a-z?]/g, '');

describe('the export of training data', () => {
  it('AlphaResearch 18: train and eval disjoint by id, title, date; every response parses to its target', () => {
    fc.assert(
      fc.property(records, fc.integer({ min: 0, max: 5 }), (all, evalCount) => {
        const { train, eval: test } = splitRecords(all, { ...SPLIT_DEFAULTS, evalCount });
        for (const of of [
          ({ id }: ReviewRecord) => id,
          ({ title }: ReviewRecord) => key(title),
          ({ date }: ReviewRecord) => date,
        ]) {
          expect(test.map(of).filter((value) => train.map(of).includes(value))).toEqual([]);
        }
        expect(new Set([...train, ...test].map(({ id }) => id)).size).toBe(train.length + test.length);
        expect(test.length).toBeLessThanOrEqual(evalCount);
        for (const one of train) {
          const { response, question, messages } = JSON.parse(trainLine(one, buildJudgePrompt)) as {
            response: string;
            question: string;
            messages: readonly unknown[];
          };
          expect(parseVerdict(response)).toBe(Number(targetOf(one)));
          expect(
            Math.abs(
              parseVerdict(response) - one.ratings.reduce((sum, rating) => sum + rating, 0) / one.ratings.length,
            ),
          ).toBeLessThan(0.0500001);
          expect(messages).toEqual([
            { role: 'user', content: question },
            { role: 'assistant', content: response },
          ]);
          expect(question).toBe(buildJudgePrompt({ title: one.title, idea: one.abstract }));
        }
      }),
    );
  });

  it('takes each paper once, the earliest given, and says why the others are left out', () => {
    const {
      train,
      eval: test,
      dropped,
    } = splitRecords(
      [
        record({ id: 'new', date: '2024-11', title: 'Resubmitted' }),
        record({ id: 'old', title: 'RE-submitted' }),
        record({ id: 'old', title: 'Other' }),
        record({ id: 'between', date: '2024-05-01', title: 'B' }),
        record({ id: 'ok', date: '2024-10-01', title: 'C' }),
        record({ id: 'r', ratings: [], title: 'D' }),
        record({ id: 's', ratings: [11], title: 'E' }),
        record({ id: 't', date: 'May 2020', title: 'F' }),
        record({ id: 'u', title: ' ' }),
        record({ id: 'v', abstract: '', title: 'G' }),
      ],
      SPLIT_DEFAULTS,
    );
    expect([train.map(({ id }) => id), test.map(({ id }) => id)]).toEqual([['old'], ['ok']]);
    expect(Object.fromEntries(dropped.map(({ id, reason }) => [id, reason]))).toEqual({
      old: 'its id is there already',
      new: 'its title is there already',
      between: 'dated between 2024-01-01 and 2024-10-01',
      r: 'it has no rating',
      s: 'expected ratings from 0 to 10, got 11',
      t: 'expected a date YYYY-MM-DD or YYYY-MM, got "May 2020"',
      u: 'it has no title',
      v: 'it has no abstract',
    });
    expect(() => splitRecords([], { ...SPLIT_DEFAULTS, evalFrom: '2023-01-01' })).toThrow(/evalFrom/);
  });

  it('draws the same test for the same seed, in the order of the records', () => {
    const all = Array.from({ length: 300 }, (_, index) =>
      record({ id: `p${index}`, title: `T${index}`, date: '2024-11-05' }),
    );
    const drawn = (seed: number) =>
      splitRecords(all, { ...SPLIT_DEFAULTS, seed }).eval.map(({ id }) => Number(id.slice(1)));
    expect(drawn(1)).toHaveLength(100);
    expect(drawn(1)).toEqual(drawn(1));
    expect(drawn(1)).not.toEqual(drawn(2));
    expect(drawn(1)).toEqual(drawn(1).toSorted((a, b) => a - b));
  });

  it('rounds the target to one decimal, halves up, and leaves the rating of the test as it is', () => {
    expect([[5, 6], [5, 5, 6], [5, 5, 5, 6], [6], [10], [0]].map((ratings) => targetOf(record({ ratings })))).toEqual([
      '5.5',
      '5.3',
      '5.3',
      '6.0',
      '10.0',
      '0.0',
    ]);
    expect(trainLine(record(), buildJudgePrompt)).toContain('"response":"\\\\boxed{5.5}"');
    expect(JSON.parse(evalLine(record({ ratings: [5, 5, 6] })))).toEqual({
      title: 'A title',
      abstract: 'An abstract.',
      avg_rating: 16 / 3,
    });
    expect(jsonLines([evalLine(record()), evalLine(record({ abstract: 'a\nb' }))]).split('\n')).toHaveLength(3);
    expect(jsonLines([])).toBe('');
  });
});

describe('the recipe', () => {
  const config = parse(REWARD_CONFIG) as { [key: string]: unknown };
  it('AlphaResearch 19: batch factors multiply to 128', () => {
    const gpus = Number(/--num_processes (\d+)/.exec(REWARD_CONFIG)![1]);
    expect(gpus * Number(config['micro_batch_size']) * Number(config['gradient_accumulation_steps'])).toBe(128);
    expect(stepsOf(24_445)).toBe(382);
  });
  it('is the published recipe, as YAML of both versions', () => {
    expect(config).toMatchObject({
      base_model: 'Qwen/Qwen2.5-7B-Instruct',
      num_epochs: 2,
      optimizer: 'adamw_torch',
      learning_rate: 1e-5,
      weight_decay: 0,
      lr_scheduler: 'cosine',
      warmup_steps: 100,
      bf16: true,
      tf32: true,
      gradient_checkpointing: true,
      sequence_len: 16_384,
      seed: 42,
      save_steps: 60,
      train_on_inputs: false,
      datasets: [
        {
          path: 'rm-train.jsonl',
          type: 'chat_template',
          field_messages: 'messages',
          roles_to_train: ['assistant'],
          train_on_eos: 'turn',
        },
      ],
      fsdp_config: { reshard_after_forward: true, transformer_layer_cls_to_wrap: 'Qwen2DecoderLayer' },
    });
    expect(parse(REWARD_CONFIG, { version: '1.1' })).toEqual(config);
    expect(config).not.toHaveProperty('adapter');
  });
});
