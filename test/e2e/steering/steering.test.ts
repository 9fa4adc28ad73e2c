// Each verb that steers a run, sent raw with the plain client as the Temporal UI sends it, and some of them by the
// command line.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { programId, promptId, stepWorkflowId } from '../../../evolution/ids.ts';
import type { Endpoint } from '../../support/models/endpoint.ts';
import { words } from '../../support/engine/engine.ts';
import { until } from '../../support/machine/home.ts';
import { allDifferent, endpointFor, sharedHome } from '../../support/machine/live.ts';
import { expectWhole } from '../../support/machine/whole.ts';
import { FULL } from '../../support/sizes.ts';

/** A program that is not like the model's. */
const PROGRAM = '# by a person\nimport numpy as np\n\n\ndef run(instance):\n    return {"circles": []}\n';

describe('steering', () => {
  const live = sharedHome();
  const settings = ({ url }: Endpoint, steps: number) => ({
    seed: 5,
    batch: 2,
    responses: 2,
    limits: { steps },
    model: { name: 'small', baseUrl: url },
    population: { islands: 3 },
    evaluation: { sandbox: 'noop' as const },
  });
  /** The update is refused with all of these words, and the settings are what they were. */
  const refused = async (run: string, name: string, body: object, ...expected: string[]): Promise<void> => {
    const { configVersion } = await live.engine.document(run);
    const said = await live.engine.update(run, name, body).then(() => 'nothing: it was taken', words);
    for (const word of expected) expect(said, `${name} ${JSON.stringify(body)}`).toContain(word);
    expect((await live.engine.document(run)).configVersion).toBe(configVersion);
  };
  /**
   * Lets the run end two steps from now, so that it does not depend on the machine what happens before its end. Its
   * last step.
   */
  const endSoon = async (run: string): Promise<number> => {
    const steps = (await live.engine.document(run)).committedStep + 3;
    await live.engine.update(run, 'extend', { steps });
    const { status, committedStep } = await live.engine.ended(run);
    // A busy machine may have made them before the message came.
    expect([status, committedStep >= steps]).toEqual(['finished', true]);
    return committedStep;
  };
  const textsOf = async (run: string, step: number): Promise<readonly string[]> => {
    const prompts = await live.engine.store.getPrompts([0, 1].map((group) => promptId(run, step, 0, group)));
    return [...(await live.engine.store.getTexts([...prompts.values()].map(({ user }) => user))).values()];
  };

  it('pause after the step, resume, pause now, resume, stop now; the command line brings it back', async () => {
    const endpoint = await endpointFor({ latencyMs: 300 });
    await live.engine.start('paced', settings(endpoint, 8));
    await live.engine.seen('paced', 'its first step', ({ committedStep }) => committedStep >= 1);
    await live.engine.signal('paced', 'pause', { mode: 'step', reason: 'a look at it' });
    const paused = await live.engine.seen('paced', 'paused', ({ status }) => status === 'paused');
    expect(paused.statusReason).toBe('a look at it');
    await until(
      'the step at hand to end',
      30_000,
      async () => !(await live.engine.isOpen(stepWorkflowId('paced', paused.committedStep + 1)).catch(() => false)),
    );
    const { committedStep } = await live.engine.document('paced');
    await sleep(1_500);
    expect((await live.engine.document('paced')).committedStep).toBe(committedStep);
    expect((await live.home.json(['status', 'paced'])).stopReason).toBe('a look at it');

    endpoint.setLatency(60_000);
    const before = endpoint.arrived();
    await live.engine.signal('paced', 'resume', {});
    await until('requests of the next step', 30_000, () => endpoint.arrived() > before);
    await live.engine.signal('paced', 'pause', { mode: 'now' });
    await until(
      'the step to be cancelled',
      30_000,
      async () => !(await live.engine.isOpen(stepWorkflowId('paced', committedStep + 1))),
    );
    const interrupted = await live.engine.seen('paced', 'paused again', ({ status }) => status === 'paused');
    expect(interrupted.committedStep).toBe(committedStep);
    endpoint.setLatency(300);
    await live.engine.signal('paced', 'resume', {});
    await live.engine.seen('paced', 'another step', (document) => document.committedStep > committedStep);
    endpoint.setLatency(60_000);
    await live.engine.signal('paced', 'stop', { mode: 'now', reason: 'enough' });
    expect(await live.engine.ended('paced')).toMatchObject({
      status: 'stopped',
      stopReason: 'stopped by a person: enough',
    });

    endpoint.setLatency(0);
    await live.must('resume', 'paced');
    expect(await live.engine.ended('paced')).toMatchObject({
      status: 'finished',
      stopReason: 'steps',
      committedStep: 8,
    });
    await expectWhole(live.engine.store, 'paced', { steps: 8, perStep: 4 });
    expect(allDifferent(endpoint)).toBe(true);
  });

  it('extend: sets, adds to and removes limits; a run without a sure end is refused', async () => {
    const endpoint = await endpointFor({ latencyMs: 500 });
    await live.engine.start('longer', settings(endpoint, 2));
    await live.engine.seen('longer', 'a beginning', ({ committedStep }) => committedStep >= 0);
    expect(await live.engine.update('longer', 'extend', { steps: 1, add: true })).toMatchObject({
      steps: 3,
      programs: null,
    });
    expect(await live.engine.update('longer', 'extend', { programs: 16 })).toMatchObject({ steps: 3, programs: 16 });
    expect(await live.engine.update('longer', 'extend', { steps: null })).toMatchObject({ steps: null, programs: 16 });
    await refused('longer', 'extend', { programs: null }, 'limits.steps', 'an end that is sure to come');
    await refused('longer', 'extend', { steps: 1.5 }, 'steps', 'whole number', '1.5');
    await refused('longer', 'extend', { stepz: 3 }, 'unknown key "stepz"');
    expect(await live.engine.ended('longer')).toMatchObject({
      stopReason: 'programs',
      committedStep: 4,
      totals: { programs: 16 },
    });
    await live.must('extend', 'longer', '--steps', '5', '--programs', '400');
    expect(await live.engine.ended('longer')).toMatchObject({ stopReason: 'steps', committedStep: 5 });
  });

  it.runIf(FULL)(
    'a limit on programs is met exactly, by a smaller last step; extended, the run goes on with whole steps',
    async () => {
      const endpoint = await endpointFor({});
      await live.engine.start('exact', { ...settings(endpoint, 1), batch: 2, responses: 3, limits: { programs: 16 } });
      expect(await live.engine.ended('exact')).toMatchObject({
        status: 'finished',
        stopReason: 'programs',
        committedStep: 3,
        totals: { programs: 16 },
      });
      expect(endpoint.asked).toHaveLength(6);
      await live.must('extend', 'exact', '--programs', '24');
      expect(await live.engine.ended('exact')).toMatchObject({
        stopReason: 'programs',
        committedStep: 5,
        totals: { programs: 24 },
      });
      const slots = new Map<number, number[]>();
      for await (const { step, slot } of live.engine.store.eachProgram('exact'))
        slots.set(step, [...(slots.get(step) ?? []), slot]);
      expect([...slots.values()]).toEqual([
        [0],
        [0, 1, 2, 3, 4, 5],
        [0, 1, 2, 3, 4, 5],
        [0, 1, 2, 3],
        [0, 1, 2, 3, 4, 5],
        [0, 1],
      ]);
      expect(allDifferent(endpoint)).toBe(true);
      await live.must('rebuild', 'exact');
    },
  );

  it('set: a new version from the next step on, the old one stays readable; what cannot be names the key and changes nothing', async () => {
    const endpoint = await endpointFor({ latencyMs: 500 });
    await live.engine.start('tuned', settings(endpoint, 60));
    await live.engine.seen('tuned', 'its first step', ({ committedStep }) => committedStep >= 1);
    expect(await live.engine.update('tuned', 'set', { patch: { batch: 3, diff: { maxCodeChars: 20_000 } } })).toEqual({
      version: 2,
      changed: ['batch', 'diff.maxCodeChars'],
    });
    await refused('tuned', 'set', { patch: { bach: 3 } }, 'bach', 'batch');
    await refused('tuned', 'set', { patch: { batch: 'three' } }, 'batch', 'whole number', 'three');
    await refused('tuned', 'set', { patch: { population: { islands: 4 } } }, 'population.islands', 'cannot change');
    await refused('tuned', 'set', { patch: {} }, 'patch');
    await refused('tuned', 'set', { batch: 3 }, 'unknown key "batch"', 'patch');
    await live.must('set', 'tuned', 'prompt.priorPrograms=1');
    const last = await endSoon('tuned');

    const steps = await live.home.lines(['steps', 'tuned']);
    const made = Map.groupBy(await live.home.programs('tuned'), ({ step }) => step);
    for (const { step, settings: version } of steps.filter((one) => one.step > 0))
      expect(made.get(step)).toHaveLength(version === 1 ? 4 : 6);
    expect(steps.map((one) => one.settings)).toEqual([...steps.map((one) => one.settings)].sort());
    // The message that ended the run was a change of settings too.
    expect(steps.at(-1).settings).toBe(4);
    expect(
      (await live.home.json(['settings', 'tuned', '--versions'])).map(({ changed }: { changed: string[] }) => changed),
    ).toEqual([[], ['batch', 'diff.maxCodeChars'], ['prompt.priorPrograms'], ['limits.steps']]);
    expect(await live.home.json(['settings', 'tuned', '--version', '1'])).toMatchObject({
      batch: 2,
      diff: { maxCodeChars: 50_000 },
      prompt: { priorPrograms: 0 },
    });
    expect(await live.home.json(['settings', 'tuned'])).toMatchObject({
      batch: 3,
      diff: { maxCodeChars: 20_000 },
      prompt: { priorPrograms: 1 },
    });
    const prompts = await live.engine.store.getPrompts([promptId('tuned', last, 0, 2)]);
    expect([...prompts.values()]).toMatchObject([{ configVersion: 4, priorPrograms: [expect.any(String)] }]);
  });

  it('inject, hint: a program is a candidate of the next step, once; a hint is in the prompts until it is removed', async () => {
    const endpoint = await endpointFor({ latencyMs: 500 });
    await live.engine.start('helped', settings(endpoint, 60));
    await live.engine.seen('helped', 'its first step', ({ committedStep }) => committedStep >= 1);
    const injected = await live.engine.update('helped', 'inject', { program: PROGRAM, island: 2 });
    expect(await live.engine.update('helped', 'inject', { program: PROGRAM, island: 2 })).toEqual(injected);
    expect(await live.engine.update('helped', 'hint', { hint: 'try hexagons' })).toMatchObject({
      version: 2,
    });
    await refused('helped', 'inject', { program: PROGRAM, island: 7 }, 'island', '0 to 2', '7');
    await refused('helped', 'inject', { program: PROGRAM, hint: 'both' }, 'unknown key "hint"');
    await refused('helped', 'hint', { hint: 'far', island: 3 }, 'island', '0 to 2');

    // Two steps may be under way that were planned before the hint.
    const hinted = (await live.engine.document('helped')).committedStep + 3;
    await live.engine.seen('helped', 'a step with the hint', ({ committedStep }) => committedStep >= hinted);
    expect(await live.engine.update('helped', 'hint', { hint: null })).toMatchObject({ version: 3 });
    await refused('helped', 'hint', { hint: null }, 'no hint');
    const file = join(live.home.dir, 'better.py');
    writeFileSync(file, `${PROGRAM}# another\n`);
    await live.must('inject', 'helped', file, '--island', '1');
    const last = await endSoon('helped');

    expect((await textsOf('helped', 1)).some((text) => text.includes('try hexagons'))).toBe(false);
    expect((await textsOf('helped', hinted)).every((text) => text.includes('try hexagons'))).toBe(true);
    expect((await textsOf('helped', last)).some((text) => text.includes('try hexagons'))).toBe(false);
    expect(await live.must('show', programId('helped', hinted, 0, 0), '--prompt')).toContain('try hexagons');

    const programs = await live.home.programs('helped', '--code');
    const byHand = programs.filter(({ parents }) => parents.length === 0);
    expect(byHand).toMatchObject([
      { island: 2, slot: 4, outcome: 'valid', code: expect.stringContaining(PROGRAM) },
      { island: 1, slot: 4 },
    ]);
    expect(new Set(programs.map(({ id }) => id)).size).toBe(last * 4 + 2);
    expect(await live.home.json(['status', 'helped'])).toMatchObject({ programs: last * 4 + 2, steps: last });
    await live.must('rebuild', 'helped');
  });

  it('add-model, remove-model: requests are shared out, then all go to the one that is left', async () => {
    const [small, large] = [
      await endpointFor({ latencyMs: 300 }),
      await endpointFor({ models: ['large'], latencyMs: 300 }),
    ];
    const AHEAD = 10;
    await live.engine.start('mixed', { ...settings(small, 60), batch: 4 });
    await live.engine.seen('mixed', 'its first step', ({ committedStep }) => committedStep >= 1);
    await refused('mixed', 'remove-model', { name: 'smal' }, 'no model "smal"', 'small');
    await refused('mixed', 'remove-model', { name: 'small' }, 'only model');
    await refused('mixed', 'add-model', { name: 'large', baseUrl: large.url, colour: 'red' }, 'colour');
    await refused('mixed', 'add-model', { name: 'large', weight: -1 }, 'weight');
    expect(
      await live.engine.update('mixed', 'add-model', { name: 'large', baseUrl: large.url, weight: 1 }),
    ).toMatchObject({ version: 2, changed: ['models'] });
    const from = (await live.engine.document('mixed')).committedStep;
    // Islands that are ahead end the steps that they began.
    await live.engine.seen('mixed', 'steps of both', ({ committedStep }) => committedStep >= from + AHEAD);
    expect(await live.engine.update('mixed', 'remove-model', { name: 'small' })).toMatchObject({ version: 3 });
    expect((await live.engine.document('mixed')).config).toMatchObject({
      model: { name: 'large', baseUrl: large.url },
      models: [],
    });
    const removedAt = (await live.engine.document('mixed')).committedStep;
    await live.engine.seen('mixed', 'steps of one', ({ committedStep }) => committedStep >= removedAt + AHEAD);
    const last = await endSoon('mixed');

    const modelsOf = async (step: number) =>
      new Set(
        [
          ...(
            await live.engine.store.getRollouts(
              Array.from({ length: 8 }, (_, slot) => programId('mixed', step, 0, slot)),
            )
          ).values(),
        ].map(({ model }) => model),
      );
    expect(await modelsOf(1)).toEqual(new Set(['small']));
    const both = await Promise.all(Array.from({ length: AHEAD }, (_, index) => modelsOf(from + 1 + index)));
    expect(new Set(both.flatMap((models) => [...models]))).toEqual(new Set(['small', 'large']));
    expect(await modelsOf(last)).toEqual(new Set(['large']));
    expect(large.asked.every(({ model }) => model === 'large')).toBe(true);
    await expectWhole(live.engine.store, 'mixed', { steps: last, perStep: 8 });
  });

  it.runIf(FULL)(
    'a run and a rewind are started raw, with one JSON object; a wrong one fails before anything is changed',
    async () => {
      const endpoint = await endpointFor({});
      await live.engine.start('raw', settings(endpoint, 3));
      await live.engine.ended('raw');
      const start = (args: object, run = 'raw') =>
        live.engine.client.workflow.execute('evolutionRun', {
          workflowId: `run/${run}`,
          taskQueue: 'evolve-workflow',
          args: [args],
        });
      expect(await start({ run: 'raw', rewind: { toStep: 99 } }).then(() => 'taken', words)).toContain(
        'toStep: expected 1 to 3',
      );
      expect(await live.engine.document('raw')).toMatchObject({ status: 'finished', committedStep: 3, generation: 1 });
      expect(await start({ run: 'none' }, 'none').then(() => 'taken', words)).toContain('no settings were given');
      expect(
        await start({ run: 'none', config: { batch: 3, colour: 'red' } }, 'none').then(() => 'taken', words),
      ).toContain('colour');
      expect(await live.engine.store.readRun('none')).toBeNull();

      const asked = endpoint.asked.length;
      expect(await start({ run: 'raw', rewind: { toStep: 2 } })).toMatchObject({ status: 'finished', steps: 3 });
      expect(endpoint.asked.length).toBe(asked);
      expect((await live.engine.store.supersededSteps('raw')).map(({ step }) => step)).toEqual([2, 3]);
      await expectWhole(live.engine.store, 'raw', { steps: 3, perStep: 4 });

      const before = await live.engine.document('raw');
      expect(
        await start({ run: 'raw', config: { batch: before.config.batch + 1 } }).then(() => 'taken', words),
      ).toContain(`batch is ${before.config.batch}, got ${before.config.batch + 1}`);
      expect(await live.engine.document('raw')).toEqual(before);
      expect(await start({ run: 'raw', extend: { steps: 1, add: true } })).toMatchObject({
        status: 'finished',
        steps: 4,
      });
      const fork = { from: 'raw', atStep: 3, patch: { seed: 5 } };
      expect(await start({ run: 'raw-fork', fork }, 'raw-fork')).toMatchObject({ status: 'finished', steps: 4 });
      expect(await live.engine.document('raw-fork')).toMatchObject({
        origin: { run: 'raw', step: 3 },
        config: { seed: 5 },
      });
      expect(await start({ run: 'raw', fork }).then(() => 'taken', words)).toContain('there is a run "raw" already');
    },
  );
});
