// The evaluator that runs nothing is for benches: no file, flag, message or document can name it elsewhere.
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRunActivities } from '../../../activities/run/open-run.ts';
import { loadTask } from '../../../activities/task/load-task.ts';
import { jsonSchema, settingsTable } from '../../../evolution/methods/reference.ts';
import { resolveConfig } from '../../../evolution/methods/resolve.ts';
import { createEvaluators } from '../../../workers/roles/evaluators.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { registerOutsideLevels } from '../../../deploy/host/outside-levels.ts';
import { allowNoop } from '../../../evolution/config/noop.ts';

registerOutsideLevels({});

// Other files of this process may be for benches.
beforeEach(() => {
  allowNoop({});
});
afterEach(() => {
  allowNoop(process.env);
});
const noop = { evaluation: { sandbox: 'noop' } } as const;
const resolved = () => resolveConfig([{ settings: noop, where: () => 'run.yaml:1:1' }]);

describe('evaluation.sandbox noop', () => {
  test('is an unknown level, in a file as in what is typed in the Temporal UI', async () => {
    expect(resolved).toThrow(
      /^run.yaml:1:1: evaluation.sandbox: expected one of auto, fork, docker, bubblewrap, agent-sandbox, got "noop"/,
    );
    const { openRun } = createRunActivities({ store: memoryStore(), loadTask });
    const { config } = resolveConfig([]);
    await expect(
      new MockActivityEnvironment().run(openRun as (input: unknown) => Promise<unknown>, {
        run: 'r',
        owner: 'o',
        config: { ...config, evaluation: { ...config.evaluation, ...noop.evaluation } },
      }),
    ).rejects.toThrow(
      'config: evaluation.sandbox: expected one of auto, fork, docker, bubblewrap, agent-sandbox, got "noop"',
    );
  });

  test('of a run that a bench made evaluates nothing where workers are not for benches, and says so', async () => {
    allowNoop({ EVOLVE_ALLOW_NOOP: '1' });
    const { config } = resolved();
    const { evaluatorFor } = createEvaluators({} as never, memoryStore(), '0'.repeat(64));
    allowNoop({});
    await expect(evaluatorFor(config, {})).rejects.toThrow(/got one that a bench made .*EVOLVE_ALLOW_NOOP=1/);
  });

  test('stands in no document', () => {
    expect(`${settingsTable()}${JSON.stringify(jsonSchema())}`).not.toContain('noop');
  });

  test('is one where a bench started the process', () => {
    allowNoop({ EVOLVE_ALLOW_NOOP: '1' });
    expect(resolved().config.evaluation.sandbox).toBe('noop');
  });
});
