// Recorded histories replay under today's code: a change that would break runs that are under way fails here.
// Record them anew with: node test/workflows/record-all.ts. Only bricked-run cannot be: code of before 0.4.0 began it, a
// `stepReport` without a body made every task of it fail, and today's code went on with it to its end.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import {
  DefaultLogger,
  Runtime,
  Worker,
  bundleWorkflowCode,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';

const FOLDER = fileURLToPath(new URL('./histories/', import.meta.url));
const names = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));

describe('recorded histories', () => {
  let workflowBundle: WorkflowBundleWithSourceMap;
  beforeAll(async () => {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
    workflowBundle = await bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
      payloadConverterPath: fileURLToPath(new URL('../../workflows/messages/unreadable.ts', import.meta.url)),
      logger: new DefaultLogger('ERROR'),
    });
  });

  it('cover runs, steps and sweeps, and what people do to them', () => {
    expect(names.map((name) => name.replace(/\.json$/, '')).sort()).toEqual([
      'bricked-run',
      'budget-run',
      'budget-step',
      'conducted-run',
      'conducted-step',
      'continued-run',
      'exact-run',
      'exact-step',
      'hidden-run',
      'lost-step-run',
      'parked-run',
      'parked-step',
      'paused-run',
      'repaired-step',
      'reset-run',
      'rewinding-run',
      'rewound-run',
      'run',
      'staged-step',
      'steered-run',
      'steered-step',
      'step',
      'stopped-sweep',
      'sweep',
      'unopened-run',
      'windowed-run',
      'windowed-step',
    ]);
  });

  for (const name of names) {
    it(`${name} replays`, async () => {
      const history = historyFromJSON(JSON.parse(readFileSync(`${FOLDER}${name}`, 'utf8')));
      const { workflowId } = history.events![0]!.workflowExecutionStartedEventAttributes!;
      await Worker.runReplayHistory({ workflowBundle }, history, workflowId!);
    });
  }
});
