// What is recorded of a run whose windows overlap, with played activities: an answer comes after its window has handed
// over, a phase parks, and a pause lets the newest window come to its end.
import { setTimeout as sleep } from 'node:timers/promises';
import { createGenerateTogether } from '../../../activities/llm/chat/together.ts';
import { stepWorkflowId } from '../../../evolution/ids.ts';
import { type Asked, refusal, retried } from '../../support/conductor.ts';
import { until } from '../../support/home.ts';
import { streamCast } from '../../support/stream-cast.ts';
import type { Scene } from './fixture.ts';
import { worked } from './fixture.ts';
import type { Played } from './learning.ts';

export const streamScenes = ({ world, record }: Played): readonly Scene[] => [
  async function streamed() {
    let refused = true;
    const cast = streamCast(world, 'streamed', {
      steps: 24,
      plays: {
        evaluate: ({ slots }: { readonly slots: readonly number[] }) => {
          if (refused && slots.includes(0)) throw refusal('no container');
          return { evaluated: slots.length };
        },
      },
    });
    const release = cast.hold('generate', ({ group }) => group === 3);
    const handle = await world.start(cast);
    const windows = () => [...new Set(cast.of('turnStream').map((call) => call.workflow))];
    await until('the next window', 60_000, async () => windows().length > 1);
    refused = false;
    await handle.signal('retry', {});
    release();
    await handle.signal('pause', {});
    await until('to be paused', 60_000, async () => {
      const said = await handle.query<{ readonly status: string }>('status').catch(() => null);
      return said?.status === 'paused';
    });
    await handle.signal('resume', {});
    await handle.result();
    await record('streamed-run', 'run/streamed', await worked(world.client, 'run/streamed'));
    await record('stream-window', stepWorkflowId('streamed', 1));
    await record('next-stream-window', windows()[1]!);
  },
  async function together() {
    let refused = true;
    const { generateTogether } = createGenerateTogether({
      generate: async ({ group, first, count }) => {
        if (group === 2 && refused) throw refusal('no model');
        if (group % 3 === 1) await sleep(700);
        const stored = Array.from({ length: count }, (_, at) => 2 * group + first + at);
        return { stored, missing: [], tokens: count, costUsd: 0 };
      },
      applyResponses: async ({ slots }) => ({ evaluate: slots, early: 0, repair: slots.filter((slot) => slot === 4) }),
      tell: ({ workflowId, runId }, came) =>
        world.client.workflow.getHandle(workflowId, runId).signal('answersCame', { came }),
    });
    const stream = { first: 1, pending: [], planned: 0, batch: 2, inFlight: 16, last: 12, together: true as const };
    const cast = world.cast('together', { groups: 0, responses: 2, perRequest: 2, stream }, {
      generateTogether,
    } as never);
    const handle = await world.step(cast);
    await cast.asked('generate', ({ group }) => group === 2);
    refused = false;
    await handle.result();
    await record('together-window', stepWorkflowId('together', 1));
  },
  async function turns() {
    // As of 0.10.0: a turn commits several steps, more is asked for where answers come fast, and the last report has a timer.
    const { generateTogether } = createGenerateTogether({
      generate: async ({ group }) => ({ stored: [group], missing: [], tokens: 1, costUsd: 0 }),
      applyResponses: async ({ slots }) => ({ evaluate: slots, early: 0 }),
      tell: ({ workflowId, runId }, came) =>
        world.client.workflow.getHandle(workflowId, runId).signal('answersCame', { came }),
    });
    const stream = {
      first: 1,
      pending: [],
      planned: 0,
      batch: 2,
      inFlight: 8,
      last: 30,
      together: true as const,
      steps: 4,
    };
    const cast = world.cast('turns', { groups: 0, responses: 1, perRequest: 1, stream }, { generateTogether } as never);
    const several = ({ further }: Asked) => further !== undefined;
    const still = cast.hold('turnStream', several);
    const release = cast.hold('turnStream', ({ commit, further }) => commit !== undefined && further === undefined);
    const handle = await world.step(cast);
    await cast.asked('turnStream', ({ commit }) => commit !== undefined);
    await until('several steps to be finished', 60_000, async () => {
      const { evaluated } = await handle.query<{ readonly evaluated: number }>('inStep');
      return evaluated >= 8;
    });
    release();
    await cast.asked('turnStream', several);
    await sleep(700);
    still();
    await handle.result();
    await record('turns-window', stepWorkflowId('turns', 1));
  },
  async function togetherStep() {
    let refused = true;
    const { generateTogether } = createGenerateTogether({
      generate: async ({ group, first, count }) => {
        if (group === 2) throw retried('slow down', 1_000);
        if (group === 3 && refused) throw refusal('no model');
        if (group % 3 === 1) await sleep(1_500);
        const stored = Array.from({ length: count }, (_, at) => 2 * group + first + at);
        return { stored, missing: [], tokens: count, costUsd: 0 };
      },
      applyResponses: async () => Promise.reject(new Error('a step applies its edits itself')),
      tell: ({ workflowId, runId }, came) =>
        world.client.workflow.getHandle(workflowId, runId).signal('answersCame', { came }),
    });
    const cast = world.cast('together-step', { groups: 20, responses: 2, perRequest: 2, together: true }, {
      generateTogether,
    } as never);
    const handle = await world.step(cast);
    await cast.asked('generate', ({ group }) => group === 3);
    refused = false;
    await handle.result();
    await record('together-step', stepWorkflowId('together-step', 1));
  },
];
