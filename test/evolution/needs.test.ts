// The queue that stands for what a task needs: its name says all of it, in one way, and a host reads from the name
// whether it may take the work.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EVALUATION_QUEUE, LABEL, needsOf, needsText, queueOf, serves } from '../../evolution/hosts/needs.ts';

const label = fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/).filter((word) => LABEL.test(word));
const needs = fc.record(
  {
    gpu: fc.integer({ min: 1, max: 16 }),
    memoryGb: fc.integer({ min: 1, max: 4096 }),
    labels: fc.uniqueArray(label, { minLength: 1, maxLength: 4 }),
  },
  { requiredKeys: [] },
);

test('a name holds all that is needed, whatever the order of the labels', () => {
  fc.assert(
    fc.property(needs, (wanted) => {
      const queue = queueOf(wanted);
      expect(queueOf({ ...wanted, labels: wanted.labels?.toReversed() })).toBe(queue);
      expect(needsOf(queue)).toEqual({ ...wanted, ...(wanted.labels && { labels: wanted.labels.toSorted() }) });
    }),
  );
  expect(queueOf({})).toBe(EVALUATION_QUEUE);
  expect(queueOf({ gpu: 1 })).toBe('evolve-eval-gpu');
  expect(queueOf({ gpu: 2, memoryGb: 64, labels: ['fast', 'big', 'fast'] })).toBe('evolve-eval-gpu2-mem64-big-fast');
  expect(needsText('evolve-eval-gpu2-mem64-big-fast')).toBe('2 GPUs, 64 GB of memory, the labels big, fast');
});

// Attempt: programs and scores.
test('a host serves what needs no more than it has, and no queue of another kind', () => {
  const host = { gpus: 1, memoryBytes: 64e9, labels: ['fast'] };
  for (const queue of ['', '-gpu', '-fast', '-mem64', '-gpu-mem64-fast'])
    expect(serves(host, `${EVALUATION_QUEUE}${queue}`)).toBe(true);
  for (const queue of ['-gpu2', '-slow', '-mem65', '-fast-slow']) {
    expect(serves(host, `${EVALUATION_QUEUE}${queue}`)).toBe(false);
  }
  for (const queue of ['evolve-db', 'evolve-evaluation', 'evolve-eval-', 'evolve-eval-fast-gpu'])
    expect(serves(host, queue)).toBe(false);
});
