// A worker's access to a cluster's API: the address, its credentials, and the namespace. In a pod they are the service
// account's, elsewhere the current context of a kubeconfig file.
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { InfrastructureError } from '../../activities/sandbox/contract/types.ts';

/** The cluster that the environment of a worker names. */
export type ClusterSettings = {
  /** Path of a kubeconfig file; null means the service account of the pod in which the worker runs. */
  readonly kubeconfig: string | null;
  /** Null means that of the service account or context. */
  readonly namespace: string | null;
  /** Name of the SandboxWarmPool. */
  readonly pool: string | null;
  /** The container of its pods; null means the first one. */
  readonly container: string | null;
  /** `KUBERNETES_SERVICE_HOST` and `_PORT`, which every pod has. */
  readonly service: { readonly host: string; readonly port: string } | null;
};

const orNull = (text: string | undefined): string | null => (text === undefined || text === '' ? null : text);

export const clusterSettings = (env: NodeJS.ProcessEnv): ClusterSettings => {
  const [host, port] = [orNull(env.KUBERNETES_SERVICE_HOST), env.KUBERNETES_SERVICE_PORT ?? '443'];
  return {
    kubeconfig: orNull(env.EVOLVE_K8S_KUBECONFIG),
    namespace: orNull(env.EVOLVE_K8S_NAMESPACE),
    pool: orNull(env.EVOLVE_K8S_POOL),
    container: orNull(env.EVOLVE_K8S_CONTAINER),
    service: host === null ? null : { host, port },
  };
};

export type ClusterAccess = {
  readonly server: URL;
  readonly namespace: string;
  readonly tls: {
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly servername?: string;
    readonly rejectUnauthorized?: boolean;
  };
  /** Read at each request, because the tokens of service accounts are replaced about every hour. */
  readonly token: () => Promise<string | null>;
};

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const HOW = 'set EVOLVE_K8S_KUBECONFIG to a kubeconfig file, or run the worker in a pod with a service account';

const wrong = (message: string): InfrastructureError => new InfrastructureError(message);

const textOf = async (file: string, what: string): Promise<string> => {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw wrong(`expected ${what} in ${file}, got ${(error as Error).message}: ${HOW}`);
  }
};

const inPod = async ({ service, namespace }: ClusterSettings): Promise<ClusterAccess> => {
  if (service === null)
    throw wrong(`expected a Kubernetes cluster for evaluation.sandbox agent-sandbox, got none: ${HOW}`);
  const host = service.host.includes(':') ? `[${service.host}]` : service.host;
  return {
    server: new URL(`https://${host}:${service.port}`),
    namespace: namespace ?? (await textOf(`${SERVICE_ACCOUNT}/namespace`, 'the namespace of the service account')),
    tls: { ca: await textOf(`${SERVICE_ACCOUNT}/ca.crt`, 'the certificate of the cluster') },
    token: () => textOf(`${SERVICE_ACCOUNT}/token`, 'the token of the service account'),
  };
};

const entry = <T extends z.ZodRawShape>(kind: string, shape: T) =>
  z.array(z.object({ name: z.string(), [kind]: z.object(shape) })).default([]);
const CLUSTER = {
  server: z.url(),
  'certificate-authority': z.string().optional(),
  'certificate-authority-data': z.string().optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
  'tls-server-name': z.string().optional(),
};
const USER = {
  token: z.string().optional(),
  tokenFile: z.string().optional(),
  'client-certificate': z.string().optional(),
  'client-certificate-data': z.string().optional(),
  'client-key': z.string().optional(),
  'client-key-data': z.string().optional(),
  exec: z.unknown().optional(),
  'auth-provider': z.unknown().optional(),
};
const CONTEXT = { cluster: z.string(), user: z.string().optional(), namespace: z.string().optional() };
const KUBECONFIG = z.object({
  'current-context': z.string(),
  contexts: entry('context', CONTEXT),
  clusters: entry('cluster', CLUSTER),
  users: entry('user', USER),
});

/** Only the entries that the current context names. */
const fromFile = async (file: string, namespace: string | null): Promise<ClusterAccess> => {
  const text = await textOf(file, 'a kubeconfig file');
  const read = KUBECONFIG.safeParse(parsed(text));
  if (!read.success) {
    const [issue] = read.error.issues;
    throw wrong(`EVOLVE_K8S_KUBECONFIG: ${file}: ${issue!.path.join('.') || 'the file'}: ${issue!.message}`);
  }
  const named = <T>(list: readonly unknown[], kind: string, name: string | undefined): T => {
    const match = (list as readonly { name: string; [kind: string]: unknown }[]).find((one) => one.name === name);
    if (match === undefined)
      throw wrong(`EVOLVE_K8S_KUBECONFIG: ${file} names the ${kind} ${name}, which is not in it`);
    return match[kind] as T;
  };
  const { data } = read;
  const context = named<z.infer<z.ZodObject<typeof CONTEXT>>>(data.contexts, 'context', data['current-context']);
  const cluster = named<z.infer<z.ZodObject<typeof CLUSTER>>>(data.clusters, 'cluster', context.cluster);
  const user =
    context.user === undefined ? {} : named<z.infer<z.ZodObject<typeof USER>>>(data.users, 'user', context.user);
  if (user.exec !== undefined || user['auth-provider'] !== undefined)
    throw wrong(
      `EVOLVE_K8S_KUBECONFIG: expected a user with a token or a client certificate in ${file}, got one that runs a program to log in, which a worker does not do: make a token for a service account (\`kubectl create token\`)`,
    );
  const bytes = async (inline: string | undefined, path: string | undefined): Promise<string | undefined> =>
    inline !== undefined
      ? Buffer.from(inline, 'base64').toString('utf8')
      : path === undefined
        ? undefined
        : textOf(resolve(dirname(file), path), 'a certificate or key');
  const ca = await bytes(cluster['certificate-authority-data'], cluster['certificate-authority']);
  const cert = await bytes(user['client-certificate-data'], user['client-certificate']);
  const key = await bytes(user['client-key-data'], user['client-key']);
  const { token = null, tokenFile } = user;
  return {
    server: new URL(cluster.server),
    namespace: namespace ?? context.namespace ?? 'default',
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(cluster['insecure-skip-tls-verify'] === true ? { rejectUnauthorized: false } : {}),
      ...(cluster['tls-server-name'] === undefined ? {} : { servername: cluster['tls-server-name'] }),
    },
    token: async () => (tokenFile === undefined ? token : textOf(resolve(dirname(file), tokenFile), 'a token')),
  };
};

const parsed = (text: string): unknown => {
  try {
    return parse(text) as unknown;
  } catch {
    return text;
  }
};

/** Throws InfrastructureError, which says what to set. */
export const clusterAccess = (settings: ClusterSettings): Promise<ClusterAccess> =>
  settings.kubeconfig === null ? inPod(settings) : fromFile(settings.kubeconfig, settings.namespace);
