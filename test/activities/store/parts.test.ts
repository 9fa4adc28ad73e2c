// Parts of the store on their own: text bytes, the text cache, rows, gathering of statements, and what the portable
// profile forbids.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { insertOrGet, type PortableCollection } from '../../../activities/store/documents/collection.ts';
import { gathered } from '../../../activities/store/content/gathered.ts';
import { slotRanges } from '../../../activities/store/population/programs.ts';
import { Rows } from '../../../activities/store/documents/rows.ts';
import type { EventDocument, BlobDocument } from '../../../activities/store/documents/stored.ts';
import { bytesToText, textsIn, textToBytes } from '../../../activities/store/content/texts.ts';
import type { Cell, ChangeSet, Membership } from '../../../evolution/types.ts';
import { MemoryCollection } from '../../doubles/memory-collection.ts';
import { memoryCollections } from '../../doubles/memory-store.ts';
import { rollout } from './fixtures.ts';

const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0xd7f0, max: 0xe010 }), fc.integer({ min: 0, max: 0xffff }), fc.constant(0)), {
    maxLength: 40,
  })
  .map((units) => String.fromCharCode(...units));

describe('text bytes', () => {
  it('round-trip every sequence of UTF-16 units, and are UTF-8 where there is such', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const bytes = textToBytes(text);
        expect(bytesToText(bytes)).toBe(text);
        if (text.isWellFormed()) expect(bytes.equals(Buffer.from(text, 'utf8'))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('texts', () => {
  it('used last are kept in memory, within its bytes, and no huge one', async () => {
    const blobs = new Map<string, BlobDocument>();
    const reads: string[] = [];
    const texts = textsIn(
      {
        insertAll: async (documents: readonly BlobDocument[]) => {
          for (const document of documents) blobs.set(document._id, document);
          return [];
        },
        getMany: async (ids: readonly string[]) => {
          reads.push(...ids);
          return ids.map((id) => blobs.get(id)!);
        },
      } as unknown as PortableCollection<BlobDocument>,
      10_000,
    );
    const readAgain = async (ref: string): Promise<boolean> => {
      reads.length = 0;
      expect((await texts.get([ref])).has(ref)).toBe(true);
      return reads.length > 0;
    };
    const refs: string[] = [];
    for (let i = 0; i < 9; i++) {
      refs.push(...(await texts.put([`${i}`.repeat(500)])));
      await texts.get([refs[0]!]);
    }
    expect(await readAgain(refs[0]!)).toBe(false);
    expect(await readAgain(refs[8]!)).toBe(false);
    expect(await readAgain(refs[1]!)).toBe(true);
    const [huge] = await texts.put(['x'.repeat(5000)]);
    expect(await readAgain(huge!)).toBe(true);
    expect(await readAgain(refs[0]!)).toBe(false);
  });
});

const membership = fc.record({
  island: fc.integer({ min: -1, max: 2 }),
  id: fc.constantFrom('a', 'b', 'c', 'd'),
  fit: fc.constantFrom(0, 1, 2.5),
  bornSeq: fc.nat(3),
  length: fc.nat(3),
  home: fc.nat(2),
});
const change: fc.Arbitrary<ChangeSet> = fc
  .record({
    add: fc.array(membership, { maxLength: 5 }),
    remove: fc.array(fc.record({ island: fc.integer({ min: -1, max: 2 }), id: fc.constantFrom('a', 'b', 'c', 'd') }), {
      maxLength: 5,
    }),
    cells: fc.array(
      fc.record({
        island: fc.nat(1),
        cell: fc.constantFrom('0,0', '0,1'),
        program: fc.constantFrom(null, 'a', 'b'),
        fit: fc.constantFrom(0, 1),
      }),
      { maxLength: 4 },
    ),
  })
  .map((some) => ({
    ...some,
    step: 0,
    evicted: [],
    migrated: [],
    state: { bounds: null, generations: [], lastMigration: 0, size: 0, best: null },
  }));

describe('rows', () => {
  it('have a fingerprint that depends on what they are, not on how they came about', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
        const rows = new Rows();
        for (const one of changes) {
          const expected = rows.fingerprintAfter(one);
          rows.apply(one);
          expect(rows.fingerprint).toBe(expected);
          rows.apply(one);
          expect(rows.fingerprint).toBe(expected);
        }
        const anew = Rows.of([...rows.memberships.values()].reverse(), [...rows.cells.values()].reverse());
        expect(anew.fingerprint).toBe(rows.fingerprint);
        const [first] = rows.memberships.values();
        if (first !== undefined) {
          rows.apply({ ...changes[0]!, add: [{ ...first, fit: first.fit + 1 }], remove: [], cells: [] });
          expect(rows.fingerprint).not.toBe(anew.fingerprint);
        }
      }),
    );
  });

  it('compare by island, program and cell', () => {
    const member: Membership = { island: 1, id: 'a', fit: 1, bornSeq: 1, length: 1, home: 1 };
    const cell: Cell = { island: 1, cell: '0,0', program: 'a', fit: 1 };
    const prints = [
      Rows.of([member], []),
      Rows.of([{ ...member, island: -1 }], []),
      Rows.of([member], [cell]),
      Rows.of([member], [{ ...cell, cell: '0,1' }]),
    ];
    expect(new Set(prints.map(({ fingerprint }) => fingerprint)).size).toBe(4);
  });
});

