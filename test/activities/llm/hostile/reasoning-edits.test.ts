// `diff.parse: whole`: edits are read from the reasoning too, also where the endpoint sends it in a field of its own
// (docs/methods/thetaevolve.md, From an answer to a child). From the HTTP answer to the child.
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { createGenerate } from '../../../../activities/llm/chat/generate.ts';
import { createOpenAiClient } from '../../../../activities/llm/openai/openai-client.ts';
import { createApplyResponses } from '../../../../activities/step/apply/apply-responses.ts';
import { programId } from '../../../../evolution/ids.ts';
import { json, served } from '../../../support/models/served.ts';
import { configOf, deltaWorld, edit, initialProgram, run } from '../../../support/worlds/delta-world.ts';

const endpoint = (message: object): Promise<string> =>
  served((_, response) =>
    json(response, 200, {
      ...{ id: 'x', object: 'chat.completion', created: 0, model: 'm' },
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
    }),
  );

const BLOCK = edit(initialProgram(), '2.5');

it.each([
  ['whole', 'reasoning_content', null],
  ['whole', 'reasoning', null],
  ['answer', 'reasoning_content', 'no_diff'],
] as const)('parse: %s, the edits in the field %s', async (parse, field, outcome) => {
  const baseUrl = await endpoint({ content: 'That is what I change.', [field]: `I try this:\n${BLOCK}` });
  const config = configOf({ batch: 1, prompt: { style: 'theta' }, diff: { parse } });
  const { store, loadTask, open, step, plan } = deltaWorld({ config, answer: () => '' });
  await open();
  await step(0);
  const { epoch, version } = await plan(1);
  const ref = { run, step: 1, epoch, version };
  const generating = createGenerate({
    store,
    clientFor: async ({ name }) => ({
      model: name,
      client: createOpenAiClient({ baseUrl, apiKey: null, timeoutMs: 60_000 }),
    }),
  });
  const applying = createApplyResponses({ store, loadTask });
  const call = <T>(work: (input: never) => Promise<T>, input: unknown): Promise<T> =>
    new MockActivityEnvironment().run(work as (input: unknown) => Promise<T>, input) as Promise<T>;
  await call(generating.generate, { ...ref, group: 0, first: 0, count: 1, responses: 1 });
  await call(applying.applyResponses, { ...ref, slots: [0] });
  const id = programId(run, 1, epoch, 0);
  const delta = (await store.getDeltas([id])).get(id)!;
  expect(delta.outcome).toBe(outcome);
  if (outcome === null)
    expect((await store.getTexts([delta.code!])).get(delta.code!)).toBe(
      initialProgram().replace('value = 1.0', 'value = 2.5'),
    );
});
