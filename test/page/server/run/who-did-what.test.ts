// Who did what, as the page is told: actions with their people, versions of the settings with theirs, and marks.
import { expect, test } from 'vitest';
import type { ActionDocument } from '../../../../activities/store/documents/documents.ts';
import { programId } from '../../../../evolution/ids.ts';
import type { ProgramMarks } from '../../../../page/api/rows/marks.ts';
import type { Events } from '../../../../page/api/run/events.ts';
import { eventAnswers } from '../../../../page/server/routes/events.ts';
import { config, markAction } from '../../../activities/store/fixtures.ts';
import { answersOver, grown } from '../../../support/page/in-tests.ts';

test('events name the person and the way, and what no action asked for came from the Temporal UI', async () => {
  const store = await grown(1);
  const action = (verb: ActionDocument['verb'], state: ActionDocument['state'], text: string): ActionDocument => ({
    ...{ _id: `demo:action:${verb}`, run: 'demo', verb, at: new Date(), state, text },
    by: { name: 'mia', from: 'command' },
  });
  const set = action('set', 'done', 'version 2 of the settings');
  for (const one of [set, action('pause', 'done', 'pauses now'), action('inject', 'asked', '')])
    await store.putAction(one);
  await store.putAction(action('retry', 'refused', 'run demo refused to retry: retry: nothing is parked'));
  await store.setConfig('demo', { ...config(), batch: 3 }, 1, set._id);
  await store.setConfig('demo', { ...config(), batch: 5 }, 2, 'an id of the engine');
  const program = programId('demo', 1, 0, 0);
  await store.putAction(markAction('demo', program, 'promising'));

  const { json: ask } = answersOver(store, [eventAnswers]);
  const { events } = await ask<Events>('events');
  const mia = { name: 'mia', from: 'command' };
  const said = events.filter(({ by }) => by !== undefined).map(({ kind, text, by }) => ({ kind, text, by }));
  expect(said).toHaveLength(6);
  expect(said).toEqual(
    expect.arrayContaining([
      { kind: 'action', text: 'pause: pauses now', by: mia },
      { kind: 'action', text: 'inject, of which no end was recorded', by: mia },
      { kind: 'action', text: 'retry was refused: nothing is parked', by: mia },
      { kind: 'settings', text: expect.stringContaining('settings version 2: batch'), by: mia },
      {
        kind: 'settings',
        text: expect.stringContaining('settings version 3: batch'),
        by: { name: null, from: 'temporal' },
      },
      { kind: 'action', text: 'mark: has a mark now', by: { name: 'mia', from: 'page' } },
    ]),
  );
  expect(events.find(({ text }) => text.startsWith('mark'))!.program).toBe(program);
  expect(await ask<ProgramMarks>('marks')).toEqual({
    [program]: {
      ...{ star: true, label: 'promising', note: null },
      by: { name: 'mia', from: 'page' },
      at: new Date(5).toISOString(),
    },
  });
});

test('a parked run says how often it failed where that is more than once', async () => {
  const store = await grown(1);
  const { json } = answersOver(store, [eventAnswers]);
  const said = async (tries: number) => {
    const parked = { since: new Date().toISOString(), tries, next: null, trying: false };
    await store.setStatus('demo', 'needs attention', { reason: 'no room', parked });
    const { events } = await json<Events>('events');
    return events.filter(({ waits }) => waits).map(({ text }) => text);
  };
  expect(await said(1)).toEqual(['needs attention: no room']);
  expect(await said(3)).toEqual(['needs attention: no room; failed 3 times']);
});
