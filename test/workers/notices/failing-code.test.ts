// A run whose code fails waits for a person, and no phase of it is parked that could say so.
import type { Client } from '@temporalio/client';
import { expect, it } from 'vitest';
import type { Notice } from '../../../activities/store/documents/installation-documents.ts';
import { storeOver } from '../../../activities/store/open-store.ts';
import type { Failing } from '../../../workers/notices/events.ts';
import { failingRuns, Notifier } from '../../../workers/notices/notifier.ts';
import { memoryCollections } from '../../doubles/memory-store.ts';
import { runDocument } from '../../support/domain/run-document.ts';

const START = Date.parse('2026-11-24T10:00:00Z');
const at = (seconds: number): number => START + 1000 * seconds;

it('is told of once, by whichever worker looks, and again where other code fails too', async () => {
  const store = storeOver(memoryCollections());
  await store.createRun({
    ...{ run: 'a', config: runDocument().config, taskDigest: 't', evaluatorDigest: 'e' },
    ...{ createdAt: new Date(START), offlineModel: true },
  });
  const sent: Notice[] = [];
  let failing: readonly Failing[] = [];
  const worker = () =>
    new Notifier({
      ...{ store, ui: () => null, redact: (text) => text, failing: async () => failing },
      destination: () => ({ kind: 'command', command: ['/bin/true'] }),
      sending: async (_to, notice) => void sent.push(notice),
    });
  const workers = [worker(), worker()];
  const look = (seconds: number) => Promise.all(workers.map((one) => one.look(at(seconds))));
  await look(0);
  failing = [
    { run: 'a', execution: 'x' },
    { run: 'gone', execution: 'y' },
  ];
  for (const seconds of [5, 10]) await look(seconds);
  workers.push(worker());
  await look(15);
  expect(sent).toMatchObject([{ id: 'run:a:code:x', name: 'a', event: 'attention', kind: 'run', state: 'running' }]);
  expect(sent[0]!.text).toBe(
    'Run a needs attention: the code of its workflow fails, or does not fit its history. What to do: npx evolve doctor a',
  );
  failing = [{ run: 'a', execution: 'z' }];
  await look(20);
  await store.setStatus('a', 'stopped', { stopReason: 'by hand', endedAt: new Date(START + 25_000) });
  failing = [{ run: 'a', execution: 'late' }];
  await look(30);
  expect(sent.map(({ id }) => id.split(':').slice(1, 3).join(' '))).toEqual(['a code', 'a code', 'a ended']);
});

it('is found among what the server lists, one execution of a run; a server that does not answer is none', async () => {
  const listed = ['run/b/step/000002 3', 'run/b 1', 'sweep/s 4', 'run/a/update/000001 2', 'run/b/step/000001 0'];
  const asked: string[] = [];
  const client = (lists: boolean) =>
    ({
      workflow: {
        async *list({ query }: { readonly query: string }) {
          asked.push(query);
          if (!lists) throw new Error('UNAVAILABLE');
          for (const one of listed) {
            const [workflowId, runId] = one.split(' ');
            yield { workflowId, runId };
          }
        },
      },
    }) as unknown as Client;
  expect(await failingRuns(client(true))()).toEqual([
    { run: 'a', execution: '2' },
    { run: 'b', execution: '0' },
  ]);
  expect(asked).toEqual([expect.stringMatching(/^ExecutionStatus = "Running" AND TemporalReportedProblems IN/)]);
  expect(await failingRuns(client(false))()).toEqual([]);
});
