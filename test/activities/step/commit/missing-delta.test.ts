// `delta.missing: repair`: one further call for a delta that an answer left out (docs/methods/deltaevolve.md;
// DeltaEvolve 14).
import { describe, expect, it } from 'vitest';
import { rebuildRun } from '../../../../activities/rebuild/rebuild.ts';
import { promptLines } from '../../../../cli/commands/programs/prompt.ts';
import { showLines } from '../../../../cli/commands/programs/show.ts';
import { readOrigin } from '../../../../client/read/program-origin.ts';
import { readProgram } from '../../../../activities/results/program-texts.ts';
import { promptOf } from '../../../../client/read/requests/prompts.ts';
import { usageOf } from '../../../../client/read/usage.ts';
import { programId } from '../../../../evolution/ids.ts';
import {
  type Asked,
  configOf,
  deltaWorld,
  edit,
  initialProgram,
  log,
  played,
  run,
  type Script,
} from '../../../support/worlds/delta-world.ts';

const one = configOf({ batch: 1, selection: { kind: 'initial' }, delta: { missing: 'repair' } });
const patch = edit(initialProgram(), '2.5');
const SUMMARY = '#DELTA-SUMMARY-START\nFROM: a\nTO: b\n#DELTA-SUMMARY-END';
const PLAN = '#DELTA-PLAN-DETAILS-START\n[Modification 1]\nCOMPONENT: Start\nNEW_LOGIC: n\n#DELTA-PLAN-DETAILS-END';
const first = async (script: Script) => {
  const world = await played({ config: one, ...script }, 1);
  return { world, program: (await world.programs())[0]! };
};
const asked = ({ messages }: { readonly messages: readonly { readonly content: string }[] }): string =>
  messages.map(({ content }) => content).join('\n\n');

describe('an answer without a delta', () => {
  it('is asked for it by one further call, which shows the patch and no program; the program is stored with what it said', async () => {
    const { world, program } = await first({ answer: () => patch, repair: () => log('x') });
    expect(program).toMatchObject({
      outcome: 'valid',
      change: { status: 'full', label: 'improved', summary: { to: 'strategy x' }, repair: { outcome: 'repaired' } },
    });
    expect(program.change!.plan).toHaveLength(1);
    expect(world.repairs).toHaveLength(1);
    expect(asked(world.repairs[0]!)).toContain(patch);
    expect(asked(world.repairs[0]!)).not.toContain('step_3 = 3');
  });

  it.each([
    ['summary', `${patch}\n${SUMMARY}`, '#DELTA-PLAN-DETAILS-START', '#DELTA-SUMMARY-START'],
    ['plan', `${patch}\n${PLAN}`, '#DELTA-SUMMARY-START', '#DELTA-PLAN-DETAILS-START'],
  ])('with its %s alone is asked for the rest, and keeps what it said', async (_, answer, wanted, unwanted) => {
    const { world, program } = await first({
      answer: () => answer,
      repair: () => `${SUMMARY.replace('TO: b', 'TO: other')}\n${PLAN.replace('Start', 'Other')}`,
    });
    expect(asked(world.repairs[0]!)).toContain(wanted);
    expect(asked(world.repairs[0]!)).not.toContain(unwanted);
    const { summary, plan } = program.change!;
    expect([summary.to, plan[0]!.component]).toEqual(wanted.includes('PLAN') ? ['b', 'Other'] : ['other', 'Start']);
  });

  it('where the call fails has a mechanical summary, and the program says so', async () => {
    const { world, program } = await first({ answer: () => patch });
    expect(program.change).toMatchObject({
      status: 'missing',
      summary: { from: 'initial program', to: 'unlabelled change, 1 block, +1/-1 lines' },
      repair: { outcome: 'failed', reason: expect.stringContaining('HTTP 401') },
    });
    expect((await world.store.readRun(run))!.totals.tokens).toEqual({
      in: expect.any(Number),
      out: Math.ceil(patch.length / 4),
    });
  });

  it('and whose further answer holds none either has a mechanical one, paid for', async () => {
    const { program } = await first({
      answer: () => patch,
      repair: () => '<think>#DELTA-SUMMARY-START\nTO: thought\n#DELTA-SUMMARY-END</think>I cannot.',
    });
    expect(program.change).toMatchObject({
      status: 'missing',
      repair: { outcome: 'failed', reason: 'the answer held no delta' },
    });
  });

  it("is told by the plan's components where a plan alone is made good", async () => {
    const { program } = await first({ answer: () => patch, repair: () => PLAN });
    expect(program.change).toMatchObject({
      status: 'plan_only',
      summary: { from: 'initial program', to: 'Start' },
      repair: { outcome: 'repaired' },
    });
  });
});

