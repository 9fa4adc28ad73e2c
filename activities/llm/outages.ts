// What this process knows of models that do not answer: which failed, when, and until when they are left alone. Nothing of it is stored; a worker
// that begins anew learns it again. Called by failover.ts.
import type { ModelSettings } from '../../evolution/config/run-config.ts';
import type { ModelError } from './client.ts';

/** How long a model that is down is left alone where its endpoint named no time. */
export const COOL_DOWN_MS = 30_000;

export type Failed = {
  readonly error: ModelError;
  /** When the model was asked; how often this request had been asked before, from 1. */
  readonly askedAtMs: number; readonly attempt: number;
};

export interface Outages {
  now(): number;
  failed(model: ModelSettings, failed: Failed): void;
  answered(model: ModelSettings, askedAtMs: number): void;
  isDown(model: ModelSettings): boolean;
  /** Milliseconds until the time that its endpoint named; null: it named none, or that is over. */
  waitMs(model: ModelSettings): number | null;
  /** Of models that are down, the one to ask nevertheless: nobody said when to come back, and its failure is the longest ago. */
  readiest(models: readonly ModelSettings[]): ModelSettings;
}

type Mark = { readonly atMs: number; readonly untilMs: number; readonly named: boolean };

export const createOutages = (now: () => number = Date.now): Outages => {
  const marks = new Map<string, Mark>();
  const isDown = (model: ModelSettings): boolean => (marks.get(keyOf(model))?.untilMs ?? 0) > now();
  const waitMs = (model: ModelSettings): number | null => {
    const mark = marks.get(keyOf(model));
    return mark?.named === true && mark.untilMs > now() ? mark.untilMs - now() : null;
  };
  return {
    now, isDown, waitMs,
    failed(model, { error, askedAtMs, attempt }) {
      const took = now() - askedAtMs;
      const named = error.retryAfterMs !== null;
      // One lost connection or one 500 says little. A second, a refusal, a time named, a long wait, or that it was down before say enough.
      if (!error.fatal && !named && attempt < 2 && took < COOL_DOWN_MS && !marks.has(keyOf(model))) return;
      marks.set(keyOf(model), { atMs: now(), untilMs: now() + (error.retryAfterMs ?? Math.max(COOL_DOWN_MS, took)), named });
    },
    answered(model, askedAtMs) {
      // An answer to what was asked before the failure says nothing about it.
      if ((marks.get(keyOf(model))?.atMs ?? Infinity) <= askedAtMs) marks.delete(keyOf(model));
    },
    readiest(models) {
      const orderOf = (model: ModelSettings): number => {
        const wait = waitMs(model);
        return wait === null ? marks.get(keyOf(model))?.atMs ?? 0 : now() + wait;
      };
      return models.reduce((best, model) => (orderOf(model) < orderOf(best) ? model : best));
    },
  };
};

const keyOf = ({ kind, baseUrl, name }: ModelSettings): string => `${kind} ${baseUrl ?? ''} ${name}`;
