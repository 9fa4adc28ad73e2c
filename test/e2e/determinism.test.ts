// The same seed and the offline model give the same programs in the same order: twice, and through kill -9 of every
// part.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testHome, until, type TestHome } from '../support/home.ts';

const ARGS = ['--seed', '42', '--steps', '3', '--batch', '4', '--responses', '6'];
const facts = (programs: readonly any[]) =>
  programs.map(({ step, slot, outcome, score, code, island, parents }) => ({
    step,
    slot,
    outcome,
    score,
    code,
    island,
    parents: parents.map((id: string) => id.replace(/^[^:]+/, '')),
  }));

describe('determinism and durability', () => {
  let home: TestHome;
  let undisturbed: ReturnType<typeof facts>;
  let best: unknown;

  beforeAll(async () => {
    home = testHome('chaos');
    const up = await home.evolve(['up']);
    expect(up.code, up.stdout + up.stderr).toBe(0);
    const run = await home.evolve(['run', '--run', 'first', ...ARGS]);
    expect(run.code, run.stdout + run.stderr).toBe(0);
    undisturbed = facts(await home.programs('first', '--code'));
    best = (await home.json(['status', 'first'])).best;
  });
  afterAll(() => home.remove());

  it('the same seed gives the same programs in the same order', async () => {
    expect((await home.evolve(['run', '--run', 'second', ...ARGS])).code).toBe(0);
    expect(facts(await home.programs('second', '--code'))).toEqual(undisturbed);
  });

  it('another seed gives other programs', async () => {
    expect(
      (await home.evolve(['run', '--run', 'other', '--seed', '43', '--steps', '1', '--batch', '4', '--responses', '6']))
        .code,
    ).toBe(0);
    const other = facts(await home.programs('other', '--code'));
    expect(other).not.toEqual(undisturbed.slice(0, other.length));
  });

  for (const [round, delays] of [
    [1, [1_500, 2_500, 2_000]],
    [2, [700, 1_800, 3_100]],
  ] as const) {
    it(`ThetaEvolve 24: kill -9 of worker, sandbox, engine and database, round ${round}: complete, nothing twice, same best`, async () => {
      const run = `killed-${round}`;
      expect((await home.evolve(['run', '--run', run, ...ARGS, '--detach'])).code).toBe(0);
      const victims = ['worker', 'temporal', 'database', 'sandbox'];
      for (const [index, victim] of victims.entries()) {
        await new Promise((resolve) => setTimeout(resolve, delays[index % delays.length]));
        process.kill(home.pid(victim), 'SIGKILL');
        if (index % 2 === 1) expect((await home.evolve(['up'])).code).toBe(0);
      }
      const up = await home.evolve(['up']);
      expect(up.code, up.stdout + up.stderr).toBe(0);
      const status = await until('the run to end', 150_000, async () => {
        const result = await home.evolve(['status', run, '--json']);
        const parsed = result.code === 0 ? JSON.parse(result.stdout) : null;
        return parsed?.state === 'finished' ? parsed : null;
      });
      const programs = await home.programs(run, '--code');
      expect(status.programs).toBe(4 * 6 * 3);
      expect(programs).toHaveLength(4 * 6 * 3);
      expect(new Set(programs.map((program) => program.id)).size).toBe(programs.length);
      expect(facts(programs)).toEqual(undisturbed);
      expect({ ...status.best, program: null }).toEqual({ ...(best as object), program: null });
    });
  }
});
