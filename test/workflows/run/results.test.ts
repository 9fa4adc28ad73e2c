// What a run leaves in runs/<id>/ is written by the run itself: started by one JSON object as the Temporal UI sends it,
// watched by nobody.
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../../support/machine/home.ts';
import { sweepWorld } from '../../support/engine/sweep-world.ts';

const world = sweepWorld();
const config = { task: 'circle-packing-square-26', batch: 2, responses: 2, limits: { steps: 2 } };

it('a run that nobody watches leaves its files, and after an extension those of the new end', async () => {
  const started = (input: object) =>
    world.client.workflow.start('evolutionRun', {
      workflowId: 'run/left-alone',
      taskQueue: 'evolve-workflow',
      args: [{ run: 'left-alone', ...input }],
    });
  const summary = () => JSON.parse(readFileSync(join(world.directory, 'left-alone', 'summary.json'), 'utf8')) as object;
  const written = (steps: number) =>
    until(`files of step ${steps}`, 60_000, async () => {
      const { results, endedAt, committedStep } = (await world.store.readRun('left-alone')) ?? {};
      return committedStep === steps && endedAt && results?.endedAt?.getTime() === endedAt.getTime() ? results : false;
    });

  const handle = await started({ config });
  const { files, ...where } = await written(2);
  expect(where).toMatchObject({ host: hostname(), directory: join(world.directory, 'left-alone'), failure: null });
  expect(files).toEqual(['config.yaml', 'summary.json']);
  expect(summary()).toMatchObject({ run: 'left-alone', state: 'finished', stopReason: 'steps', steps: 2 });

  await handle.result();
  await started({ extend: { steps: 3 } });
  await written(3);
  expect(summary()).toMatchObject({ state: 'finished', steps: 3 });
});
