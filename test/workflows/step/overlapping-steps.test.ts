// How steps overlap: what is asked while the last programs of the step before are evaluated, and in which order steps
// are planned and committed.
import { describe, expect, it } from 'vitest';
import { type Cast, conductorWorld, refusal } from '../../support/engine/conductor.ts';

const world = conductorWorld();
const plan = { groups: 2, responses: 1, perRequest: 1, window: { last: 4 } };
const committed = (cast: Cast): readonly number[] => cast.of('commitStep').map(({ asked }) => asked.step);
const planned = (cast: Cast): readonly number[] => cast.of('planOverlapping').map(({ asked }) => asked.step);

describe('steps that overlap', () => {
  it('ask for the next step while this one is evaluated, and for none beyond it', async () => {
    const cast = world.cast('overlapping', plan);
    const release = cast.hold('evaluate', ({ step }) => step === 1);
    const handle = await world.step(cast);
    await cast.asked('evaluate', ({ step }) => step === 2);
    expect([committed(cast), planned(cast)]).toEqual([[], [2]]);
    release();
    expect(await handle.result()).toMatchObject({ step: 4 });
    expect([committed(cast), planned(cast)]).toEqual([
      [1, 2, 3, 4],
      [2, 3, 4],
    ]);
    expect(cast.of('commitStep').map(({ asked }) => asked.next !== undefined)).toEqual([true, true, true, false]);
    expect(new Set(cast.of('applyResponses').map(({ asked }) => [asked.step, asked.overlaps].join()))).toEqual(
      new Set(['1,', '2,true', '3,true', '4,true']),
    );
    // Whatever is fast, a step is planned after the commit of the step before the one before, and before the next one.
    const order = cast.calls.flatMap(({ activity, asked }) =>
      activity === 'commitStep' || activity === 'planOverlapping' ? [`${activity} ${asked.step}`] : [],
    );
    for (const step of [2, 3, 4])
      expect(order.indexOf(`planOverlapping ${step}`)).toBeLessThan(order.indexOf(`commitStep ${step - 1}`));
    for (const step of [3, 4])
      expect(order.indexOf(`planOverlapping ${step}`)).toBeGreaterThan(order.indexOf(`commitStep ${step - 2}`));
  });

  it('closeWindow: the steps that have begun are committed, and no other begins', async () => {
    const cast = world.cast('overlapping-closed', { ...plan, window: { last: 40 } });
    const release = cast.hold('evaluate', ({ step }) => step === 2);
    const handle = await world.step(cast);
    await cast.asked('evaluate', ({ step }) => step === 3);
    await handle.signal('closeWindow');
    release();
    expect(await handle.result()).toMatchObject({ step: 3 });
    expect(committed(cast)).toEqual([1, 2, 3]);
  });

  it('takes injected programs into its first step, and asks for many requests at once in every step', async () => {
    const cast = world.cast(
      'overlapping-batched',
      { ...plan, batched: true, injected: 1, evaluate: [2], window: { last: 2 } },
      {
        generateBatch: ({ requests }) => ({
          answers: (requests as { group: number }[]).map((request) => ({
            ...{ ...request, stored: [request.group], missing: [], tokens: 1, costUsd: 0 },
          })),
          applied: null,
          failed: [],
        }),
      },
    );
    await (await world.step(cast)).result();
    expect(cast.of('generateBatch').map(({ asked }) => asked.step)).toEqual([1, 2]);
    expect(cast.of('commitStep').map(({ asked }) => asked.injected)).toEqual([1, 0]);
    expect(cast.slots('evaluate', ({ step }) => step === 1)).toEqual([0, 1, 2]);
  });

  it('ends where it finds itself superseded', async () => {
    const cast = world.cast('overlapping-superseded', plan, {
      applyResponses: ({ step, slots }) => {
        if (step === 2) throw refusal('gone on', 'SupersededError');
        return { evaluate: slots };
      },
    });
    await expect((await world.step(cast)).result()).rejects.toThrow();
    expect(committed(cast).every((step) => step === 1)).toBe(true);
  });
});
