// An export that somebody else made, with right sums: what it says must not keep commands from reading the other runs of
// the database that takes it in.
// Attempts: files, settings and the machine.
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TaskDocument } from '../../../../activities/store/documents/documents.ts';
import type { ExportedCollection } from '../../../../activities/store/exchange/every-document.ts';
import { fromLine, toLine } from '../../../../activities/store/exchange/export-format.ts';
import { exportRun } from '../../../../activities/store/exchange/export.ts';
import { readExport } from '../../../../activities/store/exchange/import.ts';
import { ExportError } from '../../../../activities/store/exchange/import-manifest.ts';
import { storeOver } from '../../../../activities/store/open-store.ts';
import { blobRef, taskId } from '../../../../activities/store/content/texts.ts';
import { runReport } from '../../../../client/read/report.ts';
import { memoryCollections } from '../../../doubles/memory-store.ts';
import { grow, markAction } from '../fixtures.ts';
import { policyOf, updateOf } from '../learning/learning-fixtures.ts';

type Documents = { [collection in ExportedCollection]?: Record<string, unknown>[] };

describe('an export that somebody made', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'evolve-forged-'));
    const store = storeOver(memoryCollections());
    await grow(store, 'r', 3);
    await exportRun(store, 'r', folder);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Changes the documents of the export, and all sums with them. */
  const forge = async (change: (documents: Documents) => void): Promise<void> => {
    const about = join(folder, 'manifest.json');
    const manifest = JSON.parse(await readFile(about, 'utf8'));
    const documents: Documents = {};
    for (const name of Object.keys(manifest.collections) as ExportedCollection[])
      documents[name] = (await readFile(join(folder, `${name}.jsonl`), 'utf8'))
        .trimEnd()
        .split('\n')
        .map((line) => fromLine(line));
    change(documents);
    for (const [name, rows] of Object.entries(documents)) {
      const body = rows
        .toSorted((a, b) => (String(a['_id']) < String(b['_id']) ? -1 : 1))
        .map(toLine)
        .join('');
      await writeFile(join(folder, `${name}.jsonl`), body);
      const sha256 = createHash('sha256').update(body).digest('hex');
      manifest.collections[name] = { file: `${name}.jsonl`, documents: rows.length, sha256 };
    }
    await writeFile(about, JSON.stringify(manifest));
  };

  const ofTask = (task: object) => (documents: Documents) => {
    documents.tasks = [{ _id: taskId(task as TaskDocument), ...task }];
  };
  const inRun = (fields: object) => (documents: Documents) => {
    documents.runs = documents.runs!.map((run) => ({ ...run, ...fields }));
  };
  const inTotals = (fields: object) => (documents: Documents) => {
    documents.runs = documents.runs!.map((run) => ({ ...run, totals: { ...(run['totals'] as object), ...fields } }));
  };
  const changeSetOf = (text: string) => (documents: Documents) => {
    documents.steps![0]!['changeSet'] = blobRef(text);
    documents.blobs!.push({ _id: blobRef(text), text });
  };

  it.each<[what: string, change: (documents: Documents) => void, message: RegExp]>([
    [
      'a mark without a person',
      (documents) => (documents.actions = [{ ...markAction('r', null, 'x'), by: null }]),
      /actions\.jsonl:1: by: .*the action was changed/,
    ],
    ['a run whose mark is no mark', inRun({ mark: { star: 'yes' } }), /runs\.jsonl:1: mark\.star: /],
    ['a task without files', ofTask({ task: 't', files: null }), /tasks\.jsonl:1: files: .*the task was changed/],
    [
      'a task with a file that is no text',
      ofTask({ task: 't', files: [{ path: 'task.yaml', blob: 7 }] }),
      /tasks\.jsonl:1: files\.0\.blob: /,
    ],
    [
      'a change set that is no JSON',
      changeSetOf('{"rows'),
      /blobs\.jsonl: expected the text .* the change set of a step/,
    ],
    [
      'a change set that is null',
      changeSetOf('null'),
      /blobs\.jsonl: expected the text .* to be the change set of a step/,
    ],
    [
      'a change set that is a query',
      ({ steps }) => (steps![0]!['changeSet'] = { $gt: '' }),
      /steps\.jsonl:1: changeSet: .*the step was changed/,
    ],
    [
      'a batch of more chunks than memory holds the names of',
      (documents) => {
        const update = updateOf('r', 'x');
        documents.updates = [{ ...update, batch: { ...update.batch!, chunks: 2 ** 31 } }];
      },
      /updates\.jsonl:1: batch\.chunks: .*the update was changed/,
    ],
    [
      'a policy that was trained from itself',
      (documents) => {
        const policy = policyOf('r', 1, 2, null);
        documents.policies = [{ ...policy, parent: policy._id }];
      },
      /policies\.jsonl:1: parent: expected a policy of a version before 1, got "r-v0001-2": it was changed/,
    ],
    ['training that is null', inRun({ training: null }), /runs\.jsonl:1: training: .*the run was changed/],
    ['answers that are only told, never stored', inRun({ unanswered: {} }), /runs\.jsonl:1: unanswered: /],
    ['set aside what is no sum', inRun({ setAside: [{ step: 1, epoch: 0 }] }), /runs\.jsonl:1: setAside\.0\./],
    ['a removal that has no time', inRun({ removing: 'x' }), /runs\.jsonl:1: removing: /],
    ['epochs that are none', inRun({ epochs: [{}] }), /runs\.jsonl:1: epochs\.0\./],
    ['rounds without counts', inTotals({ rounds: 'x' }), /runs\.jsonl:1: totals\.rounds: /],
    ['lines that are none', inTotals({ lines: null }), /runs\.jsonl:1: totals\.lines: /],
  ])('with %s is refused, and the other runs are read', async (_what, change, message) => {
    await forge(change);
    const store = storeOver(memoryCollections());
    await grow(store, 'other', 2);
    const error: unknown = await readExport(folder).then(
      (checked) => store.importRuns(checked),
      (thrown: unknown) => thrown,
    );
    // These read documents of all runs.
    for (const run of await store.listRuns()) runReport(run, new Date(), null);
    await store.pruning.unreferencedTexts([]);
    await store.pruning.heldRuns(['other']);
    expect(error).toBeInstanceOf(ExportError);
    expect((error as Error).message).toMatch(message);
  });

  it('with what learning leaves is taken in', async () => {
    await forge((documents) => {
      const start = policyOf('r', 0, 0, 'of-another-run-v0007-x');
      documents.policies = [start, policyOf('r', 1, 2, start._id)].map((one) => ({ ...one }));
      documents.updates = [{ ...updateOf('r', 'x'), batch: null }];
      inRun({ policy: { id: 'r-v0001-2', version: 1 }, learned: 2, training: { tokens: 1000, costUsd: 0.25 } })(
        documents,
      );
    });
    const store = storeOver(memoryCollections());
    await store.importRuns(await readExport(folder));
    expect((await store.policyChain('r-v0001-2')).map(({ version }) => version)).toEqual([0, 1]);
  });
});
