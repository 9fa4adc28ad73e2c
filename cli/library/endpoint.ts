// Asks an endpoint for its models before a run exists: is it there, is the key accepted, is the model offered. Used by preflight.ts.
import { didYouMean } from '../../evolution/config/nearest.ts';
import { MissingError, UsageError } from './errors.ts';

export type EndpointQuestion = {
  readonly baseUrl: string;
  /** Null: it is not asked whether the endpoint lists the model. */
  readonly model: string | null;
  readonly apiKey: string | null; readonly timeoutMs?: number;
  /** What names the endpoint. */
  readonly setting?: string;
};

/** Warnings, none when all is well. Throws with the setting that fixes it. */
export const checkEndpoint = async ({ baseUrl, model, apiKey, timeoutMs = 15_000, setting = NAMED_BY }: EndpointQuestion): Promise<readonly string[]> => {
  const answer = await ask({ baseUrl, apiKey, timeoutMs, setting });
  if (answer.status === 401 || answer.status === 403) {
    throw new UsageError(apiKey === null
      ? `${baseUrl} wants a key (it answered ${answer.status}): set OPENAI_API_KEY`
      : `${baseUrl} does not accept the key in OPENAI_API_KEY (it answered ${answer.status}): set OPENAI_API_KEY to a key of this endpoint`);
  }
  if (answer.status === 429 || answer.status >= 500) return [`${baseUrl} answered ${answer.status} when asked for its models; the run starts and tries again as long as needed`];
  if (model === null) return [];
  const models = answer.status === 200 ? await readModels(answer) : null;
  if (models === null) return [`${baseUrl}/models gives no list of models (it answered ${answer.status}): whether "${model}" exists shows with the first request`];
  if (models.some((id) => id === model || id.endsWith(`/${model}`))) return [];
  throw new UsageError(`${baseUrl} offers no model "${model}".${didYouMean(model, models)} It has ${listed(models)}: set EVOLVE_MODEL or --model`);
};

const NAMED_BY = 'OPENAI_BASE_URL or --base-url; --model offline needs none';

const ask = async ({ baseUrl, apiKey, timeoutMs, setting }: Required<Omit<EndpointQuestion, 'model'>>): Promise<Response> => {
  try {
    const url = new URL(baseUrl);
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/models`;
    return await fetch(url, { headers: apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }, signal: AbortSignal.timeout(timeoutMs) });
  } catch (error) {
    throw new MissingError(`the model endpoint ${baseUrl} cannot be reached (${rootOf(error)}): start it, or correct ${setting}`);
  }
};

const rootOf = (error: unknown): string => {
  let cause = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  if (!(cause instanceof Error)) return String(cause);
  return cause.name === 'TimeoutError' ? 'no answer in time' : cause.message || ((cause as NodeJS.ErrnoException).code ?? cause.name);
};

const readModels = async (answer: Response): Promise<readonly string[] | null> => {
  try {
    const { data } = (await answer.json()) as { data?: unknown };
    if (!Array.isArray(data) || data.length === 0) return null;
    const ids = data.map((entry) => (entry as { id?: unknown } | null)?.id).filter((id) => typeof id === 'string');
    return ids.length === 0 ? null : ids;
  } catch {
    return null;
  }
};

const listed = (models: readonly string[]): string =>
  (models.length <= 6 ? models.join(', ') : `${models.slice(0, 5).join(', ')} and ${models.length - 5} more`);
