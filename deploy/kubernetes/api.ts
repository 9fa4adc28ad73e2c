// The few calls of the Kubernetes API that sandboxes need: claims of a warm pool, and what became of their pods. They
// are plain requests, since a whole client library would be far more code than these.
import { Agent, fetch } from 'undici';
import { InfrastructureError } from '../../activities/sandbox/contract/types.ts';
import type { ClusterAccess } from './access.ts';

const CLAIMS = 'apis/extensions.agents.x-k8s.io/v1beta1';
const SANDBOXES = 'apis/agents.x-k8s.io/v1beta1';
/** A cluster that accepts a call and is silent for so long is taken for gone. */
export const ANSWER_MS = 45_000;
/** Is more than a list of thousands of claims. */
const MOST_BYTES = 16 * 2 ** 20;
/** As Kubernetes names its objects. Another one would lead to another place of the API. */
const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

type Metadata = {
  readonly name: string;
  readonly labels?: { readonly [name: string]: string };
  readonly annotations?: { readonly [name: string]: string };
  /** Set while the cluster ends it. */
  readonly deletionTimestamp?: string;
};
type Condition = {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
};

/** `status.sandbox.name` is set once a sandbox of the pool is the claim's. */
export type Claim = {
  readonly metadata: Metadata;
  readonly status?: { readonly conditions?: readonly Condition[]; readonly sandbox?: { readonly name?: string } };
};

type ContainerState = { readonly terminated?: { readonly exitCode: number; readonly reason?: string } };
type SecurityContext = {
  readonly privileged?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
  readonly capabilities?: { readonly drop?: readonly string[]; readonly add?: readonly string[] };
  readonly seccompProfile?: { readonly type: string };
  readonly procMount?: string;
};
export type PodContainer = {
  readonly name: string;
  readonly image: string;
  readonly securityContext?: SecurityContext;
  readonly resources?: { readonly limits?: { readonly [name: string]: string | number } };
  readonly volumeMounts?: readonly { readonly mountPath: string; readonly name?: string }[];
  readonly volumeDevices?: readonly unknown[];
  readonly env?: readonly { readonly name: string; readonly valueFrom?: unknown }[];
  readonly envFrom?: readonly unknown[];
};
export type Pod = {
  readonly metadata: Metadata;
  readonly spec: {
    readonly containers: readonly PodContainer[];
    readonly volumes?: readonly { readonly name: string }[];
    readonly runtimeClassName?: string;
    readonly hostNetwork?: boolean;
    readonly hostPID?: boolean;
    readonly hostIPC?: boolean;
    readonly hostUsers?: boolean;
    readonly shareProcessNamespace?: boolean;
    readonly securityContext?: SecurityContext;
  };
  readonly status?: {
    readonly containerStatuses?: readonly {
      readonly name: string;
      readonly imageID?: string;
      readonly state?: ContainerState;
      readonly lastState?: ContainerState;
    }[];
  };
};

/** `status` is that of HTTP; null where there was no answer. */
class ClusterError extends InfrastructureError {
  readonly status: number | null;
  constructor(message: string, status: number | null, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

export const isGone = (error: unknown): boolean => error instanceof ClusterError && error.status === 404;

/** The reason in an answer that is no success, in one line. */
const reasonIn = (text: string): string => {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    if (typeof message === 'string') return message;
  } catch {
    /* not a Status object */
  }
  return text.trim().slice(0, 300);
};

const bodyOf = async (body: AsyncIterable<Uint8Array> | null): Promise<string> => {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > MOST_BYTES) throw new Error(`expected an answer of at most ${MOST_BYTES} bytes, got more`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
};

const parsed = (text: string): unknown => {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null) return value;
  throw new Error('no object');
};

const named = (what: string, name: unknown): string => {
  if (typeof name === 'string' && NAME.test(name) && !name.includes('..')) return name;
  throw new ClusterError(
    `the Kubernetes API named a ${what} ${(JSON.stringify(name) ?? 'nothing').slice(0, 100)}, which is no name of one`,
    null,
  );
};

type Call = { readonly method?: string; readonly body?: unknown; readonly type?: string };

const ADVICE: { readonly [status: number]: string } = {
  401: ': the token or certificate is not taken; see EVOLVE_K8S_KUBECONFIG, or the service account of the worker',
  403: ': give the service account of the worker the Role of deploy/kubernetes/agent-sandbox.yaml',
};

/** Every call throws an InfrastructureError where the cluster does not do what it is asked for. */
export class ClusterApi {
  readonly server: URL;
  readonly dispatcher: Agent;
  readonly #access: ClusterAccess;
  readonly #base: string;

  constructor(access: ClusterAccess) {
    this.#access = access;
    this.server = access.server;
    this.dispatcher = new Agent({ connect: access.tls });
    this.#base = access.server.href.replace(/\/$/, '');
  }

  async headers(): Promise<Record<string, string>> {
    const token = await this.#access.token();
    return token === null ? {} : { authorization: `Bearer ${token}` };
  }

