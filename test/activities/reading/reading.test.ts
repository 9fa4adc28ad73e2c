// Texts from outside are read in threads: the event loop goes on meanwhile, and a text that takes too much ends its own
// reading and no other's.
import { expect, it } from 'vitest';
import { createReadTexts, readTexts } from '../../../activities/reading/reading.ts';
import { READINGS, type TextOf } from '../../../activities/reading/readings.ts';
import { treeSize } from '../../../evolution/measures/tree-size.ts';
import { DIFF } from '../../support/models/untrusted-readers.ts';

const PARENT = '# EVOLVE-BLOCK-START\ndef f(x):\n    return x\n# EVOLVE-BLOCK-END\n';
const answerOf = (response: string): TextOf<'answer'> => ({
  response,
  parentCode: PARENT,
  config: { prompt: { style: 'openevolve' }, diff: DIFF },
});
const EDIT = '<<<<<<< SEARCH\n    return x\n=======\n    return x + 1\n>>>>>>> REPLACE\n';

/** Takes seconds, because the parser of syntax trees corrects a mistake at every character. */
const HOSTILE: TextOf<'measure'> = { code: '\\N{'.repeat(200_000), treeSize: true, shape: false };
const HONEST: TextOf<'measure'> = { code: PARENT, treeSize: true, shape: true };

it('reads what a direct call reads, in the order of the texts', async () => {
  const answers = ['', EDIT, 'no block', '<think>open', EDIT.repeat(3), '```python\nx = 1\n```\n'].map(answerOf);
  expect(await readTexts('answer', answers)).toEqual(
    answers.map((one) => ({ value: READINGS.answer(one), failed: null })),
  );
  expect(await readTexts('idea', ['```\nBe bold.\n```', '', 'x'.repeat(200_000)])).toEqual([
    { value: { idea: 'Be bold.', reason: null }, failed: null },
    { value: { idea: null, reason: 'the answer holds no idea' }, failed: null },
    { value: { idea: null, reason: 'the idea has 200000 characters, expected at most 100000' }, failed: null },
  ]);
  expect(await readTexts('verdict', ['\\boxed{7}', 'none'])).toEqual([
    { value: 7, failed: null },
    { value: -1, failed: null },
  ]);
  expect(await readTexts('measure', [])).toEqual([]);
});

// Attempt: programs and scores.
it('of blocks that do not apply the first ones are told one by one, and of the others how many there are', async () => {
  const missing = (count: number): string =>
    Array.from({ length: count }, (_, index) => EDIT.replace('return x\n', `nowhere${index}\n`)).join('');
  const told = [20, 21, 22, 990].map((count) => answerOf(EDIT + missing(count)));
  const reads = await readTexts('answer', told);
  const lists = reads.map(({ value }) => value!.result.unmatched);
  expect(lists.map(({ length }) => length)).toEqual([20, 21, 21, 21]);
  expect(reads.map(({ value }) => value!.result.blocks)).toEqual([21, 22, 23, 991]);
  const reason = 'no match: the program has no such lines';
  expect(lists[1]!.at(-1)).toEqual({ block: 22, reason });
  expect(lists[3]!.at(-1)).toEqual({ block: 22, reason: `${reason} (of 969 further blocks nothing is kept)` });
});

// Attempt: programs and scores.
it('the answer of a repair call has a limit on its length, which its reason names', async () => {
  const answer = '#DELTA-SUMMARY-START\nFROM: a\nTO: b\n#DELTA-SUMMARY-END\n';
  const [honest, long] = await readTexts('delta', [answer, answer + 'x'.repeat(1_000_000)]);
  expect(honest!.value).toMatchObject({ delta: { summary: { from: 'a', to: 'b' } }, reason: null });
  expect(long!.value).toEqual({
    delta: null,
    reason: `the answer has ${answer.length + 1_000_000} characters, expected at most 1000000`,
  });
});

// Attempt: programs and scores.
it('a text that takes too long is given up, the texts beside it are read, and the event loop goes on', async () => {
  const read = createReadTexts({ cpuMs: 1000, heapMb: 512, threads: 1 });
  let turns = 0;
  const clock = setInterval(() => (turns += 1), 20);
  const [before, hostile, after] = await read('measure', [HONEST, HOSTILE, HONEST]);
  clearInterval(clock);
  expect(before).toMatchObject({ value: { treeSize: treeSize(PARENT) }, failed: null });
  expect(hostile).toEqual({ value: null, failed: 'reading it took longer than 1 s of CPU time' });
  expect(after).toEqual(before);
  expect(turns).toBeGreaterThan(3);
  expect((await read('verdict', ['\\boxed{3}']))[0]).toEqual({ value: 3, failed: null });
});

it('a text that takes too much memory is given up, and the process lives', async () => {
  const read = createReadTexts({ cpuMs: 600_000, heapMb: 48, threads: 1 });
  const [hostile, honest] = await read('measure', [{ ...HOSTILE, code: 'a '.repeat(4_000_000) }, HONEST]);
  expect(hostile).toEqual({ value: null, failed: 'reading it took more than 48 MB of memory' });
  expect(honest!.failed).toBeNull();
});

it('what cannot be read at all is an outcome too', async () => {
  const [broken, honest] = await readTexts('measure', [null as never, HONEST]);
  expect(broken).toEqual({ value: null, failed: expect.stringMatching(/^reading it failed: TypeError/) });
  expect(honest!.failed).toBeNull();
});

// Attempt: programs and scores.
it('an answer that is too long says so', async () => {
  const [read] = await readTexts('answer', [answerOf('x'.repeat(1_000_001))]);
  expect(read!.value).toMatchObject({
    result: { outcome: 'no_diff', reason: 'the answer has 1000001 characters, expected at most 1000000' },
  });
});
