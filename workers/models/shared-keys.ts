// Keys that an operator shares through the database, for the role `model` of a host that has no key of its own. They are
// read again every few seconds, so that a replaced key works soon, and are only in memory.
import type { KeyRing } from '../../activities/llm/transport/key-ring.ts';
import { openKey, SECRETS_KEY } from '../../activities/llm/transport/sealed-keys.ts';
import type { Store } from '../../activities/store/store.ts';
import { again } from '../process/again.ts';

const LOOK_MS = 5_000;

/** Throws at the start where what is shared cannot be decrypted here. Later that is said once, and old keys stay. */
export const followSharedKeys = async (
  store: Pick<Store, 'sharedKeys'>,
  keys: Pick<KeyRing, 'share'>,
  { secret, log }: { readonly secret: Buffer | null; readonly log: (line: string) => void },
): Promise<{ readonly stop: () => void }> => {
  let lastShared = '';
  const look = async (): Promise<void> => {
    const shared = await store.sharedKeys();
    const now = JSON.stringify(shared);
    if (now === lastShared) return;
    lastShared = now;
    if (secret === null) {
      if (shared.length > 0)
        log(
          `keys of ${shared.map(({ endpoint }) => endpoint).join(', ')} are shared through the database, and this host does not use them: set ${SECRETS_KEY} to what \`evolve keys share\` had`,
        );
      return;
    }
    keys.share(Object.fromEntries(shared.map((one) => [one.endpoint, openKey(secret, one)])));
  };
  await look();
  const stopped = new AbortController();
  // A database that does not answer is asked again.
  const said = (words: string): void => (words.includes(SECRETS_KEY) ? log(words) : undefined);
  void again({ signal: stopped.signal, everyMs: LOOK_MS, look, log: said });
  return { stop: () => stopped.abort() };
};
