// The contract of the store: a run exported from it and taken in by it is the same run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sha256 } from '../../../../activities/sha256.ts';
import { ConflictError } from '../../../../activities/store/documents/errors.ts';
import { exportRun } from '../../../../activities/store/exchange/export.ts';
import { EXPORTED } from '../../../../activities/store/exchange/every-document.ts';
import { type CheckedExport, readExport } from '../../../../activities/store/exchange/import.ts';
import { storeOver } from '../../../../activities/store/open-store.ts';
import type {
  CallDocument,
  EmbeddingDocument,
  RequestDocument,
} from '../../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../../activities/store/store.ts';
import { keepTask, keptTask, takeTask } from '../../../../activities/task/kept-task.ts';
import { programId, promptId } from '../../../../evolution/ids.ts';
import { rowsOf } from '../../../../evolution/population/population.ts';
import { memoryStore } from '../../../doubles/memory-store.ts';
import {
  booking,
  changeSet,
  collect,
  commitOf,
  config,
  delta,
  evaluation,
  forkCommitOf,
  grow,
  markAction,
  newRun,
  prompt,
  rollout,
} from '../fixtures.ts';
import { policyOf, sample, updateOf } from '../learning/learning-fixtures.ts';
import type { World } from '../steps/steering-contract.ts';

