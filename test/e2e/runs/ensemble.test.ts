// Three models, each bad in its way: one is gone from the start, one answers garbage, one is over its rate limit. The
// run makes progress without a person, loses nothing and pays nothing twice.
import { describe, expect, it } from 'vitest';
import { drawModel } from '../../../evolution/models/ensemble.ts';
import { rng } from '../../../evolution/rng.ts';
import { endpointFor, sharedHome } from '../../support/machine/live.ts';
import { expectWhole } from '../../support/machine/whole.ts';

const [STEPS, BATCH, RESPONSES] = [5, 4, 3];

describe('an ensemble in trouble', () => {
  const live = sharedHome();

  it('one is gone, one talks nonsense, one is over its limit: the run ends by itself, whole, and paid once', async () => {
    const gone = await endpointFor({ models: ['gone'] });
    const garbled = await endpointFor({ models: ['garbled'], latencyMs: 50, garbage: true });
    // Answers one request in three, and wants a second or two of silence after the others.
    const limited = await endpointFor({
      models: ['limited'],
      latencyMs: 50,
      limited: (request) => (request % 3 === 2 ? null : 1 + (request % 2)),
    });
    await gone.goAway();
    const run = 'ensemble';
    await live.engine.start(run, {
      seed: 11,
      batch: BATCH,
      responses: RESPONSES,
      limits: { steps: STEPS },
      evaluation: { sandbox: 'noop' as const },
      model: { name: 'gone', baseUrl: gone.url, price: { in: 1, out: 1 } },
      models: [
        { name: 'garbled', baseUrl: garbled.url, price: { in: 1, out: 1 } },
        { name: 'limited', baseUrl: limited.url, price: { in: 1, out: 1 } },
      ],
    });
    let parked: string | null = null;
    const ended = await live.engine.seen(run, 'at its end', ({ status, statusReason }) => {
      if (status === 'needs attention') parked = statusReason;
      return status === 'finished';
    });
    await live.engine.ended(run);
    expect(parked).toBeNull();
    // It was wanted, and is no more there than it was.
    const groups = Array.from(
      { length: STEPS * BATCH },
      (_, index) => [1 + Math.floor(index / BATCH), 0, index % BATCH] as const,
    );
    expect(
      groups.filter(
        (place) => drawModel(ended.config, 'exploit', rng(ended.config.seed, 'model', ...place)).name === 'gone',
      ).length,
    ).toBeGreaterThan(3);
    expect(gone.arrived()).toBe(0);
    expect(ended).toMatchObject({ stopReason: 'steps', statusReason: null, committedStep: STEPS });
    const made = await expectWhole(live.engine.store, run, { steps: STEPS, perStep: BATCH * RESPONSES });

    // Who answered is on record, garbage counts as what it is, and nothing else is called garbage.
    const rollouts = [...(await live.engine.store.getRollouts(made.map(({ id }) => id))).values()];
    expect(rollouts).toHaveLength(STEPS * BATCH * RESPONSES);
    const writerOf = new Map(rollouts.map(({ _id, asked, model }) => [_id, asked ?? model]));
    expect(made.filter(({ outcome }) => outcome === 'no_diff').map(({ id }) => id)).toEqual(
      made.filter(({ id }) => writerOf.get(id) === 'garbled').map(({ id }) => id),
    );
    expect(new Set(writerOf.values())).toEqual(new Set(['garbled', 'limited']));
    expect(limited.arrived()).toBeGreaterThan(limited.asked.length);

    // Every answer that was billed is counted once, and none was asked for twice.
    const bills = [gone, garbled, limited].map((endpoint) => endpoint.billed());
    const tokens = {
      in: bills.reduce((sum, bill) => sum + bill.in, 0),
      out: bills.reduce((sum, bill) => sum + bill.out, 0),
    };
    const { totals } = await live.engine.document(run);
    expect(totals.tokens).toMatchObject(tokens);
    expect(totals.costUsd).toBeCloseTo((tokens.in + tokens.out) / 1e6, 9);
    const requests = [...garbled.asked, ...limited.asked];
    expect(requests.reduce((sum, { n }) => sum + n, 0)).toBe(STEPS * BATCH * RESPONSES);
    expect(new Set(requests.map(({ prompt, seed }) => `${seed} ${prompt}`)).size).toBe(requests.length);
  });
});
