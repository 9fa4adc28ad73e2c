// `repair.rounds`: further requests for answers that were no good (docs/prompts.md, Mending at once).
import { describe, expect, it } from 'vitest';
import { uncommittedPrograms } from '../../../../activities/step/commit/uncommitted.ts';
import { hasFailed } from '../../../../activities/store/content/mended.ts';
import type { EvaluationDocument } from '../../../../activities/store/documents/step-documents.ts';
import { rebuildRun } from '../../../../activities/rebuild/rebuild.ts';
import { promptOf } from '../../../../client/read/requests/prompts.ts';
import { replayResponse } from '../../../../client/read/requests/replay-response.ts';
import { usageOf } from '../../../../client/read/usage.ts';
import { programId } from '../../../../evolution/ids.ts';
import {
  KILLED,
  deltaWorld,
  configOf,
  edit,
  initialProgram,
  log,
  played,
  run,
  type Script,
} from '../../../support/worlds/delta-world.ts';

const one = (repair: object = { rounds: 1 }, more: object = {}) =>
  configOf({ batch: 1, selection: { kind: 'initial' }, repair, ...more });
const WRONG = '<<<<<<< SEARCH\n    value = 9.0\n=======\n    value = 3\n>>>>>>> REPLACE';
const GOOD = `${edit(initialProgram(), '2.5')}\n${log('again')}`;
const first = async (script: Partial<Script>, twice = false) => {
  const world = await played({ config: one(), answer: () => WRONG, ...script }, 1, twice);
  const id = programId(run, 1, 0, 0);
  return {
    world,
    program: (await world.programs())[0]!,
    delta: (await world.store.getDeltas([id])).get(id)!,
    document: (await world.store.readRun(run))!,
  };
};

describe('an answer of which nothing is taken', () => {
  it('is followed by one further request, which goes on with the conversation and says what was wrong', async () => {
    const { world, program, delta } = await first({ repair: () => GOOD });
    expect(program).toMatchObject({ outcome: 'valid', score: 2.5, change: { summary: { to: 'strategy again' } } });
    expect(delta).toMatchObject({ again: 1, outcome: null, unmatched: [] });
    expect(world.repairs).toHaveLength(1);
    const [system, user, answer, question] = world.repairs[0]!.messages;
    expect([system!.role, user!.role, answer, question!.role]).toEqual([
      'system',
      'user',
      { role: 'assistant', content: WRONG },
      'user',
    ]);
    expect(user!.content).toContain('# Parent Program');
    expect(question!.content).toMatch(
      /^Nothing of your answer was taken.*\n\n- Block 1: no match: line 1 of SEARCH is " {4}value = 9.0"; the nearest line of the program is line 3, " {4}value = 1.0"\.\n\nAnswer once more/,
    );
  });

  it('counts as an answer of its own in tokens and usage; whatever is done twice is paid once; a rebuild agrees', async () => {
    const { world, document } = await first({ repair: () => GOOD }, true);
    expect(world.repairs).toHaveLength(1);
    const { roles, total } = await usageOf(world.store, document);
    expect(roles).toEqual([
      expect.objectContaining({ role: 'exploit', answers: 1 }),
      { role: 'repair', answers: 1, tokens: { in: 50, out: 7 }, costUsd: 0 },
    ]);
    expect(total.tokens).toEqual(document.totals.tokens);
    expect(await rebuildRun({ store: world.store, loadTask: world.loadTask }, run)).toMatchObject({ differences: [] });
    const { stages } = await promptOf(world.store, document, { step: 1, group: 0, stage: 'repair' });
    expect(stages).toMatchObject([{ stage: 'repair', program: programId(run, 1, 0, 0), answer: { text: GOOD } }]);
  });

  it('keeps what it was where the further answers are no better, or cannot be had', async () => {
    const wrong = await first({ config: one({ rounds: 3 }), repair: () => WRONG });
    expect(wrong.world.repairs).toHaveLength(3);
    expect(wrong.world.repairs[2]!.messages).toHaveLength(8);
    const none = await first({});
    for (const { program, delta } of [wrong, none]) {
      expect(program).toMatchObject({
        outcome: 'no_change',
        reasons: [expect.stringMatching(/so the program is unchanged/)],
      });
      expect(delta).not.toHaveProperty('again');
    }
  });

  it('is read again from the answer that counted', async () => {
    const { world } = await first({ repair: () => GOOD });
    expect(await replayResponse(world.store, programId(run, 1, 0, 0), { diff: { accept: 'edits' } })).toMatchObject({
      outcome: null,
      equal: true,
    });
  });
});

