// Where a run may ask for an OCI runtime: it is refused before the run exists, with the key to change.
import { describe, expect, test } from 'vitest';
import { engineRuntime, runtimeMissing } from '../../../activities/sandbox/launchers/runtimes.ts';
import { fitProblem } from '../../../evolution/methods/rules/task-fit.ts';
import { loadTask } from '../../../activities/task/load-task.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

const problem = async (
  evaluation: { readonly sandbox?: 'docker' | 'fork' | 'bubblewrap'; readonly runtime: 'runc' | 'runsc' | 'kata' },
  task = 'circle-packing-square-26',
  auto: 'docker' | 'bubblewrap' = 'docker',
) => {
  const config = configFrom({ task, evaluation });
  return fitProblem(config, await loadTask(task), auto)?.message ?? null;
};

describe('evaluation.runtime', () => {
  test('is taken where containers are of an engine and used once', async () => {
    expect(await problem({ runtime: 'runsc' })).toBeNull();
    expect(await problem({ sandbox: 'docker', runtime: 'kata' }, 'golomb-ruler-12')).toBeNull();
    expect(await problem({ sandbox: 'fork', runtime: 'runc' })).toBeNull();
  });
  test('is refused where there is no engine, on the level fork, and for a score that is a time', async () => {
    expect(await problem({ sandbox: 'bubblewrap', runtime: 'runsc' })).toContain(
      'expected engine, since the level bubblewrap has no other runtime, got runsc: set evaluation.sandbox to docker',
    );
    expect(await problem({ runtime: 'runsc' }, undefined, 'bubblewrap')).toContain('install Docker');
    expect(await problem({ sandbox: 'fork', runtime: 'runsc' })).toContain('set evaluation.sandbox to docker');
    expect(await problem({ runtime: 'runsc' }, 'efficient-convolution')).toContain('is a time');
    expect(await problem({ runtime: 'runc' }, 'efficient-convolution')).toBeNull();
  });
  test('is looked for under the names that engines have for it; one that lacks it says what it has', () => {
    expect(engineRuntime('kata', ['runc', 'kata-qemu'])).toEqual({ kind: 'kata', name: 'kata-qemu' });
    expect(engineRuntime('runsc', ['runc'])).toBeNull();
    expect(runtimeMissing('runsc', ['runc'])).toContain(
      'expected a runtime that the Docker engine has (runc), got runsc',
    );
  });
});
