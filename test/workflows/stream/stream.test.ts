// How windows of a stream are conducted: who is asked when, what is committed in which order, and that nothing is lost
// or done twice at their seams. Activities are played, so that the order of answers is the test's.
import { describe, expect, it } from 'vitest';
import { type Asked, type Cast, conductorWorld, refusal, turned } from '../../support/engine/conductor.ts';
import { until } from '../../support/machine/home.ts';
import { runDocument } from '../../support/domain/run-document.ts';
import { streamCast } from '../../support/engine/stream-cast.ts';
import { codeWorld, programsOf, run } from '../../support/worlds/code-world.ts';
import { rebuildRun } from '../../../activities/rebuild/rebuild.ts';
import { createGenerateBatch, type BatchDeps } from '../../../activities/llm/chat/batched.ts';
import type { Engine } from '../../../client/connect/connection.ts';
import { readStream } from '../../../client/doctor/stream-state.ts';
import { shippedTask } from '../../support/domain/shipped-tasks.ts';
import { stepWorkflowId } from '../../../evolution/ids.ts';
import { internal } from '../../../workflows/engine/form.ts';
import { rng } from '../../../evolution/rng.ts';
import { setTimeout as sleep } from 'node:timers/promises';

const NO_HOSTS = { listHosts: async () => [], committedAt: async () => null, readRate: async () => null };
const world = conductorWorld();
const STREAM = { first: 1, pending: [], planned: 0, batch: 2, inFlight: 4, last: null, steps: 1, window: 512 };
const plan = (responses: number, more: object = {}) => ({
  ...{ groups: 0, responses, perRequest: responses },
  stream: { ...STREAM, ...more },
});
type Turn = { readonly step: number; readonly groups: readonly number[]; readonly omitted: readonly number[] };
const turns = (cast: Cast): readonly Turn[] =>
  cast.of('turnStream').flatMap(({ asked: { step, commit, further = [] } }) => {
    const commits = commit === undefined ? [] : [commit, ...(further as readonly unknown[])];
    return (commits as readonly Omit<Turn, 'step'>[]).map(({ groups, omitted }, index) => ({
      step: step + index,
      groups,
      omitted,
    }));
  });
const groups = (cast: Cast): readonly number[] => turns(cast).flatMap((turn) => turn.groups);
const steps = (cast: Cast): readonly number[] => turns(cast).map(({ step }) => step);
const asked = (cast: Cast): readonly number[] => cast.of('generate').map((call) => call.asked.group);
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const sorted = (numbers: readonly number[]): readonly number[] => [...numbers].sort((a, b) => a - b);

/** Holds the first commit until the programs behind it are evaluated, so that several steps wait for one turn. */
const withCommitHeld = async (cast: Cast): Promise<void> => {
  const release = cast.hold('turnStream', ({ commit }) => commit !== undefined);
  const handle = await world.step(cast, { window: { steps: null, programs: 24 } });
  await cast.asked('turnStream', ({ commit }) => commit !== undefined);
  await until('the others to be evaluated', 60_000, async () => {
    const { evaluated } = await handle.query<{ readonly evaluated: number }>('inStep');
    return evaluated >= 16;
  });
  release();
  await handle.result();
};

