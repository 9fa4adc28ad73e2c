// One request to the models of a role: the drawn model is asked, and another one where that is down. Without failures,
// or with one model, this changes nothing.
import { type ApplicationFailure, log } from '@temporalio/activity';
import type { ModelSettings } from '../../../evolution/config/run-config.ts';
import type { Rng } from '../../../evolution/rng.ts';
import { LONGEST_WAIT_MS } from '../transport/model-error.ts';
import { asFailure, ModelError } from './client.ts';

/** The time for which a model that is down is left alone where its endpoint named none. */
export const COOL_DOWN_MS = 30_000;

type Failed = {
  readonly error: ModelError;
  /** The time at which the model was asked, and the attempt of the request, counted from 1. */
  readonly askedAtMs: number;
  readonly attempt: number;
};

/**
 * The models that do not answer, as this process knows them: which failed, when, and until when they are left alone.
 * None of it is stored, and a worker that starts anew learns it again.
 */
export class Outages {
  readonly now: () => number;
  readonly #marks = new Map<string, Mark>();

  constructor(now: () => number = Date.now) {
    this.now = now;
  }

  failed(model: ModelSettings, { error, askedAtMs, attempt }: Failed): void {
    const took = this.now() - askedAtMs;
    const named = error.retryAfterMs !== null;
    // One lost connection or one 500 says little. It is enough if there is a second one, a refusal, a named time or a
    // long wait, or if the model was down before.
    if (!error.fatal && !named && attempt < 2 && took < COOL_DOWN_MS && !this.#marks.has(keyOf(model))) return;
    const untilMs = this.now() + (error.retryAfterMs ?? Math.max(COOL_DOWN_MS, took));
    this.#marks.set(keyOf(model), { atMs: this.now(), untilMs, named });
  }

  answered(model: ModelSettings, askedAtMs: number): void {
    // An answer to a request from before the failure says nothing about the failure.
    if ((this.#marks.get(keyOf(model))?.atMs ?? Infinity) <= askedAtMs) this.#marks.delete(keyOf(model));
  }

  isDown(model: ModelSettings): boolean {
    const mark = this.#marks.get(keyOf(model));
    if (mark === undefined) return false;
    // Somebody may lift a limit long before the day that the endpoint named is over.
    return (mark.named ? Math.min(mark.untilMs, mark.atMs + LONGEST_WAIT_MS) : mark.untilMs) > this.now();
  }

  /** Milliseconds until the time that its endpoint named. Null where it named none, or that time is over. */
  waitMs(model: ModelSettings): number | null {
    const mark = this.#marks.get(keyOf(model));
    return mark?.named === true && mark.untilMs > this.now() ? mark.untilMs - this.now() : null;
  }

  /**
   * The one to ask nevertheless, of models that are down: one whose endpoint named no time, and whose failure is the
   * longest ago.
   */
  readiest(models: readonly ModelSettings[]): ModelSettings {
    const orderOf = (model: ModelSettings): number => {
      const wait = this.waitMs(model);
      return wait === null ? (this.#marks.get(keyOf(model))?.atMs ?? 0) : this.now() + wait;
    };
    return models.reduce((best, model) => (orderOf(model) < orderOf(best) ? model : best));
  }
}

type Mark = { readonly atMs: number; readonly untilMs: number; readonly named: boolean };

const keyOf = ({ kind, baseUrl, name }: ModelSettings): string => `${kind} ${baseUrl ?? ''} ${name}`;

/** From this attempt of an activity on, another model than the drawn one is asked. */
const FAILOVER_ATTEMPT = 3;

type Asking = {
  /** The models of the role, and which of them is asked where nothing fails. */
  readonly pool: readonly ModelSettings[];
  readonly drawn: ModelSettings;
  /** The attempt of the activity, counted from 1. */
  readonly attempt: number;
  /** Draws among the other models, with the same stream for the same attempt. */
  readonly random: () => Rng;
  readonly signal: AbortSignal;
};

/**
 * Asks, and throws a failure as the engine takes it. Where a model refuses, the others are asked at once; other
 * failures are tried again.
 */
type Failover = <T>(asking: Asking, send: (model: ModelSettings) => Promise<T>) => Promise<T>;

export const createFailover =
  (outages = new Outages()): Failover =>
  async (asking, send) => {
    const { pool, attempt, signal } = asking;
    const refused = new Map<ModelSettings, ModelError>();
    for (;;) {
      const model = pick(
        outages,
        asking,
        pool.filter((one) => !refused.has(one)),
      );
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
        // No step parks because of this, so the log is the only place that says it.
        if (!wasDown && outages.isDown(model))
          log.warn(`model ${model.name} is left alone for a while, others of its role are asked: ${error.message}`);
        if (!error.fatal) throw unavailable(outages, pool, error);
        refused.set(model, error);
        if (refused.size === pool.length) throw asFailure(together([...refused.values()]));
      }
    }
  };

/**
 * Of the models left: the drawn one, unless it is down or had its attempts; then another one by weight; then the one
 * that can be asked soonest.
 */
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
  return asFailure(new ModelError(error.message, { status: error.status, fatal: false, retryAfterMs }));
};

const together = (errors: readonly ModelError[]): ModelError =>
  new ModelError(errors.map(({ message }) => message).join('; '), {
    status: errors[0]!.status,
    fatal: true,
    retryAfterMs: null,
    // A person is waited for only where every model was asked in vain; a refusal may be cured by somebody's key.
    unanswered: Math.min(...errors.map(({ unanswered }) => unanswered)),
  });
