// Rates of queues, on a Temporal server of the test's own: they are set, shown, and taken away.
import { Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { queueRates, readRate, setQueueRate } from '../../../client/temporal/queue-rates.ts';
import { startTemporal, type TemporalServer } from '../../support/engine/temporal-server.ts';

let server: TemporalServer;
let connection: Connection;
beforeAll(async () => {
  server = await startTemporal();
  connection = await Connection.connect({ address: server.address });
}, 120_000);
afterAll(async () => {
  await connection?.close();
  await server?.stop();
});

it('a queue has the rate that was last set, with its reason, until it is taken away', async () => {
  const engine = { connection, namespace: 'default' };
  const rateOf = async (queue: string) =>
    (await queueRates(engine, ['evolve-eval-avx512'])).find((one) => one.queue === queue);
  expect(await rateOf('evolve-llm')).toEqual({ queue: 'evolve-llm', perSecond: null, reason: null, waiting: 0 });
  await setQueueRate(engine, { queue: 'evolve-llm', perSecond: 12.5, reason: 'the endpoint asked for it' });
  await setQueueRate(engine, { queue: 'evolve-eval-avx512', perSecond: 0, reason: '' });
  expect(await rateOf('evolve-llm')).toMatchObject({ perSecond: 12.5, reason: 'the endpoint asked for it' });
  expect(await rateOf('evolve-eval-avx512')).toMatchObject({ perSecond: 0 });
  expect(await rateOf('evolve-db')).toMatchObject({ perSecond: null });
  await setQueueRate(engine, { queue: 'evolve-llm', perSecond: null, reason: '' });
  expect(await rateOf('evolve-llm')).toMatchObject({ perSecond: null, reason: null });
});

it('a wrong queue or rate says what is expected', () => {
  expect(readRate('evolve-eval-mem64-fast', '0.5')).toBe(0.5);
  expect(readRate('evolve-eval', 'off')).toBeNull();
  expect(() => readRate('evolve-workflow', '1')).toThrow(/^queue: expected evolve-db.*got "evolve-workflow"$/);
  expect(() => readRate('evolve-llm', '-1')).toThrow(
    'rate of evolve-llm: expected activities a second from 0 to 100000, or off, got "-1"',
  );
});
