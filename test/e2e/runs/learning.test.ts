// A small policy learns inside real runs: real SEARCH/REPLACE prompts of tasks/toy-digits, programs in real containers,
// updates by the reference trainer. And a run that goes back loses nothing of what it learned, and trains nothing twice.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PolicyLine } from '../../../client/learning/policies.ts';
import { promptId, stageId } from '../../../evolution/ids.ts';
import { hasEnded } from '../../../evolution/run-states.ts';
import { until } from '../../support/machine/home.ts';
import { liveHome } from '../../support/machine/live.ts';
import { FULL } from '../../support/sizes.ts';
import { TRAINER_PYTHON } from '../../support/machine/trainer-python.ts';

const SEEDS = FULL ? [1, 2, 3, 4, 5] : [1];
const UPDATES = 24;
/** It begins at about 0.5. Comparing it with a run without updates needs as many programs again. */
const LEARNED = FULL ? 0.85 : 0.7;
/** 4 prompts, 8 answers to each. */
const PER_STEP = 32;

describe.skipIf(TRAINER_PYTHON === null)('a policy that learns while it searches', () => {
  const live = liveHome('learning');
  const policiesOf = (run: string): Promise<readonly PolicyLine[]> => live.home.json(['policies', run]);

  /** Mean rewards of the steps that were trained on, in their order. */
  const rewardsOf = async (run: string): Promise<readonly number[]> =>
    (await live.engine.store.listPolicies(run)).flatMap(({ reward }) => reward?.mean ?? []);

  /** A run until its policy has learned the task, and the same run without updates, with as many programs. */
  const learned = async (seed: number) => {
    const run = `digits-${seed}`;
    await live.must(
      ...'run --learn --task toy-digits --run'.split(' '),
      run,
      '--seed',
      String(seed),
      '--steps',
      String(UPDATES),
      '--detach',
    );
    await until(`run ${run} to learn`, 600_000, async () => {
      await sleep(1000);
      const document = await live.engine.document(run);
      return hasEnded(document) || Math.max(...(await rewardsOf(run))) > LEARNED;
    });
    await live.must('stop', run, '--now');
    await live.engine.ended(run, 300_000);
    const { steps, best } = await live.home.json(['status', run]);
    const rewards = await rewardsOf(run);
    const learning = { seed, steps, rewards, best: best.score, policies: await policiesOf(run) };
    if (!FULL) return { ...learning, without: null };
    const plain = `plain-${seed}`;
    const off = ['--steps', String(steps), '--set', 'learning.on=false'];
    await live.must('fork', run, '--at-step', '0', '--run', plain, ...off, '--detach');
    await live.engine.ended(plain, 600_000);
    return { ...learning, without: await live.home.json(['status', plain]) };
  };

  it('Learning 9: learns from about 0.5 within 24 updates, and finds better programs than the run without', async () => {
    await live.must('up', '--learn');
    const all = await Promise.all(SEEDS.map(learned));
    for (const { seed, steps, rewards, best, without, policies } of all) {
      const said = `seed ${seed}: ${rewards.map((reward) => reward.toFixed(2)).join(' ')}`;
      expect(rewards[0], said).toBeGreaterThan(0.4);
      expect(rewards[0], said).toBeLessThan(0.6);
      expect(rewards.length, said).toBeLessThanOrEqual(UPDATES);
      expect(Math.max(...rewards), said).toBeGreaterThan(LEARNED);
      for (const { mismatch } of policies) expect(mismatch).toBeLessThan(1e-5);
      if (without === null) continue;
      console.log(`${said}; best ${best}, without learning ${without.best.score}`);
      expect(without).toMatchObject({ steps, programs: steps * PER_STEP });
      expect(best, said).toBeGreaterThan(without.best.score);
    }
  });

  it('is paused, rewound behind an update, forked and rebuilt, and nothing is lost or trained again', async () => {
    const run = 'back';
    const small = ['--batch', '2', '--responses', '4', '--set', 'learning.whenConstant=step'];
    const warmup = 'learning.warmup={"examples":16,"steps":30,"batch":8,"learningRate":0.01}';
    const size = ['--steps', '200', ...small, '--set', warmup];
    await live.must('run', '--learn', '--task', 'toy-digits', '--run', run, '--seed', '9', ...size, '--detach');
    await live.engine.seen(run, 'step 2', ({ committedStep }) => committedStep >= 2);
    await live.must('pause', run);
    await live.engine.seen(run, 'the pause', ({ status }) => status === 'paused');
    const last = (await live.engine.document(run)).committedStep + 2;
    await live.must('extend', run, '--steps', String(last));
    await live.must('resume', run);
    await live.engine.ended(run);
    const before = await policiesOf(run);
    // The base, the warm-up, and one a step.
    expect(before.map(({ version, step }) => [version, step])).toEqual([
      [0, 0],
      ...Array.from({ length: last + 1 }, (_, step) => [step + 1, step]),
    ]);
    expect(before.map(({ parent }) => parent)).toEqual([null, ...before.slice(0, -1).map(({ policy }) => policy)]);
    const cards = () =>
      before.map(({ policy }) => {
        const card = join(live.home.dir, 'policies', policy, 'policy.json');
        return [readFileSync(card, 'utf8'), statSync(card).mtimeMs];
      });
    const written = cards();

    await live.must('rewind', run, '--to-step', String(last - 1));
    await live.engine.seen(run, 'the step that is done again', ({ generation }) => generation > 0);
    await live.engine.ended(run);
    expect(await policiesOf(run)).toEqual(before);
    expect(await live.home.json(['policies', run, '--all'])).toEqual(before);
    expect(cards()).toEqual(written);

    // A fork has the policies up to its step, and goes on with others of its own.
    await live.must('fork', run, '--at-step', '2', '--run', 'forked', '--steps', '3', '--seed', '10', '--detach');
    await live.engine.ended('forked');
    const forked = await policiesOf('forked');
    expect(forked.slice(0, 4).map(({ policy, weightsHash }) => [policy, weightsHash])).toEqual(
      before.slice(0, 4).map(({ policy, weightsHash }) => [policy, weightsHash]),
    );
    expect(forked).toHaveLength(5);
    expect(before.map(({ updateId }) => updateId)).not.toContain(forked[4]!.updateId);
    for (const name of [run, 'forked']) await live.must('rebuild', name);
    expect(cards()).toEqual(written);
  });

  it('trains a judge, measures it, and has it judge the ideas of a run', async () => {
    const place = (name: string): string => join(live.home.dir, name);
    const reviews = Array.from({ length: 24 }, (_, index) => ({
      ...{ id: `p${index}`, year: 2023, date: index < 16 ? '2023-05-01' : '2024-11-01', title: `Paper ${index}` },
      ...(index % 2 === 0
        ? { abstract: 'A proof, with experiments.', ratings: [8] }
        : { abstract: 'A guess, without data.', ratings: [3] }),
    }));
    writeFileSync(place('reviews.jsonl'), reviews.map((review) => JSON.stringify(review)).join('\n'));
    await live.must('export', 'reward-model', place('reviews.jsonl'), '--out', place('judge-data'));
    const recipe = ['--base', 'bytes', '--epochs', '2', '--batch', '4', '--learning-rate', '0.003'];
    const train = ['train-judge', 'judge', '--data', place('judge-data'), ...recipe];
    const trained = await live.home.json(train);
    expect(trained.map(({ policy }: { policy: string }) => policy)).toEqual(['judge@0', 'judge@1', 'judge@2']);
    // What is made is found again.
    expect(await live.home.json(train)).toEqual(trained);

    const measured = await live.home.json(['check-judge', 'judge@2', '--data', place('judge-data')]);
    expect(measured).toMatchObject({ model: trained[2].id, count: 8, sampling: { temperature: 0, maxTokens: 1000 } });

    const gate = {
      method: 'research',
      model: { roles: ['exploit', 'idea'] },
      models: [{ name: 'judge', policy: 'judge@2', roles: ['judge'], maxTokens: 30 }],
      ideation: { judge: 'trained', gate: 'shadow' },
      evaluation: { sandbox: 'noop' },
      limits: { steps: 2 },
    };
    writeFileSync(place('gate.json'), JSON.stringify(gate));
    await live.must('run', '--task', 'toy-digits', '--config', place('gate.json'), '--run', 'judged');
    const id = stageId(promptId('judged', 1, 0, 0), 'judge');
    expect((await live.engine.store.getCalls([id])).get(id)).toMatchObject({ policy: trained[2].id });
  });
});
