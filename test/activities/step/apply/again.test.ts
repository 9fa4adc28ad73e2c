// `diff.askAgain`: one further request where an answer held edits and none of them was taken (docs/prompts.md, What an
// answer may be).
import { describe, expect, it } from 'vitest';
import { rebuildRun } from '../../../../activities/rebuild/rebuild.ts';
import { promptOf } from '../../../../client/read/requests/prompts.ts';
import { replayResponse } from '../../../../client/read/requests/replay-response.ts';
import { usageOf } from '../../../../client/read/usage.ts';
import { programId } from '../../../../evolution/ids.ts';
import { configOf, edit, initialProgram, log, played, run, type Script } from '../../../support/worlds/delta-world.ts';

const one = (diff: object = {}) => configOf({ batch: 1, selection: { kind: 'initial' }, diff });
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
      { role: 'again', answers: 1, tokens: { in: 50, out: 7 }, costUsd: 0 },
    ]);
    expect(total.tokens).toEqual(document.totals.tokens);
    expect(await rebuildRun({ store: world.store, loadTask: world.loadTask }, run)).toMatchObject({ differences: [] });
    const { stages } = await promptOf(world.store, document, { step: 1, group: 0, stage: 'again' });
    expect(stages).toMatchObject([{ stage: 'again', program: programId(run, 1, 0, 0), answer: { text: GOOD } }]);
  });

  it('keeps what it was where the further answers are no better, or cannot be had', async () => {
    const wrong = await first({ config: one({ askAgain: 3 }), repair: () => WRONG });
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
  ['askAgain is 0, as in the papers', one({ askAgain: 0 }), WRONG],
  ['a part of the answer was taken', one(), `${GOOD}\n${WRONG}`],
  ['the answer holds no edits', one(), 'only prose'],
  ['the edits change nothing', one(), edit(initialProgram(), '1.0')],
])('nobody is asked once more where %s', async (_, config, answer) => {
  const { world } = await first({ config, answer: () => answer, repair: () => GOOD });
  expect(world.repairs).toEqual([]);
});
