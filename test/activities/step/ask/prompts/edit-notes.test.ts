// What is wrong with an answer is stored with it and reaches the next prompt on its lineage.
import { describe, expect, it } from 'vitest';
import { ownMessages, readMessages } from '../../../../../activities/llm/chat/messages.ts';
import { showLines } from '../../../../../cli/commands/programs/show.ts';
import { readOrigin } from '../../../../../client/read/program-origin.ts';
import { readProgram } from '../../../../../activities/results/program-texts.ts';
import { programId } from '../../../../../evolution/ids.ts';
import { configOf, deltaWorld, edit, log, run } from '../../../../support/worlds/delta-world.ts';

const PROGRAM =
  '# EVOLVE-BLOCK-START\ndef find(instance):\n    pad = 0\n    pad = 0\n    value = 1\n    return value\n# EVOLVE-BLOCK-END\n';
const block = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE`;
const AMBIGUOUS = 'block 1 of the answer that made it: ambiguous: 2 places match, the first is taken';
const NO_MATCH = 'no match: the program has none of these lines; line 1 of SEARCH is "    nowhere = 1"';
const UNMATCHED = `block 3 of the answer that made it: ${NO_MATCH}`;

/**
 * Step 1 answers with an ambiguous, a good and an unmatched block, step 2 with prose. The best is always the parent.
 */
const played = async (style: 'conversation' | 'openevolve' | 'delta' | 'theta', prompt: object = {}) => {
  const config = configOf({
    batch: 1,
    selection: { kind: 'best', pool: 'population' },
    prompt: { style, elites: 0, diverse: 0, failure: true, ...prompt },
    population: { islands: 1 },
    diff: { strict: false },
  });
  const world = deltaWorld({
    config,
    program: PROGRAM,
    answer: ({ step, parentCode }) =>
      step === 2
        ? 'only prose'
        : `${block('    pad = 0', '    pad = 1')}\n${edit(parentCode, step + 1)}\n${block('    nowhere = 1', '    nowhere = 2')}\n\n${log('A')}`,
  });
  await world.open();
  for (const step of [0, 1, 2, 3]) await world.step(step);
  const texts = async (step: number): Promise<string> => {
    const [plan] = await world.promptsOf(step);
    return (await readMessages(world.store, ownMessages(plan!))).at(-1)!.content;
  };
  return { ...world, texts };
};

describe('what went wrong with an answer', () => {
  it('is stored with the answer and, where a program came of it, with the program; evolve show says it', async () => {
    const { store } = await played('delta');
    const id = programId(run, 1, 0, 0);
    expect((await store.getDeltas([id])).get(id)).toMatchObject({
      blocks: 3,
      unmatched: [{ block: 3, reason: NO_MATCH }],
      ambiguous: [{ block: 1, reason: 'ambiguous: 2 places match, the first is taken' }],
    });
    const found = (await readProgram(store, id))!;
    expect(found.program.edits).toEqual([
      { block: 1, reason: 'ambiguous: 2 places match, the first is taken' },
      { block: 3, reason: NO_MATCH },
    ]);
    const lines = showLines(found, await readOrigin(store, found), 'committed', {});
    expect(lines).toContain(`          block 3 not applied: ${NO_MATCH}`);
    expect(lines).toContain('          block 1 ambiguous: 2 places match, the first is taken');
    const clean = await store.getPrograms([programId(run, 0, 0, 0), programId(run, 2, 0, 0)]);
    for (const program of clean.values()) expect(program).not.toHaveProperty('edits');
  });

  it.each(['conversation', 'openevolve', 'delta', 'theta'] as const)(
    'reaches the next prompt on its lineage: %s',
    async (style) => {
      const { texts } = await played(style);
      expect(await texts(1)).not.toContain('of the answer that made it');
      const next = (await texts(2)).replaceAll('\\"', '"');
      expect(next).toContain(AMBIGUOUS);
      expect(next).toContain(UNMATCHED);
      // The answer of step 2 gave no program: its parent is asked for again.
      expect(await texts(3)).toContain('- Attempt 1: no SEARCH/REPLACE block in the answer');
      if (style === 'conversation')
        expect(await texts(3)).toMatch(/# Latest failed attempt\n[^]*no change that could be read: /);
    },
  );

  it.each(['conversation', 'openevolve', 'delta'] as const)('is kept back where feedback is: %s', async (style) => {
    for (const feedback of ['label-only', 'none']) {
      const { texts } = await played(style, { feedback });
      for (const step of [2, 3])
        expect(await texts(step)).not.toMatch(/of the answer that made it|no SEARCH\/REPLACE block in/);
    }
  });

  it("is no part of ThetaEvolve's own prompt, which shows metrics alone", async () => {
    const { texts } = await played('theta', { frame: 'paper' });
    expect(await texts(2)).not.toContain('of the answer that made it');
  });
});
