import { describe, expect, it } from 'vitest';
import { stepWorkflowId } from '../../evolution/ids.ts';
import { until } from '../support/home.ts';
import { endpointFor, liveHome } from '../support/live.ts';
import { expectWhole, factsOf } from '../support/whole.ts';
import { randomUUID } from 'node:crypto';

describe('explore', () => {
  const live = liveHome('explore');
  let und: any;
  for (const which of ["step"]) for (let k = 0; k < 14; k += 1) {
    it(`${which} ${k}`, async () => {
      const endpoint = await endpointFor({ latencyMs: (n) => 300 * (1 + n % 6) });
      const run = `x-${which}-${k}`;
      await live.engine.start(run, { seed: 4, batch: 6, responses: 2, limits: { steps: 3 }, model: { name: 'small', baseUrl: endpoint.url }, evaluation: { sandbox: 'noop' } });
      await live.engine.seen(run, 'step', ({ committedStep }) => committedStep >= 1);
      await new Promise((r) => setTimeout(r, 1500));
      const id = which === 'run' ? `run/${run}` : stepWorkflowId(run, 2);
      const events = JSON.parse(await live.engine.history(id)).events;
      const points = events.filter(({ eventType }: any) => eventType === 'EVENT_TYPE_WORKFLOW_TASK_COMPLETED').map((e: any) => Number(e.eventId));
      if (k >= points.length) { console.log(run, 'no such point', points.length); return; }
      const open = await live.engine.isOpen(id);
      await live.engine.client.workflowService.resetWorkflowExecution({ namespace: 'default', workflowExecution: { workflowId: id }, reason: 'x', workflowTaskFinishEventId: points[k] as never, requestId: randomUUID() });
      const prev = events[points[k] - 4];
      console.log(run, 'open', open, 'points', points.length, 'at', points[k], prev?.eventType);
      const ended = await live.engine.ended(run, 25_000);
      expect(ended.committedStep).toBe(3);
      const facts = factsOf(await expectWhole(live.engine.store, run, { steps: 3, perStep: 12 }));
      und ??= facts;
      expect(facts).toEqual(und);
    }, 60_000);
  }
});
