// A short run of each method with a scripted model, every answer fixed by its request. Parents, prompts, scores,
// archives and what is alive are those that the papers' rules (docs/methods) give by hand; the settings leave the
// draws no choice (one island or a pool of one, one branch).
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProgramDocument, PromptDocument } from '../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { withoutPromptMarkers } from '../../../evolution/exploration/prompt-edit.ts';
import { programId, promptId } from '../../../evolution/ids.ts';
import { PRESETS } from '../../../evolution/methods/presets.ts';
import { FAILURE_CODE } from '../../../evolution/scoring/failures.ts';
import { rowsOf } from '../../../evolution/population/population.ts';
import {
  changed,
  codeWorld,
  edit as editOf,
  firstLine,
  isMeta,
  messagesOf,
  plansOf,
  programsOf,
  SMALL,
  textOf,
} from '../../support/worlds/code-world.ts';
import { type Asked, configOf, deltaWorld, edit, initialProgram, log, run } from '../../support/worlds/delta-world.ts';
import { edit as replace, research } from '../../support/worlds/research-world.ts';

const id = (step: number, slot: number): string => programId(run, step, 0, slot);
const alive = async (store: Store, fit = true): Promise<readonly (readonly [string, number])[]> =>
  [...(await store.population(run)).members.values()]
    .map((member) => [member.id, fit ? member.fit : 0] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
const archive = async (store: Store): Promise<readonly string[]> =>
  (await store.population(run)).archive.byBirth.map((member) => member.id);
const owners = async (store: Store): Promise<readonly (readonly [string, string])[]> =>
  rowsOf(await store.population(run)).cells.map(({ cell, program }) => [cell, program] as const);
const brief = (programs: readonly ProgramDocument[]) =>
  programs.map(({ step, slot, parents, outcome, score, reward }) => [
    `${step}:${slot}`,
    parents[0] ?? null,
    outcome,
    score,
    reward,
  ]);

describe('golden run: theta', () => {
  const config: RunConfig = {
    ...PRESETS.theta,
    task: 't',
    batch: 2,
    responses: 4,
    population: { ...PRESETS.theta.population, cap: 3, archive: 1, islands: 1, features: ['score'], bins: 2 },
    prompt: { ...PRESETS.theta.prompt, frame: 'paper' },
    // An archive of one member, and parents from there alone: the parent is the best when the step begins.
    selection: { ...PRESETS.theta.selection, exploration: 0, exploitation: 1 },
  };
  const unmatched = '<<<<<<< SEARCH\n    nowhere = 1\n=======\n    nowhere = 2\n>>>>>>> REPLACE';
  const to =
    (value: number | string) =>
    ({ parentCode }: Asked): string =>
      edit(parentCode, value);
  const ANSWERS: readonly (readonly ((asked: Asked) => string)[])[] = [
    [
      to(3),
      () => 'only prose',
      to(2),
      to('1.0  # the same'),
      to(3),
      to('('),
      to('none'),
      (asked) => `<think>${edit(asked.parentCode, 9)}</think>Done.`,
    ],
    [
      to(5),
      to(4),
      to('1.0'),
      to(2),
      to(6),
      (asked) => `${edit(asked.parentCode, 3.5)}\n${unmatched}`,
      () => `${unmatched}\n${unmatched}`,
      to(-0.3),
    ],
    // 4 was evicted in step 2, 5 is alive.
    [to(4), to(5), to(7), () => '', to('6  # the same'), to(8), to(7), to(3.5)],
  ];
  const play = async (twice: boolean) => {
    const world = deltaWorld({ config, answer: (asked) => ANSWERS[asked.step - 1]![asked.slot]!(asked) });
    await world.open();
    const after: {
      readonly alive: readonly (readonly [string, number])[];
      readonly archive: readonly string[];
      readonly owners: readonly (readonly [string, string])[];
    }[] = [];
    for (const n of [0, 1, 2, 3]) {
      await world.step(n, twice);
      after.push({
        alive: await alive(world.store),
        archive: await archive(world.store),
        owners: await owners(world.store),
      });
    }
    return { ...world, after, made: brief(await world.programs()) };
  };
  let golden: Awaited<ReturnType<typeof play>>;
  beforeAll(async () => {
    golden = await play(false);
  });
  const [INITIAL, THREE, SIX] = [id(0, 0), id(1, 0), id(2, 4)];

  it('parents, outcomes, scores and rewards: ThetaEvolve Eq. 1 and 2', () => {
    expect(golden.made).toEqual([
      ['1:0', INITIAL, 'valid', 3, 3],
      ['1:1', INITIAL, 'no_diff', null, FAILURE_CODE.no_diff],
      ['1:2', INITIAL, 'valid', 2, 2],
      ['1:3', INITIAL, 'no_change', null, FAILURE_CODE.no_change],
      ['1:4', INITIAL, 'valid', 3, 3],
      ['1:5', INITIAL, 'no_solution', null, FAILURE_CODE.no_solution],
      ['1:6', INITIAL, 'invalid', null, FAILURE_CODE.invalid],
      ['1:7', INITIAL, 'no_diff', null, FAILURE_CODE.no_diff],
      ['2:0', THREE, 'valid', 5, 5],
      ['2:1', THREE, 'valid', 4, 4],
      ['2:2', THREE, 'duplicate', null, FAILURE_CODE.duplicate],
      ['2:3', THREE, 'duplicate', null, FAILURE_CODE.duplicate],
      ['2:4', THREE, 'valid', 6, 6],
      ['2:5', THREE, 'valid', 3.5, 3.5],
      ['2:6', THREE, 'no_change', null, FAILURE_CODE.no_change],
      ['2:7', THREE, 'valid', -0.3, -0.3],
      ['3:0', SIX, 'duplicate', null, FAILURE_CODE.duplicate],
      ['3:1', SIX, 'duplicate', null, FAILURE_CODE.duplicate],
      ['3:2', SIX, 'valid', 7, 7],
      ['3:3', SIX, 'no_diff', null, FAILURE_CODE.no_diff],
      ['3:4', SIX, 'no_change', null, FAILURE_CODE.no_change],
      ['3:5', SIX, 'valid', 8, 8],
      ['3:6', SIX, 'valid', 7, 7],
      ['3:7', SIX, 'duplicate', null, FAILURE_CODE.duplicate],
    ]);
  });

  it('ThetaEvolve 13: an evicted program that is repeated is a duplicate; equal siblings share one evaluation and are one program', async () => {
    expect(golden.after[2]!.alive.map(([program]) => program)).not.toContain(id(2, 1));
    expect(golden.made[16]).toEqual(['3:0', SIX, 'duplicate', null, FAILURE_CODE.duplicate]);
    const [first, second] = [id(1, 0), id(1, 4)].map(async (one) => (await golden.store.getPrograms([one])).get(one)!);
    expect((await second!).sameAs).toBe(id(1, 0));
    expect((await second!).evaluation).toBe((await first!).evaluation);
    expect(golden.after[1]!.alive.map(([program]) => program)).not.toContain(id(1, 4));
  });

  it('ThetaEvolve 10, 11, 14: what the early checks refuse is never evaluated; one of two blocks gives a child and one report', async () => {
    const programs = await golden.programs();
    for (const { outcome, evaluation } of programs)
      expect(evaluation !== null).toBe(outcome === 'valid' || outcome === 'invalid');
    const deltas = await golden.store.getDeltas([id(2, 5), id(2, 6)]);
    expect(deltas.get(id(2, 5))).toMatchObject({ outcome: null, blocks: 2, unmatched: [{ block: 2 }] });
    expect(deltas.get(id(2, 6))).toMatchObject({ outcome: 'no_change', unmatched: [{ block: 1 }, { block: 2 }] });
  });

  it('who is alive, the archive and the cells after each step: C.4', () => {
    const [start, one, two, three] = golden.after;
    expect(start).toEqual({ alive: [[INITIAL, 1]], archive: [INITIAL], owners: [[expect.any(String), INITIAL]] });
    // 2 finds the upper cell taken by 3 and stays in the population.
    expect(one).toMatchObject({
      alive: [
        [INITIAL, 1],
        [THREE, 3],
        [id(1, 2), 2],
      ],
      archive: [THREE],
      owners: [
        ['0', INITIAL],
        ['1', THREE],
      ],
    });
    // 5 evicts 1, 4 evicts 2, 6 evicts 3, 3.5 evicts 4, -0.3 evicts 3.5: the lowest, never the newcomer, never the
    // best.
    expect(two).toMatchObject({
      alive: [
        [id(2, 0), 5],
        [SIX, 6],
        [id(2, 7), -0.3],
      ],
      archive: [SIX],
      owners: [
        ['0', id(2, 7)],
        ['1', SIX],
      ],
    });
    // 7 evicts -0.3, 8 evicts 5.
    expect(three).toMatchObject({
      alive: [
        [SIX, 6],
        [id(3, 2), 7],
        [id(3, 5), 8],
      ],
      archive: [id(3, 5)],
    });
    expect(three!.owners).toContainEqual(['1', id(3, 5)]);
  });

  it('ThetaEvolve 8: never more than the cap; who was evicted stays readable', async () => {
    for (const { alive: living } of golden.after) expect(living.length).toBeLessThanOrEqual(3);
    const evicted = [INITIAL, id(1, 2), THREE, id(2, 1), id(2, 5), id(2, 7), id(2, 0)];
    const programs = await golden.store.getPrograms(evicted);
    expect([...programs.values()].map(({ outcome }) => outcome)).toEqual(evicted.map(() => 'valid'));
    expect(await golden.codeOf(programs.get(id(2, 1))!)).toBe(initialProgram().replace('1.0', '4'));
  });

  it("prompts: the fixed sentence; the task's words, the parent, the rules, the task, and no other program: B.1", async () => {
    for (const [step, parent, value] of [
      [1, INITIAL, 1],
      [2, THREE, 3],
      [3, SIX, 6],
    ] as const) {
      const prompts = await golden.promptsOf(step);
      expect(
        prompts.map(({ group, parent: of, priorPrograms, context }) => [group, of, priorPrograms, context]),
      ).toEqual([0, 1].map((group) => [group, parent, [], undefined]));
      for (const {
        texts: { system, user },
      } of prompts) {
        expect(system).toBe(
          'You are an experienced software developer and mathematician who improves a codebase step by step until its results are the best known.',
        );
        const code = initialProgram()
          .replace('value = 1.0', `value = ${value === 1 ? '1.0' : value}`)
          .trimEnd();
        expect(
          user.startsWith(
            `Find a large value.\n\n# Current program\n\nMetrics: points = ${value}, valid = yes, running time: less than 25 % of the limit\n\n\`\`\`python\n${code}\n\`\`\`\n\n# How to edit\n`,
          ),
        ).toBe(true);
        expect(user.split('\n').filter((line) => line.startsWith('# '))).toEqual([
          '# Current program',
          '# How to edit',
          '# Task',
        ]);
      }
    }
  });

  it('ThetaEvolve 24: with every activity done twice, as after a kill, the database is the same', async () => {
    const again = await play(true);
    expect(again.made).toEqual(golden.made);
    expect(again.after).toEqual(golden.after);
    expect(rowsOf(await again.store.population(run))).toEqual(rowsOf(await golden.store.population(run)));
    const [was, is] = await Promise.all([golden, again].map(async ({ store }) => (await store.readRun(run))!));
    expect([is!.totals, is!.best, is!.committedStep]).toEqual([was!.totals, was!.best, was!.committedStep]);
  });
});

describe('golden run: delta', () => {
  const config = configOf({
    batch: 2,
    population: { islands: 1, archive: 1 },
    selection: { exploration: 0, exploitation: 1 },
    prompt: { elites: 2, diverse: 0, frame: 'paper' },
    delta: { window: 2 },
  });
  const ANSWERS: readonly (readonly ((asked: Asked) => string)[])[] = [
    [
      ({ parentCode }) => `${edit(parentCode, 2)}\n\n${log('A')}`,
      ({ parentCode }) => `${edit(parentCode, 0.5)}\n\n${log('B')}`,
    ],
    [({ parentCode }) => edit(parentCode, 4), ({ parentCode }) => `${edit(parentCode, 'none')}\n\n${log('D')}`],
    [({ parentCode }) => `${edit(parentCode, 4.0)}\n\n${log('E')}`, () => `only a log\n\n${log('F')}`],
  ];
  const world = deltaWorld({ config, answer: (asked) => ANSWERS[asked.step - 1]![asked.slot]!(asked) });
  const [ROOT, A, B, C] = [id(0, 0), id(1, 0), id(1, 1), id(2, 0)];
  beforeAll(async () => {
    await world.open();
    for (const n of [0, 1, 2, 3]) await world.step(n);
  });

  it('parents, scores, labels and the three levels: DeltaEvolve 4.2', async () => {
    const programs = await world.programs();
    expect(
      programs.map(({ parents, outcome, score, change }) => [
        parents[0],
        outcome,
        score,
        change?.label,
        change?.status,
      ]),
    ).toEqual([
      [ROOT, 'valid', 2, 'improved', 'full'],
      [ROOT, 'valid', 0.5, 'degraded', 'full'],
      [A, 'valid', 4, 'improved', 'missing'],
      [A, 'invalid', null, 'failed', 'full'],
      // Nothing changes, and no edit at all.
      [C, 'no_change', null, 'failed', 'full'],
      [C, 'no_diff', null, 'failed', 'full'],
    ]);
    expect(programs[0]!.change).toMatchObject({
      summary: { from: 'the strategy before A', to: 'strategy A' },
      plan: [
        {
          component: 'Part A',
          oldLogic: 'few restarts',
          newLogic: 'many restarts in A',
          hypothesis: 'better coverage',
        },
      ],
    });
    expect(programs[2]!.change!.summary).toEqual({ from: 'strategy A', to: expect.stringMatching(/1 block.*\+1.*-1/) });
    expect(await Promise.all(programs.slice(0, 3).map((program) => world.codeOf(program)))).toEqual(
      [2, 0.5, 4].map((value) => initialProgram().replace('1.0', String(value))),
    );
    expect(await archive(world.store)).toEqual([C]);
    expect((await alive(world.store)).map(([program]) => program)).toEqual([ROOT, A, B, C]);
  });

  it("prompts: elites by score without the root, levels by the window, the parent's code alone: 4.3, Appendix B", async () => {
    const plans = await Promise.all([1, 2, 3].map((step) => world.promptsOf(step)));
    expect(
      plans.map((prompts) =>
        prompts.map(({ parent, context = [] }) => [
          parent,
          ...context.map(({ id: shown, role }) => `${role} ${shown}`),
        ]),
      ),
    ).toEqual([
      [[ROOT], [ROOT]],
      [
        [A, `elite ${A}`, `elite ${B}`],
        [A, `elite ${A}`, `elite ${B}`],
      ],
      [
        [C, `elite ${C}`, `elite ${A}`],
        [C, `elite ${C}`, `elite ${A}`],
      ],
    ]);
    const places = ({ texts: { user } }: (typeof plans)[number][number]) =>
      [...user.matchAll(/### (.*)\n\[iter: ?0*(\d+) ?[|:] ?(\w+)\]([^]*?)(?=\n### |\n# Parent)/g)].map(
        ([, heading, time, label, text]) => [heading, Number(time), label, text!.includes('NEW_LOGIC') ? 'L2' : 'L1'],
      );
    expect(plans[0]!.map(places)).toEqual([[], []]);
    // t = 3: only what was made after attempt 1 shows its plan; t = 4: after attempt 2.
    expect(plans[1]!.map(places)).toEqual([
      [
        ['Top Delta Plan 1', 1, 'improved', 'L1'],
        ['Top Delta Plan 2', 2, 'degraded', 'L2'],
      ],
      [
        ['Top Delta Plan 1', 1, 'improved', 'L1'],
        ['Top Delta Plan 2', 2, 'degraded', 'L1'],
      ],
    ]);
    // The best is C, whose answer held no delta: its mechanical summary is shown.
    expect(plans[2]!.map(places)).toEqual(
      Array(2).fill([
        ['Top Delta Plan 1', 3, 'improved', 'L1'],
        ['Top Delta Plan 2', 1, 'improved', 'L1'],
      ]),
    );
    for (const {
      texts: { system, user },
    } of plans.flat()) {
      expect(user.match(/^```python$/gm)).toHaveLength(1);
      expect(system).toMatch(/^# Problem\n\nFind a large value\.\n\n# Delta instructions\n/);
      const order = [
        '# Current Program Information',
        '# Parent Program',
        '# Request',
        '# How to edit',
        '- Focus areas: ',
      ].map((text) => user.indexOf(text));
      expect(order.slice(0, 4)).toEqual(order.slice(0, 4).toSorted((a, b) => a - b));
      expect(order.every((at) => at >= 0)).toBe(true);
    }
    expect(plans[2]![0]!.texts.user).toContain('raise its FITNESS SCORE');
  });
});

describe('golden run: research', () => {
  const judged = (score: string): string => `I weigh it.\n${score}`;
  const world = research(
    {
      idea: (_, k) => `Idea ${k}: ${['tighter', 'vague', 'odd', 'calm', 'last'][k]}.`,
      judge: ({ user }) =>
        judged(
          ['\\boxed{7}', '\\boxed{5.4}', 'no score', '\\boxed{5.5}', '\\boxed{9}'][Number(/Idea (\d)/.exec(user)![1])]!,
        ),
      // Rounds 1, 4 and 5 reach the program model: 0.30, then 0.20, then 0.45.
      program: ({ user }) =>
        replace(
          /^.*middle_x = .*$/m.exec(user)![0],
          `    middle_x = 0.${{ tighter: 30, calm: 20, last: 45 }[/Idea \d: (\w+)\.\n\n# Task/.exec(user)![1]!]}`,
        ),
    },
    { population: { islands: 1, archive: 1 }, selection: { exploration: 0, exploitation: 1 } },
  );
  beforeAll(async () => {
    await world.play(5);
  });
  const [ROOT, P1] = [id(0, 0), id(1, 0)];

  it('triples, parents, scores and outcomes: AlphaResearch Algorithm 1', async () => {
    const programs = (await world.programs()).slice(1);
    const texts = await Promise.all(programs.map(({ idea }) => world.text(idea!.text)));
    expect(
      programs.map(({ parents, outcome, score, idea }, index) => [
        parents[0],
        texts[index],
        idea!.score,
        outcome,
        score,
      ]),
    ).toEqual([
      [ROOT, 'Idea 0: tighter.', 7, 'valid', 0.3],
      [P1, 'Idea 1: vague.', 5.4, 'rejected', null],
      [P1, 'Idea 2: odd.', -1, 'unparsed', null],
      [P1, 'Idea 3: calm.', 5.5, 'valid', 0.2],
      [P1, 'Idea 4: last.', 9, 'valid', 0.45],
    ]);
    expect((await world.document()).best).toMatchObject({ program: id(5, 0), score: 0.45 });
    expect(await archive(world.store)).toEqual([id(5, 0)]);
    // Triples that were evaluated are the pool; refused ideas are kept beside it.
    expect((await alive(world.store)).map(([program]) => program)).toEqual([ROOT, P1, id(4, 0), id(5, 0)]);
    expect((await world.document()).totals.rounds!.counts).toEqual({ evaluated: 3, rejected: 1, unparsed: 1 });
  });

  it('what was asked, of whom, and with which triple: Eq. 1 and 2', () => {
    expect(world.asked.map(({ role }) => role)).toEqual([
      'idea',
      'judge',
      'program',
      'idea',
      'judge',
      'idea',
      'judge',
      'idea',
      'judge',
      'program',
      'idea',
      'judge',
      'program',
    ]);
    const ideas = world.asked.filter(({ role }) => role === 'idea').map(({ user }) => user);
    expect(ideas[0]).toContain('Baseline: the initial program reaches sum_radii=0.05.\n\n# Current Program\n');
    for (const user of ideas.slice(1)) {
      expect(user.startsWith('# Current Proposal\n\nIdea 0: tighter.\n\n# Current Program\n\n```python\n')).toBe(true);
      expect(user).toContain('    middle_x = 0.30\n');
      expect(user).toContain('# Current Metrics\n\nsum_radii=0.3, valid=true\n\n# Your task');
    }
    const programs = world.asked.filter(({ role }) => role === 'program').map(({ user }) => user);
    expect(programs.map((user) => /# Current Proposal\n\n(.*)\n/.exec(user)![1])).toEqual([
      'Idea 0: tighter.',
      'Idea 3: calm.',
      'Idea 4: last.',
    ]);
    for (const user of programs.slice(1))
      expect(user).toMatch(
        /^# Previous Proposal\n\nIdea 0: tighter\.\n\n# Previous Program\n\n```python\n[^]*middle_x = 0\.30\n[^]*# Previous Performance Metrics\n\nsum_radii=0\.3, valid=true\n/,
      );
    for (const { role, user } of world.asked) {
      if (role !== 'judge') expect(user).not.toMatch(/vague|odd\.|boxed|5\.4|5\.5/);
      else expect(user).toMatch(/boxed[^]*The proposal:\n\n\nIdea \d: \w+\.$/);
    }
  });
});

describe('golden run: code', () => {
  const better = (line: string): string =>
    line.replace(/0\.(\d+)/, (_, digits: string) => `0.${Number(digits.padEnd(3, '0')) + 1}`);
  const scoreOf = (code: string): number => Number(/middle_x = (\S+)/.exec(code)![1]);
  /** One cell an island: its owner is the island's best, the whole pool, and every child improves on it. */
  const played = async (rate: number, steps: number) => {
    const world = codeWorld(
      {
        batch: 2,
        population: { islands: 2, initialisation: 2, cells: 1, islandSync: 'epoch' },
        migration: { interval: 3 },
        exploration: { schedule: 'constant', start: rate, min: 0, max: 1 },
        prompt: { frame: 'paper' },
      },
      {
        program: (_, line) => `A step.\n${editOf(line, better(line))}`,
        score: scoreOf,
        meta: ({ seed }, prompt) => editOf(firstLine(prompt), `${firstLine(prompt)}\nHint ${seed}.`),
      },
    );
    await world.play(steps);
    return { ...world, plans: await plansOf(world.store, steps, 2), programs: await programsOf(world.store) };
  };
  const at = (programs: readonly ProgramDocument[], step: number, island: number): ProgramDocument =>
    programs.find((program) => program.step === step && program.slot === island)!;
  const promptsOf = async (store: Store, island: number) =>
    rowsOf(await store.population(run)).prompts.filter((prompt) => prompt.island === island);
  const shownAncestors = ({ context = [] }: PromptDocument): readonly string[] =>
    context.filter(({ role }) => role === 'ancestor').map(({ id: shown }) => shown);

  it('exploiting: parents, ancestors as a conversation, P(S), scores, one owner a cell, and nobody migrates: CodeEvolve 4.2', async () => {
    const { store, plans, programs } = await played(0, 8);
    for (const island of [0, 1]) {
      const child = (step: number): string => at(programs, step, island)._id;
      for (let step = 1; step <= 8; step++) {
        const plan = plans.find((one) => one.step === step && one.group === island)!;
        // Step 1 founds the island: a root, made of the initial pair. From then on the best is the parent.
        expect([plan.parent, plan.founding ?? false, plan.prompt!.id]).toEqual([
          step === 1 ? programId(run, 0, 0, 0) : child(step - 1),
          step === 1,
          'initial',
        ]);
        expect(at(programs, step, island)).toMatchObject({
          island,
          outcome: 'valid',
          score: Number((0.5 + step / 1000).toFixed(3)),
          parents: step === 1 ? [] : [child(step - 1)],
        });
        // Ancestors back to the root, five at most, oldest first.
        const chain = Array.from({ length: Math.max(0, Math.min(5, step - 2)) }, (_, index) =>
          child(step - 1 - Math.max(0, Math.min(5, step - 2)) + index),
        );
        expect(shownAncestors(plan)).toEqual(chain);
        const messages = await messagesOf(store, plan);
        expect(messages).toHaveLength(2 * chain.length + 2);
        expect(
          messages
            .filter(({ role }) => role === 'assistant')
            .map(({ content }) => scoreOf(content.split('=======')[1]!)),
        ).toEqual(chain.map((_, index) => Number((0.5 + (step - chain.length + index) / 1000).toFixed(3))));
        expect(messages[0]!.content).toContain(
          `${withoutPromptMarkers(await textOf(store, plan.prompt!.text)).trim()}\n\n# How to edit\n`,
        );
        expect(messages.at(-1)!.content).toMatch(
          step === 1
            ? /# Task\n\n(Explore|Refine)/
            : /Refine the current program, so that the next version raises sum_radii/,
        );
      }
    }
    // The only elite of an island is its best, and the best never leaves.
    expect(await owners(store)).toEqual([0, 1].map((island) => [expect.any(String), at(programs, 8, island)._id]));
    expect(
      rowsOf(await store.population(run))
        .memberships.filter(({ island }) => island >= 0)
        .every(
          ({ id: member, island }) =>
            member === programId(run, 0, 0, 0) || programs.find(({ _id }) => _id === member)!.island === island,
        ),
    ).toBe(true);
  });

  it('exploring: no ancestors, an edited prompt each, credited with its child: 4.2', async () => {
    const { store, plans, programs, asked } = await played(1, 6);
    const exploring = plans.filter(({ operator, founding }) => operator === 'explore' && founding === undefined);
    expect(exploring).toHaveLength(10);
    expect(asked.filter(isMeta)).toHaveLength(10);
    for (const plan of exploring) {
      const program = at(programs, plan.step, plan.group);
      // One elite on the island: uniform over one.
      expect(plan.parent).toBe(at(programs, plan.step - 1, plan.group)._id);
      expect(program.prompt).toMatchObject({
        id: promptId(run, plan.step, 0, plan.group),
        parent: plan.prompt!.id,
        isNew: true,
      });
      const text = await textOf(store, program.prompt!.text);
      const messages = await messagesOf(store, plan);
      expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
      expect(messages[0]!.content).toContain(`${withoutPromptMarkers(text).trim()}\n\n# How to edit\n`);
      // The edit of the drawn prompt, and nothing else.
      const drawn = await textOf(store, plan.prompt!.text);
      expect(text).toBe(
        drawn.replace(`${firstLine(drawn)}\n`, `${firstLine(drawn)}\n${/^Hint \d+\.$/m.exec(text)![0]}\n`),
      );
    }
    for (const island of [0, 1]) {
      const prompts = await promptsOf(store, island);
      expect(prompts.map(({ id: one }) => one).sort()).toEqual(
        ['initial', ...exploring.filter(({ group }) => group === island).map(({ _id }) => _id)].sort(),
      );
      for (const { id: one, bestFit } of prompts) {
        const made = programs
          .filter((program) => program.island === island && program.step > 0 && program.prompt?.id === one)
          .map(({ score }) => score!);
        expect(bestFit).toBe(made.length === 0 ? null : Math.max(...made));
      }
    }
    // The drawn prompt is one that the island had when the step began.
    for (const { prompt, step, group } of exploring) {
      expect([
        'initial',
        ...exploring.filter((other) => other.group === group && other.step < step).map(({ _id }) => _id),
      ]).toContain(prompt!.id);
    }
  });

  it('CodeEvolve 21: initial population 10: 9 roots beside the initial program, all parentless; a failed edit is not counted', async () => {
    const { store, play } = codeWorld(
      {
        batch: 2,
        population: { islands: 2, initialisation: 10, islandSync: 'epoch' },
        migration: { topology: 'none' },
        exploration: { start: 1, min: 0, max: 1 },
      },
      {
        program: ({ seed }, line) => (seed % 4 === 0 ? 'no edit' : editOf(line, changed(line, seed))),
        score: scoreOf,
      },
    );
    await play(20);
    const programs = await programsOf(store);
    const plans = await plansOf(store, 20, 2);
    for (const island of [0, 1]) {
      const founded = plans.filter((plan) => plan.group === island && plan.founding === true).map(({ step }) => step);
      const roots = programs.filter(
        (program) => program.island === island && program.founder === true && program.outcome === 'valid',
      );
      expect(roots).toHaveLength(9);
      expect(roots.every(({ parents }) => parents.length === 0)).toBe(true);
      // The epochs of the initial phase: nine children that were run, and those whose edit failed.
      const failures = programs.filter(
        ({ step, slot, outcome }) => slot === island && founded.includes(step) && outcome === 'no_diff',
      ).length;
      expect(founded).toHaveLength(9 + failures);
      expect(failures).toBeGreaterThan(0);
      for (const plan of plans.filter(({ group }) => group === island)) {
        const program = at(programs, plan.step, island);
        if (plan.founding === true)
          expect([plan.parent, await messagesOf(store, plan).then(({ length }) => length)]).toEqual([
            programId(run, 0, 0, 0),
            2,
          ]);
        else if (program.outcome === 'valid') expect(program.parents).toHaveLength(1);
      }
    }
  });

  it('CodeEvolve 24: the recorded cost is the sum over all calls: those of edited prompts, of useless answers and of rejected ones included; repeated calls are paid once', async () => {
    const usage = { in: 10, out: 6 };
    const model = { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1', name: 'm', price: { in: 2, out: 8 } };
    for (const twice of [false, true]) {
      const { store, asked, play } = codeWorld(
        { ...SMALL, population: { ...SMALL.population, islandSync: 'epoch' }, model },
        {
          program: ({ seed }, line) =>
            seed % 3 === 0
              ? 'no edit'
              : editOf(line, changed(line, seed)) + (seed % 3 === 1 ? editOf('there is no such line', 'x') : ''),
          meta: ({ seed }, prompt) =>
            seed % 2 === 0 ? 'no edit' : editOf(firstLine(prompt), `${firstLine(prompt)}\nHint.`),
        },
      );
      await play(10, twice);
      const { totals } = (await store.readRun(run))!;
      expect(asked.filter(isMeta).length).toBeGreaterThan(0);
      expect(Object.keys(totals.failures).sort()).toEqual(['no_change', 'no_diff']);
      expect(totals.tokens).toMatchObject({ in: usage.in * asked.length, out: usage.out * asked.length });
      expect(totals.costUsd).toBeCloseTo((asked.length * (usage.in * 2 + usage.out * 8)) / 1e6, 12);
      expect(asked).toHaveLength(40 + asked.filter(isMeta).length);
    }
  });
});
