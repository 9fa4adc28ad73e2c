// The checks before a run exists: its task, endpoints, keys and models. Each failure is one message with the fix.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { embeddingEndpoint } from '../../activities/llm/embeddings/endpoint.ts';
import { createKeyRing, isSendable, type KeyRing } from '../../activities/llm/transport/key-ring.ts';
import { ModelError } from '../../activities/llm/transport/model-error.ts';
import { isBytes } from '../../evolution/config/bytes.ts';
import { didYouMean } from '../../evolution/config/nearest.ts';
import { ConfigError } from '../../evolution/config/config-error.ts';
import { hideCredentials } from '../../evolution/config/layers.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { speaksTls } from '../../deploy/servers/speaks-tls.ts';
import { trainableOf } from '../../evolution/learning/policies.ts';
import { costNotes } from '../../evolution/methods/rules/rules.ts';
import { fitProblem } from '../../evolution/methods/rules/task-fit.ts';
import { weightNotes } from '../../evolution/models/ensemble.ts';
import type { Task } from '../../evolution/task/task.ts';
import type { Place } from '../connect/connection.ts';
import { MissingError, UsageError } from '../connect/errors.ts';
import { keyFor } from '../connect/keys.ts';
import { sharedKeyFor } from '../connect/shared-keys.ts';
import { unwrittenProblem } from '../tasks/task-folder.ts';
import { rootOf } from '../../evolution/root-cause.ts';

/** They are loaded where they are needed, because most runs begin without them. */
const OPENAI = () => import('../../activities/llm/openai/openai-client.ts');
const ERRORS = () => import('../../activities/llm/transport/openai-errors.ts');
const MODEL_LIST = () => import('../../activities/llm/transport/model-list.ts');

type EndpointQuestion = {
  readonly baseUrl: string;
  /** Null where it does not matter whether the endpoint lists the model. */
  readonly model: string | null;
  readonly apiKey: string | null;
  readonly timeoutMs?: number;
  /** The settings that name the endpoint, for messages. */
  readonly setting?: string;
  /** All keys that are known here, which no message may hold. */
  readonly keys?: KeyRing;
};

/**
 * Asks an endpoint for its models, which costs nothing: is it there, does it accept the key, does it list the model?
 * Resolves to warnings, none when all is well. Throws with the setting that fixes the fault.
 */
export const checkEndpoint = async ({
  baseUrl,
  model,
  apiKey,
  timeoutMs = 15_000,
  setting = NAMED_BY,
  keys = createKeyRing(),
}: EndpointQuestion): Promise<readonly string[]> => {
  // A fork of an old run may have a key in its address.
  const endpoint = hideCredentials(baseUrl);
  if (apiKey !== null) {
    keys.remember(apiKey);
    if (!isSendable(apiKey))
      throw new UsageError(
        `${endpoint}: its key has characters that cannot be sent: set OPENAI_API_KEY to the key alone`,
      );
  }
  const answer = await ask({ baseUrl, model, apiKey, timeoutMs, setting, keys });
  if (answer.status === 401 || answer.status === 403) {
    throw new UsageError(
      apiKey === null
        ? `${endpoint} wants a key (it answered ${answer.status}): set OPENAI_API_KEY`
        : `${endpoint} does not accept the key in OPENAI_API_KEY (it answered ${answer.status}): set OPENAI_API_KEY to a key of this endpoint`,
    );
  }
  if (answer.status === 429 || answer.status >= 500)
    return [
      `${endpoint} answered ${answer.status} when asked for its models; the run starts and tries again as long as needed`,
    ];
  if (model === null) return [];
  const lacking = lackingIn(answer.models ?? [model], model);
  return lacking === null
    ? []
    : [`${endpoint} ${lacking}. Whether it answers all the same shows with the first request`];
};

/** What a list of models says of one that is not in it; null where it is. */
export const lackingIn = (models: readonly string[], model: string): string | null =>
  models.some((id) => id === model || id.endsWith(`/${model}`))
    ? null
    : `lists no model "${model}".${didYouMean(model, models)} It has ${listed(models)}`;

const NAMED_BY = 'model.baseUrl, which a file, OPENAI_BASE_URL or --base-url gives; --model offline needs none';

const VARIABLES_AND_FLAGS: ReadonlySet<string> = new Set(['OPENAI_BASE_URL', '--base-url']);

/** The origin of an endpoint's address. An entry of `models` without one takes that of the first model. */
const namedBy = (at: string, whereabouts: (key: string) => string | null): string => {
  const written = [`${at}.baseUrl`, 'model.baseUrl'].find((key) => whereabouts(key) !== null);
  const where = written === undefined ? null : whereabouts(written);
  if (where === null) return NAMED_BY;
  return VARIABLES_AND_FLAGS.has(where) ? `${where}; --model offline needs none` : `${written} (${where})`;
};