describe('a stream', () => {
  it('goes on while an answer is slow: others are committed in the order in which they were finished', async () => {
    const cast = world.cast('slow', plan(1));
    const release = cast.hold('generate', ({ group }) => group === 1);
    const handle = await world.step(cast, { window: { steps: null, programs: 12 } });
    await until('all others to be committed', 60_000, async () => groups(cast).length === 10);
    expect(groups(cast)).not.toContain(1);
    expect(await handle.query('inStep')).toMatchObject({ total: 2, responses: 1, evaluated: 1 });
    // What `evolve doctor <run>` reads of it.
    const { client } = world;
    const engine = { client, connection: client.connection, namespace: 'default' } as Engine;
    const doctor = await until('the window to be listed', 30_000, async () => {
      const read = await readStream(NO_HOSTS, engine, runDocument({ run: handle.workflowId.split('/')[1]! }));
      return read.windows.length > 0 ? read : null;
    });
    expect(doctor).toMatchObject({
      windows: [{ number: 1, execution: { state: 'RUNNING', pending: [{ activity: 'generateBatch' }] } }],
      counts: { total: 2, responses: 1, applied: 1, toEvaluate: 1, evaluated: 1 },
      rates: expect.arrayContaining([expect.objectContaining({ queue: 'evolve-llm', perSecond: null })]),
      polled: new Set(),
    });
    release();
    await handle.result();
    expect(groups(cast).at(-1)).toBe(1);
    expect([sorted(groups(cast)), steps(cast)]).toEqual([upTo(12), [1, 2, 3, 4, 5, 6]]);
    // A place is never empty for want of a plan, and never more are asked for than fit.
    expect(asked(cast)).toHaveLength(12);
  });

  it('commits the steps that are finished meanwhile in one turn, and never more than it may', async () => {
    const cast = world.cast('several', plan(1, { inFlight: 16, steps: 3 }));
    await withCommitHeld(cast);
    const together = cast
      .of('turnStream')
      .flatMap(({ asked: { commit, further = [] } }) =>
        commit === undefined ? [] : [1 + (further as readonly unknown[]).length],
      );
    expect([Math.max(...together), together.reduce((sum, count) => sum + count, 0)]).toEqual([3, 12]);
    expect([sorted(groups(cast)), steps(cast)]).toEqual([upTo(24), upTo(13).slice(1)]);
  });

  it('goes on after the step up to which a turn came', async () => {
    // As after a reset by hand, where the second step of the turn had been committed with other groups.
    let short = 0;
    const cast = world.cast('short', plan(1, { inFlight: 16, steps: 4 }), {
      turnStream: (turn: Asked) => {
        const done = turned(turn);
        if ((done.further?.length ?? 0) < 2) return done;
        short += 1;
        return { ...done, further: done.further!.slice(0, 1) };
      },
    });
    await withCommitHeld(cast);
    expect(short).toBeGreaterThan(0);
    expect([...new Set(groups(cast))].sort((a, b) => a - b)).toEqual(upTo(24));
  });

  it('asks for no more than it has places as long as it does not know evaluations, and not for all that is planned', async () => {
    const cast = world.cast('places', plan(2, { inFlight: 8 }));
    const release = cast.hold('generate');
    const handle = await world.step(cast, { window: { steps: null, programs: 40 } });
    await cast.asked('generate', () => true, 4);
    await handle.query('inStep');
    expect(sorted(asked(cast))).toEqual(upTo(4));
    expect(cast.of('generate').every((call) => call.asked.inFlight === 8)).toBe(true);
    release();
    await handle.result();
    expect(sorted(groups(cast))).toEqual(upTo(20));
  });

  it('asks for nothing while programs that are to be evaluated hold all places', async () => {
    const cast = world.cast('ahead', plan(1, { batch: 2 }));
    const release = cast.hold('evaluate');
    const handle = await world.step(cast, { window: { steps: null, programs: 12 } });
    await until('four answers', 60_000, async () => {
      const { applied } = await handle.query<{ readonly applied: number }>('inStep');
      return applied >= 4;
    });
    expect([sorted(asked(cast)), groups(cast)]).toEqual([upTo(4), []]);
    release();
    await handle.result();
    expect([sorted(groups(cast)), sorted(asked(cast))]).toEqual([upTo(12), upTo(12)]);
  });

  it('closeWindow: a step that has begun is filled, and nothing else is asked for', async () => {
    const cast = world.cast('closed', plan(1, { batch: 4, inFlight: 2 }));
    const release = cast.hold('generate', ({ group }) => group >= 4);
    const handle = await world.step(cast);
    await until('a step', 60_000, async () => steps(cast).length === 1 && asked(cast).length >= 6);
    await handle.signal('closeWindow');
    await handle.query('inStep');
    const whole = Math.ceil(asked(cast).length / 4);
    release();
    expect(await handle.result()).toMatchObject({ step: whole });
    expect([sorted(groups(cast)), steps(cast)]).toEqual([upTo(4 * whole), upTo(whole).map((step) => step + 1)]);
  });

  it('goes on with groups that were planned; under replaced settings with these alone', async () => {
    const pending = [3, 5, 6];
    const cast = world.cast('again', plan(1, { first: 4, pending, planned: 7, closed: true }));
    expect(await (await world.step(cast, { step: 6 })).result()).toMatchObject({ step: 7 });
    expect([sorted(groups(cast)), sorted(asked(cast))]).toEqual([pending, pending]);
    expect(cast.of('generate').every((call) => call.asked.step === 4)).toBe(true);
    expect(cast.of('turnStream').map((call) => [call.asked.step, call.asked.first])).toEqual([
      [6, 4],
      [7, 4],
    ]);
  });

  // Attempt: messages and the terminal.
  it('is not led astray by messages that no window sent: nothing is left, lost or paid for twice', async () => {
    const cast = world.cast('forged', plan(1));
    const release = cast.hold('generate', ({ group }) => group === 1);
    const budget = { tokens: 1e6, costUsd: null, perResponse: { tokens: 1, costUsd: 0 } };
    const handle = await world.step(cast, { window: { steps: null, programs: 12 }, budget });
    await cast.asked('generate', ({ group }) => group === 1);
    const ended = { group: 1, answered: 1, evaluated: 1, ended: 1, omitted: [], unrepaired: [] };
    const news = { groups: [ended], responses: 0, tokens: 0, costUsd: 0, over: false };
    for (const [signal, body] of [
      ['streamNews', news],
      ['streamNews', { ...news, tokens: -1e12, over: true }],
      ['streamNews', { ...news, groups: [{ ...ended, omitted: [{}] }] }],
      ['windowReady', { step: 1 }],
      ['windowReady', { step: 0 }],
      ['windowReady', { step: 777 }],
      ['handOver', { plan: {}, step: 9, planned: 9, ready: [], open: [], budget: {}, programs: null }],
    ] as const)
      await handle.signal(signal, body);
    await until('all others to be committed', 60_000, async () => groups(cast).length === 10);
    expect(groups(cast)).not.toContain(1);
    release();
    await handle.result();
    expect([sorted(groups(cast)), sorted(asked(cast))]).toEqual([upTo(12), upTo(12)]);
  });

  it('takes injected programs in with its first step, and keeps limits on programs and on what is paid', async () => {
    const cast = world.cast('injected', { ...plan(2), injected: 2, evaluate: [900_000, 900_001] });
    await (await world.step(cast, { window: { steps: null, programs: 9 } })).result();
    const commits = cast.of('turnStream').map(({ asked: { commit } }) => commit as { injected: number } | undefined);
    expect(commits.flatMap((commit) => commit?.injected ?? [])).toEqual([2, 0]);
    expect(turns(cast).flatMap(({ omitted }) => omitted)).toEqual([7]);
    expect(cast.slots('evaluate', ({ step }) => step === 1)).toEqual([0, 1, 2, 3, 4, 5, 6, 900_000, 900_001]);

    const poor = world.cast('poor', plan(1));
    const budget = { tokens: 5, costUsd: null, perResponse: { tokens: 1, costUsd: 0 } };
    await (await world.step(poor, { budget })).result();
    expect([sorted(groups(poor)), asked(poor).length]).toEqual([upTo(5), 5]);
  });

  it('parks what fails for good, and the rest goes on; superseded it ends, and cancelled it commits nothing more', async () => {
    let broken = true;
    const cast = world.cast('parked', plan(1), {
      evaluate: ({ slots }) => {
        if (broken && slots.includes(2)) throw refusal('no evaluation');
        return { evaluated: slots.length };
      },
    });
    const input = { window: { steps: null, programs: 40 }, batching: { size: 1, inFlight: 8 } };
    const handle = await world.step(cast, input);
    await until('the others', 60_000, async () => groups(cast).length === 38);
    await until('to be parked', 60_000, async () =>
      Boolean((await handle.describe()).searchAttributes.EvoNeedsAttention?.[0]),
    );
    broken = false;
    await handle.signal('retry', {});
    await handle.result();
    expect(sorted(groups(cast))).toEqual(upTo(40));

    const gone = world.cast('gone', plan(1), {
      turnStream: ({ commit }) => {
        if (commit !== undefined) throw refusal('gone on', 'SupersededError');
        return { summary: null, groups: [], preludes: [] };
      },
    });
    await expect((await world.step(gone)).result()).rejects.toThrow();

    const cancelled = world.cast('cancelled', plan(1));
    cancelled.hold('generate');
    const other = await world.step(cancelled);
    await cancelled.asked('generate');
    await other.cancel();
    await expect(other.result()).rejects.toThrow();
    expect(groups(cancelled)).toEqual([]);
  });
});

