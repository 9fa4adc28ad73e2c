// AlphaResearch's rounds over a scripted model: each acceptance property (AlphaResearch) is a
// test named after it.
import { describe, expect, it } from 'vitest';
import { rebuildRun } from '../../../../../activities/rebuild/rebuild.ts';
import { UNREADABLE } from '../../../../../activities/step/ask/stages/judge.ts';
import { shippedTask } from '../../../../support/domain/shipped-tasks.ts';
import { roundsReport, runReport } from '../../../../../client/read/report.ts';
import { rowsOf } from '../../../../../evolution/population/population.ts';
import { DOWN, edit, research, run } from '../../../../support/worlds/research-world.ts';

const box = (score: string | number): string => `I weigh it.\n\\boxed{${score}}`;
const CLEAN = { differences: [], differenceCount: 0 };
const roles = ({ asked }: ReturnType<typeof research>): readonly string[] => asked.map(({ role }) => role);

describe('a round of research', () => {
  it('AlphaResearch 1: an idea scored 5.4 brings no program call and no evaluation; it is stored, one round is consumed, the pool is unchanged', async () => {
    const world = research({ idea: () => 'A weak idea.', judge: () => box(5.4) });
    const [first, second] = await world.play(1);
    expect(roles(world)).toEqual(['idea', 'judge']);
    expect(world.evaluated).toHaveLength(1);
    const [initial, refused] = await world.programs();
    expect(refused).toMatchObject({
      outcome: 'rejected',
      parents: [initial!._id],
      code: null,
      evaluation: null,
      idea: { score: 5.4, would: 'rejected' },
      reasons: ['scored 5.4, below the threshold 5.5'],
    });
    expect(await world.text(refused!.idea!.text)).toBe('A weak idea.');
    expect(second!.totals).toMatchObject({
      programs: 1,
      valid: 0,
      failures: { rejected: 1 },
      tokens: { in: 300, out: 30 },
    });
    expect([first!.populationSize, second!.populationSize]).toEqual([1, 1]);
    expect(rowsOf(await world.store.population(run)).memberships.every(({ id }) => id === initial!._id)).toBe(true);
  });

  it('AlphaResearch 1: the pool stays unchanged where failures may enter it, too', async () => {
    const world = research(
      {
        judge: (_, k) => (k === 0 ? box(5.4) : k === 1 ? 'no box' : DOWN()),
        idea: (_, k) => (k === 3 ? '' : `Idea ${k}`),
      },
      { population: { admitFailures: true } },
    );
    expect((await world.play(4)).map(({ populationSize }) => populationSize)).toEqual([1, 1, 1, 1, 1]);
  });

  it('the prompt asks for a whole program where answers are whole programs', async () => {
    const world = research(
      {
        program: ({ user }) =>
          `\`\`\`python\n${/```python\n([\s\S]*?)```/.exec(user)![1]!.replace(/middle_x = 0\.\d+/, 'middle_x = 0.77')}\`\`\``,
      },
      { diff: { accept: 'program' } },
    );
    await world.play(1);
    expect((await world.programs())[1]).toMatchObject({ outcome: 'valid', score: 0.77 });
    expect(world.asked[2]!.user).not.toMatch(/SEARCH|Do not rewrite/);
  });

  it('no score stands in the prompts where scores are masked, in ideas neither', async () => {
    const world = research(
      {
        idea: (_, k) => `Idea ${k}: from 0.123456 on`,
        result: () => ({ score: 0.123456, strictScore: null, metrics: { spread: 0.654321 } }),
      },
      { prompt: { scores: 'masked', priorPrograms: 2 }, population: { islands: 1 } },
    );
    await world.play(6);
    for (const { user } of world.asked.filter(({ role }) => role !== 'judge')) {
      expect(user.replace(/# Current Proposal\n\nIdea[^#]*/, '')).not.toMatch(/0\.123|0\.654/);
      expect(user).toContain('valid=true');
    }
  });

  it('AlphaResearch 2: an idea scored 5.5 passes', async () => {
    const world = research({ judge: () => box(5.5) });
    await world.play(1);
    expect(roles(world)).toEqual(['idea', 'judge', 'program']);
    expect((await world.programs())[1]).toMatchObject({ outcome: 'valid', idea: { score: 5.5, would: 'pass' } });
  });

  it.each([
    ['\\boxed{6}', 6],
    ['\\boxed{.5}', 0.5],
    ['\\boxed{10.1}', -1],
    ['\\boxed{-3}', -1],
    ['\\boxed{6/10}', -1],
    ['\\boxed{}', -1],
    ['no box', -1],
    ['\\boxed{} then \\boxed{7}', 7],
  ])("AlphaResearch 3: the judge's answer %s is the score %d", async (answer, score) => {
    const world = research({ judge: () => answer });
    await world.play(1);
    const outcome = score === -1 ? 'unparsed' : score < 5.5 ? 'rejected' : 'valid';
    expect((await world.programs())[1]).toMatchObject({ outcome, idea: { score } });
  });

  it('AlphaResearch 4: outcome counts, and the three rollups, sum to the rounds; unparsed is counted apart', async () => {
    const world = research({
      idea: (_, k) => (k === 3 ? '```\n```' : `Idea ${k}`),
      judge: (_, k) => (k === 0 ? box(2) : k === 1 ? 'I cannot say.' : k === 2 ? DOWN() : box(8)),
      program: ({ user }, k) => {
        const line = /^.*middle_x = .*$/m.exec(user)![0];
        return k === 0
          ? 'Prose alone.'
          : k === 1
            ? edit(line, line)
            : k === 2
              ? edit(line, `${line}\n${'    # filled\n'.repeat(10_000)}    pass`)
              : edit(line, `    middle_x = 0.${60 + k}`);
      },
      result: (number) => ({
        score: 1,
        strictScore: 1,
        ...(number === 64
          ? { outcome: 'invalid', score: null, strictScore: null }
          : number === 65
            ? { outcome: 'no_solution', execution: 'timeout_cpu', score: null, strictScore: null }
            : {}),
      }),
    });
    const rounds = 11;
    await world.play(rounds);
    const report = roundsReport((await world.document()).totals.rounds)!;
    const counts = {
      rejected: 1,
      unparsed: 1,
      rm_failed: 1,
      idea_failed: 1,
      patch_failed: 2,
      too_long: 1,
      evaluated: 2,
      evaluation_failed: 1,
      timeout: 1,
    };
    expect(report.counts).toEqual(counts);
    expect(report.rollup).toEqual({ scrapped: 2, success: 2, failure: 7 });
    expect(report.ideas).toEqual({ carried: 7, rejected: 1, unparsed: 1, idea_failed: 1, rm_failed: 1 });
    expect(Object.values(report.counts).reduce((a, b) => a + b)).toBe(rounds);
    expect(Object.values(report.rollup).reduce((a, b) => a + b)).toBe(rounds);
    expect(runReport(await world.document(), new Date(), null)).toMatchObject({
      rounds: report,
      failures: { unparsed: 1, rejected: 1, idea_failed: 1, rm_failed: 1 },
    });
    expect(await rebuildRun({ store: world.store, loadTask: world.task }, run)).toMatchObject({
      steps: rounds + 1,
      ...CLEAN,
    });
  });

  it('AlphaResearch 5: a child stores idea, score of the reward model, parent, program and result', async () => {
    const world = research({ idea: () => 'Move the middle.', judge: () => box(6.5) });
    await world.play(1);
    const [initial, child] = await world.programs();
    expect(child).toMatchObject({ parents: [initial!._id], idea: { score: 6.5 }, outcome: 'valid', score: 0.1 });
    expect(await world.text(child!.idea!.text)).toBe('Move the middle.');
    expect(await world.text(child!.code!)).toContain('middle_x = 0.10');
  });

  it("AlphaResearch 6: the idea prompt holds the parent's idea and code verbatim", async () => {
    const idea = (k: number): string => `Idea ${k}:\n  - keeps *every* sign  of itself\n\n> so "quoted" as it is`;
    const world = research({ idea: (_, k) => idea(k) });
    await world.play(6);
    const programs = await world.programs();
    for (const [index, { user, system }] of world.asked.filter(({ role }) => role === 'idea').entries()) {
      const parent = programs.find(({ _id }) => _id === programs[index + 1]!.parents[0])!;
      expect(system).toMatch(/^You are a research advisor/);
      expect(user).toContain(`# Current Program\n\n\`\`\`python\n${await world.text(parent.code!)}`);
      if (parent.idea !== undefined)
        expect(user).toContain(`# Current Proposal\n\n${await world.text(parent.idea.text)}\n\n# Current Program`);
      if (parent.score !== null) expect(user).toContain(`=${parent.score}, valid=true`);
    }
    expect(programs.some(({ parents: [parent] }) => parent !== undefined && parent !== programs[0]!._id)).toBe(true);
  });

  it("the initial program's idea states problem, constraints, metric, best known values and baseline", async () => {
    const world = research();
    await world.play(1);
    const { user } = world.asked[0]!;
    const task = await shippedTask('circle-packing-square-26');
    for (const text of [
      task.title,
      task.problem!,
      'construct(instance)',
      'sum_radii, to maximise',
      `sum_radii=${task.references.find(({ human }) => human === true)!.value} `,
      'the initial program reaches sum_radii=0.05',
    ]) {
      expect(user.split('# Current Program')[0]).toContain(text);
    }
  });

  it('AlphaResearch 7: an idea of 3702 characters reaches the program prompt whole', async () => {
    const idea = `${'An idea that is long. '.repeat(168)}END`.padEnd(3702, '.');
    expect(idea).toHaveLength(3702);
    const world = research({ idea: () => idea, judge: () => box('9') });
    await world.play(1);
    const [, judged, asked] = world.asked;
    expect(judged!.user.endsWith(`\n${idea}`)).toBe(true);
    expect(asked!.user).toContain(`# Current Proposal\n\n${idea}\n\n`);
    expect(asked!.user).not.toMatch(/boxed|\b9\b/);
  });

  it('AlphaResearch 8: a state whose idea was never let through a gate stays samplable: the initial one, and one scored 3 in the shadow', async () => {
    const world = research(
      { judge: (_, k) => box(k === 0 ? 3 : 8) },
      { ideation: { gate: 'shadow' }, selection: { exploration: 1, exploitation: 0 }, population: { islands: 1 } },
    );
    await world.play(12);
    const [initial, weak, ...rest] = await world.programs();
    expect(weak).toMatchObject({ outcome: 'valid', idea: { score: 3, would: 'rejected' } });
    const parents = new Set(rest.map((program) => program.parents[0]));
    expect(parents.has(weak!._id) && parents.has(initial!._id)).toBe(true);
  });

  it('AlphaResearch 9: rejected ideas occur in no later prompt', async () => {
    const world = research(
      { idea: (_, k) => `Idea number <${k}>`, judge: (_, k) => box(k % 2 === 0 ? 5.4 : 6) },
      { prompt: { priorPrograms: 2, bestEver: true } },
    );
    await world.play(14);
    const rejected = (await world.programs()).filter(({ outcome }) => outcome === 'rejected');
    expect(rejected.length).toBe(7);
    for (const { idea } of rejected) {
      const text = await world.text(idea!.text);
      expect(world.asked.filter(({ user }) => user.includes(text)).map(({ role }) => role)).toEqual(['judge']);
    }
  });

  it('earlier states stand in the idea prompt where the settings ask for them, each with its own idea', async () => {
    const world = research({}, { prompt: { priorPrograms: 2 }, population: { islands: 1 } });
    await world.play(8);
    expect(
      world.asked.some(
        ({ role, user }) => role === 'idea' && /# Earlier Proposal \d\n\nIdea \d\n\nIts metrics: sum_radii=/.test(user),
      ),
    ).toBe(true);
    expect(world.asked.some(({ role, user }) => role === 'program' && user.includes('Earlier Proposal'))).toBe(false);
  });

  it.each([
    ['maximise', [2.5, 2.634, 2.63400001, 2.7], [undefined, undefined, undefined, true]],
    ['minimise', [2.7, 2.634, 2.63399999, 2.5], [undefined, undefined, undefined, true]],
  ] as const)(
    'AlphaResearch 10: the run stops at the first strict excess over the human best; equality continues (%s)',
    async (direction, scores, beaten) => {
      const world = research({
        direction,
        result: (number) =>
          number < 10
            ? { score: scores[0], strictScore: scores[0] }
            : { score: scores[number - 9]!, strictScore: scores[number - 9]! },
      });
      const summaries = await world.play(2);
      expect(summaries.map(({ beatsHuman }) => beatsHuman)).toEqual([beaten[0], beaten[1], true]);
      // A workflow that begins anew, and a step that is asked for again, are told so too.
      expect(await world.open()).toMatchObject({ beatsHuman: true });
      expect(await world.step(2)).toMatchObject({ beatsHuman: true });
      // Who changes his mind goes on.
      const changed = await world.call(world.activities.changeSettings, {
        run,
        change: { kind: 'set', patch: { ideation: { stopAtHuman: false } } },
      });
      expect(changed.settings).toMatchObject({ beatsHuman: false });
      expect(await world.step(3)).not.toHaveProperty('beatsHuman');
    },
  );

  it('does not stop at the human best where that is not asked for', async () => {
    const world = research({ result: () => ({ score: 9, strictScore: 9 }) }, { ideation: { stopAtHuman: false } });
    expect((await world.play(1)).map((summary) => 'beatsHuman' in summary)).toEqual([false, false]);
    expect(await world.open()).not.toHaveProperty('beatsHuman');
  });

  it('AlphaResearch 11: equal results keep the earlier best', async () => {
    const world = research({ result: (number) => ({ score: number < 10 ? 1 : 2, strictScore: null }) });
    const summaries = await world.play(3);
    expect(summaries.map(({ best }) => best!.step)).toEqual([0, 1, 1, 1]);
  });

  it('AlphaResearch 13: a migrant parent yields its own idea as Previous Proposal', async () => {
    const world = research({}, { population: { islands: 2, turn: 1 }, migration: { interval: 1, rate: 1 } });
    await world.play(16);
    const programs = await world.programs();
    const asked = world.asked.filter(({ role }) => role === 'program');
    let migrants = 0;
    for (const [index, program] of programs.slice(1).entries()) {
      const parent = programs.find(({ _id }) => _id === program.parents[0])!;
      if (parent.idea === undefined) continue;
      expect(asked[index]!.user).toContain(
        `# Previous Proposal\n\n${await world.text(parent.idea.text)}\n\n# Previous Program`,
      );
      if (program.island !== parent.island) migrants++;
    }
    expect(migrants).toBeGreaterThan(0);
  });

  it('AlphaResearch 14: a kill between gate and program call repeats neither idea nor score; one outcome per slot', async () => {
    const world = research();
    await world.open();
    await world.step(0);
    expect(await world.step(1, { until: 'gate' })).toBeNull();
    await world.step(1);
    expect(roles(world)).toEqual(['idea', 'judge', 'program']);
    await world.step(2, { twice: true });
    expect(roles(world).slice(3)).toEqual(['idea', 'judge', 'program']);
    expect((await world.programs()).map(({ step }) => step)).toEqual([0, 1, 2]);
    expect((await world.document()).totals.tokens).toMatchObject({ in: 700, out: 70 });
  });

  it('an idea and a judgement of which only the reasoning came are told so, and open no gate', async () => {
    const world = research({ judge: (_, k) => (k === 0 ? '' : box(8)), idea: (_, k) => (k === 1 ? '' : `Idea ${k}`) });
    await world.play(2);
    expect(roles(world)).toEqual(['idea', 'judge', 'idea']);
    expect((await world.programs()).slice(1).map(({ outcome, reasons }) => [outcome, reasons])).toEqual([
      ['rm_failed', [expect.stringMatching(/only reasoning came.*raise model\.maxTokens/)]],
      ['idea_failed', [expect.stringMatching(/only reasoning came.*raise model\.maxTokens/)]],
    ]);
    const open = research({ idea: () => '<think>I try' });
    await open.play(1);
    expect((await open.programs())[1]!.reasons).toEqual([expect.stringMatching(/no answer follows its reasoning/)]);
  });

  it('AlphaResearch 15: with the reward model down there are zero program calls, and the run survives', async () => {
    let down = true;
    const world = research({ judge: () => (down ? DOWN() : box(7)) });
    await world.play(3);
    expect(roles(world)).not.toContain('program');
    expect((await world.programs()).slice(1)).toMatchObject(
      Array.from({ length: 3 }, () => ({
        outcome: 'rm_failed',
        idea: { score: null, would: 'rm_failed' },
        reasons: [expect.stringMatching(/^the judge gave no score: .*connection refused/)],
      })),
    );
    down = false;
    expect((await world.step(4))!.totals).toMatchObject({ programs: 4, valid: 1, failures: { rm_failed: 3 } });
  });

  it('a round that failed for want of a judge keeps its outcome when the judge answers a second attempt', async () => {
    let down = true;
    const world = research({ judge: () => (down ? DOWN() : box(7)) });
    await world.play(0);
    await world.call(world.activities.planStep, { run, step: 1, owner: 'first' });
    const ref = { run, step: 1, epoch: 0, version: 1, group: 0 };
    await world.call(world.activities.ask, { ...ref, stage: 'idea' });
    await world.call(world.activities.advance, { ...ref, stage: 'idea', failed: null });
    expect(
      await world.call(world.activities.advance, { ...ref, stage: 'judge', failed: 'connection refused' }),
    ).toEqual({ next: null, refused: true });
    down = false;
    expect((await world.step(1))!.totals).toMatchObject({ failures: { rm_failed: 1 } });
    expect(roles(world)).not.toContain('program');
    expect(await rebuildRun({ store: world.store, loadTask: world.task }, run)).toMatchObject(CLEAN);
  });

  it('AlphaResearch 16: shadow mode reports the failing share of would-be rejections', async () => {
    const world = research(
      {
        judge: (_, k) => (k < 4 ? box(4) : k === 4 ? 'no box' : box(8)),
        program: ({ user }, k) =>
          k === 0 || k === 4 ? 'Prose.' : edit(/^.*middle_x = .*$/m.exec(user)![0], `    middle_x = 0.${k + 10}`),
        result: (number) =>
          number === 12 ? { outcome: 'invalid', score: null, strictScore: null } : { score: 1, strictScore: 1 },
      },
      { ideation: { gate: 'shadow' } },
    );
    await world.play(7);
    expect(roles(world).filter((role) => role === 'program')).toHaveLength(7);
    expect(roundsReport((await world.document()).totals.rounds)!.shadow).toEqual({
      rejected: { rounds: 4, failed: 2, share: 0.5 },
      unparsed: { rounds: 1, failed: 1, share: 1 },
    });
    expect(await rebuildRun({ store: world.store, loadTask: world.task }, run)).toMatchObject(CLEAN);
  });

  it('AlphaResearch 17: extra metrics never change selection', async () => {
    const parents = async (metrics: (number: number) => Record<string, number>) => {
      const world = research({
        result: (number) => ({ score: (number * 37) % 11, strictScore: null, metrics: metrics(number) }),
      });
      await world.play(15);
      return (await world.programs()).map(({ parents: of, score }) => ({ of, score }));
    };
    expect(await parents((number) => ({ n: 1_000 - number, dimension: number * number }))).toEqual(
      await parents(() => ({})),
    );
  });

  it('asks nobody to judge with the gate off', async () => {
    const world = research({}, { ideation: { gate: 'off' } });
    await world.play(1);
    expect(roles(world)).toEqual(['idea', 'program']);
    expect((await world.programs())[1]).toMatchObject({ outcome: 'valid', idea: { score: null, would: null } });
  });

  it('judges at temperature 0 with one user message', async () => {
    const world = research();
    await world.play(1);
    expect(world.asked[1]).toMatchObject({ role: 'judge', system: '', temperature: 0 });
    expect(world.asked[0]!.temperature).toBe(0.7);
  });

  it('stops for a person when the judge never gives a score, and goes on when another judge answers afresh', async () => {
    let words = 'It is fine.';
    const world = research({ judge: () => words });
    await world.play(UNREADABLE);
    await expect(world.step(UNREADABLE + 1)).rejects.toThrow(
      /the judge never answers in the format: .* in 9 judgements, got "It is fine\."\. .*ideation\.gate/,
    );
    words = box(8);
    await world.call(world.activities.resample, { run, step: UNREADABLE + 1, by: 'x' });
    expect((await world.step(UNREADABLE + 1))!.totals).toMatchObject({ valid: 1, failures: { unparsed: UNREADABLE } });
    words = 'Again without.';
    expect((await world.step(UNREADABLE + 2))!.totals).toMatchObject({ failures: { unparsed: UNREADABLE + 1 } });
    // The judgement that was rewound is paid all the same.
    const { paid, tokens } = runReport(await world.document(), new Date(), null);
    expect(paid.tokens - tokens.in - tokens.out).toBe(220);
  });
});

describe('a rebuild of rounds', () => {
  it('finds no difference in batches, rewinds, resampling and forks', async () => {
    const world = research(
      { judge: (_, k) => (k % 5 === 3 ? DOWN() : box(k % 3 === 0 ? 4 : 7)) },
      { batch: 3, responses: 2 },
    );
    await world.play(4);
    const rebuilt = (of = run) => rebuildRun({ store: world.store, loadTask: world.task }, of);
    expect(await rebuilt()).toMatchObject({ steps: 5, programs: 25, ...CLEAN });
    await world.store.createFork({
      run: 'fork',
      from: run,
      step: 2,
      config: { ...world.config, seed: 9 },
      createdAt: new Date(),
    });
    await world.step(3, { of: 'fork' });
    expect(await rebuilt('fork')).toMatchObject({ steps: 4, ...CLEAN });
    await world.call(world.activities.openRun, { run, owner: 'second', rewind: { toStep: 3, resample: true } });
    await world.step(3, { owner: 'second' });
    expect(await rebuilt()).toMatchObject({ steps: 4, ...CLEAN });
    expect(await rebuilt('fork')).toMatchObject({ steps: 4, ...CLEAN });
    const { rounds } = (await world.document()).totals;
    expect(Object.values(rounds!.counts).reduce((a, b) => a + b)).toBe(18);
  });

  it('counts no injected program as a round, and gives it the initial idea', async () => {
    const world = research({}, { population: { islands: 1 }, selection: { kind: 'best' } });
    await world.play(1);
    await world.call(world.activities.injectProgram, {
      run,
      island: 0,
      program: (await shippedTask('circle-packing-square-26')).initialProgram.replace(
        'middle_x = 0.5',
        'middle_x = 0.99',
      ),
    });
    await world.step(2);
    await world.step(3);
    expect(Object.values((await world.document()).totals.rounds!.counts).reduce((a, b) => a + b)).toBe(3);
    expect(world.asked.filter(({ role }) => role === 'idea').at(-1)!.user).toMatch(
      /# Current Proposal\n\nProblem: Packing 26 circles/,
    );
    expect(await rebuildRun({ store: world.store, loadTask: world.task }, run)).toMatchObject(CLEAN);
  });
});
