// From answers of method `delta` to stored nodes (DeltaEvolve 1, 3, 4, 5, 6, 12, 14, 20),
// and the momentum of a run.
import { describe, expect, it } from 'vitest';
import { momentumText } from '../../../../cli/commands/programs/deltas.ts';
import { momentumOf, withDelta } from '../../../../client/read/momentum.ts';
import { programId } from '../../../../evolution/ids.ts';
import {
  type Asked,
  configOf,
  deltaWorld,
  edit,
  initialProgram,
  lively,
  log,
  played,
  run,
} from '../../../support/worlds/delta-world.ts';
import { play as plainPlay, run as plainRun } from '../../../support/worlds/world.ts';

const ROOT = programId(run, 0, 0, 0);
const one = configOf({ batch: 1, selection: { kind: 'initial' } });
const nodeOf = async (answer: string) => {
  const world = await played({ config: one, answer: () => answer }, 1);
  const [program] = await world.programs();
  return { ...program!, text: await world.codeOf(program!), store: world.store };
};
const patch = edit(initialProgram(), '2.5');
const summary = (to: string): string => `#DELTA-SUMMARY-START\nFROM: a\nTO: ${to}\n#DELTA-SUMMARY-END`;

describe('an answer', () => {
  it('DeltaEvolve 1: a canonical reply yields L1, J modifications in order, and the patched parent as L3', async () => {
    const { change, text, outcome, parents } = await nodeOf(
      [
        patch,
        '',
        summary('b'),
        '#DELTA-PLAN-DETAILS-START',
        '[Modification 1]',
        'COMPONENT: Start',
        'OLD_LOGIC: o1',
        'NEW_LOGIC: n1',
        'HYPOTHESIS: h1',
        '[Modification 2]',
        'COMPONENT: Loop',
        'OLD_LOGIC: o2',
        'NEW_LOGIC: n2',
        'HYPOTHESIS: h2',
        '#DELTA-PLAN-DETAILS-END',
      ].join('\n'),
    );
    expect({ outcome, parents, text }).toEqual({
      outcome: 'valid',
      parents: [ROOT],
      text: initialProgram().replace('value = 1.0', 'value = 2.5'),
    });
    expect(change).toEqual({
      summary: { from: 'a', to: 'b' },
      status: 'full',
      label: 'improved',
      plan: [
        { component: 'Start', oldLogic: 'o1', newLogic: 'n1', hypothesis: 'h1' },
        { component: 'Loop', oldLogic: 'o2', newLogic: 'n2', hypothesis: 'h2' },
      ],
    });
  });

  it('reasoning is no part of the answer: what it says of a delta does not count', async () => {
    expect((await nodeOf(`<think>${log('thought')}</think>${patch}`)).change!.status).toBe('missing');
    expect((await nodeOf(`<think>${log('thought')}`)).reasons[0]).toContain('the reasoning is not closed');
  });

  it('what failed is stored with its delta', async () => {
    const { change, outcome } = await nodeOf(`${edit(initialProgram(), 'nothing')}\n${log('bad')}`);
    expect({ outcome, label: change!.label, to: change!.summary.to }).toEqual({
      outcome: 'invalid',
      label: 'failed',
      to: 'strategy bad',
    });
  });
});

