// The payload keys of a place, for commands: what is wrong with them is told as a mistake of whoever wrote them.
import { PayloadKeyError, type PayloadKeys, readPayloadKeys } from '../../activities/payloads/keys.ts';
import type { Home } from '../../deploy/host/home.ts';
import { UsageError } from './errors.ts';

/** Null where payloads are not encrypted. Throws UsageError where the keys cannot be read. */
export const payloadKeysOf = ({
  home,
  env,
}: {
  readonly home: Home;
  readonly env: NodeJS.ProcessEnv;
}): PayloadKeys | null => {
  try {
    return readPayloadKeys(env, home.root);
  } catch (error) {
    throw error instanceof PayloadKeyError ? new UsageError(error.message) : error;
  }
};
