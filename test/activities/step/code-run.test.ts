// Method `code` through its activities, a scripted model in place of a language model (CodeEvolve).
import { describe, expect, it } from 'vitest';
import { initialPrompt } from '../../../activities/step/ask/prompts/evolved-prompts.ts';
import { rebuildRun } from '../../../activities/rebuild/rebuild.ts';
import { shippedTask } from '../../support/domain/shipped-tasks.ts';
import { withoutPromptMarkers } from '../../../evolution/exploration/prompt-edit.ts';
import { rowsOf } from '../../../evolution/population/population.ts';
import {
  changed,
  codeWorld,
  configOf,
  edit,
  firstLine,
  isMeta,
  messagesOf,
  plansOf,
  programsOf,
  run,
  SMALL,
  textOf,
} from '../../support/worlds/code-world.ts';

const STEPS = 16;
const task = await shippedTask('circle-packing-square-26');
const config = configOf(SMALL);
const clean = { differences: [], differenceCount: 0 };

describe('a run of code', async () => {
  const world = codeWorld(SMALL);
  await world.play(STEPS);
  const { store } = world;
  const plans = await plansOf(store, STEPS, SMALL.batch);
  const programs = new Map((await programsOf(store)).map((program) => [program._id, program]));
  const rows = rowsOf(await store.population(run)).prompts;
  const free = plans.filter(({ founding }) => founding === undefined);

  it('uses both operators, edits prompts and migrates', () => {
    expect(new Set(free.map(({ operator }) => operator))).toEqual(new Set(['exploit', 'explore']));
    expect(rows.filter(({ id }) => id !== 'initial').length).toBeGreaterThan(5);
    expect(free.some(({ parent, island }) => programs.get(parent)!.island !== island)).toBe(true);
  });

  it('CodeEvolve 6: a migrant target has no ancestors on its new island, no chain crosses a root', () => {
    for (const { parent, island, context = [] } of free) {
      const ancestors = context.flatMap(({ id, role }) => (role === 'ancestor' ? [id] : []));
      if (programs.get(parent)!.island !== island || programs.get(parent)!.parents.length === 0)
        expect(ancestors).toEqual([]);
      for (const id of ancestors.slice(1))
        expect(programs.get(id)).toMatchObject({ island, parents: [expect.any(String)] });
    }
  });

  it('a changed prompt is the child of the one that its group drew, an edit within its PROMPT-BLOCK', async () => {
    const initial = await Promise.all(
      rows.filter(({ id }) => id === 'initial').map(async ({ island, text }) => [island, await textOf(store, text)]),
    );
    // Each island begins with one part of the advice, and the two islands with different ones.
    expect(initial.toSorted()).toEqual([0, 1].map((island) => [island, initialPrompt(task, config, island)]));
    for (const part of task.prompts)
      expect(initial.filter(([, text]) => `${text}`.includes(part.text))).toHaveLength(1);
    for (const { island, id, parent, text } of rows.filter((row) => row.id !== 'initial')) {
      const plan = plans.find(({ _id }) => _id === id)!;
      expect(plan).toMatchObject({ island, operator: 'explore', first: 'meta', prompt: { id: parent } });
      expect((await textOf(store, text)).startsWith('# PROMPT-BLOCK-START\n')).toBe(true);
      expect((await messagesOf(store, plan))[0]!.content).toContain(
        `\n\n${withoutPromptMarkers(await textOf(store, text)).trim()}`,
      );
    }
  });

  it('a rebuild from the stored programs finds no difference', async () => {
    expect(await rebuildRun({ store, loadTask: shippedTask }, run)).toMatchObject({
      steps: STEPS + 1,
      programs: 1 + STEPS * SMALL.batch,
      ...clean,
    });
  });

  it('a rebuild names a program whose prompt is another than was credited, and prompts of the run that are not those of its steps', async () => {
    const victim = [...programs.values()].find(({ prompt }) => prompt?.isNew === true)!;
    const damaged = {
      ...store,
      getPrograms: async (ids: readonly string[]) =>
        new Map(
          [...(await store.getPrograms(ids))].map(([id, program]) => [
            id,
            id === victim._id ? { ...program, prompt: { ...program.prompt!, text: 'another' } } : program,
          ]),
        ),
    };
    expect(
      (await rebuildRun({ store: damaged, loadTask: shippedTask }, run)).differences.map(({ what }) => what),
    ).toEqual(expect.arrayContaining(['change set: prompts', 'fingerprint of the rows', 'prompts of the run']));
  });

  it('repeating every activity changes nothing, and asks nothing twice', async () => {
    const repeated = codeWorld(SMALL);
    await repeated.play(STEPS, true);
    const all = async (of: typeof world) => rowsOf(await of.store.population(run));
    expect(await all(repeated)).toEqual(await all(world));
    expect(repeated.asked.map(({ messages, seed }) => [messages, seed])).toEqual(
      world.asked.map(({ messages, seed }) => [messages, seed]),
    );
  });
});

