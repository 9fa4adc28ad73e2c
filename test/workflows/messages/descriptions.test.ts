// What the Temporal UI's forms say of each message, asked for as the UI asks, and whether what they say can be sent.
import type { WorkflowHandle } from '@temporalio/client';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { QUEUES } from '../../../workflows/engine/queues.ts';
import { conductorWorld } from '../../support/engine/conductor.ts';

const world = conductorWorld();
const LIMITS = { steps: 100, programs: null, tokens: null, costUsd: null, wallSeconds: null, targetScore: null };
let release = (): void => undefined;
afterEach(() => release());

type Message = { readonly name: string; readonly description: string };
type Kinds = 'signal' | 'update' | 'query';

/** Without what the SDK adds to every workflow. */
const messagesOf = async (handle: WorkflowHandle): Promise<{ readonly [kind in Kinds]: readonly Message[] }> => {
  const { definition } = await handle.query<{ definition: { [kind: string]: Message[] } }, []>(
    '__temporal_workflow_metadata',
  );
  const of = (kind: Kinds) => (definition[`${kind}Definitions`] ?? []).filter(({ name }) => !name.startsWith('__'));
  return { signal: of('signal'), update: of('update'), query: of('query') };
};

const isForPeople = ({ description }: Message): boolean => !description.startsWith('Internal');
const exampleIn = ({ name, description }: Message): object => {
  const text = /^[A-Z].*\. Example: (\{.*\})$/.exec(description)?.[1];
  if (text === undefined) throw new Error(`${name} has no example: ${description}`);
  return JSON.parse(text) as object;
};

/** The names in the docs' table, by its columns: signals, updates, queries. */
const documented = (workflowId: string): readonly (readonly string[])[] => {
  const docs = readFileSync(fileURLToPath(new URL('../../../docs/temporal-ui.md', import.meta.url)), 'utf8');
  const row = docs
    .split('\n')
    .find(
      (line) => line.startsWith(`| \`${workflowId}\` | \`pause`) || line.startsWith(`| \`${workflowId}\` | \`retry`),
    );
  return row!
    .split('|')
    .slice(2, 5)
    .map((cell) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name]) => name!).sort());
};

const namesIn = (messages: Awaited<ReturnType<typeof messagesOf>>): readonly (readonly string[])[] =>
  (['signal', 'update', 'query'] as const).map((kind) =>
    messages[kind]
      .filter(isForPeople)
      .map(({ name }) => name)
      .sort(),
  );

/** Sends the example of every message for people; those that end the workflow last. */
const sendAll = async (handle: WorkflowHandle, query: string): Promise<void> => {
  const { signal, update } = await messagesOf(handle);
  const last = ['rewind', 'stop'];
  const messages = [
    ...signal.map((one) => ({ ...one, send: 'signal' })),
    ...update.map((one) => ({ ...one, send: 'update' })),
  ]
    .filter(isForPeople)
    .sort((a, b) => last.indexOf(a.name) - last.indexOf(b.name));
  for (const message of messages) {
    if (message.send === 'update') await handle.executeUpdate(message.name, { args: [exampleIn(message)] });
    else await handle.signal(message.name, exampleIn(message));
    if (query === '' || last.includes(message.name)) continue;
    // Nothing is parked here, and whoever sends a retry is told so.
    const refusal = message.name === 'retry' ? expect.stringContaining('nothing is parked') : null;
    expect(await handle.query(query), message.name).toMatchObject({ refusal });
  }
};

it('those of a run', async () => {
  const settings = { configVersion: 2, model: 'm', batch: 2, responses: 2, limits: LIMITS };
  const plays = {
    changeSettings: () => ({ version: 2, changed: [], settings }),
    injectProgram: () => ({ injected: 'i' }),
    updateTask: () => ({ at: '2026-01-01T00:00:00.000Z', step: 9 }),
  };
  const cast = world.cast('told', {}, plays, { committedStep: 9, limits: LIMITS });
  release = cast.hold('planStep');
  const handle = await world.start(cast);
  await cast.asked('planStep');
  const messages = await messagesOf(handle);
  expect(namesIn(messages)).toEqual(documented('run/<id>'));
  expect(messages.signal.filter((one) => !isForPeople(one)).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['stepReport', 'windowReport']),
  );
  await sendAll(handle, 'status');
  expect(await handle.result()).toMatchObject({ status: 'stopped' });
});

it('those of a step', async () => {
  const cast = world.cast('stepped');
  release = cast.hold('planStep');
  const handle = await world.step(cast);
  await cast.asked('planStep');
  expect(namesIn(await messagesOf(handle))).toEqual(documented('run/<id>/step/<n>'));
  await sendAll(handle, '');
  release();
  await handle.result();
});

it('those of a sweep', async () => {
  const cast = world.cast('swept');
  release = cast.hold('openSweep');
  const handle = await world.client.workflow.start('sweep', {
    workflowId: 'sweep/swept',
    taskQueue: QUEUES.workflow,
    args: [{ name: 'swept' }],
  });
  await cast.asked('openSweep');
  expect(namesIn(await messagesOf(handle))).toEqual(documented('sweep/<name>'));
  await sendAll(handle, 'progress');
  expect(await handle.result()).toMatchObject({ status: 'stopped' });
});