/** As the model's worker reports it. */
const reporting =
  (): BatchDeps['report'] =>
  ({ workflowId, runId }, outcomes) =>
    world.client.workflow.getHandle(workflowId, runId).signal('answersReceived', internal({ outcomes }));

describe('batched requests', () => {
  const called = (cast: Cast): readonly number[] =>
    cast.of('generateBatch').flatMap((call) => (call.asked.requests as Asked[]).map(({ group }) => group));

  it('leave many to a call; each answer is gone on with as it is told, and none is waited for by others', async () => {
    const held = new Map<number, () => void>();
    const { generateBatch } = createGenerateBatch({
      generate: async ({ group }) => {
        if (group % 4 === 1) await new Promise<void>((resolve) => held.set(group, resolve));
        return { stored: [group], missing: [], tokens: 1, costUsd: 0 };
      },
      applyResponses: async ({ slots }) => ({ evaluate: slots }),
      report: reporting(),
    });
    const cast = world.cast('together', plan(1, { inFlight: 16 }), { generateBatch } as never);
    const handle = await world.step(cast, { window: { steps: null, programs: 24 } });
    await until('all others to be committed', 60_000, async () => groups(cast).length === 18);
    expect(groups(cast).some((group) => group % 4 === 1)).toBe(false);
    for (const release of held.values()) release();
    await handle.result();
    expect([sorted(groups(cast)), sorted(called(cast))]).toEqual([upTo(24), upTo(24)]);
    expect([asked(cast), cast.of('applyResponses')]).toEqual([[], []]);
    expect(cast.of('generateBatch').length).toBeLessThan(12);
    expect(cast.slots('evaluate')).toEqual(upTo(24));
  });

  it('are more than twice the places where answers come fast, so that no place is empty while the engine turns', async () => {
    const FIRST = 32;
    const seen = new Set<number>();
    const others = Promise.withResolvers<void>();
    const cast = world.cast('fast', plan(1, { inFlight: 8, batch: 4, steps: 4 }), {
      // The first ones are answered at once, until evaluations are known to be quick; the others when they are more than
      // twice the places.
      generateBatch: async ({ requests }: Asked) => {
        const all = requests as Asked[];
        for (const { group } of all) seen.add(group);
        if (seen.size > FIRST + 16) others.resolve();
        if (all[0]!.group >= FIRST) await others.promise;
        const answers = all.map((one) => ({ ...one, stored: [one.group], missing: [], tokens: 1, costUsd: 0 }));
        return { answers, applied: { evaluate: all.map(({ group }) => group) }, failed: [] };
      },
      turnStream: (turn: Asked) => {
        const { summary, further = [], ...done } = turned(turn);
        const quick = <T extends object>(one: T): T => ({ ...one, evaluationMs: 1 });
        const others = further.map((one) => ({ ...one, summary: quick(one.summary) }));
        return { ...done, summary: summary && quick(summary), ...(others.length > 0 && { further: others }) };
      },
    } as never);
    await (await world.step(cast, { window: { steps: null, programs: 80 } })).result();
    expect([sorted(groups(cast)), asked(cast)]).toEqual([upTo(80), []]);
  });

  it('what fails goes on by itself, and parks as such; what is told twice or by others changes nothing', async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const budget = { tokens: 1e6, costUsd: null, perResponse: { tokens: 1, costUsd: 0 } };
    let broken = true;
    const cast = world.cast('failing', plan(2), {
      generateBatch: async ({ requests, call }: Asked) => {
        const all = requests as Asked[];
        const answers = all
          .filter(({ group }) => group !== 2)
          .map((one) => ({
            ...{ ...one, stored: [2 * one.group + one.first], tokens: 1, costUsd: 0 },
            missing: one.count === 2 ? [2 * one.group + 1] : [],
          }));
        const outcomes = { answers, applied: null, failed: all.filter(({ group }) => group === 2) };
        const handle = world.client.workflow.getHandle(stepWorkflowId('failing', 1));
        for (const name of [call, call, 'nobody'])
          await handle.signal('answersReceived', internal({ outcomes: [{ ...outcomes, call: name }] }));
        await handle.signal('answersReceived', { outcomes: [{ call, answers: [{ group: 1 }] }] });
        if (all.some(({ group }) => group === 0)) await ended;
        return outcomes;
      },
      generate: ({ group, first, count }: Asked) => {
        if (broken && group === 2) throw refusal('no model');
        return { stored: upTo(count).map((at) => 2 * group + first + at), missing: [], tokens: count, costUsd: 0 };
      },
    } as never);
    const handle = await world.step(cast, { window: { steps: null, programs: 16 }, budget });
    await until('to be parked', 60_000, async () =>
      Boolean((await handle.describe()).searchAttributes.EvoNeedsAttention?.[0]),
    );
    broken = false;
    end();
    await handle.signal('retry', {});
    await handle.result();
    expect([sorted(groups(cast)), cast.slots('evaluate')]).toEqual([upTo(8), upTo(16)]);
    expect(sorted(cast.slots('applyResponses'))).toEqual(upTo(16));
    // Each but the one that failed once for both responses and once for the one that was left out.
    expect(called(cast)).toHaveLength(15);
  });

  it('cancelled, nothing more is asked for or committed', async () => {
    const cast = world.cast('stopped', plan(1));
    cast.hold('generateBatch');
    const handle = await world.step(cast);
    await cast.asked('generateBatch');
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    expect([groups(cast), asked(cast)]).toEqual([[], []]);
  });
});

