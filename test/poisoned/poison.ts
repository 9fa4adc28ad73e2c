// Texts that act on a terminal, put wherever somebody else's text is kept of a run, and a look at what a command wrote.
import { SCHEMA_VERSION } from '../../activities/store/documents/schema.ts';
import { MongoClient, type Document } from 'mongodb';
import { createHash } from 'node:crypto';
import { expect } from 'vitest';

/** Title, colour, concealment, C1, direction, zero width, tag, separator, return, delete. */
export const POISON =
  '\x1b]0;PWNED\x07\x1b[31mPWNED\x1b[8m\x9b2J\u202ePWNED\u2066\u200b\u{e0041}\u2028\rPWNED\x7f<img src=x>![x](http://127.0.0.1/x)';
const ACTS = /[^\P{Cc}\n\t]|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point}/u;

/** A file or an output that holds no character which acts. */
export const expectHarmless = (output: string, where: string): void => {
  // The lines of CSV end so.
  const text = output.replaceAll('\r\n', '\n');
  const found = ACTS.exec(text);
  expect(
    found === null
      ? null
      : `${where}: U+${found[0].codePointAt(0)!.toString(16)} in ${JSON.stringify(text.slice(Math.max(0, found.index - 80), found.index + 40))}`,
  ).toBeNull();
};

/** What a terminal got: moves of the cursor and colours may be ours, and nothing else may act. */
export const expectOurs = (text: string, where: string): void => {
  for (const theirs of ['\x1b]', '\x1b[31mPWNED', '\x1b[8m', '\x9b', '\u202e', '\u2066', '\u200b', '\u2028'])
    expect(text.includes(theirs) ? `${where}: ${JSON.stringify(theirs)}` : null).toBeNull();
  expectHarmless(text.replaceAll(/\x1b\[(?:[0-9;]*[A-GJKmsu]|\?(?:25|2026)[hl])/g, ''), where);
};

/** Words that commands compare, and so must stay; ids and digests stay by their form. */
const KEPT = new Set(['outcome', 'execution', 'isolation', 'role', 'stage', 'operator', 'label', 'status', 'would']);
const isId = (text: string, run: string): boolean =>
  text.includes(`${run}:`) || text === run || /^(sha256:)?[0-9a-f]{12,}$/.test(text);

const poisoned = (value: unknown, run: string, key = ''): unknown => {
  if (typeof value === 'string') return KEPT.has(key) || isId(value, run) ? value : `${value}${POISON}`;
  if (Array.isArray(value)) return value.map((one) => poisoned(one, run, key));
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, name === '_id' ? one : poisoned(one, run, name)]),
  );
};

const blobOf = (text: string): Document => {
  const data = Buffer.from(text);
  return { _id: createHash('sha256').update(data).digest('hex') as never, enc: 'raw', rawLen: data.length, data };
};

/** Poisons every text of a finished run, and makes a sweep of it. */
export const poisonRun = async (uri: string, run: string, sweep: string): Promise<void> => {
  const client = new MongoClient(uri);
  try {
    const db = client.db('durable_evolve');
    const [code, answer] = [blobOf(`def f():\n    return "${POISON}"\n`), blobOf(`An answer. ${POISON}\n`)];
    for (const blob of [code, answer])
      await db.collection('blobs').replaceOne({ _id: blob['_id'] }, blob, { upsert: true });
    for (const name of ['programs', 'evaluations', 'deltas', 'rollouts', 'calls'])
      for await (const document of db.collection(name).find({ run })) {
        const changed = poisoned(document, run) as Document;
        if (typeof changed['code'] === 'string' && name !== 'evaluations') changed['code'] = code['_id'];
        if (typeof changed['response'] === 'string') changed['response'] = answer['_id'];
        if (name === 'programs') changed['reasons'] = [`expected a number, got ${POISON}`];
        if (name === 'evaluations')
          Object.assign(changed, {
            metrics: { [POISON.replaceAll('.', '')]: POISON },
            reasons: [POISON],
            stderrTail: `${POISON}\n${POISON}`,
          });
        await db.collection(name).replaceOne({ _id: document._id }, changed);
      }
    const document = (await db.collection('runs').findOne({ _id: run as never }))!;
    const set = {
      'config.model.name': `m${POISON}`,
      'config.model.kind': 'openai',
      // Invented scores are compared with none, and the commands that compare are to be looked at as well.
      'config.evaluation.sandbox': 'auto',
      offlineModel: false,
      sweep,
      statusReason: `generate: 401 ${POISON}`,
      stopReason: `stopped: ${POISON}`,
      'totals.failures': { [`invalid ${POISON.replaceAll('.', '')}`]: 2 },
    };
    await db.collection('runs').updateOne({ _id: document._id }, { $set: set });
    await db.collection('sweeps').insertOne({
      _id: sweep as never,
      schema: SCHEMA_VERSION,
      run: sweep,
      spec: JSON.stringify({ name: sweep, base: { note: POISON } }),
      groups: [JSON.stringify({ [`model.name${POISON}`]: POISON })],
      runs: [{ run, group: 0, seed: 1, repeat: 0 }],
      status: 'finished',
      stopReason: POISON,
      decisions: [],
      createdAt: new Date('2026-11-22T10:00:00Z'),
      endedAt: new Date('2026-11-22T11:00:00Z'),
      revision: 0,
    });
  } finally {
    await client.close();
  }
};

/** Takes run and sweep out of the lists that other tests of the same stack may look at. */
export const forgetRun = async (uri: string, run: string, sweep: string): Promise<void> => {
  const client = new MongoClient(uri);
  try {
    const db = client.db('durable_evolve');
    await db.collection('runs').deleteOne({ _id: run as never });
    await db.collection('sweeps').deleteOne({ _id: sweep as never });
  } finally {
    await client.close();
  }
};
