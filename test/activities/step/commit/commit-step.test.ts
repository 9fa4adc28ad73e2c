// The verbs of a step over the store in memory: a whole step without engine or containers, twice, with retries in
// between.
import { describe, expect, it } from 'vitest';
import { programId } from '../../../../evolution/ids.ts';
import { play, run } from '../../../support/worlds/world.ts';

describe('a step', () => {
  it('keeps every candidate, counts each once and ranks only valid ones', async () => {
    const { summaries, programs } = await play(false);
    expect(programs.map((program) => program._id)).toEqual([
      programId(run, 0, 0, 0),
      ...[1, 2].flatMap((step) =>
        Array.from({ length: 12 }, (_, slot) => slot).map((slot) => programId(run, step, 0, slot)),
      ),
    ]);
    const { totals } = summaries[2]!;
    expect(totals.programs).toBe(24);
    expect(totals.valid + Object.values(totals.failures).reduce((a, b) => a + b, 0)).toBe(24);
    expect(totals.tokens).toEqual({ in: 40, out: 24 });
    for (const program of programs) expect(program.fit !== undefined).toBe(program.outcome === 'valid');
  });

  it('ThetaEvolve 13: equal siblings share one evaluation and one score, the lowest slot is the program', async () => {
    const { programs, evaluated } = await play(false);
    const siblings = programs.filter((program) => program.step === 1 && program.outcome === 'valid');
    const groups = Map.groupBy(siblings, (program) => program.normHash);
    for (const same of groups.values()) {
      expect(new Set(same.map((program) => program.score)).size).toBe(1);
      expect(same[0]!.sameAs).toBeUndefined();
      expect(same.slice(1).every((program) => program.sameAs === same[0]!._id)).toBe(true);
    }
    expect(siblings.some((program) => program.sameAs !== undefined)).toBe(true);
    const distinct = new Set(
      programs.filter((program) => program.evaluation !== null).map((program) => program.evaluation),
    );
    expect(evaluated).toBe(distinct.size);
  });

  it("a program that repeats an earlier step's is a duplicate and is not evaluated", async () => {
    const { programs } = await play(false);
    const earlier = new Set(
      programs.filter((program) => program.step <= 1 && program.evaluation !== null).map((program) => program.normHash),
    );
    const repeats = programs.filter(
      (program) => program.step === 2 && program.normHash !== null && earlier.has(program.normHash),
    );
    for (const program of repeats) expect(['duplicate', 'no_change']).toContain(program.outcome);
  });

  it.each(['parent', 'current'])(
    'childIsland %s: a program is stored with the island that it entered',
    async (childIsland) => {
      const { programs, store } = await play(false, { childIsland });
      const { members } = await store.population(run);
      for (const program of programs)
        if (members.has(program._id)) expect(program.island).toBe(members.get(program._id)!.home);
    },
  );

  it('every activity done twice gives what it gives done once', async () => {
    const once = await play(false);
    const twice = await play(true);
    expect(twice.programs).toEqual(once.programs);
    expect(twice.summaries.map(({ totals, best }) => ({ totals, best }))).toEqual(
      once.summaries.map(({ totals, best }) => ({ totals, best })),
    );
    expect(twice.evaluated).toBe(once.evaluated);
  });
});
