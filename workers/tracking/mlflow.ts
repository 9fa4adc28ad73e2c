// MLflow, by its REST interface: an experiment a task, a run a run. What the server has of a run is asked before anything
// is sent, so that no point is there twice, whatever a crash left.
import { flat } from '../../evolution/config/layers.ts';
import { hasEnded } from '../../evolution/run-states.ts';
import { taskName } from '../../evolution/task/task.ts';
import { firstPoints, hasNewBest, hasNow, Refused, type Sender, type Tracked } from './tracked.ts';

const MOST_POINTS = 500;
/** A request has at most 1,000 metrics and 100 parameters, each of at most 6,000 characters. */
const POINTS_A_REQUEST = 40;
const PARAMETERS_A_REQUEST = 100;
const PARAMETER_LENGTH = 6_000;
const TAG_LENGTH = 1_000;
const TAG = 'evolve.run';
const ARTIFACTS = 'mlflow-artifacts:';

type Found = {
  readonly info: { readonly run_id: string; readonly artifact_uri?: string; readonly status?: string };
  readonly data?: {
    readonly metrics?: readonly { readonly key: string; readonly step?: number | string }[];
    readonly params?: readonly { readonly key: string }[];
  };
};
type Answer = { readonly status: number; readonly body: Record<string, unknown> };
type Server = {
  readonly ask: (method: string, path: string, body?: unknown, missing?: string) => Promise<Answer['body'] | null>;
};

const authorization = (env: NodeJS.ProcessEnv): Readonly<Record<string, string>> => {
  const [token, user, password] = ['TOKEN', 'USERNAME', 'PASSWORD'].map((name) => env[`MLFLOW_TRACKING_${name}`]);
  if (user) return { authorization: `Basic ${Buffer.from(`${user}:${password ?? ''}`).toString('base64')}` };
  return token ? { authorization: `Bearer ${token}` } : {};
};

/** Null where the server says `missing`. Any other answer than one of success is an error of one sentence. */
const serverAt = (base: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Server => ({
  async ask(method, path, body, missing) {
    const url = `${base.replace(/\/+$/, '')}/api/2.0/${path}`;
    const text = typeof body === 'string';
    let answer: Response;
    let content: string;
    try {
      answer = await fetch(url, {
        ...{ method, signal, redirect: 'manual' },
        headers: { ...authorization(env), 'content-type': text ? 'application/octet-stream' : 'application/json' },
        ...(body === undefined ? {} : { body: text ? body : JSON.stringify(body) }),
      });
      content = await answer.text();
    } catch (error) {
      const { cause, message } = error as Error;
      const code = (cause as { readonly code?: string } | undefined)?.code ?? message;
      throw new Error(`no answer from ${base} (${code})`, { cause: null });
    }
    const said = parsed(content);
    // The answer to a file has no content.
    if (answer.ok && (said !== null || text)) return said ?? {};
    const { error_code: code, message } = said ?? {};
    if (code !== undefined && code === missing) return null;
    if (answer.status === 401 || answer.status === 403)
      throw new Error(
        `${base} refused ${path} with ${answer.status}: expected MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, that it accepts, in the environment of \`evolve up\``,
      );
    if (typeof code !== 'string')
      throw new Error(`expected an MLflow server at ${base}, which answered ${path} with ${answer.status}`);
    const words = `${base} refused ${path} with ${answer.status} ${code}: ${String(message).slice(0, 300).replace(/\.$/, '')}`;
    throw answer.status < 500 && answer.status !== 429 ? new Refused(words) : new Error(words);
  },
});

const parsed = (text: string): Record<string, unknown> | null => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
};

const experimentOf = async ({ ask }: Server, name: string): Promise<string> => {
  const path = `mlflow/experiments/get-by-name?experiment_name=${encodeURIComponent(name)}`;
  const found = await ask('GET', path, undefined, 'RESOURCE_DOES_NOT_EXIST');
  if (found !== null) return (found['experiment'] as { readonly experiment_id: string }).experiment_id;
  return (await ask('POST', 'mlflow/experiments/create', { name }))!['experiment_id'] as string;
};