describe('nobody is asked', () => {
  it.each([
    ['where the delta is whole', one, `${patch}\n${log('x')}`],
    ['where nothing is evaluated', one, 'only prose'],
    ['of an unchanged program', one, edit(initialProgram(), '1.0')],
    ['by the other rules', configOf({ batch: 1, selection: { kind: 'initial' } }), patch],
  ])('%s', async (_, config, answer) => {
    const { world } = await first({ config, answer: () => answer, repair: () => log('x') });
    expect(world.repairs).toEqual([]);
  });

  it('twice about one answer: equal programs of two islands have a delta each', async () => {
    const world = await played(
      {
        config: configOf({ batch: 2, selection: { kind: 'initial' }, delta: { missing: 'repair' } }),
        answer: () => patch,
        repair: () => log('x'),
      },
      1,
    );
    expect(world.repairs).toHaveLength(2);
    expect((await world.programs()).map(({ change }) => change!.status)).toEqual(['full', 'full']);
  });
});

describe('a run that repairs', () => {
  const script: Script = {
    config: configOf({ delta: { missing: 'repair' } }),
    repair: () => log('repaired'),
    answer: ({ step, slot, parentCode }: Asked) =>
      `${edit(parentCode, `${1 + step / 10 + slot / 100}1`)}${slot === 0 ? `\n${log(`s${step}`)}` : ''}`,
  };

  it('DeltaEvolve 14: tokens equal the summed usage, repairs included; whatever is done twice is paid once; a rebuild agrees', async () => {
    const [once, twice] = [await played(script, 4), await played(script, 4, true)];
    expect(await twice.programs()).toEqual(await once.programs());
    expect(twice.repairs).toHaveLength(12);
    const { tokens } = (await twice.store.readRun(run))!.totals;
    const rollouts = [...(await twice.store.getRollouts((await twice.programs()).map(({ _id }) => _id))).values()];
    expect(tokens).toEqual({
      in: 12 * 50 + rollouts.reduce((sum, { usage }) => sum + usage.in, 0),
      out: 12 * 7 + rollouts.reduce((sum, { usage }) => sum + usage.out, 0),
    });
    expect(await rebuildRun({ store: twice.store, loadTask: twice.loadTask }, run)).toMatchObject({ differences: [] });
    const usage = await usageOf(twice.store, (await twice.store.readRun(run))!);
    expect(usage.roles).toContainEqual({ role: 'delta', answers: 12, tokens: { in: 600, out: 84 }, costUsd: 0 });
    expect(usage.total.tokens).toEqual(tokens);
  });

  it('asks of the strategy before the change as the parent was stored, and shows what was repaired', async () => {
    const world = await played(script, 6);
    const texts = world.repairs.map(asked);
    expect(texts.some((text) => /strategy repaired|strategy s\d/.test(text))).toBe(true);
    expect((await world.promptsOf(6)).some(({ texts: { user } }) => user.includes('many restarts in repaired'))).toBe(
      true,
    );
  });

  it('counts what was paid for repairs in a step that is rewound', async () => {
    const world = deltaWorld(script);
    await world.open();
    for (let step = 0; step <= 1; step++) await world.step(step);
    const before = (await world.store.readRun(run))!.totals.tokens;
    await world.step(2);
    const after = (await world.store.readRun(run))!.totals.tokens;
    await world.store.openStep(run, 2, 'another');
    const [setAside] = (await world.store.readRun(run))!.setAside;
    expect(setAside!.tokens).toEqual({ in: after.in - before.in, out: after.out - before.out });
    expect(await world.store.getCalls([`${programId(run, 2, 0, 1)}:delta`])).toHaveProperty('size', 1);
  });
});

it('evolve prompt and evolve show have what was asked and answered', async () => {
  const { world, program } = await first({ answer: () => patch, repair: () => log('x') });
  const report = await promptOf(world.store, (await world.store.readRun(run))!, { step: 1, stage: 'delta' });
  expect(report.stages).toMatchObject([
    { stage: 'delta', program: program._id, answer: { text: log('x'), usage: { in: 50, out: 7 } } },
  ]);
  expect(promptLines(report).join('\n')).toContain(`--- delta of ${program._id}: user`);
  const texts = (await readProgram(world.store, program._id))!;
  const shown = showLines(texts, await readOrigin(world.store, texts), 'committed', { prompt: true }).join('\n');
  expect(shown).toContain('(delta full, in part or whole from a further call)');
  expect(shown).toContain(`--- delta of ${program._id}: answer of`);
});
