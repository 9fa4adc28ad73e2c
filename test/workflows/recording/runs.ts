// What is recorded of runs, steps and sweeps on real parts: plain ones, and those that people stopped, steered, reset and
// took back. Fixtures of these names are of version 0.5.0 and earlier, whose runs go on with today's code.
import { stepWorkflowId } from '../../../evolution/ids.ts';
import { startEndpoint } from '../../support/endpoint.ts';
import { until } from '../../support/home.ts';
import type { Scene, Stack } from './stack.ts';

export const runScenes = ({
  engine,
  endpoint,
  settings,
  record,
  continued,
  committed,
  state,
}: Stack): readonly Scene[] => [
  async function plain() {
    await engine.start('plain', settings(2, { batch: 2, responses: 3 }));
    await engine.ended('plain');
    await record('run', 'run/plain');
    await record('step', stepWorkflowId('plain', 1));
  },
  async function pausedAndStopped() {
    endpoint.setLatency(1_500);
    await engine.start('paused', settings(9));
    await committed('paused', 1);
    await engine.signal('paused', 'pause', { mode: 'now', reason: 'recording' });
    await state('paused', 'paused');
    await engine.signal('paused', 'resume', {});
    await engine.signal('paused', 'pause', {});
    await committed('paused', 2);
    await engine.signal('paused', 'resume', {});
    await engine.signal('paused', 'stop', { reason: 'recorded' });
    await engine.ended('paused');
    await record('paused-run', 'run/paused');
  },
  async function parkedStep() {
    endpoint.setLatency(300);
    endpoint.refuseAfter(1);
    await engine.start('parked', settings(1));
    await state('parked', 'needs attention');
    endpoint.be('answers');
    await engine.signal('parked', 'retry', {});
    await engine.ended('parked');
    await record('parked-step', stepWorkflowId('parked', 1));
    await record('parked-run', 'run/parked');
  },
  async function lostStep() {
    endpoint.setLatency(1_500);
    await engine.start('lost', settings(1));
    await committed('lost', 0);
    await until('the step', 30_000, () => engine.isOpen(stepWorkflowId('lost', 1)).catch(() => false));
    await engine.client.workflow.getHandle(stepWorkflowId('lost', 1)).terminate('recording');
    await state('lost', 'needs attention');
    await engine.signal('lost', 'retry', {});
    await engine.ended('lost');
    await record('lost-step-run', 'run/lost');
  },
  async function rewound() {
    endpoint.setLatency(400);
    await engine.start('rewound', settings(3));
    await committed('rewound', 2);
    await engine.update('rewound', 'rewind', { toStep: 1, resample: true });
    await engine.ended('rewound');
    await record('rewound-run', 'run/rewound');
    for (const runId of await until(
      'the execution before',
      30_000,
      async () => (await continued('run/rewound')).length > 0 && continued('run/rewound'),
    ))
      await record('rewinding-run', 'run/rewound', runId);
  },
  async function windowed() {
    endpoint.setLatency((_, prompt) => (prompt.includes('slow') ? 900 : 200));
    await engine.start(
      'windowed',
      settings(12, {
        method: 'code',
        responses: 1,
        migration: { interval: 5 },
        population: { islands: 2, initialisation: 2 },
        prompt: { hints: [{ island: 1, text: 'This island is slow.' }] },
      }),
    );
    await committed('windowed', 1);
    await engine.signal('windowed', 'pause', {});
    await until(
      'the window to end',
      60_000,
      async () => !(await engine.isOpen(stepWorkflowId('windowed', 1)).catch(() => false)),
    );
    await engine.signal('windowed', 'resume', {});
    await committed('windowed', 6);
    await engine.update('windowed', 'steer', { hint: 'try hexagons', island: 0 });
    await engine.ended('windowed');
    await record('windowed-run', 'run/windowed');
    await record('windowed-step', stepWorkflowId('windowed', 1));
  },
  async function conducted() {
    endpoint.setLatency((_, prompt) => (prompt.includes('slow') ? 900 : 200));
    const forgetful = await startEndpoint({ withoutDeltas: true, latencyMs: 200 });
    await engine.start(
      'conducted',
      settings(10, {
        method: 'code',
        responses: 1,
        migration: { interval: 5 },
        population: { islands: 2, initialisation: 1 },
        exploration: { schedule: 'none', metaPrompt: false },
        prompt: { style: 'delta', hints: [{ island: 1, text: 'This island is slow.' }] },
        delta: { missing: 'repair' },
        embedding: { model: 'small', baseUrl: forgetful.url, scope: 'island', threshold: 0.999 },
        model: { name: 'small', baseUrl: forgetful.url },
      }),
    );
    await committed('conducted', 1);
    await engine.update('conducted', 'steer', {
      program: 'import math\n\n\ndef construct(instance):\n    return {"circles": []}\n',
      island: 1,
    });
    await until(
      'the window to end',
      60_000,
      async () => !(await engine.isOpen(stepWorkflowId('conducted', 1)).catch(() => false)),
    );
    const { committedStep } = await engine.document('conducted');
    await engine.ended('conducted');
    await forgetful.stop();
    await record('conducted-run', 'run/conducted');
    await record('conducted-step', stepWorkflowId('conducted', committedStep + 1));
  },
  async function unopened() {
    await engine.client.workflow.start('evolutionRun', {
      workflowId: 'run/unopened',
      taskQueue: 'evolve-workflow',
      args: [{ run: 'unopened', config: { task: 'no-such-task' } }],
    });
    const handle = engine.client.workflow.getHandle('run/unopened');
    await until('to be parked', 180_000, async () =>
      Boolean((await handle.describe()).searchAttributes.EvoNeedsAttention?.[0]),
    );
    await engine.signal('unopened', 'stop', { reason: 'recorded' });
    await handle.result();
    await record('unopened-run', 'run/unopened');
  },
  async function staged() {
    endpoint.setLatency(100);
    await engine.start(
      'staged',
      settings(2, {
        method: 'research',
        population: {},
        model: { name: 'small', baseUrl: endpoint.url, roles: ['exploit', 'idea', 'judge'] },
      }),
    );
    await engine.ended('staged');
    await record('staged-step', stepWorkflowId('staged', 1));
  },
  async function repaired() {
    endpoint.setLatency(100);
    const forgetful = await startEndpoint({ withoutDeltas: true });
    await engine.start(
      'repaired',
      settings(2, {
        method: 'delta',
        population: {},
        delta: { missing: 'repair' },
        model: { name: 'small', baseUrl: forgetful.url },
      }),
    );
    await engine.ended('repaired');
    await forgetful.stop();
    await record('repaired-step', stepWorkflowId('repaired', 1));
  },
  async function hidden() {
    endpoint.setLatency(100);
    await engine.start('hidden', settings(3, { task: 'blackbox-optimization' }));
    await engine.ended('hidden');
    await record('hidden-run', 'run/hidden');
  },
  async function steered() {
    endpoint.setLatency(400);
    await engine.start('steered', settings(20));
    await committed('steered', 1);
    await engine.update('steered', 'setConfig', { patch: { diff: { maxCodeChars: 40_000 } } });
    await engine.update('steered', 'steer', {
      program: 'import math\n\n\ndef run(instance):\n    return {"circles": []}\n',
      island: 1,
    });
    await engine.update('steered', 'steer', { hint: 'try hexagons' });
    await engine.update('steered', 'addModel', { name: 'large', weight: 2 });
    await engine.update('steered', 'setConfig', { patch: { bach: 1 } }).catch(() => undefined);
    await engine.signal('steered', 'retry', { resample: true });
    const { committedStep } = await engine.document('steered');
    await committed('steered', committedStep + 2);
    await engine.update('steered', 'removeModel', { name: 'large' });
    await engine.update('steered', 'extend', { steps: committedStep + 4 });
    await engine.ended('steered');
    await record('steered-run', 'run/steered');
    await record('steered-step', stepWorkflowId('steered', committedStep + 1));
  },
  async function budget() {
    endpoint.setLatency(50);
    await engine.start('budget', settings(9, { batch: 6, limits: { tokens: 9_000 } }));
    await engine.ended('budget');
    await record('budget-run', 'run/budget');
    await record('budget-step', stepWorkflowId('budget', (await engine.document('budget')).committedStep));
  },
  async function exactPrograms() {
    endpoint.setLatency(50);
    await engine.start('exact', settings(9, { batch: 3, limits: { programs: 9 } }));
    await engine.ended('exact');
    await record('exact-run', 'run/exact');
    await record('exact-step', stepWorkflowId('exact', 2));
  },
  async function resetRun() {
    endpoint.setLatency(300);
    await engine.start('reset', settings(3));
    await committed('reset', 2);
    await engine.reset('run/reset', 'middle');
    await engine.ended('reset');
    await record('reset-run', 'run/reset');
  },
  async function sweeps() {
    endpoint.setLatency(100);
    const spec = {
      name: 'halved',
      base: settings(4),
      grid: { 'selection.exploration': [0.1, 0.2, 0.3] },
      seeds: [1, 2],
      maxParallel: 4,
      stopWhen: { halving: { first: 4, factor: 2 } },
    };
    await engine.client.workflow.execute('sweep', {
      workflowId: 'sweep/halved',
      taskQueue: 'evolve-workflow',
      args: [spec],
    });
    await record('sweep', 'sweep/halved');
    const stopped = await engine.client.workflow.start('sweep', {
      workflowId: 'sweep/stopped',
      taskQueue: 'evolve-workflow',
      args: [{ name: 'stopped', base: settings(50), seeds: [1, 2, 3], maxParallel: 2 }],
    });
    await until(
      'two runs to be alive',
      60_000,
      async () =>
        (await engine.store.listRuns()).filter(({ sweep, committedStep }) => sweep === 'stopped' && committedStep >= 1)
          .length === 2,
    );
    await stopped.signal('pause', {});
    await until(
      'both to pause',
      60_000,
      async () =>
        (await engine.store.listRuns()).filter(({ sweep, status }) => sweep === 'stopped' && status === 'paused')
          .length === 2,
    );
    await stopped.signal('resume', {});
    await stopped.signal('stop', { reason: 'recorded' });
    await stopped.result();
    await record('stopped-sweep', 'sweep/stopped');
  },
  async function continuedAsNew() {
    endpoint.setLatency(0);
    await engine.start('long', settings(52, { batch: 1, responses: 1 }));
    await engine.ended('long', 300_000);
    for (const runId of await until(
      'the execution before',
      30_000,
      async () => (await continued('run/long')).length > 0 && continued('run/long'),
    ))
      await record('continued-run', 'run/long', runId);
  },
];
