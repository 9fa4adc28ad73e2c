// SIGKILL of everything that takes part in an update, while it is made: of the worker that trains behind an operation
// of its plan, of the server of policies, of our own worker, of the workflow engine. One policy comes of each update,
// with the weights that an undisturbed run has.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readWhenRouted } from '../../../deploy/versions/versions.ts';
import { stepWorkflowId, updateWorkflowId } from '../../../evolution/ids.ts';
import { failedTasks } from '../../support/engine/failed-tasks.ts';
import { until } from '../../support/machine/home.ts';
import { liveHome } from '../../support/machine/live.ts';
import { releaseHost } from '../../support/engine/release-host.ts';
import { FULL } from '../../support/sizes.ts';
import { TRAINER_PYTHON } from '../../support/machine/trainer-python.ts';
import { expectWhole } from '../../support/machine/whole.ts';

const SIZE = { steps: 3, perStep: 8 };
/** What an update is trained on does not matter here: also where all rewards are equal, a step of the optimizer is made. */
const FLAGS = [
  ...['--learn', '--task', 'toy-digits', '--seed', '5', '--steps', String(SIZE.steps)],
  ...['--batch', '2', '--responses', '4', '--set', 'evaluation.sandbox=noop', '--set', 'model.maxTokens=64'],
  ...['--set', 'learning.whenConstant=step', '--set', 'learning.optimizer.weightDecay=0.1'],
  ...['--set', 'learning.warmup={"examples":16,"steps":4,"batch":8,"learningRate":0.003}'],
];
/** Those of a policy's update by the reference trainer, in their order. */
const OPERATIONS = ['load', 'gradient', 'step', 'save', 'publish'] as const;

describe.skipIf(TRAINER_PYTHON === null || !FULL)('a run that learns, through kills', () => {
  const live = liveHome('learning-kills');

  /** What of a run's policies does not depend on its name. Each comes of one update, which is committed. */
  const policiesOf = async (run: string): Promise<readonly object[]> => {
    const { store } = live.engine;
    const policies = await store.listPolicies(run);
    const { policy, learned } = await live.engine.document(run);
    expect(policy?.id).toBe(policies.at(-1)?._id);
    expect(learned).toBe(SIZE.steps);
    for (const { updateId } of policies)
      expect((await store.readUpdate(run, updateId))?.state, `${run}: ${updateId}`).toBe('committed');
    await expectWhole(store, run, SIZE);
    return policies.map(({ version, step, kind, weightsHash, result }) => ({
      ...{ version, step, kind, weightsHash },
      used: result.used,
      loss: result.loss,
    }));
  };

  const killed = async (run: string, operation: string): Promise<void> => {
    // The switch is part of the worker's environment, so that `up` starts it anew.
    const up = await live.home.evolve(['up'], { EVOLVE_TRAINER_DIE_AFTER: operation });
    expect(up.code, up.stdout + up.stderr).toBe(0);
    await live.must('run', '--run', run, ...FLAGS, '--detach');
    const learned = (version: number) =>
      live.engine.seen(run, `policy ${version}`, ({ policy }) => (policy?.version ?? -1) >= version, 240_000);
    await learned(1);
    for (const victim of ['trainer', 'worker']) await live.home.kill(victim);
    await learned(2);
    await live.home.kill('temporal');
    await live.engine.ended(run, 300_000);
    expect(existsSync(join(live.home.dir, `.died-after-${operation}`))).toBe(true);
  };

  it('Learning 8: makes each policy once, with the weights of the undisturbed run', async () => {
    await live.must('run', '--run', 'undisturbed', ...FLAGS, '--detach');
    await live.engine.ended('undisturbed', 300_000);
    const undisturbed = await policiesOf('undisturbed');
    // The base, the warm-up, and one a step.
    expect(undisturbed).toHaveLength(2 + SIZE.steps);
    for (const operation of OPERATIONS) {
      await killed(`killed-${operation}`, operation);
      expect(await policiesOf(`killed-${operation}`)).toEqual(undisturbed);
    }
  });

  it('a release that comes while a policy is made and its learner dies takes the next step, and changes no policy', async () => {
    const run = 'released';
    const { client } = live.engine;
    await live.must('run', '--run', run, ...FLAGS, '--detach');
    await live.engine.seen(run, 'policy 1', ({ policy }) => (policy?.version ?? -1) >= 1, 240_000);
    // The update of the first step stands still, so that the release comes in the middle of it.
    const learner = live.home.pid('learner');
    process.kill(learner, 'SIGSTOP');
    const update = client.workflow.getHandle(updateWorkflowId(run, 1));
    const buildOf = async (id: string): Promise<string | null> => {
      const { raw } = await client.workflow.getHandle(id).describe();
      return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? null;
    };
    await until('the update of step 1', 120_000, () => update.describe().catch(() => null));
    const host = releaseHost(live.home, 1);
    try {
      await until('the release to be at work', 120_000, async () => {
        const { versions, routed } = await readWhenRouted(client, 10_000);
        return routed && versions.some(({ build, current }) => current && build === host.build);
      });
      expect((await update.describe()).status.name).toBe('RUNNING');
      process.kill(learner, 'SIGKILL');
      await live.engine.ended(run, 300_000);
      expect(await policiesOf(run)).toEqual(await policiesOf('undisturbed'));
      expect(await buildOf(updateWorkflowId(run, 1))).toBe(await buildOf(stepWorkflowId(run, 1)));
      expect(await buildOf(stepWorkflowId(run, SIZE.steps))).toBe(host.build);
      expect(await failedTasks(client, `WorkflowId = "run/${run}" OR WorkflowId STARTS_WITH "run/${run}/"`)).toEqual(
        [],
      );
    } finally {
      await host.stop();
      // The next `up` makes the version that ships the current one again.
      await live.must('up');
    }
  });
});