it.each([
  ['no rounds are left, as in the papers', one({ rounds: 0 }), WRONG],
  ['a part of the answer was taken', one(), `${GOOD}\n${WRONG}`],
  ['the answer holds no edits', one(), 'only prose'],
  ['the edits change nothing', one(), edit(initialProgram(), '1.0')],
  [
    'the program has a name that nothing binds and no rounds are left',
    one({ rounds: 0 }),
    edit(initialProgram(), 'missing'),
  ],
])('nobody is asked once more where %s', async (_, config, answer) => {
  const { world } = await first({ config, answer: () => answer, repair: () => GOOD });
  expect(world.repairs).toEqual([]);
});

const BROKEN = `${edit(initialProgram(), '(2')}\n${log('first')}`;
const fix = (before: string, after: string) =>
  `<<<<<<< SEARCH\n    value = ${before}\n=======\n    value = ${after}\n>>>>>>> REPLACE`;
/** Answers in their order; the last one is repeated. */
const inTurn = (...answers: readonly string[]) => {
  let at = 0;
  return () => answers[Math.min(at++, answers.length - 1)]!;
};
const asked = (world: Awaited<ReturnType<typeof played>>, round: number): string =>
  world.repairs[round - 1]!.messages.at(-1)!.content;
describe('a program that cannot be run', () => {
  it('that does not compile is mended in itself before anything is spent on it', async () => {
    let runs = 0;
    const { world, program, delta } = await first({
      answer: () => BROKEN,
      repair: () => fix('(2', '(2)'),
      scoreOf: () => ++runs,
    });
    expect(runs).toBe(2);
    expect(program).toMatchObject({ outcome: 'valid', change: { summary: { to: 'strategy first' } } });
    expect(program).not.toHaveProperty('mended');
    expect(delta).toMatchObject({ again: 1, outcome: null });
    expect(delta).not.toHaveProperty('told');
    expect(asked(world, 1)).toMatch(/^Your program was not run: does not compile: line 3: '\(' was never closed\./);
    expect(asked(world, 1)).toContain('\n3 |     value = (2\n');
  });

  it('whose names nothing binds is mended, and run at last where the model leaves it so', async () => {
    const answer = () => edit(initialProgram(), 'missing');
    const good = await first({ config: one({ rounds: 2 }), answer, repair: () => fix('missing', '2.5') });
    expect(good.program).toMatchObject({ outcome: 'valid', score: 2.5 });
    expect(asked(good.world, 1)).toMatch(
      /^Your program was not run, because it uses names that nothing in it binds:\n\n- `missing` in the statement of line 3: `value = missing`\n/,
    );
    const left = await first({ config: one({ rounds: 2 }), answer, repair: () => fix('missing', 'other') });
    expect(left.world.repairs).toHaveLength(2);
    expect(left.program).toMatchObject({ outcome: 'invalid', reasons: ['the value is no number'] });
  });
});

it('a program whose score is held back has nothing to mend', () => {
  const held = { outcome: 'invalid', quarantine: { held: true } } as EvaluationDocument;
  expect(hasFailed({ parent: 'p' }, held)).toBe(false);
  expect(hasFailed({ parent: 'p' }, { ...held, quarantine: { held: false } } as EvaluationDocument)).toBe(true);
});

