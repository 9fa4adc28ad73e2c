// Payload encryption without a server: which keys are taken, what a codec reads and leaves alone, and how a process with
// other keys than its installation is told so.
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parsePayloadKeys } from '../../../activities/payloads/keys.ts';
import { agreeOnKeys, payloadsWith } from '../../../activities/payloads/payloads.ts';
import { openPayloads } from '../../../workers/process/admission.ts';
import { memoryStore } from '../../doubles/memory-store.ts';

const key = (byte: number): string => Buffer.alloc(32, byte).toString('base64');
const [ONE, TWO, OTHER] = [key(1), key(2), key(3)];
const keys = (...entries: readonly string[]) => parsePayloadKeys(entries.join('\n'), 'the keys');
const codecOf = (entries: readonly string[], inUse: readonly string[] = []) =>
  payloadsWith(keys(...entries), async (id) => inUse.includes(id)).codec;

const PLANTED = 'def planted(): pass';
const plain = (): Payload => defaultPayloadConverter.toPayload({ code: PLANTED });
const codeIn = (payload: Payload | undefined): unknown =>
  defaultPayloadConverter.fromPayload<{ code: string }>(payload!).code;

it('encrypts with the first key, and reads what any of them encrypted, and plain payloads', async () => {
  const [before] = await codecOf([`k1:${ONE}`]).encode([plain()]);
  expect(Buffer.from(before!.data!).includes(PLANTED)).toBe(false);
  expect(Buffer.from(before!.metadata!['encryption-key-id']!).toString()).toBe('k1');
  const rotated = codecOf([`k2:${TWO}`, '# the first one', `k1:${ONE}`]);
  const [after] = await rotated.encode([plain()]);
  expect(Buffer.from(after!.metadata!['encryption-key-id']!).toString()).toBe('k2');
  expect((await rotated.decode([before!, after!, plain()])).map(codeIn)).toEqual([PLANTED, PLANTED, PLANTED]);
  const off = codecOf(['plain', `k1:${ONE}`]);
  expect(await off.encode([plain()])).toEqual([plain()]);
  expect((await off.decode([before!])).map(codeIn)).toEqual([PLANTED]);
});

// Attempt: messages and the terminal.
it('leaves alone what it cannot read, unless the installation encrypts with a key that is missing', async () => {
  const [theirs] = await codecOf([`k2:${TWO}`]).encode([plain()]);
  expect(await codecOf([`k1:${ONE}`]).decode([theirs!])).toEqual([theirs]);
  expect(await codecOf([`k2:${OTHER}`]).decode([theirs!])).toEqual([theirs]);
  const broken = { ...theirs!, data: theirs!.data!.slice(0, 9) };
  expect(await codecOf([`k2:${TWO}`]).decode([broken])).toEqual([broken]);
  await expect(codecOf([`k1:${ONE}`], ['k2']).decode([theirs!])).rejects.toThrow(
    'a payload is encrypted with the key k2, which the keys does not have: add it there, behind the key that encrypts',
  );
});

// Attempt: messages and the terminal.
it('a payload that names a retired key, or what every object has, stops no workflow', async () => {
  const home = mkdtempSync(join(tmpdir(), 'evolve-payload-keys-'));
  try {
    const store = memoryStore();
    await agreeOnKeys(keys(`k1:${ONE}`), store);
    const env = { EVOLVE_PAYLOAD_KEYS: `k2:${TWO},k1:retired` };
    const { codec } = await openPayloads(store, home, env);
    for (const id of ['k1', 'constructor', '__proto__', 'toString', '']) {
      const [sealed] = await codec.encode([plain()]);
      const theirs = { ...sealed!, metadata: { ...sealed!.metadata, 'encryption-key-id': Buffer.from(id) } };
      expect(await codec.decode([theirs])).toEqual([theirs]);
    }
    // Such a name is one that an operator may choose all the same.
    await agreeOnKeys(keys(`constructor:${OTHER}`, `k2:${TWO}`, 'k1:retired'), store);
    expect(Object.keys(await store.payloadKeys())).toEqual(['k1', 'k2', 'constructor']);
  } finally {
    rmSync(home, { recursive: true });
  }
});

it.each([
  ['', 'expected at least one key, got none'],
  ['k1', 'entry 1 has no id'],
  [`K 1:${ONE}`, 'entry 1 has no id'],
  ['k1:short', 'the key k1 is not 32 bytes in base64'],
  [`k1:${ONE}\nk1:${TWO}`, 'expected each id once, got k1 twice'],
  [`k1:retired\nk2:${TWO}`, 'the first key encrypts, and k1 is retired'],
])('keys that read %j are refused in one line that does not repeat them', (text, why) => {
  const refused = (): unknown => parsePayloadKeys(text, 'EVOLVE_PAYLOAD_KEYS');
  expect(refused).toThrow(why);
  expect(refused).toThrow(/^EVOLVE_PAYLOAD_KEYS: /);
  expect(refused).not.toThrow(ONE);
});

it('a process with other keys than its installation is told before it reads or writes', async () => {
  const store = memoryStore();
  await agreeOnKeys(null, store);
  await agreeOnKeys(keys(`k1:${ONE}`), store);
  expect(JSON.stringify(await store.payloadKeys())).not.toContain(ONE);
  await expect(agreeOnKeys(null, store)).rejects.toThrow(
    'this installation encrypts payloads with the key k1: expected it in EVOLVE_PAYLOAD_KEYS, got no key',
  );
  await expect(agreeOnKeys(keys(`k1:${OTHER}`), store)).rejects.toThrow(
    'the key k1 in the keys is not the one with which this installation encrypts',
  );
  await agreeOnKeys(keys(`k2:${TWO}`, `k1:${ONE}`), store);
  await expect(agreeOnKeys(keys(`k1:${ONE}`), store)).rejects.toThrow('with the key k2');
  await agreeOnKeys(keys(`k2:${TWO}`, 'k1:retired'), store);
  expect(Object.keys(await store.payloadKeys())).toEqual(['k1', 'k2']);
});
