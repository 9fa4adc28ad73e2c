// Speaks to a Docker engine with Node built-ins alone, to learn whether it is there and which containers are ours.
import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:http';
import { join } from 'node:path';

/** An `import` of node:http loads undici with it, 12 MB that the supervisor does without. TLS is loaded where it is used. */
const http = process.getBuiltinModule('node:http');

/** Variables for a process that uses the engine, by the names of Docker's own command. */
export const dockerEnvironment = (
  host: string | null,
  { DOCKER_TLS_VERIFY: verify, DOCKER_CERT_PATH: folder }: NodeJS.ProcessEnv,
): Readonly<Record<string, string>> => ({
  ...(host ? { DOCKER_HOST: host } : {}),
  ...(host && verify ? { DOCKER_TLS_VERIFY: verify } : {}),
  ...(host && folder ? { DOCKER_CERT_PATH: folder } : {}),
});

/** TLS is used where the person says so, and at the port that Docker has for it. */
export const byTls = ({ protocol, port }: URL): boolean =>
  protocol === 'https:' || port === '2376' || Boolean(process.env['DOCKER_TLS_VERIFY']);

/** Options of `http` or `https`. Null for addresses that need more (ssh). */
const optionsFor = (host: string): (RequestOptions & { readonly tls: boolean }) | null => {
  if (host.startsWith('unix://')) return { socketPath: host.slice('unix://'.length), tls: false };
  if (host.startsWith('/')) return { socketPath: host, tls: false };
  if (!/^(?:tcp|https?):\/\/[^/]+\/?$/.test(host) || !URL.canParse(host)) return null;
  const url = new URL(host);
  const tls = byTls(url);
  return { host: url.hostname, port: Number(url.port || (tls ? 2376 : 2375)), tls };
};

/** The authority of the engine, and the certificate that it knows us by. */
const certificates = (): { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer } => {
  const folder = process.env['DOCKER_CERT_PATH'];
  if (!folder) return {};
  const file = (name: string): Buffer => {
    try {
      return readFileSync(join(folder, name));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new Error(`DOCKER_CERT_PATH: expected a folder with ca.pem, cert.pem and key.pem, got ${code} at ${name}`, {
        cause: error,
      });
    }
  };
  return { ca: file('ca.pem'), cert: file('cert.pem'), key: file('key.pem') };
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
    const { tls, ...address } = options;
    const how = { ...address, method, path, agent: false, signal: AbortSignal.timeout(timeoutMs) };
    // By TLS the name in the certificate is compared with that header.
    const settings = tls ? { ...how, ...certificates() } : { ...how, headers: { Host: 'docker' } };
    const request = (tls ? process.getBuiltinModule('node:https') : http).request(settings, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end();
  });

export const engineAnswers = (host: string, timeoutMs?: number): Promise<boolean> =>
  askEngine(host, 'GET', '/_ping', timeoutMs).then(
    ({ status }) => status === 200,
    () => false,
  );

/** The reason why the engine does not answer, as an error code or a short text. */
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
