// Recorded histories replay under today's code: a change that would break runs that are under way fails here.
// test/workflows/record-all.ts records them; those of earlier versions stay as they are, because runs and sweeps that
// these versions began are to go on. bricked-run cannot be recorded anew: code of before 0.4.0 began it, a `stepReport`
// without a body made every task of it fail, and today's code went on with it to its end.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, shippedBundle } from '../support/bundle.ts';

const FOLDER = fileURLToPath(new URL('./histories/', import.meta.url));
const names = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
const read = (name: string) => historyFromJSON(JSON.parse(readFileSync(`${FOLDER}${name}`, 'utf8')));

const WORKFLOWS = fileURLToPath(new URL('../../workflows/', import.meta.url));
/** Changes for which no history was recorded, each with the reason. */
const NOT_RECORDED: { readonly [patch: string]: string } = {
  'marked-before-rewind': 'a rewind has to come while the state that went before it is on its way to the document',
  'message-while-resampling': 'a message has to come while the activity `resample` runs',
  'sweep-continue-while-paused': 'a sweep is paused, and none of its runs is alive, until its history is long',
  'told-while-starting': 'a message has to come between two starts of runs',
};
/** The changes of which workflows ask whether they were made before a history began. */
const patches = (): readonly string[] =>
  readdirSync(WORKFLOWS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(`${WORKFLOWS}${file}`, 'utf8').matchAll(/\bpatched\('([^']+)'\)/g)])
    .map(([, patch]) => patch!);
const patchesIn = (name: string): readonly string[] =>
  read(name)
    .events!.flatMap((event) => event.markerRecordedEventAttributes?.details?.['patch-data']?.payloads ?? [])
    .map(({ data }) => (JSON.parse(Buffer.from(data!).toString()) as { readonly id: string }).id);

describe('recorded histories', () => {
  let workflowBundle: Bundle;
  /** Why a history does not replay, by its name. One worker replays them all: to start one takes longest. */
  const faults = new Map<string, string | null>();
  beforeAll(async () => {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
    workflowBundle = await shippedBundle();
    const histories = names.map((name) => {
      const history = read(name);
      return { history, workflowId: history.events![0]!.workflowExecutionStartedEventAttributes!.workflowId! };
    });
    // One after the other, in this order.
    const left = [...names];
    for await (const { error } of Worker.runReplayHistories({ workflowBundle }, histories))
      faults.set(left.shift()!, error?.message ?? null);
  });

  it('cover runs, steps and sweeps, and what people do to them', () => {
    expect(names.map((name) => name.replace(/\.json$/, '')).sort()).toEqual([
      'bricked-run',
      'budget-run',
      'budget-step',
      'conducted-run',
      'conducted-step',
      'continued-run',
      'continued-sweep',
      'continuing-sweep',
      'exact-run',
      'exact-step',
      'extended-run',
      'first-step',
      'first-step-run',
      'forked-run',
      'given-up-run',
      'given-up-sweep',
      'hidden-run',
      'interrupted-update',
      'joiner',
      'kept-stopped-run',
      'kept-stopped-sweep',
      'lagging-run',
      'learning-run',
      'long-paused-run',
      'lost-step-run',
      'next-stream-window',
      'overtaken-update',
      'parked-run',
      'parked-step',
      'patched-run',
      'paused-run',
      'pausing-run',
      'repaired-step',
      'resampled-run',
      'reset-run',
      'rested-run',
      'rested-sweep',
      'resting-run',
      'resting-sweep',
      'resumed-run',
      'rewinding-run',
      'rewound-run',
      'run',
      'second-step',
      'staged-step',
      'start-rewound-run',
      'started-sweep',
      'starter',
      'steered-run',
      'steered-step',
      'step',
      'stopped-sweep',
      'stream-window',
      'streamed-run',
      'sweep',
      'terminated-run',
      'together-step',
      'together-window',
      'told-parked-run',
      'told-parked-step',
      'told-while-starting-sweep',
      'turns-window',
      'unopened-run',
      'update',
      'windowed-run',
      'windowed-step',
    ]);
  });

  it('cover both sides of every change that workflows ask for', () => {
    const recorded = names.map((name) => new Set(patchesIn(name)));
    const made = new Set(recorded.flatMap((of) => [...of]));
    expect([...new Set(patches())].filter((patch) => !made.has(patch)).sort()).toEqual(Object.keys(NOT_RECORDED));
    expect([...made].filter((patch) => recorded.every((of) => of.has(patch)))).toEqual([]);
  });

  for (const name of names) {
    it(`${name} replays`, () => {
      expect(faults.get(name)).toBe(null);
    });
  }

  it('do not replay where the first command of a step is another one, and the error says so', async () => {
    const code = workflowBundle.code.replaceAll('.planStep.', '.planStepOtherwise.');
    expect(code).not.toBe(workflowBundle.code);
    const history = read('step.json');
    const { workflowId } = history.events![0]!.workflowExecutionStartedEventAttributes!;
    await expect(Worker.runReplayHistory({ workflowBundle: { code } }, history, workflowId!)).rejects.toThrow(
      /planStepOtherwise/,
    );
  });
});
