// What a run's workflow says of itself while it is opened and while a window of steps is under way, and with which share
// of the workers it asks, on a Temporal server with played activities.
import { Context } from '@temporalio/activity';
import { describe, expect, it } from 'vitest';
import { progressOf } from '../../../client/temporal/workflow.ts';
import { type Asked, BRIEF, type Cast, conductorWorld, refusal } from '../../support/engine/conductor.ts';
import { until } from '../../support/machine/home.ts';

const world = conductorWorld();

describe('a run', () => {
  it('that cannot be opened ends when it is stopped', async () => {
    const cast = world.cast(
      'unopened',
      {},
      {
        openRun: () => {
          throw refusal('the evaluator has changed', 'TaskChanged');
        },
      },
    );
    const handle = await world.start(cast);
    await until('to be parked', 60_000, async () =>
      Boolean((await handle.describe()).searchAttributes.EvoNeedsAttention?.[0]),
    );
    await handle.signal('stop', { reason: 'enough' });
    expect(await handle.result()).toMatchObject({ status: 'stopped', stopReason: expect.stringContaining('enough') });
    expect(cast.of('openRun')).toHaveLength(1);
    expect(cast.of('markRun').map(({ asked }) => asked.status)).toEqual(['stopped']);
  });

  it('that has ended has its files written, and ends without them where that fails', async () => {
    const cast = world.cast(
      'unwritten',
      {},
      {
        writeResults: () => {
          throw refusal('no worker knows how');
        },
      },
    );
    expect(await (await world.start(cast)).result()).toMatchObject({ status: 'finished', steps: 1 });
    expect(cast.calls.slice(-2)).toMatchObject([
      { activity: 'markRun', asked: { status: 'finished' } },
      { activity: 'writeResults', asked: { run: 'unwritten' } },
    ]);
  });

  it('that is in a window shows how far its uncommitted steps are', async () => {
    const limits = { steps: 4, programs: null, tokens: null, costUsd: null, wallSeconds: null, targetScore: null };
    const plan = { groups: 2, responses: 1, perRequest: 1, window: { last: 4, islands: 2 } };
    const cast = world.cast('shown', plan, {}, { limits });
    const release = cast.hold('generate', ({ group, step }) => group === 1 && step === 3);
    const handle = await world.start(cast);
    await cast.asked('commitStep', ({ step }) => step === 2);
    await cast.asked('evaluate', ({ step, slots }) => step === 4 && slots.includes(0));
    const said = () => progressOf({ client: world.client, connection: world.connection } as never, 'shown', 10_000);
    await until('the second commit to be told', 60_000, async () => (await said()).step === 3);
    expect(await said()).toMatchObject({ step: 3, workflow: 1, inStep: { total: 3, responses: 2 } });
    release();
    expect(await handle.result()).toMatchObject({ status: 'finished', steps: 4 });
  });

  it('that is over goes on when it is extended, whatever its score on hidden instances waits for', async () => {
    const shares: unknown[] = [];
    const best = { program: 'hidden-best', step: 0, score: 1, strictScore: 1, fit: 1 };
    const limits = { ...BRIEF.limits, steps: 1 };
    const settings = { ...BRIEF, holdout: true, best, limits: { ...limits, steps: 2 }, configVersion: 2 };
    const cast: Cast = world.cast(
      'over',
      { groups: 1, responses: 1, perRequest: 1 },
      {
        changeSettings: () => ({ version: 2, changed: ['limits.steps'], settings }),
        evaluateHidden: ({ program }) => {
          shares.push(Context.current().info.priority);
          return { program, outcome: 'valid', score: 1, initial: 1 };
        },
      },
      { holdout: true, best, limits, weight: 2 },
    );
    const release = cast.hold('evaluateHidden');
    const handle = await world.start(cast);
    await cast.asked('commitStep', ({ step }) => step === 1);
    await handle.executeUpdate('extend', { args: [{ steps: 2 }] });
    await cast.asked('commitStep', ({ step }) => step === 2);
    expect(cast.of('evaluateHidden').every(({ ended }) => !ended)).toBe(true);
    release();
    expect(await handle.result()).toMatchObject({ status: 'finished', steps: 2 });
    // Its own share, small beside that of the programs, and no lower priority.
    expect(shares[0]).toMatchObject({ priorityKey: 2, fairnessKey: 'over:h', fairnessWeight: 0.5 });
  });

  it('asks with its own weight, which may change, and as a person or a sweep', async () => {
    const shares: string[] = [];
    const noted = (activity: string, answer: (asked: Asked) => unknown) => (asked: Asked) => {
      const { priorityKey, fairnessKey, fairnessWeight } = Context.current().info.priority ?? {};
      shares.push(`${activity} ${asked.step}: ${priorityKey} ${fairnessKey} ${fairnessWeight}`);
      return answer(asked);
    };
    const limits = { steps: 2, programs: null, tokens: null, costUsd: null, wallSeconds: null, targetScore: null };
    for (const sweep of [null, 'many']) {
      const settings = { ...BRIEF, sweep, limits, configVersion: 2, weight: 5 };
      const run = sweep === null ? 'weighty' : 'swept';
      const cast: Cast = world.cast(
        run,
        { groups: 1, responses: 1, perRequest: 1 },
        {
          changeSettings: noted('changeSettings', () => ({ version: 2, changed: ['run.weight'], settings })),
          evaluate: noted('evaluate', ({ slots }) => ({ evaluated: slots.length })),
        },
        { limits, sweep, weight: 2 },
      );
      const release = cast.hold('evaluate', ({ step }) => step === 1);
      const handle = await world.start(cast);
      await cast.asked('evaluate');
      await handle.executeUpdate('set', { args: [{ patch: { run: { weight: 5 } } }] });
      release();
      await handle.result();
    }
    // What a run that nobody gave a share does for itself has the priority of messages, and no key.
    expect(shares).toEqual([
      'changeSettings undefined: 1  0',
      'evaluate 1: 2 weighty 2',
      'evaluate 2: 2 weighty 5',
      'changeSettings undefined: 1  0',
      'evaluate 1: 3 swept 2',
      'evaluate 2: 3 swept 5',
    ]);
  });
});