const ask = async ({ baseUrl, setting, ...question }: Required<EndpointQuestion>) => {
  try {
    return await (await MODEL_LIST()).askModelList({ baseUrl, ...question });
  } catch (error) {
    const endpoint = `the model endpoint ${hideCredentials(baseUrl)}`;
    if (error instanceof ModelError)
      throw new MissingError(`${endpoint} gives no answer that can be used (${error.message}): correct ${setting}`);
    const { whyNoEndpoint } = await ERRORS();
    const why = whyNoEndpoint(error) ?? (await wrongScheme(baseUrl));
    if (why !== null) throw new MissingError(`${endpoint} cannot be reached: ${why}; or correct ${setting}`);
    const proxy = unusedProxy(process.env);
    throw new MissingError(
      `${endpoint} cannot be reached (${question.keys.error(reasonOf(error))}): start it, or correct ${setting}${proxy === null ? '' : `; ${proxy} is used only with NODE_USE_ENV_PROXY=1`}`,
    );
  }
};

/** The variable that names a proxy, where Node does not use it. */
const unusedProxy = (env: NodeJS.ProcessEnv): string | null =>
  env['NODE_USE_ENV_PROXY'] === '1'
    ? null
    : (['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].find((name) => env[name]) ?? null);

/** Null where the scheme of the address is that of the port, and where nobody answers. */
const wrongScheme = async (baseUrl: string): Promise<string | null> => {
  const { protocol, hostname, port } = new URL(baseUrl);
  const asksTls = protocol === 'https:';
  const speaks = await speaksTls(hostname.replace(/^\[|\]$/g, ''), Number(port || (asksTls ? 443 : 80)));
  if (speaks === null || speaks === asksTls) return null;
  return speaks ? 'it speaks TLS: write https:// for http://' : 'it does not speak TLS: write http:// for https://';
};

const reasonOf = (error: unknown): string => {
  const cause = rootOf(error);
  return cause.name === 'TimeoutError'
    ? 'no answer in time'
    : cause.message || ((cause as NodeJS.ErrnoException).code ?? cause.name);
};

const listed = (models: readonly string[]): string =>
  models.length <= 6 ? models.join(', ') : `${models.slice(0, 5).join(', ')} and ${models.length - 5} more`;

/** Throws where settings do not fit the task or the machine. `whereabouts` gives the place of a key. */
export const checkFit = (
  config: RunConfig,
  task: Task,
  whereabouts: (key: string) => string | null,
  { auto, cores }: { readonly auto: string; readonly cores: number | null },
): void => {
  const problem = fitProblem(config, task, auto, cores);
  if (problem === null) return;
  const where = whereabouts(problem.key);
  throw new ConfigError([`${where === null ? '' : `${where}: `}${problem.key}: ${problem.message}.`]);
};

/** Without a language model nobody reads the problem statement. */
export const statementNotes = ({ task: named, model, models }: RunConfig, task: Task): readonly string[] => {
  const problem = unwrittenProblem(named, task);
  return problem !== null && [model, ...models].some(({ kind }) => kind !== 'offline') ? [problem] : [];
};

/**
 * Asks the endpoint of every model, and that of embeddings, once, and resolves to warnings. The offline model is not
 * asked here, because it is checked with the other parts. `whereabouts` gives the place of a key, for whoever has to
 * correct it.
 */
export const checkModels = async (
  configs: readonly RunConfig[],
  { home, env }: Place,
  whereabouts: (key: string) => string | null = () => null,
): Promise<readonly string[]> => {
  const keys = createKeyRing({ home: home.root, env });
  const warnings = new Set<string>();
  const asked = new Set<string>();
  for (const config of configs) {
    const { model: first, models, embedding } = config;
    const all = [first, ...models];
    for (const note of [...weightNotes(config), ...costNotes(config)]) warnings.add(note);
    for (const warning of checkBase(config)) warnings.add(warning);
    for (const warning of await checkPolicyServer(config, { home, env }, keys, asked)) warnings.add(warning);
    for (const [index, model] of all.entries()) {
      const { kind, baseUrl, name } = model;
      // A policy is asked at the server of policies, and not at the endpoint of its entry.
      if (kind === 'offline' || baseUrl === null || isPolicy(model)) continue;
      if (model.price?.listed !== undefined)
        warnings.add(
          `the price of ${name} is taken as ${model.price.in} USD per million tokens in and ${model.price.out} out (${model.price.listed}): model.price overrides it`,
        );
      else if (model.price === null)
        warnings.add(`the price of ${name} is not known (model.price): cost is shown as unknown`);
      if (asked.has(`${baseUrl} ${name}`)) continue;
      asked.add(`${baseUrl} ${name}`);
      const apiKey = await keyOfModel({ home, env }, baseUrl, all, keys);
      const setting = namedBy(index === 0 ? 'model' : `models.${index - 1}`, whereabouts);
      for (const warning of await checkEndpoint({ baseUrl, model: name, apiKey, keys, setting })) warnings.add(warning);
    }
    const { kind, baseUrl } = embeddingEndpoint({ embedding, model: first });
    if (embedding.model === null || kind === 'offline' || baseUrl === null) continue;
    if (embedding.price === null)
      warnings.add(`the price of ${embedding.model} is not known (embedding.price): its tokens count as free`);
    if (all.some((model) => model.baseUrl === baseUrl) || asked.has(`${baseUrl} `)) continue;
    asked.add(`${baseUrl} `);
    // Several endpoints embed with models that they do not list.
    for (const warning of await checkEndpoint({
      baseUrl,
      model: null,
      apiKey: keyFor(home.root, baseUrl, all, env),
      setting: 'embedding.baseUrl',
      keys,
    }))
      warnings.add(warning);
  }
  return [...warnings];
};

/** The key by which a worker would ask the endpoint. */
export const keyOfModel = async (
  { home, env }: Place,
  baseUrl: string,
  pool: RunConfig['models'],
  keys: KeyRing,
): Promise<string | null> =>
  keyFor(home.root, baseUrl, pool, env) ?? keys.keyOf(baseUrl) ?? (await sharedKeyFor({ home, env }, baseUrl));

/** A model folder from which learning is to begin. The trainers' worker has another working directory than the user. */
const checkBase = (config: RunConfig): readonly string[] => {
  const model = trainableOf(config);
  const { trainer, base } = config.learning;
  if (model === null || model.policy !== null || (trainer !== 'reference' && trainer !== 'trl')) return [];
  const from = base ?? model.name;
  if (isBytes(from)) return [];
  const path = from.replace(/^~(?=\/)/, homedir());
  if (!isAbsolute(path))
    throw new UsageError(
      `learning.base: expected the whole path of a model folder, got ${from}: the trainer does not look from here. ${existsSync(path) ? `Write ${resolve(path)}` : 'Models are not downloaded: put the folder on this machine, and name it from / on'}`,
    );
  return existsSync(join(path, 'config.json'))
    ? []
    : [
        `learning.base: there is no model folder at ${path} on this machine (config.json is missing): the first update waits for it, unless the trainer is on another machine that has it`,
      ];
};

export const isPolicy = ({ trainable, policy }: RunConfig['model']): boolean => trainable || policy !== null;

/**
 * Where policies are served by a server of the user's (learning.serveUrl), one short request shows whether it gives
 * token ids and logprobs, without which nothing can be learned. The trainer's own server does.
 */
const checkPolicyServer = async (
  { learning, model, models }: RunConfig,
  { home, env }: Place,
  keys: KeyRing,
  asked: Set<string>,
): Promise<readonly string[]> => {
  const { trainer, serve, serveUrl: baseUrl } = learning;
  const policy = [model, ...models].find(({ trainable }) => trainable);
  if (trainer === 'none' || baseUrl === null || policy === undefined || asked.has(baseUrl)) return [];
  asked.add(baseUrl);
  const apiKey = keyFor(home.root, baseUrl, [model, ...models], env);
  const setting = 'learning.serveUrl';
  const warnings = [...(await checkEndpoint({ baseUrl, model: null, apiKey, keys, setting }))];
  if (serve !== 'trainer' && policy.temperature !== 1)
    warnings.push(
      `${setting}: ${hideCredentials(baseUrl)} must give the logprobs of what it samples at temperature ${policy.temperature}; vLLM does so with --logprobs-mode processed_logprobs. Else set model.temperature to 1`,
    );
  const { askModelList } = await MODEL_LIST();
  const served = await askModelList({ baseUrl, apiKey, timeoutMs: LONGEST_PROBE_MS, keys }).catch(() => null);
  const name = served?.models?.[0];
  if (name === undefined) return warnings;
  const timeoutMs = Math.min(LONGEST_PROBE_MS, policy.timeoutSeconds * 1000);
  const client = (await OPENAI()).createOpenAiClient({ baseUrl, apiKey, timeoutMs, keys });
  const question = { ...probe({ ...policy, name }, timeoutMs), key: 'gives-tokens', tokens: true };
  const lacking = await client.chat(question, AbortSignal.timeout(timeoutMs)).then(
    ({ choices: [choice] }) =>
      choice?.sampled !== undefined && 'broken' in choice.sampled ? choice.sampled.broken : null,
    // Other faults, such as a model that is still loading, show before the first policy is used.
    (error: unknown) => (error instanceof ModelError && error.fatal && error.status === 200 ? error.message : null),
  );
  if (lacking !== null) throw new UsageError(`${setting}: ${hideCredentials(baseUrl)}: ${lacking}`);
  return warnings;
};

const LONGEST_PROBE_MS = 15_000;

const probe = ({ name, temperature, topP, reasoningEffort, stream }: RunConfig['model'], timeoutMs: number) => ({
  messages: [{ role: 'user' as const, content: 'Answer with the one word: ready' }],
  ...{ n: 1, seed: 0, model: name, temperature, topP, maxTokens: 16, timeoutMs, reasoningEffort, stream },
});
