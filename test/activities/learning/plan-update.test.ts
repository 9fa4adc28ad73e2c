// The updates that are planned of a step: over the store in memory, with scripted answers and a trainer that is made
// by arithmetic.
import { describe, expect, it } from 'vitest';
import { rebuiltHash } from '../../../activities/learning/batch.ts';
import { rebuildRun } from '../../../activities/rebuild/rebuild.ts';
import type { Store } from '../../../activities/store/store.ts';
import { promptId } from '../../../evolution/ids.ts';
import { advantagesOf } from '../../../evolution/learning/advantages.ts';
import { codeWorld, programsOf, run, tokensOf } from '../../support/worlds/code-world.ts';
import { learner, LEARNS, readBatch } from '../../support/worlds/learning-world.ts';
import { research } from '../../support/worlds/research-world.ts';

const settings = (learning: object = {}, more: object = {}) => ({
  method: 'theta',
  batch: 2,
  responses: 4,
  population: { islands: 1 },
  prompt: { frame: 'paper' },
  repair: { rounds: 0 },
  ...LEARNS,
  learning: { ...LEARNS.learning, warmup: null, ...learning },
  ...more,
});
const SCORE = (code: string): number => Number(/middle_x = 0\.(\d+)/.exec(code)![1]) % 1000;

const begun = async (of: object, score: (code: string) => number | null = SCORE, sampled = tokensOf) => {
  const world = codeWorld(of, { score, sampled });
  await world.open();
  await world.step(0);
  return { ...world, ...learner(world.store, run) };
};
const stepped = async (of: object, score?: (code: string) => number | null) => {
  const world = await begun(of, score);
  await world.settle(0);
  await world.step(1);
  return world;
};

describe('the first step', () => {
  it('makes version 0, and with a warm-up version 1; the step is settled then', async () => {
    const world = await begun(settings({ warmup: { examples: 20, steps: 5, batch: 4, learningRate: 0.01 } }));
    const { orders, brief } = await world.settle(0);
    expect(orders.map(({ kind, version, rollouts }) => [kind, version, rollouts])).toEqual([
      ['start', 0, 0],
      ['supervised', 1, 20],
    ]);
    expect(orders.map(({ policy }) => policy)).toEqual(
      orders.map(({ updateId }, version) => `r-v000${version}-${updateId.slice(0, 8)}`),
    );
    expect(brief).toMatchObject({ on: true, learned: 0, policy: { version: 1 } });
    const { rows, metadata } = await readBatch(world.store, run, orders[1]!.updateId);
    expect(metadata).toMatchObject({ format: 'evolve-batch/1', kind: 'supervised', total: '20' });
    expect(JSON.parse(metadata['hyper']!)).toMatchObject({ supervised: { steps: 5, batch: 4, learningRate: 0.01 } });
    expect(new Set(rows.map(({ id }) => id)).size).toBe(20);
    for (const { messages, response } of rows) {
      expect(JSON.parse(String(messages))).toMatchObject([{ role: 'system' }, { role: 'user' }]);
      expect(response).toMatch(/messages, seed \d+$/);
    }
    expect(await world.plan(0)).toEqual({ settled: brief });
  });

  it('of another run that begins alike has the same examples, and its own policies', async () => {
    const of = settings({ warmup: { examples: 8, steps: 1, batch: 4, learningRate: 0.01 } });
    const [one, other] = [await begun(of), await begun(of)];
    expect((await one.settle(0)).orders).toEqual((await other.settle(0)).orders);
  });
});