describe('slot ranges', () => {
  it('name exactly the slots given', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(60)), (slots) => {
        const named = slotRanges(slots).flatMap(([first, last]) =>
          Array.from({ length: last - first + 1 }, (_, i) => first + i),
        );
        expect(named).toEqual([...slots].sort((a, b) => a - b));
      }),
    );
  });
});

describe('gathered statements', () => {
  it('go together, answer each caller for its own documents, and stay first-stored-wins', async () => {
    const collections = memoryCollections();
    let statements = 0;
    const insertAll = collections.rollouts.insertAll.bind(collections.rollouts);
    collections.rollouts.insertAll = async (documents) => {
      statements++;
      await new Promise((next) => setImmediate(next));
      return insertAll(documents);
    };
    const { rollouts } = gathered(collections);
    const slots = Array.from({ length: 40 }, (_, i) => i);
    await Promise.all(slots.map((slot) => insertOrGet(rollouts, [rollout('r', 1, slot)])));
    expect(statements).toBe(1);
    const again = await Promise.all(
      slots.map((slot) => insertOrGet(rollouts, [rollout('r', 1, slot, 'other'), rollout('r', 2, slot, 'other')])),
    );
    expect(again.flat().map(({ step, slot, model }) => [step, slot, model])).toEqual(
      slots.flatMap((slot) => [
        [1, slot, 'offline'],
        [2, slot, 'other'],
      ]),
    );
  });

  it('let one caller fail alone', async () => {
    const collections = memoryCollections();
    const insertAll = collections.rollouts.insertAll.bind(collections.rollouts);
    collections.rollouts.insertAll = async (documents) => {
      await new Promise((next) => setImmediate(next));
      if (documents.some(({ slot }) => slot === 3)) throw new Error('too large');
      return insertAll(documents);
    };
    const { rollouts } = gathered(collections);
    const answers = await Promise.allSettled(
      [0, 1, 2, 3, 4].map((slot) => rollouts.insertAll([rollout('r', 1, slot)])),
    );
    expect(answers.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
  });
});

describe('the portable profile', () => {
  it('forbids by type what servers answer differently (checked by tsc)', () => {
    const events: PortableCollection<EventDocument> = new MemoryCollection<EventDocument>('events');
    const forbidden = [
      // @ts-expect-error no filter without a run
      () => events.find({ version: 1 }),
      // @ts-expect-error no top-level $or
      () => events.find({ run: 'r', $or: [{ version: 1 }] }),
      // @ts-expect-error no range on _id
      () => events.find({ run: 'r', _id: { $gt: 'a' } }),
      // @ts-expect-error no expressions
      () => events.update('id', { $expr: {} }, { $set: { version: 1 } }),
      // @ts-expect-error no unguarded counting
      () => events.update('id', {}, { $inc: { version: 1 } }),
      // @ts-expect-error no pipeline updates
      () => events.update('id', {}, [{ $set: { version: 1 } }]),
      // @ts-expect-error no aggregation, sessions or watching
      () => events.aggregate([]),
    ];
    expect(forbidden).toHaveLength(7);
  });
});
