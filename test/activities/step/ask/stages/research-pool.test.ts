// AlphaResearch's pool (AlphaResearch Algorithm 1; docs/methods/alpharesearch.md, Parents): the initial idea and its
// score, failures that join, whose turn it is, who migrates.
import { describe, expect, it } from 'vitest';
import { rebuildRun } from '../../../../../activities/rebuild/rebuild.ts';
import { usageOf } from '../../../../../client/read/usage.ts';
import { promptId } from '../../../../../evolution/ids.ts';
import { commitStep } from '../../../../../evolution/population/insertion.ts';
import { applyChangeSet, emptyPopulation } from '../../../../../evolution/population/population.ts';
import type { Child } from '../../../../../evolution/types.ts';
import { DOWN, edit, research, run } from '../../../../support/worlds/research-world.ts';
import { configFrom } from '../../../../support/domain/asked-run.ts';

const CLEAN = { differences: [], differenceCount: 0 };
const lineOf = (user: string): string => /^.*middle_x = .*$/m.exec(user)![0];

describe('the initial idea', () => {
  it('AlphaResearch 8: is scored and not gated: the triple is stored; scored 3 it remains samplable', async () => {
    const world = research({ initial: () => '\\boxed{3}' });
    await world.play(3);
    const [initial, first] = await world.programs();
    expect(initial).toMatchObject({ outcome: 'valid', score: 0.05, idea: { score: 3, would: 'rejected' } });
    expect(first!.parents).toEqual([initial!._id]);
    const text = await world.text(initial!.idea!.text);
    expect(text).toContain('the initial program reaches sum_radii=0.05');
    expect(world.initially).toHaveLength(1);
    expect(world.initially[0]).toMatchObject({ temperature: 0 });
    expect(world.initially[0]!.user.endsWith(text)).toBe(true);
    expect(world.asked[0]!.user).toContain(`# Current Proposal\n\n${text}`);
  });

  it('is paid for once, counts in the totals, and a rebuild agrees', async () => {
    const world = research();
    await world.open();
    for (let n = 0; n <= 2; n++) await world.step(n, { twice: true });
    expect(world.initially).toHaveLength(1);
    const document = await world.document();
    expect(document.totals.tokens).toEqual({ in: 700, out: 70 });
    expect((await usageOf(world.store, document)).roles).toContainEqual(
      expect.objectContaining({ role: 'judge', answers: 3 }),
    );
    expect((await usageOf(world.store, document)).total.tokens).toEqual(document.totals.tokens);
    expect(await rebuildRun({ store: world.store, loadTask: world.task }, run)).toMatchObject(CLEAN);
  });

  it('has no score where the judge cannot be asked, and the run goes on', async () => {
    const world = research({ initial: DOWN });
    await world.play(1);
    expect((await world.programs())[0]).toMatchObject({ outcome: 'valid', idea: { score: null, would: 'rm_failed' } });
    expect((await world.programs())[1]).toMatchObject({ outcome: 'valid' });
  });

  it('is judged in the shadow too, and by nobody without a gate', async () => {
    const [shadow, off] = [research({}, { ideation: { gate: 'shadow' } }), research({}, { ideation: { gate: 'off' } })];
    for (const world of [shadow, off]) await world.play(0);
    expect([shadow.initially.length, off.initially.length]).toEqual([1, 0]);
    expect((await off.programs())[0]!.idea).toBeUndefined();
  });
});

