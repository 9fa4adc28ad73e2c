// One history of each workflow, recorded here, replays under the code that made it. A workflow that reads a clock or a
// random number of its own fails here.
import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { stepWorkflowId, sweepWorkflowId, updateWorkflowId } from '../../evolution/ids.ts';
import { shippedBundle } from '../support/engine/bundle.ts';
import { conductorWorld } from '../support/engine/conductor.ts';
import { learningCast } from '../support/engine/learning-cast.ts';
import { streamCast } from '../support/engine/stream-cast.ts';

type Recorded = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

const world = conductorWorld();

/** The execution that did the work, and not the last one, at which a run or a sweep rests. */
const historyOf = async (workflowId: string, runId?: string): Promise<Recorded> =>
  world.client.workflow.getHandle(workflowId, runId).fetchHistory();

const streamedRun = async (): Promise<{ readonly [id: string]: Recorded }> => {
  const cast = streamCast(world, 'streamed', { steps: 24 });
  const handle = await world.start(cast);
  await cast.asked('turnStream', ({ commit }) => commit !== undefined);
  await handle.signal('pause', {});
  await handle.signal('resume', {});
  await handle.result();
  return {
    'run/streamed': await historyOf('run/streamed', handle.firstExecutionRunId),
    [stepWorkflowId('streamed', 1)]: await historyOf(stepWorkflowId('streamed', 1)),
  };
};

const update = async (): Promise<{ readonly [id: string]: Recorded }> => {
  const { cast } = learningCast(world, 'learning', { steps: 1 });
  await (await world.start(cast)).result();
  const id = updateWorkflowId('learning', 0);
  return { [id]: await historyOf(id) };
};

const sweep = async (): Promise<{ readonly [id: string]: Recorded }> => {
  const seen = { run: 'family.1', attention: false, programs: 1, best: null, rung: null };
  world.cast(
    'family',
    {},
    {
      openSweep: () => ({
        ...{ name: 'family', maxParallel: 1, rungs: [], stopped: [], decided: 0 },
        runs: [{ run: 'family.1', group: 0, summary: 'x' }],
        page: { groups: [], scoring: 'tolerant', task: null, method: null, model: null, limits: null },
      }),
      awaitRuns: () => [{ ...seen, state: 'ended' }],
      markSweep: () => undefined,
    },
  );
  const id = sweepWorkflowId('family');
  const handle = await world.client.workflow.start('sweep', {
    workflowId: id,
    taskQueue: 'evolve-workflow',
    args: [{ name: 'family' }],
  });
  await handle.result();
  return { [id]: await historyOf(id, handle.firstExecutionRunId) };
};

describe('a recorded history', () => {
  it('of each workflow replays, and not where the first command of a step is another one', async () => {
    const histories = { ...(await streamedRun()), ...(await update()), ...(await sweep()) };
    expect(Object.values(histories).map(typeOf)).toEqual(['evolutionRun', 'evolutionStep', 'policyUpdate', 'sweep']);
    const workflowBundle = await shippedBundle();
    const recorded = Object.entries(histories).map(([workflowId, history]) => ({ workflowId, history }));
    for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, recorded))
      expect(error, workflowId).toBeUndefined();

    const code = workflowBundle.code.replaceAll('.planStep.', '.planStepOtherwise.');
    expect(code).not.toBe(workflowBundle.code);
    const id = stepWorkflowId('streamed', 1);
    await expect(Worker.runReplayHistory({ workflowBundle: { code } }, histories[id]!, id)).rejects.toThrow(
      /planStepOtherwise/,
    );
  }, 180_000);
});

const typeOf = ({ events }: Recorded) => events![0]!.workflowExecutionStartedEventAttributes!.workflowType!.name;