describe('windows of a stream', () => {
  it('overlap: the next one goes on while an answer of the one before is awaited, whatever somebody else sends', async () => {
    const cast = streamCast(world, 'seams', { steps: 24 });
    const release = cast.hold('generate', ({ group }) => group === 3);
    const handle = await world.start(cast);
    const windows = () => [...new Set(cast.of('turnStream').map((call) => call.workflow))];
    await until('the next window', 60_000, async () => windows().length > 1);
    const next = world.client.workflow.getHandle(windows()[1]!);
    for (const [paid, over] of [
      [0, true],
      [1e9, false],
    ] as const)
      await next.signal('streamNews', { groups: [], responses: paid, tokens: paid, costUsd: paid, over });
    await until('the end of all that does not wait', 120_000, async () => groups(cast).length === 46);
    expect(windows().length).toBeGreaterThan(2);
    release();
    expect(await handle.result()).toMatchObject({ status: 'finished', steps: 24 });
    expect(groups(cast).at(-1)).toBe(3);
    expect([sorted(groups(cast)), sorted(asked(cast))]).toEqual([upTo(48), upTo(48)]);
    expect(steps(cast)).toEqual(upTo(24).map((step) => step + 1));
    expect(cast.of('planStep')).toHaveLength(1);
  });

  it('tell the run of every step, also of one that was committed soon after another before all stood still', async () => {
    const cast = streamCast(world, 'still', { steps: 16 });
    const release = cast.hold('generate', ({ group }) => group >= 10);
    const handle = await world.start(cast);
    await until('five steps', 60_000, async () => steps(cast).length === 5);
    await until('the run to know of them', 60_000, async () => {
      const { step } = await handle.query<{ readonly step: number }>('status');
      return step === 6;
    });
    const closing = async () => (await handle.query<{ readonly closing?: boolean }>('status')).closing;
    expect(await closing()).toBeUndefined();
    await handle.signal('pause', {});
    await handle.signal('resume', {});
    expect(await closing()).toBe(true);
    release();
    expect(await handle.result()).toMatchObject({ status: 'finished', steps: 16 });
  });

  it('over the activities that ship: what people do to the run is taken, and what is stored rebuilds', async () => {
    const it = codeWorld({
      ...{ schedule: 'continuous', inFlight: 16, batch: 3, responses: 4, limits: { programs: 252 } },
      ...{ migration: { interval: 3 }, population: { islands: 3, initialisation: 2 } },
      exploration: { schedule: 'none', metaPrompt: false },
    });
    await it.open();
    const { generate: answered, ...activities } = it.activities;
    const generate: typeof answered = async (asked) => {
      await sleep(rng(asked.step, 'latency', asked.group).next() * 60);
      return answered(asked);
    };
    const together = createGenerateBatch({ ...activities, generate, report: reporting() });
    const cast = world.cast(run, {}, { ...activities, ...together, generate } as never);
    const handle = await world.start(cast);
    const committed = (step: number) =>
      until(`step ${step}`, 120_000, async () => (await it.store.readRun(run))!.committedStep >= step);
    await committed(2);
    const streams = () => [...new Set(cast.of('turnStream').map((call) => call.workflow))];
    await handle.executeUpdate('set', { args: [{ patch: { diff: { maxCodeChars: 40_000 } } }] });
    await until('another stream', 60_000, async () => streams().length > 1);
    await committed((await it.store.readRun(run))!.committedStep + 1);
    await handle.signal('pause', { mode: 'now' });
    await until('to be paused', 60_000, async () => (await it.store.readRun(run))!.status === 'paused');
    await handle.executeUpdate('inject', { args: [{ program: 'middle_x = 0.999997\n', island: 1 }] });
    await handle.signal('resume', {});
    await committed(8);
    // The run is told of commits at most twice a second.
    await until('the run to know of step 6', 60_000, () =>
      handle.executeUpdate('rewind', { args: [{ toStep: 6 }] }).then(
        () => true,
        () => false,
      ),
    );
    expect(await handle.result()).toMatchObject({ status: 'finished', stopReason: 'programs' });
    const programs = await programsOf(it.store);
    const { totals, committedStep } = (await it.store.readRun(run))!;
    expect([totals.programs, programs.length]).toEqual([252, 253]);
    // A stream ends where somebody says something.
    expect(streams().length).toBeGreaterThan(2);
    expect(await rebuildRun({ store: it.store, loadTask: shippedTask }, run)).toMatchObject({
      ...{ steps: committedStep + 1, differences: [], differenceCount: 0 },
    });
  });
});
