// Who did what: an action is written down before it is done, whatever becomes of it and of the process.
import { userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { personOf } from '../../../client/connect/recorded.ts';
import { RunHandle } from '../../../client/runs/run-handle.ts';
import { programId } from '../../../evolution/ids.ts';
import { grow } from '../../activities/store/fixtures.ts';
import { runWith } from '../../support/engine/steered-run.ts';

const told = async ({ store }: Awaited<ReturnType<typeof runWith>>) =>
  (await store.listActions('demo')).map(({ verb, state, text }) => `${verb} ${state}: ${text}`);

test('what was done, by whom and by which way', async () => {
  const world = await runWith({ open: true });
  const place = { ...world.parts.place, by: { from: 'page', name: 'mia' } } as const;
  const page = new RunHandle({ ...world.parts, place }, 'demo');
  await page.pause({ reason: 'lunch' });
  await sleep(2); // An action is as old as its millisecond says.
  await world.run.hint({ hint: 'try hexagons' });
  await sleep(2);
  await world.run.rewind({ toStep: 1 }).catch(() => undefined);
  expect(await told(world)).toEqual([
    'pause done: pauses after its current step',
    'hint done: the hint for all islands is in the prompts from the next step on (version 9 of the settings)',
    'rewind refused: cannot rewind run demo: it has committed no step yet',
  ]);
  const [pause, hint] = await world.store.listActions('demo');
  expect([pause!.by, hint!.by]).toEqual([
    { name: 'mia', from: 'page' },
    { name: userInfo().username, from: 'library' },
  ]);
  expect(personOf({ by: { from: 'command' } })).toEqual({ name: userInfo().username, from: 'command' });
  // A version of the settings knows by this id who asked for it.
  expect(world.updates).toEqual([hint!._id]);
  expect((await world.store.readRun('demo'))!.actedAt).toBeInstanceOf(Date);
});

test('a process that dies behind the sending leaves the action as asked for', async () => {
  const world = await runWith({ open: true });
  const engine = await world.parts.engine();
  const silent = { ...engine, connection: { withDeadline: () => new Promise<never>(() => undefined) } };
  void new RunHandle({ ...world.parts, engine: async () => silent as never }, 'demo').inject({ program: 'x = 1' });
  await expect.poll(() => told(world)).toEqual(['inject asked: ']);
});

test('a database that is away or silent holds nothing up but marks, which are nothing without it', async () => {
  const world = await runWith({ open: true });
  const away = async (): Promise<never> => {
    throw new Error('the database is away');
  };
  const run = new RunHandle({ ...world.parts, store: away }, 'demo');
  await run.pause();
  await new RunHandle({ ...world.parts, store: () => new Promise<never>(() => undefined) }, 'demo').pause();
  expect(world.sent).toMatchObject([
    { kind: 'signal', name: 'pause' },
    { kind: 'signal', name: 'pause' },
  ]);
  await expect(run.act('mark', { star: true })).rejects.toThrow('the database is away');
});

test('a mark belongs to the run that made the program, and the workflow learns nothing of it', async () => {
  const world = await runWith({ open: true });
  await grow(world.store, 'other', 1);
  const program = programId('other', 1, 0, 0);
  const body = { program, label: 'promising', note: 'a\nb' };
  const { text } = await world.run.act('mark', body);
  expect(text).toBe(`other: program ${program} has the label promising, a note now`);
  expect((await world.store.programMarks('other')).get(program)).toMatchObject({
    ...{ star: false, label: 'promising', note: 'a\nb' },
    by: { from: 'library' },
  });
  await sleep(2);
  await world.run.act('mark', { program, remove: true });
  expect(await world.store.programMarks('other')).toEqual(new Map());
  await expect(world.run.act('mark', { program: 'demo:9', star: true })).rejects.toThrow(
    'there is no program "demo:9": `npx evolve programs demo` lists them',
  );
  await world.run.act('mark', { star: true });
  expect((await world.run.report()).mark).toMatchObject({ star: true, label: null, note: null });
  expect(world.sent).toEqual([]);
});
