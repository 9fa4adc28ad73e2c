// Doing steps again: retry of a parked step, rewind, fork. What was paid for is not paid again unless somebody asks
// for it.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { paidSoFar } from '../../../activities/store/steps/paid.ts';
import { programId } from '../../../evolution/ids.ts';
import { startEndpoint, type Endpoint } from '../../support/models/endpoint.ts';
import { words } from '../../support/engine/engine.ts';
import { until } from '../../support/machine/home.ts';
import { allDifferent, endpointFor, sharedHome } from '../../support/machine/live.ts';
import { expectWhole, factsOf } from '../../support/machine/whole.ts';

const [BATCH, RESPONSES] = [4, 2];
const PER_STEP = BATCH * RESPONSES;

describe('replay', () => {
  const live = sharedHome();
  const start = (run: string, { url }: Endpoint, steps: number): Promise<void> =>
    live.engine.start(run, {
      seed: 9,
      batch: BATCH,
      responses: RESPONSES,
      limits: { steps },
      model: { name: 'small', baseUrl: url },
      evaluation: { sandbox: 'noop' },
    });
  /** Sends the command and waits until the run has begun again. */
  const rewound = async (run: string, send: () => Promise<unknown>): Promise<void> => {
    const { generation } = await live.engine.document(run);
    await send();
    await live.engine.seen(run, 'begun again', (document) => document.generation > generation);
  };
  /**
   * What the endpoint billed is what every counter says: usage, status, doctor, and the sum that limits are held against.
   * `again` programs were used twice and paid once.
   */
  const paidOnce = async (run: string, { billed }: Endpoint, again: number): Promise<void> => {
    const tokens = billed().in + billed().out;
    const { total, rewound, reused, unanswered } = await live.home.json(['usage', run]);
    expect(total.tokens.in + total.tokens.out + rewound.tokens).toBe(tokens);
    expect([reused.programs, unanswered.requests]).toEqual([again, 0]);
    expect((await live.home.json(['status', run])).paid.tokens).toBe(tokens);
    const { programs, ...paid } = paidSoFar(await live.engine.document(run));
    expect(paid.tokens).toBe(tokens);
    const doctor = await live.must('doctor', run);
    expect(doctor.match(/(\d+) programs \(\d+ tokens[^)]*\) were used again/)?.[1]).toBe(
      again > 0 ? `${again}` : undefined,
    );
    expect(doctor.match(/(\d+) programs \(\d+ tokens[^)]*\) of steps that were rewound/)?.[1]).toBe(
      rewound.programs > 0 ? `${rewound.programs}` : undefined,
    );
    expect(total.answers + rewound.programs).toBe(programs);
  };
  /** Collections of an export, but for those that say who did what. */
  const export_ = async (run: string, name: string): Promise<object> => {
    const { collections } = await live.home.json(['export', run, '--to', join(live.home.dir, name)]);
    const { actions: _, runs: __, ...others } = collections;
    return others;
  };

  /** A run of two steps whose first one parks with two of its four groups answered. */
  const parked = async (run: string, endpoint: Endpoint): Promise<void> => {
    endpoint.refuseAfter(2);
    await start(run, endpoint, 2);
    const document = await live.engine.seen(run, 'parked', ({ status }) => status === 'needs attention');
    expect(document.statusReason).toMatch(/401/);
    await until(
      'the answers to be stored',
      30_000,
      async () =>
        (await live.engine.store.getRollouts(Array.from({ length: PER_STEP }, (_, slot) => programId(run, 1, 0, slot))))
          .size ===
        2 * RESPONSES,
    );
    endpoint.be('answers');
  };

  it('retry of a parked step: stored responses are kept, nothing is asked twice', async () => {
    const endpoint = await endpointFor();
    await parked('kept', endpoint);
    expect((await live.home.evolve(['list'])).stdout).toContain('needs attention');
    expect((await live.home.json(['status', 'kept'])).stopReason).toMatch(/401/);
    await live.must('retry', 'kept');
    expect(await live.engine.ended('kept', 25_000)).toMatchObject({ status: 'finished', epochs: [], setAside: [] });
    const programs = await expectWhole(live.engine.store, 'kept', { steps: 2, perStep: PER_STEP });
    expect(programs.every(({ id }) => id.split(':')[2] === '0')).toBe(true);
    expect(endpoint.asked).toHaveLength(2 * BATCH);
    expect(allDifferent(endpoint)).toBe(true);
    await paidOnce('kept', endpoint, 0);
  });

  it('retry --resample asks afresh under a new epoch; the old responses stay readable and stay paid', async () => {
    const endpoint = await endpointFor();
    await parked('afresh', endpoint);
    await live.must('retry', 'afresh', '--resample');
    const ended = await live.engine.ended('afresh', 25_000);
    expect(ended.epochs).toMatchObject([{ step: 1, epoch: 1 }]);
    expect(ended.setAside).toMatchObject([{ step: 1, epoch: 0, programs: 2 * RESPONSES }]);
    expect(paidSoFar(ended).programs).toBe(2 * PER_STEP + 2 * RESPONSES);
    const programs = await expectWhole(live.engine.store, 'afresh', { steps: 2, perStep: PER_STEP });
    expect(programs.every(({ id }) => id.split(':')[2] === '1')).toBe(true);
    expect(endpoint.asked).toHaveLength(2 + 2 * BATCH);
    expect(allDifferent(endpoint)).toBe(true);
    const old = await live.engine.store.getRollouts(
      Array.from({ length: PER_STEP }, (_, slot) => programId('afresh', 1, 0, slot)),
    );
    expect(old.size).toBe(2 * RESPONSES);
    await paidOnce('afresh', endpoint, 0);
  });

  describe('rewind', () => {
    let endpoint: Endpoint;
    beforeAll(async () => {
      endpoint = await startEndpoint();
      await start('back', endpoint, 4);
      await live.engine.ended('back');
    });
    afterAll(() => endpoint.stop());

    it('of a finished run starts it again: the same programs for the steps done again, no request for them, then new ones', async () => {
      const before = await expectWhole(live.engine.store, 'back', { steps: 4, perStep: PER_STEP });
      const [asked, { best, totals }] = [endpoint.asked.length, await live.engine.document('back')];
      expect((await live.home.evolve(['rewind', 'back', '--to-step', '5'])).code).toBe(2);
      await rewound('back', () => live.must('rewind', 'back', '--to-step', '2'));
      expect(await live.engine.ended('back')).toMatchObject({
        status: 'finished',
        committedStep: 4,
        best,
        totals,
        setAside: expect.any(Array),
      });
      expect(await expectWhole(live.engine.store, 'back', { steps: 4, perStep: PER_STEP })).toEqual(before);
      expect(endpoint.asked).toHaveLength(asked);
      const steps = await live.home.lines(['steps', 'back', '--all']);
      expect(steps.filter(({ superseded }) => superseded).map(({ step, generation }) => [step, generation])).toEqual([
        [2, 1],
        [3, 1],
        [4, 1],
      ]);
      expect(steps.filter(({ superseded }) => !superseded).map(({ step, generation }) => [step, generation])).toEqual([
        [0, 1],
        [1, 1],
        [2, 2],
        [3, 2],
        [4, 2],
      ]);
      await live.must('extend', 'back', '--steps', '5');
      await live.engine.ended('back');
      await expectWhole(live.engine.store, 'back', { steps: 5, perStep: PER_STEP });
      expect(endpoint.asked).toHaveLength(asked + BATCH);
      expect(paidSoFar(await live.engine.document('back')).programs).toBe(5 * PER_STEP);
      await paidOnce('back', endpoint, 3 * PER_STEP);
    });

    it('--resample: other programs under epoch 1, the old future stays inspectable and paid', async () => {
      const before = await expectWhole(live.engine.store, 'back', { steps: 5, perStep: PER_STEP });
      const asked = endpoint.asked.length;
      await rewound('back', () => live.must('rewind', 'back', '--to-step', '4', '--resample'));
      const ended = await live.engine.ended('back');
      expect(paidSoFar(ended).programs).toBe(7 * PER_STEP);
      await paidOnce('back', endpoint, 2 * PER_STEP);
      const after = await expectWhole(live.engine.store, 'back', { steps: 5, perStep: PER_STEP });
      expect(after.filter(({ step }) => step < 4)).toEqual(before.filter(({ step }) => step < 4));
      expect(after.map(({ step, id }) => [step, id.split(':')[2]])).toEqual(
        before.map(({ step }) => [step, step < 4 ? '0' : '1']),
      );
      expect(endpoint.asked).toHaveLength(asked + 2 * BATCH);
      expect(allDifferent(endpoint)).toBe(true);
      const shown = await live.must('show', programId('back', 5, 0, 1));
      expect(shown).toContain(
        before
          .find(({ step, slot }) => step === 5 && slot === 1)!
          .code!.trim()
          .split('\n')[0],
      );
      expect((await live.home.lines(['steps', 'back', '--all'])).filter(({ superseded }) => superseded)).toHaveLength(
        5,
      );
    });

    it('of an open run is an update: the step at hand is rewound, the run goes on from there', async () => {
      endpoint.setLatency(400);
      await live.must('extend', 'back', '--steps', '8');
      await live.engine.seen('back', 'a new step', ({ committedStep }) => committedStep >= 6);
      expect(await live.engine.update('back', 'rewind', { toStep: 90 }).then(() => 'taken', words)).toMatch(
        /"toStep" expected 1 to \d/,
      );
      expect(await live.engine.update('back', 'rewind', { toStep: 0 }).then(() => 'taken', words)).toContain(
        'Step 0 is done again only while a run has no valid program',
      );
      await rewound('back', async () =>
        expect(await live.engine.update('back', 'rewind', { toStep: 3 })).toEqual({ toStep: 3 }),
      );
      endpoint.setLatency(0);
      expect(await live.engine.ended('back')).toMatchObject({ status: 'finished', committedStep: 8 });
      const programs = await expectWhole(live.engine.store, 'back', { steps: 8, perStep: PER_STEP });
      expect(programs.filter(({ step }) => step >= 4).every(({ id }) => id.split(':')[2] === '1')).toBe(true);
    });
  });

  it('a fork goes on from a step of its parent; neither changes the other', async () => {
    const endpoint = await endpointFor();
    await start('parent', endpoint, 3);
    await live.engine.ended('parent');
    const parent = await expectWhole(live.engine.store, 'parent', { steps: 3, perStep: PER_STEP });
    const [document, exported, asked] = [
      await live.engine.document('parent'),
      await export_('parent', 'before'),
      endpoint.asked.length,
    ];

    expect((await live.home.evolve(['fork', 'parent', '--at-step', '9', '--run', 'child'])).code).toBe(2);
    await live.must('fork', 'parent', '--at-step', '2', '--run', 'child', '--steps', '4', '--detach');
    expect(await live.engine.ended('child')).toMatchObject({
      status: 'finished',
      committedStep: 4,
      origin: { run: 'parent', step: 2 },
    });
    const child = await expectWhole(live.engine.store, 'child', { steps: 4, perStep: PER_STEP });
    expect(child.filter(({ step }) => step <= 2)).toEqual(parent.filter(({ step }) => step <= 2));
    expect(child.filter(({ step }) => step > 2).every(({ id }) => id.startsWith('child:'))).toBe(true);
    expect(endpoint.asked).toHaveLength(asked + 2 * BATCH);
    const { actedAt, ...after } = await live.engine.document('parent');
    expect(actedAt).toBeInstanceOf(Date);
    expect({ ...after, actedAt: document.actedAt }).toEqual({ ...document, actedAt: document.actedAt });
    expect(await export_('parent', 'after')).toEqual(exported);
    const [usage, own_] = [await live.home.json(['usage', 'child']), await live.home.json(['usage', 'parent'])];
    const { in: read, out } = endpoint.billed();
    expect(usage.inherited.answers).toBe(2 * PER_STEP);
    expect(
      [usage.total, own_.total].reduce((sum, { tokens }) => sum + tokens.in + tokens.out, 0) -
        (usage.inherited.tokens.in + usage.inherited.tokens.out),
    ).toBe(read + out);

    await rewound('parent', () => live.must('rewind', 'parent', '--to-step', '1'));
    await live.engine.ended('parent');
    expect(await expectWhole(live.engine.store, 'parent', { steps: 3, perStep: PER_STEP })).toEqual(parent);
    expect(await expectWhole(live.engine.store, 'child', { steps: 4, perStep: PER_STEP })).toEqual(child);
    await rewound('parent', () => live.must('rewind', 'parent', '--to-step', '1', '--resample'));
    await live.engine.ended('parent');
    const again = await expectWhole(live.engine.store, 'parent', { steps: 3, perStep: PER_STEP });
    expect(factsOf(again)).not.toEqual(factsOf(parent));
    expect(await expectWhole(live.engine.store, 'child', { steps: 4, perStep: PER_STEP })).toEqual(child);

    await live.must('extend', 'child', '--steps', '5');
    await live.engine.ended('child');
    await expectWhole(live.engine.store, 'child', { steps: 5, perStep: PER_STEP });
    await rewound('child', () => live.must('rewind', 'child', '--to-step', '2'));
    await live.engine.ended('child');
    const own = await expectWhole(live.engine.store, 'child', { steps: 5, perStep: PER_STEP });
    expect(own.filter(({ step }) => step === 1)).toEqual(child.filter(({ step }) => step === 1));
    expect(own.filter(({ step }) => step === 2).every(({ id }) => id.startsWith('child:'))).toBe(true);
    expect(await expectWhole(live.engine.store, 'parent', { steps: 3, perStep: PER_STEP })).toEqual(again);
    for (const run of ['parent', 'child']) await live.must('rebuild', run);
  });
});