export const exported = async (store: Store, run: string): Promise<CheckedExport> => {
  const folder = mkdtempSync(join(tmpdir(), 'evolve-export-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await exportRun(store, run, join(folder, 'export'));
  return readExport(join(folder, 'export'));
};
/** Bytes come back as a Buffer of one database and an array of another, so they are compared by hash. */
export const everything = async (store: Store, run: string): Promise<readonly unknown[]> =>
  (await collect(store.exportRun(run))).map(({ collection, document }) => ({
    collection,
    ...Object.fromEntries(
      Object.entries(document).map(([key, value]) => [key, value instanceof Uint8Array ? sha256(value) : value]),
    ),
  }));
export const ended = async (store: Store, run: string): Promise<void> =>
  store.setStatus(run, 'finished', { stopReason: 'steps', endedAt: new Date(Date.UTC(2026, 10, 2)) });

/** A text to which artifacts alone refer. */
const SHOWN = 'case\tgap\n7\t0.5';

/** A run with documents in every collection. */
export const growFully = async (store: Store, run: string): Promise<void> => {
  const taskSnapshot = await keepTask(store, await takeTask('online-bin-packing'));
  await store.createRun({ ...newRun(run), taskSnapshot });
  await grow(store, run, 1);
  const [system, user, answer, code, shown] = await store.putTexts([
    'be brief',
    `odd \ud800 \u2028 \u0000 ${'text '.repeat(200)}`,
    'an answer',
    'x = 1\n',
    SHOWN,
  ]);
  const group = promptId(run, 2, 0, 0);
  await store.putPrompts([
    {
      ...prompt(run, 2, 0),
      system: system!,
      user: user!,
      messages: [{ role: 'user', content: user! }],
      prompt: { id: 'p', text: system! },
    },
  ]);
  const request: RequestDocument = {
    _id: `${group}:idea`,
    run,
    step: 2,
    epoch: 0,
    group: 0,
    stage: 'idea',
    messages: [{ role: 'user', content: user! }],
    made: { idea: { text: answer!, score: 0.5, would: null } },
  };
  await store.putRequests([request]);
  const call: CallDocument = {
    _id: request._id,
    run,
    step: 2,
    epoch: 0,
    group: 0,
    stage: 'idea',
    response: answer!,
    reasoning: null,
    model: 'm',
    finishReason: null,
    usage: { in: 1, out: 2 },
    costUsd: 1e-7,
  };
  await store.putCalls([call]);
  await store.book(booking(run, 1));
  await store.keepBooking({ ...booking(run, 0), state: 'unanswered', reason: 'cut off', response: answer! });
  await store.putRollouts([{ ...rollout(run, 2, 0), response: answer!, reasoning: user!, costUsd: 0.1 + 0.2 }]);
  await store.putDeltas([{ ...delta(run, 2, 0), code: code! }]);
  const embedding: EmbeddingDocument = {
    _id: programId(run, 2, 0, 0),
    run,
    step: 2,
    model: 'm',
    vector: Uint8Array.from({ length: 256 }, (_, index) => index),
    nearest: { program: programId(run, 0, 0, 0), similarity: -0.25 },
    duplicate: false,
    distance: 1 / 3,
    tokens: 7,
    costUsd: 0,
  };
  await store.putEmbeddings([
    embedding,
    { ...embedding, _id: programId(run, 2, 0, 1), vector: new Uint8Array(0), nearest: null },
  ]);
  await store.putEvaluations([
    { ...evaluation(run, 2, 0), metrics: { ratio: 1e-300, big: 2 ** 53, negative: -3, note: '\u2028' } },
    {
      ...evaluation(run, 2, 1),
      artifacts: [{ name: 'worst', kind: 'table', text: shown!, size: SHOWN.length }],
    },
  ]);
  await store.inject({
    _id: `${run}:inject:k`,
    run,
    island: 1,
    code: code!,
    at: new Date(Date.UTC(2026, 10, 3)),
    place: null,
  });
  await store.takeInjections(run, 2);
  for (const program of [null, programId(run, 0, 0, 0)]) await store.putAction(markAction(run, program, 'promising'));
  await store.setConfig(run, { ...config(), seed: 2 }, 1, 'somebody');
  const batch = await store.putBatch(run, Buffer.alloc(5 * 2 ** 20, run));
  await store.putUpdate({ ...updateOf(run, 'a'), batch: { ...updateOf(run, 'a').batch!, ...batch } });
  await store.putSamples([sample(run, 1, 0), sample(run, 1, 1)]);
  await store.commitPolicy(policyOf(run, 0, 1, null), 1);
  for (let step = 2; step <= 7; step++) {
    const generation = await store.openStep(run, step, 'w');
    await store.commit({
      ...commitOf(run, step, generation),
      configVersion: 2,
      changeSet: changeSet(run, step, 350),
      programs: [],
    });
  }
};

export const exportContract = ({ backend, store, freshRun }: World): void => {
  const restarted = (): Store => storeOver(backend().collections);

  describe('export and import', () => {
    it('give the same run with every document, text and byte, in both directions', async () => {
      const run = freshRun();
      const origin = memoryStore();
      await growFully(origin, run);
      await ended(origin, run);
      const first = await exported(origin, run);
      expect(Object.keys(first.manifest.collections)).toEqual(EXPORTED);
      expect(first.manifest.notIncluded).toMatch(/the weights of the run's policy/);
      expect(await store().importRuns(first)).toEqual({ imported: [run] });
      expect((await everything(store(), run)).flatMap((one) => (one as { text?: string }).text ?? [])).toContain(SHOWN);
      const { taskSnapshot } = (await origin.readRun(run))!;
      for (const there of [store(), restarted()]) {
        expect(await everything(there, run)).toEqual(await everything(origin, run));
        expect(await there.readRun(run)).toEqual(await origin.readRun(run));
        expect(rowsOf(await there.population(run))).toEqual(rowsOf(await origin.population(run)));
        expect(await collect(there.eachProgram(run))).toEqual(await collect(origin.eachProgram(run)));
        expect(await there.readConfig(run, 1)).toEqual(config());
        expect(await keptTask(there, taskSnapshot!)).toEqual(await keptTask(origin, taskSnapshot!));
        expect(await there.takeInjections(run, 2)).toEqual(await origin.takeInjections(run, 2));
        expect(await there.policyChain((await there.readRun(run))!.policy!.id)).toHaveLength(1);
        expect(await collect(there.eachSample(run, 1))).toEqual(await collect(origin.eachSample(run, 1)));
      }
      expect((await store().listRuns()).map((one) => one.run)).toContain(run);
      const back = await exported(restarted(), run);
      expect(back.manifest.collections).toEqual(first.manifest.collections);
      const other = memoryStore();
      await other.importRuns(back);
      expect(await everything(other, run)).toEqual(await everything(origin, run));
    });

    it('let a run go on under another owner, who supersedes what it was exported with; it has stopped', async () => {
      const run = freshRun();
      const origin = memoryStore();
      await grow(origin, run, 2);
      await origin.openStep(run, 3, 'who went on there');
      await origin.setStatus(run, 'needs attention', { reason: 'no key' });
      const { manifest, ...rest } = await exported(origin, run);
      await store().importRuns({ manifest, ...rest });
      expect(await store().readRun(run)).toMatchObject({
        status: 'stopped',
        statusReason: null,
        stopReason: 'imported; it was needs attention when it was exported',
        endedAt: new Date(manifest.exportedAt),
        committedStep: 2,
      });
      const generation = await store().openStep(run, 3, 'who goes on here');
      expect(generation).toBe(2);
      await store().commit(commitOf(run, 3, generation));
      expect(await collect(restarted().eachProgram(run))).toHaveLength(16);
    });

    it('leave a run alone that is here already', async () => {
      const run = freshRun();
      const origin = memoryStore();
      await grow(origin, run, 2);
      await grow(store(), run, 1);
      const before = await everything(restarted(), run);
      await expect(store().importRuns(await exported(origin, run))).rejects.toThrow(ConflictError);
      await expect(store().importRuns(await exported(origin, run))).rejects.toThrow(
        /there is a run ".*" in this database already \(running\).*EVOLVE_HOME/,
      );
      expect(await everything(restarted(), run)).toEqual(before);
    });

    describe('of a fork', () => {
      const forked = async (): Promise<{ readonly origin: Store; readonly parent: string; readonly run: string }> => {
        const [origin, parent, run] = [memoryStore(), freshRun(), freshRun()];
        await grow(origin, parent, 3);
        await origin.createFork({
          run,
          from: parent,
          step: 2,
          config: { ...config(), seed: 7 },
          createdAt: new Date(Date.UTC(2026, 10, 5)),
        });
        await origin.commit(forkCommitOf(run, { run: parent, step: 2 }, 3, await origin.openStep(run, 3, 'f')));
        for (const one of [parent, run]) await ended(origin, one);
        return { origin, parent, run };
      };

      it('bring what it has of the other run, whatever becomes of that one', async () => {
        const { origin, parent, run } = await forked();
        const before = await exported(origin, run);
        expect(await store().importRuns(before)).toEqual({ imported: [parent, run] });
        expect(await everything(restarted(), run)).toEqual(await everything(origin, run));
        await store().openStep(parent, 1, 'rewound here');
        expect(rowsOf(await restarted().population(run))).toEqual(rowsOf(await origin.population(run)));
        expect(await collect(restarted().eachProgram(run))).toEqual(await collect(origin.eachProgram(run)));
        expect((await exported(restarted(), parent)).manifest.runs).toEqual([parent]);
      });

      it('take the other run as it is here where its steps are the same, and refuse where they are not', async () => {
        const { origin, parent, run } = await forked();
        const all = await exported(origin, run);
        await store().importRuns(await exported(origin, parent));
        const generation = await store().openStep(parent, 4, 'goes on here');
        await store().commit(commitOf(parent, 4, generation));
        const before = await store().readRun(parent);
        expect(await store().importRuns(all)).toEqual({ imported: [run] });
        expect(await store().readRun(parent)).toEqual(before);
        expect(rowsOf(await restarted().population(run))).toEqual(rowsOf(await origin.population(run)));

        const shorter = await forked();
        await grow(store(), shorter.parent, 1);
        await expect(store().importRuns(await exported(shorter.origin, shorter.run))).rejects.toThrow(
          /of which the export holds a fork, .*but step \d of it is (not there|another one)/,
        );
        expect(await store().readRun(shorter.run)).toBeNull();
      });
    });
  });
};
