// How a window of steps conducts its islands: who goes ahead, what is committed when, and that all that a step can do
// is done in a window, too.
import { describe, expect, it } from 'vitest';
import { type Cast, conductorWorld, refusal } from '../../support/engine/conductor.ts';
import { until } from '../../support/machine/home.ts';

const world = conductorWorld();
const plan = { groups: 2, responses: 1, perRequest: 1, window: { last: 4, islands: 2 } };
const committed = (cast: Cast): readonly number[] => cast.of('commitStep').map(({ asked }) => asked.step);
const generated = (cast: Cast, group: number): number =>
  Math.max(...cast.of('generate', (asked) => asked.group === group).map(({ asked }) => asked.step));

describe('a window', () => {
  it('a fast island goes ahead to the end; steps are committed in order, as the slow one is through them', async () => {
    const cast = world.cast('ahead', plan);
    const release = cast.hold('generate', ({ group, step }) => group === 1 && step === 2);
    const handle = await world.step(cast);
    await cast.asked('evaluate', ({ step, slots }) => step === 4 && slots.includes(0));
    await cast.asked('commitStep');
    expect([committed(cast), generated(cast, 1)]).toEqual([[1], 2]);
    expect(await handle.query('inStep')).toMatchObject({ total: 4, responses: 3 });
    release();
    expect(await handle.result()).toMatchObject({ step: 4 });
    expect(committed(cast)).toEqual([1, 2, 3, 4]);
    expect(cast.of('commitStep').map(({ asked }) => asked.next !== undefined)).toEqual([true, true, true, false]);
    expect(
      cast
        .of('planIsland')
        .map(({ asked: { step, island } }) => `${step}.${island}`)
        .sort(),
    ).toEqual(['2.0', '2.1', '3.0', '3.1', '4.0', '4.1']);
  });

  it('closeWindow: islands go on to where the first of them is, and all of it is committed', async () => {
    const cast = world.cast('closed', { ...plan, window: { last: 40, islands: 2 } });
    const releases = [
      cast.hold('generate', ({ group, step }) => group === 0 && step === 3),
      cast.hold('generate', ({ group, step }) => group === 1 && step === 2),
    ];
    const handle = await world.step(cast);
    await until('both to be held', 60_000, async () => generated(cast, 0) === 3 && generated(cast, 1) === 2);
    await handle.signal('closeWindow');
    for (const release of releases) release();
    expect(await handle.result()).toMatchObject({ step: 3 });
    expect([committed(cast), generated(cast, 0), generated(cast, 1)]).toEqual([[1, 2, 3], 3, 3]);
  });

  it('embeds, repairs and takes injected programs in as a step does, and tells islands ahead what is not stored', async () => {
    const cast = world.cast(
      'whole',
      { ...plan, embeds: true, injected: 2, evaluate: [2, 3], window: { last: 2, islands: 2, homes: [1, 1] } },
      {
        applyResponses: ({ slots }) => ({
          evaluate: slots,
          asks: slots.map((slot: number) => ({ stage: 'delta', slot })),
        }),
        ask: ({ group }) => {
          if (group === 0) throw refusal('no delta for you');
          return { tokens: 1, costUsd: 0 };
        },
        embed: ({ slots }) => ({ evaluate: slots.filter((slot) => slot !== 3), tokens: 1, costUsd: 0 }),
      },
    );
    await (await world.step(cast)).result();
    expect(cast.slots('embed', ({ step }) => step === 1)).toEqual([0, 1, 2, 3]);
    expect(cast.slots('evaluate', ({ step }) => step === 1)).toEqual([0, 1, 2]);
    for (const slot of [2, 3])
      expect(cast.of('embed', ({ slots }) => slots.includes(slot))[0]!.asked.ahead.island).toBe(1);
    const reason = expect.stringContaining('no delta for you');
    const commits = cast.of('commitStep').map(({ asked: { injected, unrepaired } }) => ({ injected, unrepaired }));
    expect(commits).toEqual([
      { injected: 2, unrepaired: [{ slot: 0, reason }] },
      { injected: 0, unrepaired: [{ slot: 0, reason }] },
    ]);
    const told = (island: number) => cast.of('planIsland', (asked) => asked.island === island)[0]!.asked.told;
    expect(told(0)).toEqual([{ step: 1, injected: 2, unrepaired: [{ slot: 0, reason }] }]);
    expect(told(1)).toEqual([{ step: 1, injected: 2, unrepaired: [] }]);
    expect(
      cast.of('applyResponses', ({ step, ahead }) => step === 2 && ahead.island === 0)[0]!.asked.ahead.told,
    ).toEqual(told(0));
  });

  it.each(['planIsland', 'evaluate'] as const)('%s that fails for good parks one island only', async (activity) => {
    let broken = true;
    const cast = world.cast(`parked-${activity.toLowerCase()}`, plan, {
      [activity]: ({ step, island, slots }) => {
        if (broken && step === 2 && (island === 1 || slots?.includes(1))) throw refusal(`no ${activity}`);
        return activity === 'planIsland' ? { groups: [island], preludes: [] } : { evaluated: 1 };
      },
    });
    const handle = await world.step(cast);
    await cast.asked('evaluate', ({ step, slots }) => step === 4 && slots.includes(0));
    expect(committed(cast).at(-1)).toBe(1);
    broken = false;
    // Before it is parked there is nothing to release.
    await until('to be parked', 60_000, async () =>
      Boolean((await handle.describe()).searchAttributes.EvoNeedsAttention?.[0]),
    );
    await handle.signal('retry', {});
    await handle.result();
    expect(committed(cast)).toEqual([1, 2, 3, 4]);
  });

  it('stages go before the programs of an island; where a limit leaves a response out, no further step is begun', async () => {
    const cast = world.cast(
      'limited',
      { ...plan, preludes: [{ group: 0, stage: 'idea' }] },
      {
        planIsland: ({ island }) => ({ groups: [island], preludes: island === 0 ? [{ group: 0, stage: 'idea' }] : [] }),
      },
    );
    const budget = { tokens: 5, costUsd: null, perResponse: { tokens: 2, costUsd: 0 } };
    const { step } = (await (await world.step(cast, { budget })).result()) as { readonly step: number };
    expect(step).toBeLessThan(4);
    expect(committed(cast).at(-1)).toBe(step);
    const omitted = cast.of('commitStep').flatMap(({ asked }) => asked.omitted as readonly number[]);
    expect(omitted.length).toBeGreaterThan(0);
    expect(cast.of('generate').length + omitted.length).toBe(2 * step);
    expect(cast.of('advance').every(({ asked }) => asked.group === 0 && asked.ahead.island === 0)).toBe(true);
  });

  it('a window that finds itself superseded ends; one that is cancelled commits nothing more', async () => {
    const gone = world.cast('superseded', plan, {
      applyResponses: ({ step, slots }) => {
        if (step === 2) throw refusal('gone on', 'SupersededError');
        return { evaluate: slots };
      },
    });
    await expect((await world.step(gone)).result()).rejects.toThrow();
    expect(committed(gone).every((step) => step === 1)).toBe(true);

    const cast = world.cast('cancelled', plan);
    cast.hold('generate', ({ group, step }) => group === 1 && step === 1);
    const handle = await world.step(cast);
    await cast.asked('evaluate', ({ step }) => step === 4);
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    expect(committed(cast)).toEqual([]);
  });
});
