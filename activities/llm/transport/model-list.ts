// Asks an endpoint for the models that it offers.
import type { KeyRing } from './key-ring.ts';
import { endpointFetch, limitsFor } from './endpoint-fetch.ts';
import { ModelError } from './model-error.ts';
import { fieldsOf } from './numbers.ts';
import { Refusal } from './refusal.ts';

type Question = {
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly timeoutMs: number;
  readonly keys: Pick<KeyRing, 'error'>;
  /** A name that is no secret, though it may look like a key, because the settings hold it. */
  readonly model?: string | null;
};

/** `models` is null where the answer is no list of models. */
type ModelList = { readonly status: number; readonly models: readonly string[] | null };

const MAX_MODELS = 10_000;

/** Rejects where no answer came that can be read: with a ModelError, or what undici throws. */
export const askModelList = async ({
  baseUrl,
  apiKey,
  timeoutMs,
  keys,
  model = null,
}: Question): Promise<ModelList> => {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/models`;
  try {
    const answer = await endpointFetch({ stream: false, ...limitsFor(0) })(url, {
      headers: apiKey === null ? {} : { authorization: `Bearer ${apiKey.trim()}` },
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: answer.status, models: modelsIn(await answer.json(), keys, model) };
  } catch (error) {
    if (error instanceof Refusal) return { status: error.said.status, models: null };
    if (error instanceof ModelError && error.unmade && error.status === 200) return { status: 200, models: null };
    throw error instanceof ModelError ? new ModelError(keys.error(error.message), error) : error;
  }
};

const modelsIn = (answer: unknown, keys: Pick<KeyRing, 'error'>, model: string | null): readonly string[] | null => {
  const { data } = fieldsOf(answer);
  if (!Array.isArray(data)) return null;
  const ids = data.slice(0, MAX_MODELS).flatMap((entry): string[] => {
    const { id } = fieldsOf(entry);
    if (typeof id !== 'string' || id === '' || id.length > LONGEST_NAME) return [];
    return [model !== null && (id === model || id.endsWith(`/${model}`)) ? model : keys.error(id)];
  });
  return ids.length === 0 ? null : ids;
};

/** The longest name of a model, in characters; settings take no longer one either. */
const LONGEST_NAME = 200;
