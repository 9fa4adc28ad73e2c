// Keys of endpoints go from the machine that has them to a host that has none, through a store that never holds them.
// Attempts: endpoints and keys.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createKeyRing } from '../../../activities/llm/transport/key-ring.ts';
import { openKey, sealKey, secretsKeyIn } from '../../../activities/llm/transport/sealed-keys.ts';
import { rememberKey } from '../../../client/connect/keys.ts';
import { keyPlaces, shareKeys, unshareKeys } from '../../../client/connect/shared-keys.ts';
import { followSharedKeys } from '../../../workers/models/shared-keys.ts';
import { memoryStore } from '../../doubles/memory-store.ts';

const [A, B] = ['https://a.example/v1', 'https://b.example/v1'];
const [KEY_A, KEY_B] = ['sk-of-endpoint-a', 'sk-of-endpoint-b'];
const secret = randomBytes(32);
const env = { EVOLVE_SECRETS_KEY: secret.toString('base64') };

describe('keys of endpoints', () => {
  const root = mkdtempSync(join(tmpdir(), 'evolve-keys-'));
  const [home, elsewhere] = ['home', 'elsewhere'].map((name) => join(root, name)) as [string, string];
  rememberKey(root, A, KEY_A);
  rememberKey(root, B, KEY_B);
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const place = { home: root, env };

  it('reach a host that has none, encrypted, and are taken out of whatever it says', async () => {
    const store = memoryStore();
    expect(await shareKeys(store, place, [`${A}/`])).toEqual([A]);
    expect(await shareKeys(store, place, [])).toEqual([A, B]);
    expect(await keyPlaces(store, root)).toEqual([A, B].map((endpoint) => ({ endpoint, here: true, shared: true })));
    const stored = JSON.stringify(await store.sharedKeys());
    for (const key of [KEY_A, KEY_B]) {
      expect(stored).not.toContain(key);
      expect(stored).not.toContain(Buffer.from(key).toString('base64').slice(0, 12));
    }
    const [ring, other] = [createKeyRing({ home }), createKeyRing()];
    const said: string[] = [];
    const log = (line: string): number => said.push(line);
    const following = await followSharedKeys(store, ring, { secret: secretsKeyIn(env), log });
    expect([ring.keyOf(A), ring.keyOf(B), ring.keyOf('https://c.example/v1')]).toEqual([KEY_A, KEY_B, null]);
    for (const one of [ring, other]) expect(one.error(`401 for ${KEY_B}`)).not.toContain(KEY_B);
    following.stop();
    // A key of the host's own goes before.
    rememberKey(root, A, 'sk-replaced-here');
    const own = createKeyRing({ home: root });
    own.share({ [A]: KEY_A });
    expect(own.keyOf(A)).toBe('sk-replaced-here');

    expect(await unshareKeys(store, [A])).toEqual([A]);
    expect(await keyPlaces(store, elsewhere)).toEqual([{ endpoint: B, here: false, shared: true }]);
    expect(said).toEqual([]);
  });

  it('are of no use without the key of the hosts, and for no other endpoint', async () => {
    const store = memoryStore();
    await shareKeys(store, place, [B]);
    const [sealed] = await store.sharedKeys();
    expect(openKey(secret, sealed!)).toBe(KEY_B);
    expect(() => openKey(secret, { ...sealed!, endpoint: 'https://evil.example/v1' })).toThrow('cannot be decrypted');
    expect(() => openKey(secret, { ...sealed!, sealed: '' })).toThrow('cannot be decrypted');
    const ring = createKeyRing({ home });
    const log = (): void => undefined;
    await expect(followSharedKeys(store, ring, { secret: randomBytes(32), log })).rejects.toThrow(
      `the shared key of ${B} cannot be decrypted with the EVOLVE_SECRETS_KEY of this host`,
    );
    const said: string[] = [];
    const none = await followSharedKeys(store, ring, { secret: null, log: (line) => said.push(line) });
    none.stop();
    expect(said).toEqual([expect.stringContaining(`keys of ${B} are shared`)]);
    expect(ring.keyOf(B)).toBeNull();
    expect(sealKey(secret, B, KEY_B).sealed).not.toBe(sealed!.sealed);
  });

  it('are not shared without what encrypts them, and an endpoint without a key is named', async () => {
    const store = memoryStore();
    await expect(shareKeys(store, { home: root, env: {} }, [])).rejects.toThrow(
      'EVOLVE_SECRETS_KEY: expected 32 bytes',
    );
    await expect(shareKeys(store, { home: root, env: { EVOLVE_SECRETS_KEY: 'short' } }, [])).rejects.toThrow(
      'EVOLVE_SECRETS_KEY: expected 32 bytes in base64',
    );
    await expect(shareKeys(store, place, ['https://c.example'])).rejects.toThrow('got https://c.example');
    await expect(unshareKeys(store, [A])).rejects.toThrow('expected endpoints whose keys are shared (none is)');
    expect(await store.sharedKeys()).toEqual([]);
  });
});
