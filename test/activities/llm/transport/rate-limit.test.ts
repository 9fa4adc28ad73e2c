// Requests in flight at an endpoint: as many at once as the worker has places, whatever they ask. One that a rate limit
// turned away waits as long as it was told, and the others go on meanwhile.
import { MockActivityEnvironment } from '@temporalio/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createGenerate } from '../../../../activities/llm/chat/generate.ts';
import { json, served } from '../../../support/models/served.ts';
import { createClientFor } from '../../../../workers/models/model-clients.ts';
import { memoryStore } from '../../../doubles/memory-store.ts';
import { configFrom, putPrompts, runOf } from '../../../support/domain/asked-run.ts';

let home: string | null = null;
afterEach(() => {
  if (home !== null) rmSync(home, { recursive: true, force: true });
});

const answer = (response: ServerResponse): void =>
  json(response, 200, {
    model: 'm',
    choices: [{ index: 0, message: { content: 'fine' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 1 },
  });

/** What asks an endpoint for the response of a group, of a run with three groups. */
const asking = async (llmSlots: number, respond: (response: ServerResponse) => void) => {
  home = mkdtempSync(join(tmpdir(), 'evolve-rate-'));
  const baseUrl = await served((_, response) => respond(response));
  const store = memoryStore();

  const config = configFrom({
    model: { name: 'm', baseUrl },
    batch: 3,
    responses: 1,
  });
  await store.createRun(runOf(config));
  await putPrompts(store, 3);
  const { generate } = createGenerate({ store, clientFor: createClientFor({ home, offlineModelUrl: null, llmSlots }) });
  return (group: number) =>
    new MockActivityEnvironment()
      .run(generate, { run: 'r', step: 1, epoch: 0, version: 1, group, first: 0, count: 1, responses: 1 })
      .then(
        (made) => made,
        (error: unknown) => error,
      );
};

it('a 429 with Retry-After keeps its own request waiting, not the others, and nothing is paid twice', async () => {
  let arrived = 0;
  // One request at a time: the one that waits must not keep the place.
  const ask = await asking(1, (response) => {
    arrived += 1;
    if (arrived > 1) return answer(response);
    response
      .writeHead(429, { 'content-type': 'application/json', 'retry-after': '2' })
      .end('{"error": {"message": "slow down"}}');
  });

  const first = await Promise.all([0, 1, 2].map(ask));
  // Whichever came first. The engine tries again after this long.
  const turnedAway = first.findIndex((made) => made instanceof Error);
  expect(first[turnedAway]).toMatchObject({ type: 'ModelUnavailable', nonRetryable: false, nextRetryDelay: 2_000 });
  const others = [0, 1, 2].filter((group) => group !== turnedAway);
  for (const group of others) expect(first[group]).toMatchObject({ stored: [group] });
  expect(await ask(turnedAway)).toMatchObject({ stored: [turnedAway], tokens: 4 });
  expect(await ask(others[0]!)).toMatchObject({ stored: [others[0]], tokens: 4 });
  expect(arrived).toBe(4);
});

it('as many requests are in flight at once as there are places', async () => {
  const held: ServerResponse[] = [];
  // No answer comes before all three are there.
  const ask = await asking(3, (response) => {
    held.push(response);
    if (held.length === 3) for (const one of held) answer(one);
  });
  const made = await Promise.all([0, 1, 2].map(ask));
  expect(made).toMatchObject([{ stored: [0] }, { stored: [1] }, { stored: [2] }]);
});
