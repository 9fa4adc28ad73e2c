// The open step of a run comes from the workflow engine by the HTTP interface of its UI, which wants a token for queries.
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { engineHttp } from '../../../../page/server/site/engine-http.ts';
import { openSteps } from '../../../../page/server/site/open-step.ts';
import { listening } from '../../../support/machine/listening.ts';

const COUNTS = { total: 8, responses: 5, applied: 5, evaluated: 1, toEvaluate: 4 };
const started = (name: string, at: string, more: object = {}) => ({
  ...{ activityType: { name }, state: 'PENDING_ACTIVITY_STATE_STARTED', lastStartedTime: at, attempt: 1, ...more },
});
const STEP = {
  workflowExecutionInfo: { startTime: '2026-11-28T10:00:00Z' },
  pendingActivities: [
    started('generate', '2026-11-28T10:00:30Z'),
    started('generate', '2026-11-28T10:00:10Z', {
      ...{ attempt: 4, maximumAttempts: 8 },
      lastFailure: { message: 'activity failed', cause: { message: '503 busy' } },
    }),
    { activityType: { name: 'evaluate' }, state: 'PENDING_ACTIVITY_STATE_SCHEDULED', attempt: 1 },
    started('evaluate', '2026-11-28T10:00:20Z', {
      heartbeatDetails: { payloads: [{ data: Buffer.from(JSON.stringify(['epoch 3\nloss 0.1'])).toString('base64') }] },
    }),
    started('embed', '2026-11-28T10:00:20Z', { heartbeatDetails: { payloads: [{ data: 'gibberish' }] } }),
  ],
};

/** A UI of an engine with one run, of which this is open. */
const uiWith = async (children: readonly string[]) => {
  const server = createServer((request, response) => {
    response.setHeader('set-cookie', '_csrf=abc; Path=/; SameSite=Strict');
    const path = decodeURIComponent(request.url!).replace('/api/v1/namespaces/default/workflows/', '');
    const answer =
      request.method === 'POST' && request.headers['x-csrf-token'] !== 'abc'
        ? null
        : path === 'run/demo'
          ? { pendingChildren: children.map((workflowId) => ({ workflowId })) }
          : path.endsWith('/query/inStep')
            ? { queryResult: { payloads: [{ data: Buffer.from(JSON.stringify(COUNTS)).toString('base64') }] } }
            : STEP;
    response.writeHead(answer === null ? 400 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
  const base = await listening(server);
  return openSteps(engineHttp(() => ({ base, namespace: 'default' })));
};

test('the newest open step, its counts, and how long each activity is at work', async () => {
  const openStep = await uiWith(['run/demo/step/000016', 'run/demo/step/000017', 'run/demo/update/000016']);
  const open = (await openStep('demo'))!;
  expect(open).toMatchObject({ step: 17, counts: COUNTS, sinceMs: Date.parse('2026-11-28T10:00:00Z') });
  const at = (time: string): number => Date.parse(`2026-11-28T10:00:${time}Z`);
  expect(open.work).toEqual([
    {
      ...{ activity: 'generate', sinceMs: [at('10'), at('10'), at('30'), at('30')], waiting: 0 },
      failing: { attempt: 4, attempts: 8, why: '503 busy' },
      printed: [],
    },
    {
      ...{ activity: 'evaluate', sinceMs: [at('20'), at('20')], waiting: 2, failing: null },
      printed: ['epoch 3\nloss 0.1', 'epoch 3\nloss 0.1'],
    },
    { activity: 'embed', sinceMs: [at('20'), at('20')], waiting: 0, failing: null, printed: [] },
  ]);
});

test('nothing where no step is open, and where no UI answers', async () => {
  expect(await (await uiWith([]))('demo')).toBeNull();
  expect(await openSteps(engineHttp(() => null))('demo')).toBeNull();
});
