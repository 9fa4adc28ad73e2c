// The steering of a run at the level of its activities: settings by version, injected programs, resampling,
// rewinding, budgets.
import { describe, expect, it } from 'vitest';
import { rebuildRun } from '../../../activities/rebuild/rebuild.ts';
import { paidSoFar } from '../../../activities/store/steps/paid.ts';
import { loadTask } from '../../../activities/task/load-task.ts';
import { programId, promptId } from '../../../evolution/ids.ts';
import { programsOf } from '../../support/worlds/conducted.ts';
import { run, world } from '../../support/worlds/world.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

const PROGRAM = '# by a person\nimport numpy as np\nprint("hello")\n';
describe('settings', () => {
  it('a step goes by the version under which it was planned first; the next one by the newest', async () => {
    const { store, open, step, call, activities } = world();
    await open();
    await step(0, false);
    const plan = await call(activities.planStep, { run, step: 1, owner: 'first' });
    const { version } = await call(activities.changeSettings, { run, change: { kind: 'set', patch: { batch: 3 } } });
    expect(version).toBe(2);
    expect(await call(activities.planStep, { run, step: 1, owner: 'first' })).toEqual(plan);
    await step(1, false);
    await step(2, false);
    const programs = await programsOf(store);
    expect([1, 2].map((n) => programs.filter((program) => program.step === n).length)).toEqual([12, 18]);
    expect((await store.readConfig(run, 1)).batch).toBe(2);
  });

  it('a change that cannot be names the key and makes no version', async () => {
    const { store, open, call, activities } = world();
    await open();
    for (const [patch, key] of [
      [{ batch: -1 }, 'batch'],
      [{ population: { islands: 9 } }, 'population.islands'],
      [{ bach: 3 }, 'bach'],
    ] as const) {
      await expect(call(activities.changeSettings, { run, change: { kind: 'set', patch } })).rejects.toThrow(key);
    }
    expect((await store.readRun(run))!.configVersion).toBe(1);
  });
});

describe('the brief of a run', () => {
  it('says which score ranks where it is not the tolerant one', async () => {
    const { call, activities } = world();
    const opened = (id: string, scoring: string) =>
      call(activities.openRun, {
        run: id,
        owner: 'first',
        config: configFrom({ evaluation: { scoring } }),
      });
    expect((await opened('a', 'strict')).scoring).toBe('strict');
    expect(await opened('b', 'tolerant')).not.toHaveProperty('scoring');
  });
});

describe('a limit on programs', () => {
  const planned =
    (programs: number | null, done: (the: ReturnType<typeof world>) => Promise<void> = async () => undefined) =>
    async () => {
      const the = world();
      await the.open();
      await the.step(0, false);
      await done(the);
      return the.call(the.activities.planStep, { run, step: 1, owner: 'first', window: { steps: null, programs } });
    };

  it('leaves a step as many programs as are left, injected ones among them', async () => {
    const whole = await planned(null)();
    expect(whole).not.toHaveProperty('programs');
    expect(await planned(12)()).toEqual(whole);
    expect(await planned(8)()).toEqual({ ...whole, programs: 8 });
    const inject = async ({ call, activities }: ReturnType<typeof world>) => {
      await call(activities.injectProgram, { run, island: 0, program: PROGRAM });
    };
    expect(await planned(8, inject)()).toMatchObject({ injected: 1, programs: 7 });
    expect(await planned(1, inject)()).toMatchObject({ injected: 1, programs: 0 });
  });

  it('an answer that was paid for under a higher limit counts; under a higher limit the step is whole again', async () => {
    const { open, step, call, activities } = world();
    await open();
    await step(0, false);
    const plan = (programs: number) =>
      call(activities.planStep, { run, step: 1, owner: 'first', window: { steps: null, programs } });
    const { epoch, version } = await plan(8);
    await call(activities.generate, { run, step: 1, epoch, version, group: 1, first: 0, count: 4, responses: 6 });
    expect(await plan(8)).toMatchObject({ programs: 10 });
    expect(await plan(2)).toMatchObject({ programs: 10 });
    expect(await plan(100)).not.toHaveProperty('programs');
  });

  it('a step that is smaller is committed as it is; the next one is whole', async () => {
    const { store, open, step } = world();
    await open();
    await step(0, false);
    await step(1, false, 1);
    await step(2, false);
    expect((await store.readRun(run))!.totals.programs).toBe(18);
    expect((await rebuildRun({ store, loadTask }, run)).differences).toEqual([]);
  });
});

describe('settings that the task cannot be run under', () => {
  it('are refused while the run goes on, too', async () => {
    const { store, open, call, activities } = world({}, async (id) => ({ ...(await loadTask(id)), timed: true }));
    await open();
    await expect(
      call(activities.changeSettings, { run, change: { kind: 'set', patch: { evaluation: { sandbox: 'fork' } } } }),
    ).rejects.toThrow('evaluation.sandbox: expected docker or auto');
    expect((await store.readRun(run))!.configVersion).toBe(1);
  });
});