describe('a rewound and a forked run of code', () => {
  it('have the prompts and rates of their last step, and rebuild without a difference', async () => {
    const { store, play, step, call, activities } = codeWorld(SMALL);
    await play(8);
    const before = (await store.readRun(run))!;
    await store.createFork({
      run: 'fork',
      from: run,
      step: 6,
      config: { ...before.config, seed: 99 },
      createdAt: new Date(),
    });
    await step(7, { of: 'fork', owner: 'f' });
    await call(activities.openRun, { run, owner: 'second', rewind: { toStep: 6, resample: true } });
    for (let n = 6; n <= 9; n++) await step(n, { owner: 'second' });
    for (const of of [run, 'fork']) expect(await rebuildRun({ store, loadTask: shippedTask }, of)).toMatchObject(clean);
  });
});

describe('failed and useless answers', () => {
  it('CodeEvolve 20: failed meta-prompt: generation proceeds with P, no new prompt', async () => {
    const answers = [
      () => 'no edit',
      () => edit('there is no such line', 'x'),
      (prompt: string) => edit(firstLine(prompt), firstLine(prompt)),
      (prompt: string) => edit('# PROMPT-BLOCK-START', 'gone') + edit(firstLine(prompt), 'new'),
    ];
    const { store, play } = codeWorld(SMALL, {
      meta: ({ seed }, prompt) => answers[seed % answers.length]!(prompt),
      metaFails: (group) => group === 3,
    });
    await play(8);
    const explored = (await plansOf(store, 8, SMALL.batch)).filter(({ first }) => first === 'meta');
    expect(explored.length).toBeGreaterThan(5);
    for (const plan of explored)
      expect((await messagesOf(store, plan))[0]!.content).toContain(
        withoutPromptMarkers(initialPrompt(task, configOf(SMALL), plan.island)).trim(),
      );
    expect(rowsOf(await store.population(run)).prompts.map(({ id }) => id)).toEqual(['initial', 'initial']);
    expect((await programsOf(store)).slice(1).every(({ prompt }) => prompt?.id === 'initial' && !prompt.isNew)).toBe(
      true,
    );
    expect(await rebuildRun({ store, loadTask: shippedTask }, run)).toMatchObject(clean);
  });

  it('CodeEvolve 19: strict: one unmatched block: no evaluation, attempt stored, prompt kept', async () => {
    const { store, play } = codeWorld(SMALL, {
      program: ({ seed }, line) =>
        edit(line, changed(line, seed)) + (seed % 3 === 0 ? edit('there is no such line', 'x') : ''),
    });
    await play(8);
    const rejected = (await programsOf(store)).filter(({ outcome }) => outcome === 'no_change');
    expect(rejected.length).toBeGreaterThan(3);
    for (const { _id, evaluation, reasons, prompt } of rejected) {
      expect(evaluation).toBeNull();
      expect(reasons.join()).toContain('1 of 2 blocks does not apply, and then none is taken');
      expect((await store.getRollouts([_id])).has(_id)).toBe(true);
      if (prompt!.isNew)
        expect(rowsOf(await store.population(run)).prompts.some(({ id }) => id === prompt!.id)).toBe(true);
    }
  });

  it('the latest failed child of the target on its island is one more card; off, it is not', async () => {
    const settings = (failure: boolean) => ({ ...SMALL, prompt: { failure } });
    const score = (code: string): number | null => {
      const value = Number(/middle_x = 0\.(\d+)/.exec(code)![1]);
      return value % 3 === 0 ? null : value;
    };
    const on = codeWorld(settings(true), { score });
    await on.play(12);
    const programs = await programsOf(on.store);
    let shown = 0;
    for (const plan of await plansOf(on.store, 20, SMALL.batch)) {
      const failed = programs
        .filter(
          ({ parents, island, step, outcome }) =>
            parents[0] === plan.parent && island === plan.island && step < plan.step && outcome !== 'valid',
        )
        .at(-1);
      const last = (await messagesOf(on.store, plan)).at(-1)!.content;
      const expected = plan.founding === true ? undefined : failed;
      expect(last.includes('# Latest failed attempt')).toBe(expected !== undefined);
      if (expected === undefined) continue;
      shown++;
      expect(last.split('# Latest failed attempt')[1]).toContain(
        (await textOf(on.store, expected.code!))
          .trim()
          .split('\n')
          .find((line) => line.includes('middle_x ='))!,
      );
    }
    expect(shown).toBeGreaterThan(0);
    const off = codeWorld(settings(false), { score });
    await off.play(10);
    for (const { messages } of off.asked) expect(messages.at(-1)!.content).not.toContain('# Latest failed attempt');
  });

  it.each([
    [
      { scores: 'masked' },
      (text: string, scores: readonly string[]) =>
        text.includes('sum_radii_strict = [hidden]') && scores.every((score) => !text.includes(score)),
    ],
    [
      { feedback: 'label-only' },
      (text: string) => /^Metrics: valid = (yes|no \(.*\))$/m.test(text) && !text.includes('two discs meet'),
    ],
    [{ feedback: 'none' }, (text: string) => !text.includes('Metrics:') && !text.includes('two discs meet')],
  ] as const)('what %o keeps back is in no message, of the meta stage neither', async (prompt, holds) => {
    const score = (code: string): number | null => {
      const value = Number(/middle_x = 0\.(\d+)/.exec(code)![1]);
      return value % 3 === 0 ? null : 1 + value / 1e6;
    };
    const { store, asked, play } = codeWorld({ ...SMALL, prompt }, { score });
    await play(6);
    const scores = (await programsOf(store)).flatMap((one) =>
      one.score === null || one.step === 0 ? [] : [String(one.score)],
    );
    expect(scores.length).toBeGreaterThan(8);
    for (const { messages } of asked)
      expect(holds(messages.map(({ content }) => content).join('\n'), scores)).toBe(true);
  });

  it('a token budget drops the oldest ancestors, then the last inspirations', async () => {
    const { store, play } = codeWorld({ ...SMALL, prompt: { maxTokens: 100 } });
    await play(8);
    const plans = await plansOf(store, 8, SMALL.batch);
    expect(plans.some(({ context = [] }) => context.some(({ role }) => role === 'ancestor'))).toBe(true);
    for (const plan of plans) {
      const messages = await messagesOf(store, plan);
      expect(messages).toHaveLength(2);
      expect(messages[1]!.content).not.toContain('## Inspiration');
      expect(messages[1]!.content).toContain('# Current program');
    }
  });
});

