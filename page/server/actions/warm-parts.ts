// The connections with which actions are carried out: one leaves them open for the next, so that only the first waits
// for them.
import { openParts, type OpenParts, type Place } from '../../../client/connect/connection.ts';
import { upElsewhere } from '../../../client/connect/elsewhere.ts';
import { BadEndError, UsageError } from '../../../client/connect/errors.ts';
import { readUp } from '../../../deploy/supervisor/plan.ts';
import { payloadKeysRevision } from '../../../deploy/versions/sources.ts';
import { ConfigError } from '../../../evolution/config/config-error.ts';

/** What was asked for cannot be done. All parts work. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof UsageError || error instanceof ConfigError || error instanceof BadEndError;

/** Connections that nobody has used for so long are closed. */
const UNUSED_MS = 600_000;

type Held = { readonly key: string; readonly parts: OpenParts; users: number };

/** Another address, other keys or another model of the installation need other connections. */
const keyOf = ({ home, env }: Place): string => {
  const { OPENAI_BASE_URL, EVOLVE_MODEL } = env;
  const up = readUp(home) ?? upElsewhere(home, env);
  const addresses = [up?.database.uri, up?.temporal];
  return JSON.stringify([addresses, OPENAI_BASE_URL, EVOLVE_MODEL, payloadKeysRevision(home, env)]);
};

export class WarmParts {
  #held: Held | null = null;
  #timer: NodeJS.Timeout | undefined;

  /** Carries out the work over the connections. Those of work that failed, and was not refused, are not used again. */
  async use<T>(place: Place, work: (parts: OpenParts) => Promise<T>): Promise<T> {
    clearTimeout(this.#timer);
    const held = this.#of(place);
    held.users += 1;
    try {
      return await work(held.parts);
    } catch (error) {
      if (!isRefusal(error)) this.#drop(held);
      throw error;
    } finally {
      held.users -= 1;
      if (this.#held !== held) this.#drop(held);
      else this.#timer = setTimeout(() => this.#drop(held), UNUSED_MS).unref();
    }
  }

  #of(place: Place): Held {
    const key = keyOf(place);
    if (this.#held !== null && this.#held.key !== key) this.#drop(this.#held);
    return (this.#held ??= { key, parts: openParts(place), users: 0 });
  }

  #drop(held: Held): void {
    if (this.#held === held) this.#held = null;
    if (held.users === 0) void held.parts.close();
  }
}