describe('a message that comes again after a reset by hand', () => {
  it('is obeyed once', async () => {
    const { store, open, call, activities } = world();
    await open();
    const longer = { run, change: { kind: 'extend', limits: { steps: 5 }, add: true }, by: 'update-1' };
    expect(await call(activities.changeSettings, longer)).toMatchObject({
      version: 2,
      changed: ['limits.steps'],
      settings: { limits: { steps: 7 } },
    });
    expect(await call(activities.changeSettings, longer)).toMatchObject({
      version: 2,
      changed: [],
      settings: { limits: { steps: 7 } },
    });
    expect(await call(activities.changeSettings, { ...longer, by: 'update-2' })).toMatchObject({
      version: 3,
      settings: { limits: { steps: 12 } },
    });
    expect((await store.readRun(run))!.changes).toEqual(['update-1', 'update-2']);
  });
});

describe('an injected program', () => {
  it('is a candidate of the next step, once, on its island, without a parent', async () => {
    const { store, open, step, call, activities } = world({ islands: 3 });
    await open();
    await step(0, false);
    const inject = { run, island: 2, program: PROGRAM };
    expect(await call(activities.injectProgram, inject)).toEqual(await call(activities.injectProgram, inject));
    await step(1, true);
    await step(2, false);
    const injected = (await programsOf(store)).filter((program) => program.step > 0 && program.parents.length === 0);
    expect(injected).toMatchObject([{ _id: programId(run, 1, 0, 12), island: 2, step: 1 }]);
    expect((await store.readRun(run))!.totals.programs).toBe(25);
  });

  // Attempt: programs and scores.
  it('whose closed code differs from the initial program is refused with its first line, and is not stored', async () => {
    const { store, open, call, activities } = world();
    await open();
    const { initialProgram } = await loadTask((await store.readRun(run))!.config.task);
    const inject = (program: string) => call(activities.injectProgram, { run, island: 0, program });
    for (const [program, said] of [
      [
        initialProgram.replace('def construct(', 'def other('),
        /expected "def construct\(instance\):" as line \d+ .*got "def other\(instance\):"/,
      ],
      [initialProgram.replace(/^(# EVOLVE-BLOCK-END)$/m, 'x = 1\n$1\nimport os'), /got "import os"/],
      [`${initialProgram}print(1)\n`, /expected nothing as line \d+ .*got "print\(1\)"/],
      [initialProgram.replace('# EVOLVE-BLOCK-END', ''), /EVOLVE-BLOCK-END/],
      [initialProgram.replace('# EVOLVE-BLOCK-END', '# === FILE: b.py ===\n# EVOLVE-BLOCK-END'), /head of a file/],
    ] as const)
      await expect(inject(program), program.slice(-300)).rejects.toThrow(said);
    expect(await store.takeInjections(run, 1)).toEqual([]);
  });

  it('with open code of its own is taken as given; without markers it goes between those of the initial program', async () => {
    const { store, open, call, activities } = world();
    await open();
    const { initialProgram } = await loadTask((await store.readRun(run))!.config.task);
    const marked = initialProgram.replace('middle_x = 0.5', 'middle_x = 0.25');
    const takenAs = async (program: string) => {
      const { injected } = await call(activities.injectProgram, { run, island: 0, program });
      const { code } = (await store.takeInjections(run, 1)).find(({ _id }) => _id === injected)!;
      return (await store.getTexts([code])).get(code);
    };
    expect(await takenAs(marked)).toBe(marked);
    // An editor may change the white space at the ends of lines and of the file.
    expect(await takenAs(`${marked.trimEnd().replaceAll('\n', ' \r\n')}\n\n`)).toContain('middle_x = 0.25');
    const [head, , tail] = initialProgram.split(/(?<=EVOLVE-BLOCK-START\n)([^]*)(?=# EVOLVE-BLOCK-END)/);
    expect(await takenAs(PROGRAM)).toBe(`${head}${PROGRAM}${tail}`);
  });

  it('is taken whole where the settings leave closed code open', async () => {
    const { store, open, call, activities } = world();
    await open();
    await call(activities.changeSettings, { run, change: { kind: 'set', patch: { diff: { enforceBlock: false } } } });
    await call(activities.injectProgram, { run, island: 0, program: PROGRAM });
    const { code } = (await store.takeInjections(run, 1))[0]!;
    expect((await store.getTexts([code])).get(code)).toBe(PROGRAM);
  });

  it('for an island that is not there is refused', async () => {
    const { open, call, activities } = world({ islands: 3 });
    await open();
    await expect(call(activities.injectProgram, { run, island: 3, program: PROGRAM })).rejects.toThrow(
      /island.*0 to 2/,
    );
  });
});

describe('a hint', () => {
  it('is in the prompts of its island from the next step on', async () => {
    const { store, open, step, call, activities } = world({ islands: 2 });
    await open();
    await step(0, false);
    await call(activities.changeSettings, { run, change: { kind: 'hint', island: 1, hint: 'try hexagons' } });
    await step(1, false);
    const prompts = await store.getPrompts([0, 1].map((group) => promptId(run, 1, 0, group)));
    for (const prompt of prompts.values()) {
      const text = (await store.getTexts([prompt.user])).get(prompt.user)!;
      expect(text.includes('try hexagons')).toBe(prompt.island === 1);
    }
    expect(new Set([...prompts.values()].map(({ island }) => island))).toEqual(new Set([0, 1]));
  });
});

describe('resampling', () => {
  it('asks afresh under a new epoch; what was paid before is kept and counted', async () => {
    const { store, open, step, call, activities } = world();
    await open();
    await step(0, false);
    await call(activities.planStep, { run, step: 1, owner: 'first' });
    await call(activities.generate, { run, step: 1, epoch: 0, version: 1, group: 0, first: 0, count: 6, responses: 6 });
    const paid = await call(activities.resample, { run, step: 1, by: 'first:1' });
    expect(paid).toMatchObject({ tokens: 16 });
    expect(await call(activities.resample, { run, step: 1, by: 'first:1' })).toEqual(paid);
    const summary = await step(1, false);
    expect(
      (await programsOf(store)).filter((program) => program.step === 1).every((program) => program.epoch === 1),
    ).toBe(true);
    expect(summary.paid.tokens).toBe(16 + 32);
    expect((await store.getRollouts([programId(run, 1, 0, 0)])).size).toBe(1);
  });
});

describe('rewinding', () => {
  const play = async () => {
    const made = world();
    await made.open();
    for (const n of [0, 1, 2]) await made.step(n, false);
    return made;
  };

  it('gives up later steps; run again they make the same programs and cost nothing more', async () => {
    const { store, step, call, activities } = await play();
    const before = await programsOf(store);
    const rewind = { run, owner: 'first', rewind: { toStep: 1, resample: false } };
    const opened = await call(activities.openRun, { ...rewind, owner: 'second' });
    expect(await call(activities.openRun, { ...rewind, owner: 'second' })).toEqual(opened);
    const firstCommit = (await store.committedAt(run, 0))!.getTime();
    expect(opened).toMatchObject({ committedStep: 0, paid: { tokens: 64 }, committedAtMs: firstCommit });
    expect(opened.improvedAtMs).toBe(opened.best === null ? undefined : firstCommit);
    expect(await store.committedAt(run, 1)).toBeNull();
    expect(await store.supersededSteps(run)).toHaveLength(2);
    await expect(step(1, false)).rejects.toThrow(/nothing is changed|superseded/i);
    expect((await call(activities.planStep, { run, step: 1, owner: 'second' })).done).toBeNull();
    await step(1, false, 0, 'second');
    const last = await step(2, false, 0, 'second');
    const strip = (programs: typeof before) => programs.map(({ generation: _, ...program }) => program);
    expect(strip(await programsOf(store))).toEqual(strip(before));
    expect(last.paid.tokens).toBe(64);
    expect(last.committedAtMs).toBe((await store.committedAt(run, 2))!.getTime());
  });

  it('with resample the old future stays readable and stays paid', async () => {
    const { store, step, call, activities } = await play();
    await call(activities.openRun, { run, owner: 'second', rewind: { toStep: 2, resample: true } });
    const last = await step(2, false, 0, 'second');
    expect(last.paid).toMatchObject({ tokens: 96, programs: 36 });
    expect((await programsOf(store)).map(({ _id }) => _id)).toContain(programId(run, 2, 1, 0));
    expect((await store.getPrograms([programId(run, 2, 0, 0)])).size).toBe(1);
    expect(paidSoFar((await store.readRun(run))!).tokens).toBe(96);
  });

  it('that comes again after a reset by hand asks the model no second time', async () => {
    const { store, step, call, activities } = await play();
    const rewind = { toStep: 2, resample: true, by: 'update-1' };
    await call(activities.openRun, { run, owner: 'second', rewind });
    const first = await step(2, false, 0, 'second');
    // The run is reset to before the message: another execution takes it again.
    await call(activities.openRun, { run, owner: 'third', rewind });
    const again = await step(2, false, 0, 'third');
    expect(again.paid).toEqual(first.paid);
    expect((await store.readRun(run))!.epochs.map(({ by }) => by)).toEqual(['update:update-1']);
    await call(activities.openRun, { run, owner: 'fourth', rewind: { ...rewind, by: 'update-2' } });
    expect((await step(2, false, 0, 'fourth')).paid.tokens).toBeGreaterThan(first.paid.tokens);
  });

  it('to a step that is not there is refused', async () => {
    const { call, activities } = await play();
    for (const toStep of [0, 3])
      await expect(
        call(activities.openRun, { run, owner: 'second', rewind: { toStep, resample: false } }),
      ).rejects.toThrow(/toStep: expected 1 to 2/);
  });
});

describe('a budget', () => {
  it('groups that were never asked for are left out of the commit', async () => {
    const { store, open, step } = world();
    await open();
    await step(0, false);
    const summary = await step(1, false, 1);
    expect(summary.totals.programs).toBe(6);
    expect(summary.paid.tokens).toBe(16);
    expect((await programsOf(store)).map(({ slot }) => slot)).toEqual([0, 0, 1, 2, 3, 4, 5]);
  });
});