describe('a run', () => {
  it('DeltaEvolve 12: labels follow the truth table, failed parents included', async () => {
    const world = await played(
      {
        config: configOf({
          population: { admitFailures: true, archive: 40 },
          selection: { kind: 'uniform', pool: 'population' },
        }),
        answer: ({ step, slot, parentCode }) =>
          `${edit(parentCode, (step + slot) % 4 === 0 ? `bad_${step}_${slot}` : `${1 + ((step * 3 + slot) % 4) / 2}${'0'.repeat(step)}${slot + 1}`)}\n${log(`s${step}x${slot}`)}`,
        scoreOf: (code) => {
          const value = Number(/value = (\S+)/.exec(code)![1]);
          return Number.isFinite(value) ? Number(value.toFixed(1)) : null;
        },
      },
      15,
    );
    const all = new Map(await world.store.getPrograms([ROOT, ...(await world.programs()).map(({ _id }) => _id)]));
    const seen = new Map<string, number>();
    for (const { fit, parents, change } of all.values()) {
      if (parents.length === 0) {
        expect(change).toBeUndefined();
        continue;
      }
      const parent = all.get(parents[0]!)!.fit;
      const label =
        fit === undefined
          ? 'failed'
          : parent === undefined || fit > parent
            ? 'improved'
            : fit < parent
              ? 'degraded'
              : 'unchanged';
      expect(change!.label).toBe(label);
      const kind = `${label}${parent === undefined ? ' of failed' : ''}`;
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }
    for (const kind of ['failed', 'improved', 'degraded', 'unchanged', 'improved of failed'])
      expect(seen.get(kind), kind).toBeGreaterThan(0);
  });

  it('DeltaEvolve 14: run tokens equal the summed usage, unusable replies included; every activity done twice changes nothing', async () => {
    const answer = (asked: Asked): string => ((asked.step + asked.slot) % 3 === 0 ? 'only prose' : lively(asked));
    const [once, twice] = [await played({ answer }, 6), await played({ answer }, 6, true)];
    expect(await twice.programs()).toEqual(await once.programs());
    const ids = (await once.programs()).map(({ _id }) => _id);
    const usage = [...(await once.store.getRollouts(ids)).values()].map((rollout) => rollout.usage);
    const sum = (of: (one: { readonly in: number; readonly out: number }) => number): number =>
      usage.reduce((total, each) => total + of(each), 0);
    expect((await twice.store.readRun(run))!.totals.tokens).toMatchObject({
      in: sum((each) => each.in),
      out: sum((each) => each.out),
    });
    expect(usage).toHaveLength(24);
  });

  it('DeltaEvolve 20: a program that migrated keeps delta, attempt and label', async () => {
    const world = await played({ config: configOf({ migration: { interval: 2, rate: 0.5 } }), answer: lively }, 4);
    const before = await world.store.getPrograms((await world.programs()).map(({ _id }) => _id));
    for (let step = 5; step <= 12; step++) await world.step(step);
    const { islands, members } = await world.store.population(run);
    const migrants = [...members.values()].filter(
      ({ id, home }) => id !== ROOT && islands.some((roster, island) => island !== home && roster.byId.has(id)),
    );
    expect(migrants.length).toBeGreaterThan(0);
    const after = await world.store.getPrograms([...before.keys()]);
    expect(after).toEqual(before);
    for (const { id } of migrants) expect((await world.store.getPrograms([id])).get(id)!.change!.status).toBe('full');
  });

  it('seed programs are roots: they keep no change and are never shown', async () => {
    const world = await played({ config: configOf({ population: { initialisation: 4 } }), answer: lively }, 8);
    const seedPrograms = (await world.programs()).filter(({ founder }) => founder === true);
    expect(seedPrograms.length).toBeGreaterThan(0);
    expect(seedPrograms.every(({ change, parents }) => change === undefined && parents.length === 0)).toBe(true);
    const shown = new Set(
      (await Promise.all(Array.from({ length: 8 }, (_, index) => world.promptsOf(index + 1))))
        .flat()
        .flatMap(({ context = [] }) => context.map(({ id }) => id)),
    );
    expect(seedPrograms.some(({ _id }) => shown.has(_id))).toBe(false);
  });

  it('programs of another style have no change; shown in style delta they have a mechanical one', async () => {
    const world = deltaWorld({ config: configOf({ prompt: { style: 'theta' } }), answer: lively });
    await world.open();
    for (let step = 0; step <= 3; step++) await world.step(step);
    expect((await world.programs()).every(({ change }) => change === undefined)).toBe(true);
    const { config, configVersion } = (await world.store.readRun(run))!;
    await world.store.setConfig(run, { ...config, prompt: { ...config.prompt, style: 'delta' } }, configVersion);
    await world.step(4);
    const [prompt] = await world.promptsOf(4);
    expect(prompt!.texts.user).toMatch(
      /### Top Delta Plan 1\n\[iter: \d{3} \| (improved|degraded)\]\nFROM: initial program\nTO: unlabelled change, 1 block, \+1\/-1 lines/,
    );
  });
});

describe('momentum', () => {
  it('is the lineage from the root to the best, with milestones and component counts', async () => {
    const world = await played({ answer: lively }, 10);
    const document = (await world.store.readRun(run))!;
    const momentum = await momentumOf(world.store, document, undefined);
    expect(momentum.program).toBe(document.best!.program);
    expect(momentum.lineage[0]!.id).toBe(ROOT);
    expect(momentum.lineage.at(-1)!.id).toBe(document.best!.program);
    const programs = await world.store.getPrograms(momentum.lineage.map(({ id }) => id));
    for (const [index, { id }] of momentum.lineage.entries())
      if (index > 0) expect(programs.get(id)!.parents).toEqual([momentum.lineage[index - 1]!.id]);
    expect(momentum.milestones.at(-1)!.id).toBe(document.best!.program);
    const text = momentumText(momentum).join('\n');
    expect(text).toMatch(/\[iter: \d{3} \| improved\] FROM: the strategy before s\d+x\d TO: strategy s\d+x\d/);
    expect(momentum.components.reduce((sum, { improved }) => sum + improved, 0)).toBe(
      (await world.programs()).filter(({ change }) => change!.label === 'improved').length,
    );
    const [first] = await world.programs();
    const other = await momentumOf(world.store, document, first!._id);
    expect(other.lineage.map(({ id }) => id)).toEqual([ROOT, first!._id]);
    await expect(momentumOf(world.store, document, 'nobody')).rejects.toThrow('has no program "nobody"');
  });

  it('says that there are none where the prompts ask for none', async () => {
    const { store, programs } = await plainPlay(false);
    const document = (await store.readRun(plainRun))!;
    const momentum = await momentumOf(store, document, programs.at(-1)!._id);
    expect(momentum).toMatchObject({ deltas: 0, style: 'theta' });
    expect(momentumText(momentum)[0]).toBe(
      `run ${document.run} has no deltas: its prompts, of style theta, do not ask for them (prompt.style delta does)`,
    );
  });

  it('deltas can be searched, in whatever case', async () => {
    const world = await played({ answer: lively }, 3);
    const document = (await world.store.readRun(run))!;
    const found = async (text: string) => {
      const ids = [];
      for await (const { id } of withDelta(world.store, document, text)) ids.push(id);
      return ids;
    };
    expect(await found('PART S2X1')).toEqual([programId(run, 2, 0, 1)]);
    expect(await found('many restarts')).toHaveLength(12);
    expect(await found('simulated annealing')).toEqual([]);
  });
});