/** The run on the server, which is known by a tag. It is made with the settings as they were then. */
const runOn = async (server: Server, { run, name }: Tracked): Promise<Found> => {
  const experiment = await experimentOf(server, taskName(run.config.task));
  const id = `${name} ${run.createdAt.toISOString()}`;
  const search = { experiment_ids: [experiment], filter: `tags.\`${TAG}\` = '${id}'`, max_results: 1 };
  const [found] = ((await server.ask('POST', 'mlflow/runs/search', search))!['runs'] as Found[] | undefined) ?? [];
  if (found !== undefined) return found;
  const made = await server.ask('POST', 'mlflow/runs/create', {
    ...{ experiment_id: experiment, run_name: name, start_time: run.createdAt.getTime() },
    tags: [
      { key: TAG, value: id },
      { key: 'evolve.method', value: run.config.method },
      ...(run.sweep === null ? [] : [{ key: 'evolve.sweep', value: run.sweep }]),
    ],
  });
  return made!['run'] as Found;
};

/** Those that it lacks, for it refuses another value of one that it has. */
const sendParameters = async ({ ask }: Server, { run }: Tracked, { info: { run_id }, data }: Found): Promise<void> => {
  const known = new Set(data?.params?.map(({ key }) => key));
  const params = Object.entries(flat(run.config)).flatMap(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return known.has(key) ? [] : [{ key, value: text.slice(0, PARAMETER_LENGTH) }];
  });
  for (let from = 0; from < params.length; from += PARAMETERS_A_REQUEST)
    await ask('POST', 'mlflow/runs/log-batch', { run_id, params: params.slice(from, from + PARAMETERS_A_REQUEST) });
};

/** A server that keeps artifacts elsewhere than with itself gets none. */
const sendFiles = async ({ ask }: Server, tracked: Tracked, uri = ''): Promise<void> => {
  if (!uri.startsWith(ARTIFACTS)) return;
  const folder = new URL(uri).pathname.replace(/^\/+/, '');
  for (const [name, text] of await tracked.files())
    await ask(
      'PUT',
      `mlflow-artifacts/artifacts/${[...folder.split('/'), ...name.split('/')].map(encodeURIComponent).join('/')}`,
      text,
    );
};

export const mlflow =
  (base: string, env: NodeJS.ProcessEnv): Sender =>
  async (tracked) => {
    const { run, had, points, signal } = tracked;
    const server = serverAt(base, env, signal);
    const found = await runOn(server, tracked);
    const { info, data } = found;
    const { run_id } = info;
    const last = data?.metrics?.find(({ key }) => key === 'programs');
    if (last === undefined) await sendParameters(server, tracked, found);
    const lacking = await firstPoints(points(last === undefined ? 0 : Number(last.step ?? 0) + 1), MOST_POINTS);
    for (let from = 0; from < lacking.length; from += POINTS_A_REQUEST) {
      const metrics = lacking
        .slice(from, from + POINTS_A_REQUEST)
        .flatMap(({ step, at, values }) =>
          values.map(([key, value]) => ({ key, value, timestamp: at.getTime(), step })),
        );
      await server.ask('POST', 'mlflow/runs/log-batch', { run_id, metrics });
    }
    const ended = hasEnded(run);
    if (ended || had.step < 0 || hasNewBest(tracked)) await sendFiles(server, tracked, info.artifact_uri);
    const status = !ended ? 'RUNNING' : run.status === 'finished' ? 'FINISHED' : 'KILLED';
    if (status !== info.status) {
      const tags = [
        { key: 'evolve.state', value: ended ? run.status : 'running' },
        { key: 'evolve.reason', value: ((ended && run.stopReason) || '').slice(0, TAG_LENGTH) },
      ];
      await server.ask('POST', 'mlflow/runs/log-batch', { run_id, tags });
      await server.ask('POST', 'mlflow/runs/update', {
        ...{ run_id, status },
        ...(run.endedAt === null ? {} : { end_time: run.endedAt.getTime() }),
      });
    }
    if (lacking.length > 0 || last === undefined) return hasNow(had, lacking);
    // The server has more than is remembered: a crash came between.
    const [known] = await firstPoints(points(Number(last.step ?? 0)), 1);
    return hasNow(had, known === undefined ? [] : [known]);
  };