describe('failed evaluations', () => {
  const failing = {
    program: ({ user }: { readonly user: string }, k: number) =>
      k % 3 === 1 ? 'Prose alone.' : edit(lineOf(user), `    middle_x = 0.${k + 10}`),
    result: (number: number) =>
      number < 10 || number % 3 === 0 ? {} : { outcome: 'invalid' as const, score: null, strictScore: null },
  };

  it('join the pool behind all others, are sampled and carry their idea; answers that brought nothing to evaluate do not', async () => {
    const world = research(failing, { population: { islands: 1 }, selection: { exploration: 1, exploitation: 0 } });
    await world.play(30);
    const programs = await world.programs();
    const { all } = await world.store.population(run);
    const alive = programs.filter(({ _id }) => all.byId.has(_id));
    expect(new Set(alive.map(({ outcome }) => outcome))).toEqual(new Set(['valid', 'invalid']));
    expect(alive).toHaveLength(programs.filter(({ evaluation }) => evaluation !== null).length);
    const failedParents = programs.filter(({ parents: [parent] }) =>
      programs.some(({ _id, outcome }) => _id === parent && outcome === 'invalid'),
    );
    expect(failedParents.length).toBeGreaterThan(0);
    const worst = [...all.byId.values()].sort((a, b) => a.fit - b.fit);
    expect(programs.find(({ _id }) => _id === worst[0]!.id)!.outcome).toBe('invalid');
    expect(world.asked.some(({ role, user }) => role === 'idea' && user.includes('valid=false'))).toBe(true);
    expect(await rebuildRun({ store: world.store, loadTask: world.task }, run)).toMatchObject(CLEAN);
  });

  it("only what is stored in the pool advances its island's generation", async () => {
    const world = research(
      { ...failing, judge: (_, k) => `\\boxed{${k % 4 === 0 ? 2 : 8}}` },
      { population: { islands: 1 } },
    );
    await world.play(12);
    const stored = (await world.programs()).filter(({ evaluation }) => evaluation !== null).length - 1;
    expect(stored).toBeLessThan(12);
    expect((await world.store.population(run)).state.generations).toEqual([stored]);
  });
});

describe('islands', () => {
  const configOf = (settings: object) =>
    configFrom({
      method: 'research',
      model: { kind: 'openai', baseUrl: 'http://127.0.0.1:1/v1', name: 'm', roles: ['exploit', 'idea', 'judge'] },
      ...settings,
    });

  it('turn after max(1, floor(rounds / (10 islands))) rounds: 20 at the defaults', () => {
    const turnOf = (settings: object): number => configOf(settings).population.turn;
    expect(turnOf({})).toBe(20);
    expect(turnOf({ limits: { steps: 400 } })).toBe(8);
    expect(turnOf({ limits: { programs: 120 } })).toBe(2);
    expect(turnOf({ limits: { steps: 30 } })).toBe(1);
    expect(
      turnOf({
        limits: { costUsd: 5 },
        model: {
          kind: 'openai',
          baseUrl: 'http://127.0.0.1:1/v1',
          name: 'm',
          price: { in: 1, out: 1 },
          roles: ['exploit', 'idea', 'judge'],
        },
      }),
    ).toBe(20);
    expect(turnOf({ batch: 4, limits: { steps: 100 }, population: { islands: 2 } })).toBe(20);
    expect(turnOf({ population: { turn: 3 } })).toBe(3);
    expect(configFrom({}).population.turn).toBe(1);
  });

  it('keep their turn whatever becomes of the rounds: rejected ones count', async () => {
    const world = research(
      { judge: (_, k) => `\\boxed{${k % 2 === 0 ? 2 : 8}}` },
      {
        population: { islands: 3, turn: 4 },
        selection: { exploration: 1, exploitation: 0 },
        migration: { topology: 'none' },
      },
    );
    await world.play(15);
    const prompts = await world.store.getPrompts(
      Array.from({ length: 15 }, (_, index) => promptId(run, index + 1, 0, 0)),
    );
    expect([...prompts.values()].sort((x, y) => x.step - y.step).map(({ island }) => island)).toEqual([
      0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 0, 0, 0,
    ]);
  });

  it('offer programs that were made there: no migrant migrates on', () => {
    const config = configFrom({ method: 'research', population: { islands: 4 }, migration: { interval: 1, rate: 1 } });
    const population = emptyPopulation(config.population);
    const child = (step: number, island: number): Child => ({
      id: `${step}`,
      slot: 0,
      bornSeq: step * 1e6,
      parent: step === 0 ? null : '0',
      island,
      outcome: 'valid',
      fit: step,
      length: 10,
    });
    const moves: { readonly id: string; readonly from: number; readonly to: number }[] = [];
    for (let step = 0; step <= 6; step++) {
      const changeSet = commitStep({ population, children: [child(step, 1)], step, settings: config });
      moves.push(...changeSet.migrated);
      applyChangeSet(population, changeSet);
    }
    expect(moves.length).toBeGreaterThan(0);
    expect(moves.every(({ from }) => from === 1)).toBe(true);
    expect(population.islands[3]!.byId.size).toBe(1);
  });
});
