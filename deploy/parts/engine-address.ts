// Speaks to a Docker engine over its socket with Node built-ins alone, to learn whether it is there and which
// containers are ours.
import { request, type RequestOptions } from 'node:http';

/** Options of `http` for unix:// and plain tcp:// addresses. Null for addresses that need more (ssh, TLS). */
const optionsFor = (host: string): RequestOptions | null => {
  if (host.startsWith('unix://')) return { socketPath: host.slice('unix://'.length) };
  if (host.startsWith('/')) return { socketPath: host };
  const match = /^(?:tcp|http):\/\/([^:/]+)(?::(\d+))?\/?$/.exec(host);
  return match && !process.env['DOCKER_TLS_VERIFY'] ? { host: match[1], port: Number(match[2] ?? 2375) } : null;
};

export const canAsk = (host: string): boolean => optionsFor(host) !== null;

export type EngineAnswer = { readonly status: number; readonly body: string };

/** Sends one request. Rejects with the socket's error (ENOENT, ECONNREFUSED, EACCES), or when the time is over. */
export const askEngine = (host: string, method: string, path: string, timeoutMs = 15_000): Promise<EngineAnswer> =>
  new Promise((resolve, reject) => {
    const options = optionsFor(host);
    if (options === null) {
      reject(new Error(`cannot ask ${host} directly`));
      return;
    }
    const asked = request(
      { ...options, method, path, headers: { Host: 'docker' }, agent: false, signal: AbortSignal.timeout(timeoutMs) },
      (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          body += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
        response.on('error', reject);
      },
    );
    asked.on('error', reject);
    asked.end();
  });

export const engineAnswers = (host: string, timeoutMs?: number): Promise<boolean> =>
  askEngine(host, 'GET', '/_ping', timeoutMs).then(
    ({ status }) => status === 200,
    () => false,
  );

/** Why the engine does not answer, as an error code or a short text. */
export const engineSilence = (host: string): Promise<string> =>
  askEngine(host, 'GET', '/_ping').then(
    ({ status }) => `status ${status}`,
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );

/** Names of the OCI runtimes that the engine has. */
export const engineRuntimes = async (host: string): Promise<readonly string[]> => {
  const { status, body } = await askEngine(host, 'GET', '/info');
  if (status !== 200) throw new Error(`the Docker engine answered ${status} to a question about itself`);
  return Object.keys((JSON.parse(body) as { Runtimes?: object }).Runtimes ?? {});
};

export type LabelledContainer = { readonly id: string; readonly names: readonly string[] };

/** Containers, running or not, that carry the label `evolve.home=<hash>`. */
export const containersOf = async (host: string, homeHash: string): Promise<readonly LabelledContainer[]> => {
  const filters = encodeURIComponent(JSON.stringify({ label: [`evolve.home=${homeHash}`] }));
  const { status, body } = await askEngine(host, 'GET', `/containers/json?all=1&filters=${filters}`, 10_000);
  if (status !== 200)
    throw new Error(`the Docker engine answered ${status} to a list of containers: ${body.slice(0, 200)}`);
  return (JSON.parse(body) as { Id: string; Names: string[] }[]).map(({ Id, Names }) => ({ id: Id, names: Names }));
};

export const removeContainer = async (host: string, id: string): Promise<void> => {
  const { status, body } = await askEngine(host, 'DELETE', `/containers/${id}?force=1&v=1`, 30_000);
  if (status >= 400 && status !== 404 && status !== 409)
    throw new Error(`the Docker engine answered ${status} to the removal of container ${id}: ${body.slice(0, 200)}`);
};
