// One request to the models of a role: the drawn one is asked, and another where that one is down. Without failures, and with one model, this
// changes nothing. Called by generate.ts and ask.ts.
import { log, type ApplicationFailure } from '@temporalio/activity';
import type { ModelSettings } from '../../evolution/config/run-config.ts';
import type { Rng } from '../../evolution/rng.ts';
import { ModelError } from './client.ts';
import { asFailure } from './failure.ts';
import { createOutages, type Outages } from './outages.ts';

/** From this attempt of an activity on, another model than the drawn one is asked. */
export const FAILOVER_ATTEMPT = 3;

export type Asking = {
  /** The models of the role, and which of them is asked where nothing fails. */
  readonly pool: readonly ModelSettings[]; readonly drawn: ModelSettings;
  /** The activity's, from 1. */
  readonly attempt: number;
  /** Draws among the others; the same stream for the same attempt. */
  readonly random: () => Rng;
  readonly signal: AbortSignal;
};

/** Asks; throws a failure as the engine takes it. A model that refuses hands over to the others at once; what fails otherwise is tried again. */
export type Failover = <T>(asking: Asking, send: (model: ModelSettings) => Promise<T>) => Promise<T>;

export const createFailover = (outages: Outages = createOutages()): Failover => async (asking, send) => {
  const { pool, attempt, signal } = asking;
  const refused = new Map<ModelSettings, ModelError>();
  for (;;) {
    const model = pick(outages, asking, pool.filter((one) => !refused.has(one)));
    const [askedAtMs, wasDown] = [outages.now(), outages.isDown(model)];
    try {
      const answer = await send(model);
      outages.answered(model, askedAtMs);
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ModelError)) throw error;
      outages.failed(model, { error, askedAtMs, attempt });
      if (pool.length === 1) throw asFailure(error);
      // Nothing parks for it: here alone it is said.
      if (!wasDown && outages.isDown(model)) log.warn(`model ${model.name} is left alone for a while, others of its role are asked: ${error.message}`);
      if (!error.fatal) throw unavailable(outages, pool, error);
      refused.set(model, error);
      if (refused.size === pool.length) throw asFailure(together([...refused.values()]));
    }
  }
};

/** Of those left: the drawn one unless it is down or had its attempts, then others by weight, then whoever is soonest to answer. */
const pick = (outages: Outages, { drawn, attempt, random }: Asking, left: readonly ModelSettings[]): ModelSettings => {
  const up = left.filter((model) => !outages.isDown(model));
  if (attempt < FAILOVER_ATTEMPT && up.includes(drawn)) return drawn;
  const others = up.filter((model) => model !== drawn);
  if (others.length > 0) return others[random().weighted(others.map(({ weight }) => weight))]!;
  return up[0] ?? outages.readiest(left);
};

/** One model's Retry-After is no reason to wait while another may answer. */
const unavailable = (outages: Outages, pool: readonly ModelSettings[], error: ModelError): ApplicationFailure => {
  const waits = pool.map((model) => outages.waitMs(model));
  const retryAfterMs = waits.reduce((least, wait) => (least === null || wait === null ? null : Math.min(least, wait)));
  return asFailure(new ModelError(error.message, { status: error.status, fatal: false, retryAfterMs, cause: error }));
};

const together = (errors: readonly ModelError[]): ModelError =>
  new ModelError(errors.map(({ message }) => message).join('; '), { status: errors[0]!.status, fatal: true, retryAfterMs: null, cause: errors[0] });