describe('a step of programs', () => {
  it('ThetaEvolve 22: becomes a batch in the order of group and sample, the same however often it is planned', async () => {
    const world = await stepped(settings());
    const first = await world.plan(1);
    expect(await world.plan(1)).toEqual(first);
    if (!('order' in first)) throw new Error('expected an update');
    const { order } = first;
    expect(order).toMatchObject({ kind: 'policy', version: 1, step: 1, trainer: 'reference' });
    const programs = (await programsOf(world.store)).filter(({ step }) => step === 1);
    const { rows, metadata, batch } = await readBatch(world.store, run, order.updateId);
    expect(metadata).toMatchObject({ kind: 'policy', total: '8' });
    expect(rows.map(({ id, reward }) => [id, reward])).toEqual(programs.map(({ _id, reward }) => [_id, reward]));
    for (const group of [0, 1]) {
      const own = rows.slice(4 * group, 4 * group + 4);
      expect(own.map(({ group: name }) => name)).toEqual(own.map(() => promptId(run, 1, 0, group)));
      expect(own.map(({ advantage }) => advantage)).toEqual(
        advantagesOf(
          'grpo',
          own.map(({ reward }) => Number(reward)),
        ),
      );
      for (const { id, prompt, response, logprobs } of own) {
        const sample = (await world.store.getSamples([String(id)])).get(String(id))!;
        for (const [came, expected] of [
          [prompt, sample.prompt],
          [response, sample.response],
          [logprobs, sample.logprobs],
        ])
          expect([...(came as Iterable<number>)]).toEqual([...(expected as Iterable<number>)]);
      }
    }
    const update = (await world.store.readUpdate(run, order.updateId))!;
    expect(update.stats).toMatchObject({ groups: 2, zeroVariance: 0, missing: 0 });
    expect(await rebuiltHash(world.store, run, update)).toBe(batch.hash);
    // Other hyperparameters are another update.
    expect(await rebuiltHash(world.store, run, { ...update, hyper: update.hyper.replace('0.28', '0.3') })).not.toBe(
      batch.hash,
    );
  });

  it('counts answers without tokens or with broken logprobs in N, and trains on the others', async () => {
    let sampled = 0;
    const world = await begun(settings(), SCORE, (seed) => (sampled++ === 0 ? { broken: 'no ids' } : tokensOf(seed)));
    await world.settle(0);
    await world.step(1);
    const plan = await world.plan(1);
    if (!('order' in plan)) throw new Error('expected an update');
    const { metadata, rows } = await readBatch(world.store, run, plan.order.updateId);
    expect([metadata['total'], rows.length]).toEqual(['8', 7]);
    expect((await world.store.readUpdate(run, plan.order.updateId))!.stats.missing).toBe(1);
  });

  it.each([
    ['all rewards are the same', settings(), () => 5, /rewards of each of its 2 groups are all the same/],
    ['learning is off', settings({ on: false }), SCORE, /learning\.on is false/],
  ])('is settled without an update where %s', async (_, of, score, note) => {
    const world = await stepped(of, score);
    const plan = await world.plan(1);
    expect(plan).toMatchObject({ settled: { learned: 1, policy: { version: 0 } } });
    expect('settled' in plan && plan.settled.last).toMatch(note);
    expect((await world.store.readRun(run))!.learned).toBe(1);
  });

  it('of equal rewards is an update all the same with learning.whenConstant step', async () => {
    const world = await stepped(settings({ whenConstant: 'step' }), () => 5);
    const plan = await world.plan(1);
    if (!('order' in plan)) throw new Error('expected an update');
    // All are sent, with advantages of 0: no trainer takes a batch without rows.
    expect(plan.order.rollouts).toBe(8);
    expect((await readBatch(world.store, run, plan.order.updateId)).metadata['total']).toBe('8');
  });

  it('that was rewound is superseded', async () => {
    const world = await stepped(settings());
    await expect(world.plan(2)).rejects.toMatchObject({ type: 'SupersededError' });
  });

  it('ThetaEvolve 23: is played as without learning, where the model answers the same', async () => {
    const world = await stepped(settings());
    await world.settle(1);
    await world.step(2);
    const { learning: _, ...rest } = settings();
    const plain = codeWorld({ ...rest, model: { ...LEARNS.model, trainable: false } }, { score: SCORE });
    await plain.play(2);
    expect((await programsOf(world.store)).map(({ _id, code, reward }) => [_id, code, reward])).toEqual(
      (await programsOf(plain.store)).map(({ _id, code, reward }) => [_id, code, reward]),
    );
  });
});

describe('a rebuild', () => {
  const learned = async () => {
    const world = await begun(settings());
    await world.settle(0);
    for (const step of [1, 2]) {
      await world.step(step);
      await world.settle(step);
    }
    return world;
  };

  it('finds the policies of a run, and of its fork, as its steps have stored what they were trained on', async () => {
    const { store } = await learned();
    const { config, policy } = (await store.readRun(run))!;
    expect(policy).toMatchObject({ version: 2 });
    expect(await rebuildRun({ store }, run)).toMatchObject({ steps: 3, policies: 3, differences: [] });
    await store.createFork({ run: 'f', from: run, step: 1, config, createdAt: new Date() });
    await store.openStep(run, 1, 'reset');
    expect(await rebuildRun({ store }, run)).toMatchObject({ steps: 1, policies: 1, differences: [] });
    expect(await rebuildRun({ store }, 'f')).toMatchObject({ steps: 2, policies: 2, differences: [] });
  });

  it('tells an answer that was changed, a lost chunk, other weights and a policy that the steps do not say', async () => {
    const { store } = await learned();
    const now = (await store.readRun(run))!;
    const damages: readonly (readonly [string, Partial<Store>])[] = [
      [
        'batch of policy',
        {
          getSamples: async (ids) =>
            new Map(
              [...(await store.getSamples(ids))].map(([id, one]) => [
                id,
                { ...one, logprobs: one.logprobs.map((x) => x - 1) },
              ]),
            ),
        },
      ],
      ['stored batch of policy', { readBatch: (batch) => store.readBatch({ ...batch, chunks: batch.chunks + 1 }) }],
      ['weights of policy', { readUpdate: async (...of) => ({ ...(await store.readUpdate(...of))!, result: null }) }],
      ['last step that is learned from, and is committed', { readRun: async () => ({ ...now, learned: 7 }) }],
      [
        'version of policy',
        { policyChain: async (of) => (await store.policyChain(of)).filter(({ version }) => version !== 1) },
      ],
    ];
    for (const [what, damage] of damages) {
      const { differences } = await rebuildRun({ store: { ...store, ...damage } }, run);
      expect(
        differences.map((one) => one.what.startsWith(what)),
        what,
      ).toContain(true);
    }
  });
});

