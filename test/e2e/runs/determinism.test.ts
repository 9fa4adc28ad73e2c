// The same seed and the offline model give the same programs in the same order: twice, and through kill -9 of every
// part.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../support/machine/home.ts';
import { liveHome } from '../../support/machine/live.ts';
import { FULL } from '../../support/sizes.ts';

const ARGS = ['--seed', '42', '--steps', '3', '--batch', '4', '--responses', '4'];
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
/** What the program was told of the end of a run. */
const noticesIn = (file: string, run: string): readonly { readonly name: string; readonly event: string }[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { name: string; event: string })
    .filter(({ name, event }) => name === run && event === 'ended');

describe('determinism and durability', () => {
  const live = liveHome('chaos');
  let undisturbed: ReturnType<typeof facts>;
  let best: unknown;

  beforeAll(async () => {
    await live.must('run', '--run', 'first', ...ARGS);
    undisturbed = facts(await live.home.programs('first', '--code'));
    best = (await live.home.json(['status', 'first'])).best;
  });

  it('the same seed gives the same programs in the same order, also on another level of isolation', async () => {
    await live.must('run', '--run', 'second', ...ARGS);
    expect(facts(await live.home.programs('second', '--code'))).toEqual(undisturbed);
  });

  it('steps that overlap give the same programs undisturbed and through kill -9 of worker and engine', async () => {
    const overlapping = [...ARGS, '--set', 'schedule=overlapping'];
    await live.must('run', '--run', 'overlapping', ...overlapping);
    const expected = facts(await live.home.programs('overlapping', '--code'));
    const isLater = ({ step }: { readonly step: number }) => step > 1;
    expect(expected.filter(isLater)).not.toEqual(undisturbed.filter(isLater));
    await live.must('run', '--run', 'overlapping-killed', ...overlapping, '--detach');
    for (const victim of ['worker', 'temporal', 'worker']) {
      await sleep(1_500);
      process.kill(live.home.pid(victim), 'SIGKILL');
      await live.must('up');
    }
    await live.reconnect();
    await live.engine.ended('overlapping-killed', 150_000);
    expect(facts(await live.home.programs('overlapping-killed', '--code'))).toEqual(expected);
  });

  // The second round kills the same parts at other moments.
  for (const [round, delays] of [
    [1, [1_500, 2_500, 2_000]] as const,
    ...(FULL ? [[2, [700, 1_800, 3_100]] as const] : []),
  ]) {
    it(`ThetaEvolve 24: kill -9 of worker, sandbox, engine and database, round ${round}: complete, nothing twice, same best`, async () => {
      const run = `killed-${round}`;
      // A program is told when the run has ended. It writes down what it reads.
      const told = join(live.home.dir, 'told');
      const command = [process.execPath, '-e', 'fs.appendFileSync(process.argv[1], fs.readFileSync(0))', told];
      writeFileSync(join(live.home.dir, 'notify.json'), JSON.stringify({ command }));
      await live.must('run', '--run', run, ...ARGS, '--detach');
      const victims = ['worker', 'temporal', 'database', 'sandbox'];
      for (const [index, victim] of victims.entries()) {
        await sleep(delays[index % delays.length]);
        process.kill(live.home.pid(victim), 'SIGKILL');
        if (index % 2 === 1) await live.must('up');
      }
      await live.must('up');
      await live.reconnect();
      await live.engine.ended(run, 150_000);
      const status = await live.home.json(['status', run]);
      const programs = await live.home.programs(run, '--code');
      expect(status.state).toBe('finished');
      expect(status.programs).toBe(4 * 4 * 3);
      expect(programs).toHaveLength(4 * 4 * 3);
      expect(new Set(programs.map((program) => program.id)).size).toBe(programs.length);
      expect(facts(programs)).toEqual(undisturbed);
      expect({ ...status.best, program: null }).toEqual({ ...(best as object), program: null });
      await until('the notice of the end', 60_000, async () => existsSync(told) && noticesIn(told, run).length > 0);
      expect(noticesIn(told, run)).toMatchObject([{ event: 'ended', state: 'finished', programs: 4 * 4 * 3 }]);
    });
  }
});
