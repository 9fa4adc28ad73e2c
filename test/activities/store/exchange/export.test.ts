// An export as files: what they say is all of the run, a person and another tool can read it, and `importRuns` gives
// the same run back. Damage is named by file and line, and leaves nothing.
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { toLine } from '../../../../activities/store/exchange/export-format.ts';
import { exportRun } from '../../../../activities/store/exchange/export.ts';
import { readExport } from '../../../../activities/store/exchange/import.ts';
import { ExportError } from '../../../../activities/store/exchange/import-manifest.ts';
import { storeOver } from '../../../../activities/store/open-store.ts';
import { SCHEMA_VERSION } from '../../../../activities/store/documents/schema.ts';
import type { Store } from '../../../../activities/store/store.ts';
import { keepTask, keptTask, takeTask } from '../../../../activities/task/kept-task.ts';
import { memoryCollections } from '../../../doubles/memory-store.ts';
import { policyOf, updateOf } from '../learning/learning-fixtures.ts';
import { booking, changeSet, collect, commitOf, config, grow, newRun, rollout } from '../fixtures.ts';

describe('an export', () => {
  let folder: string;
  let store: Store;
  let collections: ReturnType<typeof memoryCollections>;
  const ODD = `odd \ud800 \u2028 "quoted" ${'text '.repeat(200)}\u0000`;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'evolve-export-'));
    collections = memoryCollections();
    store = storeOver(collections);
    await grow(store, 'r', 3);
    const [response] = await store.putTexts([ODD]);
    await store.putRollouts([{ ...rollout('r', 2, 1), response: response!, costUsd: 0.1 + 0.2 }, rollout('r', 2, 0)]);
    await store.putEmbeddings([
      {
        _id: 'r:2:0:0',
        run: 'r',
        step: 2,
        model: 'm',
        vector: Uint8Array.of(1, 2, 3, 4),
        nearest: null,
        duplicate: false,
        distance: 0,
        tokens: 1,
        costUsd: 0,
      },
    ]);
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const lines = async (collection: string): Promise<Record<string, any>[]> =>
    (await readFile(join(folder, `${collection}.jsonl`), 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  /** Exports, then changes a field of the first document of a file, and all sums with it. */
  const forge = async (collection: string, field: string, value: unknown): Promise<void> => {
    await exportRun(store, 'r', folder);
    const [path, about] = [`${collection}.jsonl`, 'manifest.json'].map((name) => join(folder, name)) as [
      string,
      string,
    ];
    const [first, ...rest] = (await readFile(path, 'utf8')).trimEnd().split('\n');
    const { crc32: _, ...document } = JSON.parse(first!);
    const changed = toLine({ ...document, [field]: value });
    // Ids ascend.
    const body = [changed, ...rest.map((line) => `${line}\n`)].sort((a, b) => (idIn(a) < idIn(b) ? -1 : 1)).join('');
    await writeFile(path, body);
    const manifest = JSON.parse(await readFile(about, 'utf8'));
    manifest.collections[collection].sha256 = createHash('sha256').update(body).digest('hex');
    await writeFile(about, JSON.stringify(manifest));
  };
  const idIn = (line: string): string => JSON.parse(line)._id;

  it('is a file of JSON lines for each collection, with texts as text, and a manifest', async () => {
    const manifest = await exportRun(store, 'r', folder);
    expect((await readdir(folder)).sort()).toEqual(
      [...Object.values(manifest.collections).map(({ file }) => file), 'manifest.json'].sort(),
    );
    expect(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'))).toEqual(manifest);
    expect(manifest).toMatchObject({
      format: 'durable-evolve-export',
      version: 2,
      run: 'r',
      runs: ['r'],
      committedStep: 3,
    });
    for (const [collection, { file, documents, sha256 }] of Object.entries(manifest.collections)) {
      const body = await readFile(join(folder, file), 'utf8');
      expect(createHash('sha256').update(body).digest('hex')).toBe(sha256);
      const ids = (await lines(collection)).map(({ _id }) => _id);
      expect(ids).toHaveLength(documents);
      expect(ids).toEqual([...ids].sort());
    }
    expect((await lines('blobs')).map(({ text }) => text)).toContain(ODD);
    expect((await lines('runs'))[0]).toMatchObject({
      _id: 'r',
      committedStep: 3,
      createdAt: { $date: '2026-11-01T00:00:00Z' },
      population: { size: 8 },
    });
    expect((await lines('embeddings'))[0]!['vector']).toEqual({
      $binary: { base64: expect.any(String), subType: '00' },
    });
  });

  it('is about as large as what it holds', async () => {
    const text = 'def pack(n):\n    return [i / n for i in range(n)]\n'.repeat(5000);
    const [response] = await store.putTexts([text]);
    await store.putRollouts([{ ...rollout('r', 2, 2), response: response! }]);
    await exportRun(store, 'r', folder);
    expect((await readFile(join(folder, 'blobs.jsonl'))).length).toBeLessThan(1.1 * text.length);
  });

  it('has as many documents as a run has: more than a call takes arguments', async () => {
    const count = 150_000;
    const rows = Array.from({ length: count }, (_, step) => ({
      _id: `r:${step}:w`,
      run: 'r',
      step,
      owner: 'w',
      generation: 1,
      schema: SCHEMA_VERSION,
    }));
    await collections.openings.insertAll(rows as never);
    let exported = 0;
    for await (const { collection } of store.exportRun('r')) if (collection === 'openings') exported += 1;
    expect(exported).toBeGreaterThanOrEqual(count);
  });

  // Attempt: files, settings and the machine.
  it('is for its owner alone, whatever the umask, and is written through no link', async () => {
    const [inner, other] = [join(folder, 'new'), join(folder, 'precious')];
    const before = process.umask(0o000);
    onTestFinished(() => void process.umask(before));
    await exportRun(store, 'r', inner);
    for (const name of ['.', ...(await readdir(inner))])
      expect((await stat(join(inner, name))).mode & 0o077, name).toBe(0);
    await writeFile(other, 'precious');
    await rm(join(inner, 'runs.jsonl'));
    await symlink(other, join(inner, 'runs.jsonl'));
    await exportRun(store, 'r', inner);
    expect(await readFile(other, 'utf8')).toBe('precious');
  });

  it('names the run that is not there, and one that was rewound meanwhile', async () => {
    await expect(exportRun(store, 'nobody', folder)).rejects.toThrow(/'nobody'.*evolve list/);
    const busy: Store = {
      ...store,
      async *exportRun(run) {
        yield* store.exportRun(run);
        await store.openStep('r', 2, 'another');
      },
    };
    await expect(exportRun(busy, 'r', folder)).rejects.toThrow(/run 'r' was rewound.*export it again/);
    expect(await readdir(folder)).not.toContain('manifest.json');
  });

  it('holds what a run that goes on meanwhile had at its beginning, and goes on from there', async () => {
    const busy: Store = {
      ...store,
      async *exportRun(run) {
        for await (const one of store.exportRun(run)) {
          yield one;
          if (one.collection === 'runs') await store.commit(commitOf('r', 4, await store.openStep('r', 4, 'w')));
        }
      },
    };
    expect(await exportRun(busy, 'r', folder)).toMatchObject({ committedStep: 3 });
    const other = storeOver(memoryCollections());
    await other.importRuns(await readExport(folder));
    expect(await other.readRun('r')).toMatchObject({
      committedStep: 3,
      status: 'stopped',
      stopReason: 'imported; it was running when it was exported',
    });
    await other.commit(commitOf('r', 4, await other.openStep('r', 4, 'elsewhere')));
    expect(await other.population('r')).toEqual(await store.population('r'));
  });

  it('says of a text that the database lost that it is lost, and what it names otherwise is all there', async () => {
    const [text, prompt] = await store.putTexts(['a text', 'an evolved prompt that only a change set names']);
    const made = changeSet('r', 4);
    await store.commit({
      ...commitOf('r', 4, await store.openStep('r', 4, 'w')),
      changeSet: { ...made, prompts: [{ ...made.prompts![0]!, text: prompt! }] },
    });
    await store.putRollouts([{ ...rollout('r', 2, 2), response: text! }]);
    const before = await exportRun(store, 'r', folder);
    expect((await lines('blobs')).map((one) => one['text'])).toEqual(
      expect.arrayContaining(['a text', 'an evolved prompt that only a change set names']),
    );
    await collections.blobs.deleteAll([text!]);
    const fresh = storeOver(collections);
    expect(await exportRun(fresh, 'r', folder)).toMatchObject({ lostTexts: before.lostTexts + 1 });
    expect((await lines('blobs')).find(({ _id }) => _id === text)).toMatchObject({ text: null });
    const other = storeOver(memoryCollections());
    await other.importRuns(await readExport(folder));
    expect((await other.getTexts([text!, prompt!])).size).toBe(1);
  });

  describe('that is damaged is refused', () => {
    beforeEach(async () => {
      await exportRun(store, 'r', folder);
    });
    const file = (name: string): string => join(folder, name);
    const edit = async (name: string, change: (text: string) => string): Promise<void> =>
      writeFile(file(name), change(await readFile(file(name), 'utf8')));
    const swap = (text: string): string => {
      const [first, second, ...rest] = text.split('\n');
      return [second, first, ...rest].join('\n');
    };
    /** Changes the second document of a file with its sum. */
    const resum = (name: string, change: object) => (): Promise<void> =>
      edit(name, (text) => {
        const [first, second, ...rest] = text.split('\n');
        const { crc32: _, ...document } = JSON.parse(second!);
        return [first, toLine({ ...document, ...change }).trimEnd(), ...rest].join('\n');
      });

    it.each<[what: string, damage: () => Promise<void>, message: RegExp]>([
      [
        'a text that was changed',
        () => edit('blobs.jsonl', (text) => text.replace('odd', 'add')),
        /blobs\.jsonl:\d+: expected content with the CRC-32 .* damaged or changed/,
      ],
      [
        'a number that was changed',
        () => edit('programs.jsonl', (text) => text.replace('"slot":2', '"slot":3')),
        /programs\.jsonl:3: expected content with the CRC-32/,
      ],
      [
        'a file that is cut off in a line',
        async () => truncate(file('programs.jsonl'), 1500),
        /programs\.jsonl:\d+: .*the line is cut off or changed/,
      ],
      [
        'a file that is cut off after a line',
        () => edit('programs.jsonl', (text) => text.split('\n').slice(0, 5).join('\n') + '\n'),
        /programs\.jsonl: expected 16 lines, as manifest\.json says, but the file ends after line 5: lines are missing/,
      ],
      [
        'a last line without its end',
        () => edit('steps.jsonl', (text) => text.trimEnd()),
        /steps\.jsonl:4: expected the file to have the SHA-256/,
      ],
      ['an empty file', () => writeFile(file('steps.jsonl'), ''), /steps\.jsonl: expected 4 lines.*ends after line 0/],
      [
        'a file that is a link out of the folder',
        async () => {
          await rename(file('steps.jsonl'), `${folder}.steps`);
          await symlink(`${folder}.steps`, file('steps.jsonl'));
        },
        /steps\.jsonl: cannot be read \(a file outside of /,
      ],
      [
        'an endless device',
        async () => {
          await rm(file('steps.jsonl'));
          await symlink('/dev/zero', file('steps.jsonl'));
        },
        /steps\.jsonl: cannot be read \(a device, expected a regular file\)/,
      ],
      [
        'a manifest that is an endless device',
        async () => {
          await rm(file('manifest.json'));
          await symlink('/dev/zero', file('manifest.json'));
        },
        /manifest\.json: cannot be read \(a device, expected a regular file\)/,
      ],
      ['a file that is gone', () => rm(file('steps.jsonl')), /steps\.jsonl: cannot be read .*the export is not whole/],
      [
        'lines in another order',
        () => edit('steps.jsonl', swap),
        /steps\.jsonl:2: expected an _id after .*lines were added or moved/,
      ],
      [
        'a document of another run',
        resum('steps.jsonl', { run: 'other' }),
        /steps\.jsonl:2: expected a document of r, .* got one of "other"/,
      ],
      [
        'a document that somebody changed with its sum',
        resum('steps.jsonl', { epoch: 7 }),
        /steps\.jsonl:4: expected the file to have the SHA-256/,
      ],
      [
        'a text that is not what its id says',
        resum('blobs.jsonl', { text: 'another' }),
        /blobs\.jsonl:2: expected the text whose SHA-256 is/,
      ],
      ['no manifest', () => rm(file('manifest.json')), /has no manifest\.json.*the export did not finish/],
      [
        'a manifest that is cut off',
        async () => truncate(file('manifest.json'), 200),
        /manifest\.json:\d+: expected JSON/,
      ],
      [
        'a manifest without its run',
        () => edit('manifest.json', (text) => text.replace('"run":', '"ran":')),
        /manifest\.json: run: .*damaged or changed/,
      ],
      [
        'another version of the format',
        () => edit('manifest.json', (text) => text.replace('"version": 2', '"version": 3')),
        /expected an export of format version 2, got 3: import it with the version/,
      ],
      [
        'another version of the documents',
        () => edit('manifest.json', (text) => text.replace(/"schemaVersion": \d+/, '"schemaVersion": 99')),
        /schema version 4, got 99: import it with the version/,
      ],
      [
        'a run that is no name',
        () => edit('manifest.json', (text) => text.replaceAll('"r"', '"../r"')),
        /manifest\.json: run: /,
      ],
      [
        'a run by the name that means the newest one',
        () => edit('manifest.json', (text) => text.replaceAll('"r"', '"latest"')),
        /manifest\.json: run: commands mean the newest run by latest/,
      ],
    ])('%s', async (_what, damage, message) => {
      await damage();
      const error = await readExport(folder).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ExportError);
      expect((error as Error).message).toMatch(message);
      expect((error as Error).message).toContain(folder);
    });

    it('while it is written to the database: no run is there, and the next import makes it whole', async () => {
      const other = memoryCollections();
      const stale = storeOver(other);
      await stale.putRollouts([{ ...rollout('r', 9, 0), model: 'of an import that was cut short' }]);
      const checked = await readExport(folder);
      await edit('programs.jsonl', (text) => text.slice(0, -300));
      await expect(storeOver(other).importRuns(checked)).rejects.toThrow(/programs\.jsonl:16/);
      expect(await storeOver(other).listRuns()).toEqual([]);
      await rm(folder, { recursive: true });
      await exportRun(store, 'r', folder);
      await storeOver(other).importRuns(await readExport(folder));
      expect(await collect(storeOver(other).eachProgram('r'))).toEqual(await collect(store.eachProgram('r')));
      expect((await storeOver(other).getRollouts([rollout('r', 9, 0)._id])).size).toBe(0);
    });
  });

  it('is what the store names where its content is gone, with the commands', async () => {
    const marker = (await collections.steps.get('r:000003:1'))!;
    const reads = (): Promise<unknown> => storeOver(collections).population('r');
    const way = /`npx evolve import <folder>` brings it back, with EVOLVE_HOME naming an empty data directory/;
    await collections.steps.deleteAll([marker._id]);
    await expect(reads()).rejects.toThrow(new RegExp(`step marker ${marker._id}.*${way.source}`));
    await collections.steps.insertAll([{ ...marker, fingerprint: 'another' }]);
    await collections.runs.update('r', {}, { $set: { fingerprint: 'another' } });
    await expect(reads()).rejects.toThrow(new RegExp(`the database is damaged.*${way.source}`));
    await collections.blobs.deleteAll([marker.changeSet]);
    await expect(reads()).rejects.toThrow(new RegExp(`stored text ${marker.changeSet}.*${way.source}`));
  });

  it.each([
    ['a negative count', { usage: { in: -5, out: 0 } }, /bookings\.jsonl:1: usage\.in: .*the booking was changed/],
    ['a cost without end', { costUsd: Infinity }, /bookings\.jsonl:1: costUsd: /],
    ['a cost that is no cost', { costUsd: 1.7e308 }, /bookings\.jsonl:1: costUsd: /],
    [
      'a word as count',
      { usage: { in: 5, out: 0, cached: 'x' as unknown as number } },
      /bookings\.jsonl:1: usage\.cached: /,
    ],
    ['a step that is none', { step: -1 }, /bookings\.jsonl:1: step: /],
    ['a reason that is no text', { reason: {} as unknown as string }, /bookings\.jsonl:1: reason: /],
    ['an unknown state', { state: 'free' as 'sent' }, /bookings\.jsonl:1: state: /],
  ])('with a booking that has %s is refused: limits are held against it', async (_what, change, message) => {
    await store.keepBooking({ ...booking('r', 0), ...change });
    await exportRun(store, 'r', folder);
    await expect(readExport(folder)).rejects.toThrow(message);
  });

  it.each<[what: string, changed: () => Promise<void>, message: RegExp]>([
    [
      'a document under an id of another run, which would find it written there',
      () => forge('programs', '_id', 's:000009:0:000000'),
      /programs\.jsonl:\d+: expected an _id that begins with r:, got "s:000009:0:000000"/,
    ],
    [
      'a run under a name that leads out of a folder',
      () => forge('runs', '_id', '../r'),
      /runs\.jsonl:1: expected the run "r" under its own name/,
    ],
    ['a queue of other work', () => forge('runs', 'queue', 'evolve-db'), /queue: expected a queue of evaluations/],
    ['a lineage that is none', () => forge('runs', 'lineage', 'r'), /runs\.jsonl:1: .*lineage/],
    ['so many steps that nothing holds them', () => forge('runs', 'committedStep', 2 ** 40), /committedStep: /],
    ['settings that nobody can read', () => forge('runs', 'config', {}), /runs\.jsonl:1: config/],
    [
      'settings without their sections',
      () => forge('runs', 'config', { ...config(), limits: 7 }),
      /config: limits: expected a section/,
    ],
    ['a state that is none', () => forge('runs', 'status', 'constructor'), /status: /],
    ['a time that is none', () => forge('runs', 'createdAt', 'now'), /createdAt: /],
    [
      'a snapshot of endless pages',
      () => forge('steps', 'snapshot', { run: 'r', view: 0, step: 0, pages: 2 ** 32 }),
      /steps\.jsonl:1: snapshot\.pages: /,
    ],
  ])('with %s is refused, though its sums are right', async (_what, changed, message) => {
    await changed();
    const other = storeOver(memoryCollections());
    const error: unknown = await readExport(folder).then(
      (checked) => other.importRuns(checked),
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ExportError);
    expect((error as Error).message).toMatch(message);
  });

  it('has the requests without an answer, which count in the database that takes it in', async () => {
    const [response] = await store.putTexts(['half an answer']);
    await store.keepBooking({ ...booking('r', 0), state: 'unanswered', reason: 'cut off', response: response! });
    await exportRun(store, 'r', folder);
    const other = storeOver(memoryCollections());
    await other.importRuns(await readExport(folder));
    expect(await other.unanswered('r')).toEqual(await store.unanswered('r'));
    expect((await other.unanswered('r')).requests).toBe(1);
    expect((await other.getTexts([response!])).get(response!)).toBe('half an answer');
  });

  it('of a fork holds the runs that it was forked off, once each', async () => {
    await store.createFork({ run: 'f', from: 'r', step: 2, config: config(), createdAt: new Date() });
    await store.createFork({ run: 'ff', from: 'f', step: 1, config: config(), createdAt: new Date() });
    expect(await exportRun(store, 'ff', folder)).toMatchObject({ run: 'ff', runs: ['f', 'ff', 'r'], committedStep: 1 });
    expect((await lines('runs')).map(({ _id }) => _id)).toEqual(['f', 'ff', 'r']);
  });

  it('has the task that is kept with the run, and of its fork, with its texts', async () => {
    const digest = await keepTask(store, await takeTask('online-bin-packing'));
    await store.createRun({ ...newRun('kept'), taskSnapshot: digest });
    await store.commit(commitOf('kept', 0, await store.openStep('kept', 0, 'w')));
    await store.createFork({ run: 'f', from: 'kept', step: 0, config: config(), createdAt: new Date() });
    await keepTask(store, await takeTask('circle-packing-square-26'));
    await exportRun(store, 'f', folder);
    expect((await lines('tasks')).map(({ _id, task }) => [_id, task])).toEqual([[digest, 'online-bin-packing']]);
    const other = storeOver(memoryCollections());
    await other.importRuns(await readExport(folder));
    for (const run of ['kept', 'f']) expect((await other.readRun(run))!.taskSnapshot).toBe(digest);
    expect(await keptTask(other, digest)).toEqual(await keptTask(store, digest));
    await exportRun(other, 'f', join(folder, 'again'));
    const [first, again] = await Promise.all(
      [folder, join(folder, 'again')].map((at) => readFile(join(at, 'tasks.jsonl'), 'utf8')),
    );
    expect(again).toBe(first);
  });

  it('whose batch or policy was changed with its sums is refused: one is trained on, the other is paid for', async () => {
    const batch = await store.putBatch('r', Buffer.from('rollouts'));
    await store.putUpdate({ ...updateOf('r', 'a'), batch: { ...updateOf('r', 'a').batch!, ...batch } });
    const { batches, policies } = collections;
    await batches.replaceAll([{ _id: `${batch.file}:0000`, run: 'r', data: Buffer.from('changed') }]);
    await exportRun(store, 'r', folder);
    await expect(readExport(folder)).rejects.toThrow(/batches\.jsonl:1: expected a batch with the SHA-256/);
    await batches.deleteAll([`${batch.file}:0000`]);
    await policies.insertAll([{ ...policyOf('r', 1, 1, null), costUsd: -1, schema: SCHEMA_VERSION } as never]);
    await exportRun(store, 'r', folder);
    await expect(readExport(folder)).rejects.toThrow(/policies\.jsonl:1: costUsd: .*the policy was changed/);
  });

  it.each(['../../elsewhere', 'r-v0001-x/../../elsewhere', 's-v0001-x', ''])(
    'whose policy is called %j is refused: a policy has a folder of that name',
    async (name) => {
      await collections.policies.insertAll([
        { ...policyOf('r', 1, 1, null), _id: name || ' ', schema: SCHEMA_VERSION } as never,
      ]);
      await exportRun(store, 'r', folder);
      await expect(readExport(folder)).rejects.toThrow(/policies\.jsonl:1: expected the id of a policy of r/);
      await collections.policies.deleteAll([name || ' ']);
      await store.putUpdate({ ...updateOf('r', 'a'), batch: null, policy: name });
      await exportRun(store, 'r', join(folder, 'again'));
      await expect(readExport(join(folder, 'again'))).rejects.toThrow(/updates\.jsonl:1: expected the id of a policy/);
    },
  );

  it('whose task was changed with its sum is refused', async () => {
    const digest = await keepTask(store, await takeTask('online-bin-packing'));
    await store.createRun({ ...newRun('kept'), taskSnapshot: digest });
    await exportRun(store, 'kept', folder);
    const [task] = await lines('tasks');
    for (const change of [{ task: 'another' }, { files: task!['files'].slice(1) }, { files: null }]) {
      const { crc32: _, ...document } = Object.assign({ ...task! }, change);
      await writeFile(join(folder, 'tasks.jsonl'), toLine(document));
      await expect(readExport(folder)).rejects.toThrow(/tasks\.jsonl:1: expected the task whose SHA-256 is/);
    }
  });
});
