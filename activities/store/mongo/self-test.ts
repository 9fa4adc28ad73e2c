// Start-up self-test (reference `storage`, section 9): the three laws that exactly-once rests on, in about 200 ms. A server that
// answers like MongoDB but updates without atomicity is refused here. Called by connect-store.ts.
import type { PortableCollection } from '../collection.ts';

export type SelfTestRow = { readonly _id: string; readonly fit: number; readonly n: number };

const RACERS = 8;
const ROUNDS = 4;

/** `key` is fresh for each call, so that two starts at once do not meet. */
export const selfTest = async (collection: PortableCollection<SelfTestRow>, key: string): Promise<void> => {
  const [inserted, cell, raced] = [`${key}:insert`, `${key}:cell`, `${key}:race`] as const;
  try {
    await insertOrGet(collection, inserted);
    await losingReplacement(collection, cell);
    await compareAndSetRace(collection, raced);
  } finally {
    await collection.deleteAll([inserted, cell, raced]);
  }
};

const insertOrGet = async (collection: PortableCollection<SelfTestRow>, _id: string): Promise<void> => {
  const first = await collection.insertAll([{ _id, fit: 1, n: 1 }]);
  const second = await collection.insertAll([{ _id, fit: 2, n: 2 }]);
  const stored = await collection.get(_id);
  if (first.length !== 0 || second.length !== 1 || stored?.n !== 1) refuse('a second insert under one _id must fail with error 11000 and leave the first document');
};

const losingReplacement = async (collection: PortableCollection<SelfTestRow>, _id: string): Promise<void> => {
  const better = (fit: number) => collection.upsert(_id, { fit: { $lt: fit } }, { fit, n: 0 });
  const answers = [await better(2), await better(1), await better(3)];
  const stored = await collection.get(_id);
  if (String(answers) !== 'true,false,true' || stored?.fit !== 3) refuse('a guarded upsert must keep a better document and answer error 11000');
};

const compareAndSetRace = async (collection: PortableCollection<SelfTestRow>, _id: string): Promise<void> => {
  await collection.insertAll([{ _id, fit: 0, n: 0 }]);
  for (let n = 0; n < ROUNDS; n++) {
    const racers = Array.from({ length: RACERS }, () => collection.update(_id, { n }, { $set: { n: n + 1 } }));
    const winners = (await Promise.all(racers)).filter((won) => won).length;
    if (winners !== 1) refuse(`of ${RACERS} concurrent guarded updates exactly one must win, but ${winners} did`);
  }
};

const refuse = (law: string): never => {
  throw new Error(`this database server is not safe for a run: ${law}. Use MongoDB 7 or newer (MONGODB_URI) or the server that npm start sets up`);
};
