// A task that needs something of its host: the step says what is missing where no host has it, and a host whose clock
// has jumped is not missing.
import { describe, expect, it } from 'vitest';
import type { HostDocument } from '../../../../activities/store/documents/installation-documents.ts';
import { createRequireHost, evaluationQueue } from '../../../../activities/step/plan/hosts.ts';
import { taskSchema } from '../../../../activities/task/task-schema.ts';
import { memoryStore } from '../../../doubles/memory-store.ts';

const QUEUE = 'evolve-eval-gpu';
const host = (fields: Partial<HostDocument> = {}): HostDocument => ({
  ...{ _id: 'h:1:evaluation', run: '', host: 'h', pid: 1, role: 'evaluation', version: '1', beats: 1 },
  ...{ since: new Date(0), seenAt: new Date(), queues: ['evolve-eval'], slots: 1, cores: 1 },
  ...{ memoryBytes: 1e9, gpus: 1, labels: [] },
  ...fields,
});
const HOUR_MS = 3_600_000;

describe('a run that needs a GPU', () => {
  const asked = async (hosts: readonly HostDocument[], meanwhile: readonly HostDocument[] = []): Promise<void> => {
    const store = memoryStore();
    for (const one of hosts) await store.putHost(one);
    const answer = createRequireHost({ store, listenMs: 100 }).requireHost({ run: 'r', queue: QUEUE });
    answer.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 5));
    for (const one of meanwhile) await store.putHost(one);
    return answer;
  };

  it('goes on where a host has one, also where that host comes now or its clock has jumped', async () => {
    await asked([host()]);
    await asked([], [host()]);
    const jumped = { seenAt: new Date(Date.now() - HOUR_MS) };
    await asked([host(jumped)], [host({ ...jumped, beats: 2 })]);
  });

  it('says what is missing where none has one, and how to start one', async () => {
    const without = [
      [],
      [host({ gpus: 0 })],
      [host({ role: 'model' })],
      [host({ seenAt: new Date(Date.now() - HOUR_MS) })],
    ];
    for (const hosts of without)
      await expect(asked(hosts)).rejects.toMatchObject({
        type: 'NoHost',
        nonRetryable: true,
        message: expect.stringContaining('no host has 1 GPU'),
      });
  });
});

it('a run that needs nothing in particular asks nobody', async () => {
  const never = () => Promise.reject(new Error('asked'));
  const store = { needQueue: never, setFields: never, listHosts: never };
  expect(await evaluationQueue(store, { run: 'r' }, {})).toBeNull();
});

it('says of a task that needs no whole GPU, or a label that no queue can be named after, what was expected', () => {
  const { needs } = taskSchema.shape;
  expect(needs.safeParse({ memoryGb: 64, labels: ['avx512'] }).success).toBe(true);
  expect(needs.safeParse({ gpu: 1 }).success).toBe(true);
  expect(needs.safeParse({ gpu: 0 }).success).toBe(false);
  expect(needs.safeParse({ labels: ['Fast-CPU'] }).error?.message).toContain('expected lower-case letters and digits');
});
