// Every method runs offline on a bare machine, as its control without a language model: it ends well, lies about
// nothing and can be rebuilt.
import { describe, expect, it } from 'vitest';
import { rebuildRun } from '../../../activities/rebuild/rebuild.ts';
import { taskLoader } from '../../../activities/task/kept-task.ts';
import { METHOD_NAMES } from '../../../evolution/config/names.ts';
import { liveHome, sharedHome } from '../../support/machine/live.ts';
import { FULL } from '../../support/sizes.ts';

/**
 * Methods that go ways which the others go too, code, which `combined` is, and theta, which is the main job
 * (main-job.test.ts). Each method runs in memory, too (test/deploy/offline-model/methods.test.ts).
 */
const ALIKE: readonly string[] = [
  ...['parallel-sampling', 'greedy-refine', 'static', 'naive', 'theta', 'delta', 'shinkaevolve', 'code'],
];
const NAMES = METHOD_NAMES.filter((name) => FULL || !ALIKE.includes(name));

describe('the methods', () => {
  /** A kill disturbs other files. */
  const live = FULL ? liveHome('methods') : sharedHome();
  const ended = async (run: string) => {
    const document = await live.engine.ended(run, 30_000);
    expect(document.status).toBe('finished');
    expect(await rebuildRun({ store: live.engine.store, loadTask: taskLoader(live.engine.store) }, run)).toMatchObject({
      differenceCount: 0,
      differences: [],
    });
    return document;
  };

  it.each(NAMES)('%s: twelve programs', async (method) => {
    // With a gate that only watches each of the twelve ideas is carried out; of the few that pass it, none may be valid.
    const more = method === 'research' ? ['--set', 'ideation.gate=shadow'] : [];
    await live.must('run', '--method', method, '--max-programs', '12', '--run', method, '--seed', '3', ...more);
    const { totals, stopReason } = await ended(method);
    expect(stopReason).toBe('programs');
    expect(totals.programs).toBe(12);
    expect(totals.tokens.in).toBeGreaterThan(0);
    const programs = await live.home.programs(method);
    expect(programs).toHaveLength(totals.programs);
    // The offline model answers each role in its format: what it is asked for can be read.
    expect(
      programs.filter(({ outcome }) => ['no_diff', 'unparsed', 'idea_failed', 'rm_failed'].includes(outcome)),
    ).toEqual([]);
  });

  it("parts combine: DeltaEvolve's context on CodeEvolve's islands behind AlphaResearch's gate", async () => {
    const set = [
      ...['population.islands=2', 'population.initialisation=2', 'prompt.style=delta', 'prompt.elites=2'],
      ...['prompt.diverse=1', 'ideation.kind=proposal', 'ideation.gate=on', 'migration.interval=2'],
    ].flatMap((setting) => ['--set', setting]);
    const size = '--seed 5 --steps 5 --batch 4 --responses 2'.split(' ');
    await live.must('run', '--method', 'code', '--run', 'combined', ...size, ...set);
    const { totals } = await ended('combined');
    const programs = await live.home.programs('combined');
    expect(programs).toHaveLength(40);
    // Seed programs are roots and have no delta.
    const made = programs.find(
      ({ outcome, parents }: { outcome: string; parents: readonly string[] }) =>
        outcome === 'valid' && parents.length > 0,
    );
    const shown = await live.home.json(['show', made.id]);
    expect(shown.change.summary.to).toEqual(expect.any(String));
    expect(shown.idea.score).toBeGreaterThanOrEqual(5.5);
    // Ideas below the threshold are kept and counted, and cost no program call.
    expect(totals.failures.rejected ?? 0).toBe(
      programs.filter(({ outcome }: { outcome: string }) => outcome === 'rejected').length,
    );
  });

  it.runIf(FULL)(
    'methods with more stages than programs through a kill of the worker: nothing twice, nothing lost',
    async () => {
      for (const method of ['research', 'code']) {
        const run = `killed-${method}`;
        const islands = ['population.islands=2', 'population.initialisation=2'];
        const set = method === 'code' ? [...islands, 'exploration.start=0.5', 'migration.interval=3'] : [];
        await live.must(
          ...['run', '--method', method, '--run', run, ...set.flatMap((setting) => ['--set', setting])],
          ...'--seed 7 --steps 8 --batch 2 --responses 1 --detach'.split(' '),
        );
        await live.engine.seen(run, 'its third step', ({ committedStep }) => committedStep >= 3, 120_000);
        await live.home.kill('worker');
        await live.engine.ended(run, 180_000);
        const { totals } = await ended(run);
        expect(totals.programs).toBe(16);
      }
    },
  );
});