  async ask(doing: string, url: URL, call: Call = {}): Promise<unknown> {
    const { status, text } = await this.#answered(doing, url, call);
    if (status < 200 || status >= 300)
      throw new ClusterError(
        `the Kubernetes API at ${this.#base} refused ${doing} (${status}): ${reasonIn(text)}${ADVICE[status] ?? ''}`,
        status,
      );
    try {
      return parsed(text);
    } catch (error) {
      throw new ClusterError(
        `the Kubernetes API at ${this.#base} answered ${doing} with what is no JSON object: ${text.trim().slice(0, 100)}`,
        status,
        error,
      );
    }
  }

  async #answered(
    doing: string,
    url: URL,
    { method = 'GET', body, type = 'application/json' }: Call,
  ): Promise<{ readonly status: number; readonly text: string }> {
    try {
      const response = await fetch(url, {
        method,
        dispatcher: this.dispatcher,
        // The token is for this server alone.
        redirect: 'manual',
        headers: {
          ...(await this.headers()),
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': type }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      return { status: response.status, text: await bodyOf(response.body) };
    } catch (error) {
      if (error instanceof InfrastructureError) throw error;
      const { message, cause } = error as Error;
      const why = cause instanceof Error ? cause.message : message;
      throw new ClusterError(`the Kubernetes API at ${this.#base} failed while ${doing}: ${why}`, null, error);
    }
  }

  #address(group: string, path: string): URL {
    return new URL(`${this.#base}/${group}/namespaces/${encodeURIComponent(this.#access.namespace)}/${path}`);
  }

  #claim(name: string): URL {
    return this.#address(CLAIMS, `sandboxclaims/${named('claim', name)}`);
  }

  async #change(doing: string, name: string, body: unknown): Promise<void> {
    await this.ask(doing, this.#claim(name), { method: 'PATCH', body, type: 'application/merge-patch+json' });
  }

  exec(pod: string): URL {
    return this.#address('api/v1', `pods/${named('pod', pod)}/exec`);
  }

  /** The controller deletes the claim and its pod at `until`, whatever became of this process. */
  async createClaim(
    options: Required<Omit<Metadata, 'deletionTimestamp'>> & { readonly pool: string; readonly until: Date },
  ): Promise<void> {
    const { pool, until, ...metadata } = options;
    await this.ask('claiming a sandbox', this.#address(CLAIMS, 'sandboxclaims'), {
      method: 'POST',
      body: {
        apiVersion: 'extensions.agents.x-k8s.io/v1beta1',
        kind: 'SandboxClaim',
        metadata,
        spec: { warmPoolRef: { name: pool }, lifecycle: lifecycle(until) },
      },
    });
  }

  async getClaim(name: string): Promise<Claim> {
    return (await this.ask('looking at a claim', this.#claim(name))) as Claim;
  }

  async listClaims(selector: string): Promise<readonly Claim[]> {
    const url = this.#address(CLAIMS, 'sandboxclaims');
    url.searchParams.set('labelSelector', selector);
    const { items } = (await this.ask('listing claims', url)) as { items?: readonly Claim[] | null };
    return items ?? [];
  }

  labelClaim(name: string, labels: { readonly [name: string]: string }): Promise<void> {
    return this.#change('naming a claim', name, { metadata: { labels } });
  }

  renewClaim(name: string, until: Date): Promise<void> {
    return this.#change('keeping a claim', name, {
      metadata: { annotations: { 'evolve.deadline': until.toISOString() } },
      spec: { lifecycle: lifecycle(until) },
    });
  }

  /** A claim that is gone is fine. */
  async removeClaim(name: string): Promise<void> {
    try {
      await this.ask('removing a claim', this.#claim(name), {
        method: 'DELETE',
        body: { propagationPolicy: 'Background' },
      });
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  /** The pod of a sandbox has the sandbox's name where its annotation names no other. */
  async podOf(sandbox: string): Promise<Pod> {
    const url = this.#address(SANDBOXES, `sandboxes/${named('sandbox', sandbox)}`);
    const { metadata } = (await this.ask('looking at a sandbox', url)) as { metadata?: Metadata };
    return this.getPod(metadata?.annotations?.['agents.x-k8s.io/pod-name'] ?? sandbox);
  }

  async getPod(name: string): Promise<Pod> {
    const url = this.#address('api/v1', `pods/${named('pod', name)}`);
    const pod = (await this.ask('looking at a pod', url)) as Partial<Pod>;
    if (pod.metadata === undefined || !Array.isArray(pod.spec?.containers))
      throw new ClusterError(
        `the Kubernetes API at ${this.#base} described the pod ${name} without its containers`,
        null,
      );
    return pod as Pod;
  }

  close(): Promise<void> {
    return this.dispatcher.destroy();
  }
}

const lifecycle = (until: Date): { shutdownTime: string; shutdownPolicy: 'Delete' } => ({
  // The API's times have no fractions of a second.
  shutdownTime: `${until.toISOString().slice(0, 19)}Z`,
  shutdownPolicy: 'Delete',
});