describe('settings of code', () => {
  it('CodeEvolve 25: no evolution: every prompt equals the initial one', async () => {
    const { store, play } = codeWorld({
      ...SMALL,
      population: { islands: 2, initialisation: 500 },
      migration: { topology: 'none' },
      prompt: { frame: 'paper' },
    });
    await play(6);
    const plans = await plansOf(store, 6, SMALL.batch);
    const texts = new Set(
      (await Promise.all(plans.map((plan) => messagesOf(store, plan)))).map((messages) => JSON.stringify(messages)),
    );
    expect(texts.size).toBe(1);
    expect(plans.every(({ founding, prompt }) => founding === true && prompt!.id === 'initial')).toBe(true);
    expect((await store.population(run)).state.exploration).toEqual(
      [0, 1].map(() => ({ epoch: 0, rate: 0.5, stagnant: 0 })),
    );
  });

  it('naive: no edited prompts, inspirations, ancestors or cells, and a constant rate', async () => {
    const { store, asked, play } = codeWorld({
      ...SMALL,
      method: 'naive',
      exploration: { start: 0.3 },
      prompt: { frame: 'paper' },
    });
    await play(8);
    expect(asked.some(isMeta)).toBe(false);
    for (const plan of await plansOf(store, 8, SMALL.batch))
      expect([plan.context, plan.prompt!.id.split(' ')[0], plan.first]).toEqual([undefined, 'initial', undefined]);
    const population = await store.population(run);
    expect([population.maps, population.state.exploration!.map(({ rate }) => rate)]).toEqual([[], [0.3, 0.3]]);
    expect(await rebuildRun({ store, loadTask: shippedTask }, run)).toMatchObject(clean);
  });

  it('a schedule that is turned off and on again in a run that goes on', async () => {
    const { store, play, step, call, activities } = codeWorld(SMALL);
    await play(6);
    const patch = (schedule: string) =>
      call(activities.changeSettings, {
        run,
        change: { kind: 'set', patch: { exploration: { schedule, metaPrompt: schedule !== 'none' } } },
      });
    await patch('none');
    await step(7);
    expect((await store.population(run)).state.exploration).toBeUndefined();
    expect(
      (await plansOf(store, 7, SMALL.batch))
        .filter((plan) => plan.step === 7)
        .every(({ operator, prompt }) => operator === undefined && prompt === undefined),
    ).toBe(true);
    await patch('cosine');
    await step(8);
    expect((await store.population(run)).state.exploration!.map(({ epoch }) => epoch)).toEqual([1, 1]);
    expect(await rebuildRun({ store, loadTask: shippedTask }, run)).toMatchObject(clean);
  });
});