describe('a program that was run and failed', () => {
  const answer = () => `${edit(initialProgram(), 'None')}\n${log('first')}`;
  const mending = (...answers: readonly string[]) => ({
    config: one({ rounds: 2 }),
    answer,
    repair: inTurn(...answers),
  });

  it('is mended, and the last form that was run counts', async () => {
    const { world, program, document } = await first(mending(fix('None', '"text"'), fix('"text"', '2.5')), true);
    expect(program).toMatchObject({
      outcome: 'valid',
      score: 2.5,
      mended: 2,
      change: { summary: { to: 'strategy first' } },
    });
    expect(world.repairs).toHaveLength(2);
    expect(asked(world, 1)).toMatch(
      /^Your program was run, but its result is not valid:\n\n```text\nthe value is no number\n```\n/,
    );
    const forms = await world.store.getDeltas([1, 2].map((round) => `${program._id}:repair:${round}`));
    expect([...forms.values()].map(({ again }) => again)).toEqual([1, 2]);
    expect(await rebuildRun({ store: world.store, loadTask: world.loadTask }, run)).toMatchObject({ differences: [] });
    const { byRole, total } = await usageOf(world.store, document);
    expect(byRole.repair).toEqual({ answers: 2, tokens: { in: 100, out: 14 }, costUsd: 0 });
    expect(total.tokens).toEqual(document.totals.tokens);
  });

  it('tells what its evaluation showed, with no more than its share', async () => {
    const artifacts = [{ name: 'worst', kind: 'text', text: 'case seven' }] as const;
    const shown = await first({ ...mending(fix('None', '2.5')), artifacts });
    expect(asked(shown.world, 1)).toContain('the value is no number\nworst: case seven\n');
    const config = one({ rounds: 1 }, { prompt: { artifacts: 0 } });
    const none = await first({ ...mending(fix('None', '2.5')), config, artifacts });
    expect(asked(none.world, 1)).not.toContain('case seven');
  });

  it('a kill between two rounds pays nothing twice, and another process goes on with what is stored', async () => {
    const killed = deltaWorld({
      ...mending(),
      repair: ({ messages }) => {
        if (messages.length > 4) throw new Error(KILLED);
        return fix('None', '"text"');
      },
    });
    await killed.open();
    await killed.step(0);
    await expect(killed.step(1)).rejects.toThrow(KILLED);
    const other = deltaWorld({ ...mending(fix('"text"', '2.5')), store: killed.store });
    await other.step(1);
    expect([killed.repairs.length, other.repairs.length]).toEqual([2, 1]);
    expect((await other.programs())[0]).toMatchObject({ outcome: 'valid', score: 2.5, mended: 2 });
    expect((await usageOf(other.store, (await other.store.readRun(run))!)).roles).toContainEqual(
      expect.objectContaining({ role: 'repair', answers: 2 }),
    );
  });

  it('is not shown as uncommitted while a form of it is still to be run', async () => {
    let runs = 0;
    const world = deltaWorld({
      ...mending(fix('None', '2.5')),
      scoreOf: () => {
        if (++runs > 2) throw new Error(KILLED);
        return runs === 1 ? 1 : null;
      },
    });
    await world.open();
    await world.step(0);
    await expect(world.step(1)).rejects.toThrow(KILLED);
    const document = (await world.store.readRun(run))!;
    const underWay = await world.store.underWay(document);
    expect(underWay).toHaveLength(1);
    expect(await uncommittedPrograms(world.store, document, 'maximise', underWay)).toEqual([]);
  });

  it.each([
    ['repeats itself', [fix('None', 'None  # the same')]],
    ['holds no edits', ['I cannot.']],
    ['goes back to the parent', [fix('None', '1.0')]],
  ])('stays as it is where the answer %s', async (_, answers) => {
    const { world, program } = await first(mending(...answers));
    expect(program).toMatchObject({ outcome: 'invalid', reasons: ['the value is no number'] });
    expect(world.repairs).toHaveLength(1);
  });

  it('stays as it is where no form is better, and a form that cannot be run does not count', async () => {
    const { world, program } = await first(mending(fix('None', '(3'), fix('(3', '(4')));
    expect(world.repairs).toHaveLength(2);
    expect(asked(world, 2)).toMatch(/^Your program was not run: does not compile/);
    expect(program).toMatchObject({ outcome: 'invalid', reasons: ['the value is no number'] });
    expect(await world.codeOf(program)).toContain('value = None');
  });

  it('tells nothing but the outcome where feedback is kept back', async () => {
    const config = one({ rounds: 1 }, { prompt: { feedback: 'label-only' } });
    const { world } = await first({ config, answer, repair: () => fix('None', '2') });
    expect(asked(world, 1)).toMatch(/^Your program was run, but its result is not valid\.\n\nThe current program/);
  });

  it('is a parent with the lines of the form that counts', async () => {
    const world = await played(
      {
        config: configOf({ batch: 1, selection: { kind: 'mixture' }, repair: { rounds: 1 } }),
        answer: ({ step, parentCode }) => edit(parentCode, step === 1 ? 'None' : '1.0'),
        repair: () => fix('None', '2.5'),
      },
      2,
    );
    const [mended, next] = await world.programs();
    expect(mended).toMatchObject({ score: 2.5, mended: 1 });
    const delta = (await world.store.getDeltas([next!._id])).get(next!._id)!;
    if (next!.parents[0] === mended!._id)
      expect(delta).toMatchObject({ parentForm: `${mended!._id}:repair:1`, lines: { reintroduced: 1 } });
  });
});
