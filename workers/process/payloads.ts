// How the processes of workers encrypt payloads. One without the keys of its installation takes no work: it says why,
// and reads its keys again now and then, because a person may put the missing one there.
import { setTimeout as sleep } from 'node:timers/promises';
import { PayloadKeyError, readPayloadKeys } from '../../activities/payloads/keys.ts';
import { agreeOnKeys, type Payloads, payloadsWith } from '../../activities/payloads/payloads.ts';
import type { Store } from '../../activities/store/store.ts';
import { self } from '../../deploy/host/process-identity.ts';
import { refusalLine } from '../../deploy/supervisor/health.ts';

const AGAIN_MS = 3_000;

export const openPayloads = async (store: Store, home: string, env: NodeJS.ProcessEnv): Promise<Payloads> => {
  for (let told = ''; ; await sleep(AGAIN_MS)) {
    try {
      const keys = readPayloadKeys(env, home);
      await agreeOnKeys(keys, store);
      // Whoever sends a payload chooses the id, and `constructor` is that of no key.
      return payloadsWith(keys, async (id) => Object.hasOwn(await store.payloadKeys(), id));
    } catch (error) {
      if (!(error instanceof PayloadKeyError)) throw error;
      if (error.message !== told) console.log(refusalLine(self(), error.message));
      told = error.message;
    }
  }
};