describe('a policy of another run', () => {
  it('is where version 0 begins, where trainer and base are the same', async () => {
    const world = await begun(settings());
    const { orders } = await world.settle(0);
    const next = codeWorld(settings({}, { model: { ...LEARNS.model, policy: 'r@0' } }), { score: SCORE });
    await next.open();
    await next.step(0);
    await expect(learner(next.store, run).plan(0)).rejects.toThrow(
      /model\.policy: expected a policy as <run>@<version>/,
    );
    const stored = (await world.store.readPolicy(orders[0]!.policy))!;
    await next.store.commitPolicy({ ...stored, _id: 'r-v0000-other', run: 'before', trainer: 'tinker' }, 0);
    const from = codeWorld(settings({}, { model: { ...LEARNS.model, policy: 'before@0' } }), { score: SCORE });
    await from.open();
    await from.step(0);
    await from.store.commitPolicy({ ...stored, _id: 'before-v0000-x', run: 'before', trainer: 'tinker' }, 0);
    await expect(learner(from.store, run).plan(0)).rejects.toThrow(/learning\.trainer.*which tinker trained/);
  });

  it('hands over its training state, and needs no warm-up', async () => {
    const warmup = { examples: 4, steps: 1, batch: 4, learningRate: 0.01 };
    const world = await begun(settings({ warmup }, { model: { ...LEARNS.model, policy: 'before@3' } }));
    const other = { ...(await begun(settings())), id: 'before-v0003-x' };
    const { orders } = await other.settle(0);
    const stored = (await other.store.readPolicy(orders[0]!.policy))!;
    await world.store.commitPolicy({ ...stored, _id: other.id, run: 'before', version: 3, trainingState: 'state' }, 0);
    const settled = await world.settle(0);
    expect(settled.orders.map(({ kind }) => kind)).toEqual(['start']);
    expect(await world.store.readUpdate(run, settled.orders[0]!.updateId)).toMatchObject({
      parent: other.id,
      parentState: 'state',
    });
  });
});

describe('ideas and judgements', () => {
  it('are groups of their step: an idea is worth its programs, a judgement whether it was right', async () => {
    const world = research(
      { result: (number) => ({ score: number / 100, strictScore: number / 100 }) },
      {
        ...LEARNS,
        batch: 3,
        responses: 1,
        population: { islands: 1 },
        prompt: { frame: 'paper' },
        ideation: { judgeTemperature: 0.7 },
        learning: { ...LEARNS.learning, warmup: null },
        model: { ...LEARNS.model, roles: ['idea', 'judge'], temperature: 0.7 },
        models: [{ name: 'writer', roles: ['exploit'], baseUrl: 'http://127.0.0.1:9/v1' }],
      },
    );
    await world.open();
    await world.step(0);
    const { settle, plan } = learner(world.store, 'r');
    await settle(0);
    await world.step(1);
    const programs = (await programsOf(world.store, 'r')).filter(({ step }) => step === 1);
    expect(programs.every(({ outcome }) => outcome === 'valid')).toBe(true);
    const planned = await plan(1);
    if (!('order' in planned)) throw new Error('expected an update');
    const { rows } = await readBatch(world.store, 'r', planned.order.updateId);
    // Every idea passed. All programs are better than the initial one, so that all judgements were right: a constant group.
    expect(rows.map(({ id, group, reward }) => [id, group, reward])).toEqual(
      programs.map(({ reward }, group) => [`${promptId('r', 1, 0, group)}:idea`, 'r:000001:0:idea', reward]),
    );
    expect((await world.store.readUpdate('r', planned.order.updateId))!.stats).toMatchObject({
      groups: 2,
      zeroVariance: 1,
    });
  });
});
