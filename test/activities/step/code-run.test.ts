// Method `code` through its activities, a scripted model in place of a language model (CodeEvolve).
import { describe, expect, it } from 'vitest';
import { initialPrompt } from '../../../activities/step/ask/prompts/evolved-prompts.ts';
import { rebuildRun } from '../../../activities/rebuild/rebuild.ts';
import { shippedTask } from '../../support/domain/shipped-tasks.ts';
import { withoutPromptMarkers } from '../../../evolution/exploration/prompt-edit.ts';
import { rowsOf } from '../../../evolution/population/population.ts';
import { limitsSection } from '../../../evolution/prompts/parts/statement.ts';
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
const limits = limitsSection(task, { ...config.evaluation, printed: true });
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

  it("CodeEvolve 4: exploitation's system text holds the parent's own prompt, byte for byte, without its markers", async () => {
    let edited = 0;
    for (const plan of free.filter(({ operator }) => operator === 'exploit')) {
      const own = programs.get(plan.parent)!.prompt;
      const text = own === undefined ? initialPrompt(task, config, plan.island) : await textOf(store, own.text);
      if (own !== undefined && own.id !== 'initial') edited++;
      const [system] = await messagesOf(store, plan);
      expect(system!.content.endsWith(`\n\n${withoutPromptMarkers(text).trim()}`)).toBe(true);
      expect(system!.content).toContain(limits);
      expect(system!.content).not.toContain('PROMPT-BLOCK');
      // The first prompt of another island came with a migrant, and counts for neither island's own.
      expect(['initial', 'initial of another island', own?.id]).toContain(plan.prompt!.id);
    }
    expect(edited).toBeGreaterThan(0);
  });

  it('CodeEvolve 5: exploration shows no ancestors, 2 messages; exploitation at available depth d 2 min(k, d) + 2', async () => {
    const depths = new Set<number>();
    for (const plan of free) {
      const messages = await messagesOf(store, plan);
      expect(messages.map(({ role }) => role)).toEqual(
        messages.map((_, index) => (index === 0 ? 'system' : index % 2 === 1 ? 'user' : 'assistant')),
      );
      let depth = 0;
      for (
        let at = programs.get(plan.parent)!;
        at.island === plan.island && at.parents[0] !== undefined;
        at = programs.get(at.parents[0])!
      )
        depth++;
      if (plan.operator === 'exploit') depths.add(depth);
      expect(messages).toHaveLength(plan.operator === 'explore' ? 2 : 2 * Math.min(5, depth) + 2);
    }
    expect(Math.max(...depths)).toBeGreaterThan(1);
  });

  it("the assistant's turn is the answer that turned the ancestor into its child", async () => {
    for (const plan of free) {
      const chain = [...(plan.context ?? []).flatMap(({ id, role }) => (role === 'ancestor' ? [id] : [])), plan.parent];
      const turns = (await messagesOf(store, plan)).filter(({ role }) => role === 'assistant');
      expect(turns).toHaveLength(chain.length - 1);
      const rollouts = await store.getRollouts(chain.slice(1));
      for (const [index, { content }] of turns.entries())
        expect(content).toBe((await textOf(store, rollouts.get(chain[index + 1]!)!.response)).trim());
    }
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

  it('CodeEvolve 3: inspirations are distinct, without the parent, in both operators', () => {
    for (const operator of ['exploit', 'explore']) {
      const shown = free
        .filter((plan) => plan.operator === operator)
        .map(({ parent, context = [] }) => [
          parent,
          ...context.flatMap(({ id, role }) => (role === 'inspiration' ? [id] : [])),
        ]);
      for (const ids of shown) expect(new Set(ids).size).toBe(ids.length);
      expect(shown.some((ids) => ids.length === 3)).toBe(true);
    }
  });

  it('CodeEvolve 21: initial population 3: the children that found an island are parentless, of the initial pair, and see nothing else', async () => {
    const founding = plans.filter((plan) => plan.founding === true);
    const seedPrograms = [...programs.values()].filter(({ founder }) => founder === true);
    expect(seedPrograms.filter(({ outcome }) => outcome === 'valid').length).toBeGreaterThanOrEqual(4);
    expect(seedPrograms.every(({ parents }) => parents.length === 0)).toBe(true);
    for (const plan of founding) {
      expect(plan).toMatchObject({
        operator: 'explore',
        prompt: { id: 'initial' },
        parent: programs.values().next().value!._id,
        priorPrograms: [],
      });
      expect([plan.first, plan.context]).toEqual([undefined, undefined]);
      expect(await messagesOf(store, plan)).toHaveLength(2);
    }
  });

  it('CodeEvolve 8: the fitness of a prompt is that of its best valid program on its island', () => {
    const best = new Map<string, number | null>();
    for (const { island, fit, prompt } of programs.values()) {
      if (prompt === undefined || (prompt.id !== 'initial' && !prompt.isNew && !best.has(`${island}:${prompt.id}`)))
        continue;
      const key = `${island}:${prompt.id}`;
      best.set(key, fit === undefined ? (best.get(key) ?? null) : Math.max(best.get(key) ?? fit, fit));
    }
    expect(new Map(rows.map(({ island, id, bestFit }) => [`${island}:${id}`, bestFit]))).toEqual(best);
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

  it("CodeEvolve 10: plateau: each island's rate is what its own epochs give", async () => {
    const { exploration: states } = (await store.population(run)).state;
    expect(states).toHaveLength(2);
    const settings = configOf(SMALL).exploration;
    for await (const { step, changeSet } of store.eachCommitted(run, 1)) {
      for (const { rate } of changeSet.state.exploration!)
        expect(rate >= settings.min && rate <= settings.max).toBe(true);
      expect(step.population.exploration).toEqual(changeSet.state.exploration);
    }
    expect(states!.every(({ epoch }) => epoch > 5)).toBe(true);
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
  it('CodeEvolve 23: exploration never calls a model that only exploits, in the initial phase neither', async () => {
    const { store, asked, play } = codeWorld({
      ...SMALL,
      model: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1', name: 'flash', weight: 0.6 },
      models: [{ name: 'pro', weight: 0.4, roles: ['exploit'] }],
    });
    await play(8);
    expect(asked.some(({ model }) => model === 'pro')).toBe(true);
    expect(asked.filter(isMeta).every(({ model }) => model === 'flash')).toBe(true);
    const programs = await programsOf(store);
    const rollouts = await store.getRollouts(programs.map(({ _id }) => _id));
    for (const plan of await plansOf(store, 8, SMALL.batch)) {
      const rollout = [...rollouts.values()].find(({ step, group }) => step === plan.step && group === plan.group)!;
      if (plan.operator === 'explore') expect(rollout.model).toBe('flash');
    }
  });

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

  it('CodeEvolve 16: the order in which groups are answered changes nothing', async () => {
    const one = codeWorld(SMALL);
    const other = codeWorld(SMALL);
    await one.play(6);
    await other.open();
    for (let n = 0; n <= 6; n++) {
      const { call, activities } = other;
      if (n > 0) {
        const plan = await call(activities.planStep, { run, step: n, owner: 'first' });
        const ref = { run, step: n, epoch: plan.epoch, version: plan.version };
        for (let group = plan.groups - 1; group >= 0; group--) {
          const stage = plan.preludes?.find((prelude) => prelude.group === group)?.stage;
          if (stage !== undefined) {
            await call(activities.ask, { ...ref, group, stage });
            await call(activities.advance, { ...ref, group, stage, failed: null });
          }
          await call(activities.generate, { ...ref, group, first: 0, count: 1, responses: 1 });
        }
      }
      await other.step(n);
    }
    expect(rowsOf(await other.store.population(run))).toEqual(rowsOf(await one.store.population(run)));
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
