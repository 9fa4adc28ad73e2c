// What is recorded on real parts of step 0: a task that is broken parks there as a whole, and goes on once it is mended.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stepWorkflowId } from '../../../evolution/ids.ts';
import type { Scene, Stack } from './stack.ts';

export const brokenScenes = ({ home, engine, endpoint, record, state }: Stack): readonly Scene[] => [
  async function firstStep() {
    const root = mkdtempSync(join(tmpdir(), 'evolve-broken-'));
    try {
      await home.evolve(['task', 'new', 'broken', '--into', root]);
      const path = join(root, 'broken', 'evaluator.py');
      const whole = readFileSync(path, 'utf8');
      writeFileSync(path, 'def evaluate(instance, solution):\n    raise ValueError("half a word")\n');
      await engine.start('broken', {
        task: join(root, 'broken'),
        ...{ seed: 2, batch: 1, responses: 1, limits: { steps: 1 } },
        model: { name: 'small', baseUrl: endpoint.url },
      });
      await state('broken', 'needs attention');
      writeFileSync(path, whole);
      await engine.signal('broken', 'retry', {});
      await engine.ended('broken', 300_000);
      await record('first-step', stepWorkflowId('broken', 0));
      await record('first-step-run', 'run/broken');
      await record('second-step', stepWorkflowId('broken', 1));
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  },
];
