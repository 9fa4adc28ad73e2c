// A played Kubernetes API with agent-sandbox: it speaks the REST calls and the WebSocket of commands as a cluster does,
// by TLS with a certificate of the client. Each pod is a container of our engine, made by the template that we ship. It
// allows what the Role there allows.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAllDocuments, stringify } from 'yaml';
import type { ClusterSettings } from '../access.ts';
import type { Pod } from '../api.ts';
import { quantity } from '../pod-checks.ts';
import { connectDocker, removeContainer } from '../../../activities/sandbox/launchers/docker-connection.ts';
import { demultiplexer, streamEnd } from '../../../activities/sandbox/launchers/docker-container.ts';
import { seccompProfile } from '../../../activities/sandbox/launchers/seccomp.ts';
import { tlsFile } from '../../../test/support/machine/tls-proxy.ts';
import { acceptWebSocket } from '../../../test/support/machine/web-socket.ts';

const PROTOCOL = 'v5.channel.k8s.io';
const NAMESPACE = 'candidates';
const TOKEN = 'a-token-of-the-service-account';
/** The processes that a node allows each pod (`podPidsLimit`). */
const POD_PIDS = 96;

type Manifest = { kind: string; metadata: { name: string }; spec?: unknown; rules?: readonly Rule[] };
type Rule = { apiGroups: readonly string[]; resources: readonly string[]; verbs: readonly string[] };
type Template = Omit<Pod['spec'], 'volumes'> & {
  containers: { command: readonly string[] }[];
  volumes: { name: string; emptyDir: { sizeLimit: string } }[];
};
type Claim = {
  metadata: { name: string; labels: Record<string, string>; annotations: Record<string, string> };
  spec: { warmPoolRef: { name: string }; lifecycle: { shutdownTime: string; shutdownPolicy: string } };
  status: { conditions: object[]; sandbox?: { name: string } };
};

/** The manifests of deploy/kubernetes/agent-sandbox.yaml. */
export const manifests = (): readonly Manifest[] =>
  parseAllDocuments(readFileSync(join(import.meta.dirname, '..', 'agent-sandbox.yaml'), 'utf8')).map(
    (document) => document.toJS() as Manifest,
  );
const manifest = (kind: string): Manifest => manifests().find((one) => one.kind === kind)!;

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const VERBS: Readonly<Record<string, string>> = { POST: 'create', PATCH: 'patch', DELETE: 'delete', GET: 'get' };
const LABEL = /^$|^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** As the server's strict reading of the schema does it. */
const onlyKeys = (value: object, keys: readonly string[]): void => {
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw new Refusal(400, `strict decoding error: unknown field "${unknown}"`);
};

const checkClaim = (claim: Claim): void => {
  onlyKeys(claim, ['apiVersion', 'kind', 'metadata', 'spec', 'status']);
  onlyKeys(claim.metadata, ['name', 'labels', 'annotations']);
  onlyKeys(claim.spec, ['warmPoolRef', 'lifecycle']);
  onlyKeys(claim.spec.lifecycle, ['shutdownTime', 'shutdownPolicy']);
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(claim.metadata.name)) throw new Refusal(422, 'metadata.name is invalid');
  for (const value of Object.values(claim.metadata.labels))
    if (!LABEL.test(value)) throw new Refusal(422, `the label value ${value} is invalid`);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(claim.spec.lifecycle.shutdownTime))
    throw new Refusal(422, 'spec.lifecycle.shutdownTime is invalid');
};

export type PlayedCluster = {
  readonly settings: ClusterSettings;
  claims(): readonly Claim[];
  close(): Promise<void>;
};

export const playCluster = async (options: {
  readonly dockerHost: string | undefined;
  readonly image: string;
  readonly home: string;
  /** Changes what the shipped template says. */
  readonly change?: (pod: Template) => void;
}): Promise<PlayedCluster> => {
  const docker = connectDocker(options.dockerHost);
  const rules = manifest('Role').rules!;
  const template = (manifest('SandboxTemplate').spec as { podTemplate: { spec: Template } }).podTemplate.spec;
  // The engine here has no such runtime; levels.test.ts tries gVisor itself.
  delete (template as { runtimeClassName?: string }).runtimeClassName;
  options.change?.(template);
  const claims = new Map<string, Claim>();
  const containers = new Map<string, Promise<string>>();
  const allow = (group: string, resource: string, verb: string): void => {
    const isAllowed = rules.some(
      (rule) => rule.apiGroups.includes(group) && rule.resources.includes(resource) && rule.verbs.includes(verb),
    );
    if (!isAllowed) throw new Refusal(403, `${resource} is forbidden: cannot ${verb} resource in the namespace`);
  };

  const startPod = async (): Promise<string> => {
    const [container] = template.containers as unknown as [Template['containers'][0] & Pod['spec']['containers'][0]];
    const { limits = {} } = container.resources ?? {};
    const sizeOf = (name: string): number =>
      quantity(template.volumes.find((volume) => volume.name === name)!.emptyDir.sizeLimit)!;
    const memory = quantity(limits['memory'])!;
    const { runAsUser: uid } = template.securityContext!;
    const made = await docker.createContainer({
      Image: options.image,
      Entrypoint: [],
      Cmd: [...container.command],
      User: `${uid}:${uid}`,
      WorkingDir: '/',
      Labels: { 'evolve.home': options.home, 'evolve.owner': 'played cluster' },
      HostConfig: {
        NetworkMode: 'none',
        ReadonlyRootfs: container.securityContext!.readOnlyRootFilesystem!,
        Memory: memory,
        MemorySwap: memory,
        NanoCpus: quantity(limits['cpu'])! * 1e9,
        PidsLimit: POD_PIDS,
        CapDrop: [...container.securityContext!.capabilities!.drop!],
        SecurityOpt: ['no-new-privileges', `seccomp=${seccompProfile()}`],
        IpcMode: 'private',
        Tmpfs: { '/box': `size=${sizeOf('box')},uid=${uid},gid=${uid},mode=0777` },
        ShmSize: sizeOf('shared'),
        LogConfig: { Type: 'none', Config: {} },
      },
    });
    await made.start();
    return made.id;
  };
  const removals = new Set<Promise<void>>();
  const removePod = async (name: string): Promise<void> => {
    const id = await containers.get(name)?.catch(() => undefined);
    containers.delete(name);
    if (id !== undefined) await removeContainer(docker, id);
  };
  const removeClaim = (name: string): void => {
    claims.delete(name);
    removals.add(removePod(name));
  };
  /** Does the controller's work for a new claim. The pod has the name of the sandbox. */
  const bind = (claim: Claim): void => {
    const { name } = claim.metadata;
    const condition = (status: string, reason: string): void => {
      claim.status.conditions = [{ type: 'Ready', status, reason, message: `played: ${reason}` }];
    };
    if (claim.spec.warmPoolRef.name !== manifest('SandboxWarmPool').metadata.name)
      return condition('False', 'WarmPoolNotFound');
    condition('False', 'DependenciesNotReady');
    const started = startPod();
    containers.set(name, started);
    started.then(
      () => {
        claim.status.sandbox = { name };
        condition('True', 'DependenciesReady');
      },
      () => condition('False', 'ReconcilerError'),
    );
  };
  const expiry = setInterval(() => {
    for (const { metadata, spec } of claims.values())
      if (Date.parse(spec.lifecycle.shutdownTime) < Date.now()) removeClaim(metadata.name);
  }, 200);

  const podOf = async (name: string): Promise<Pod> => {
    const id = await containers.get(name);
    if (id === undefined) throw new Refusal(404, `pods "${name}" not found`);
    const { State, Image } = await docker.getContainer(id).inspect();
    const state = State.Running
      ? {}
      : { terminated: { exitCode: State.ExitCode, reason: State.OOMKilled ? 'OOMKilled' : 'Error' } };
    const { name: container } = template.containers[0] as unknown as { name: string };
    return {
      metadata: { name },
      spec: template,
      status: { containerStatuses: [{ name: container, imageID: `registry.example.com/image@${Image}`, state }] },
    };
  };

  const answer = async (request: IncomingMessage, url: URL): Promise<unknown> => {
    if (request.headers.authorization !== `Bearer ${TOKEN}`) throw new Refusal(401, 'Unauthorized');
    const [, group = '', resource = '', name, sub] =
      new RegExp(
        `^/apis?/(?:([a-z0-9.-]+)/)?v1(?:beta1)?/namespaces/${NAMESPACE}/([a-z]+)(?:/([^/]+))?(?:/([a-z]+))?$`,
      ).exec(url.pathname) ?? [];
    const verb = request.method === 'GET' && name === undefined ? 'list' : VERBS[request.method!]!;
    allow(group, sub === undefined ? resource : `${resource}/${sub}`, verb);
    if (sub === 'exec') throw new Refusal(400, 'Upgrade request required');
    if (resource === 'pods') return podOf(name!);
    const body = request.method === 'GET' ? undefined : (JSON.parse(await text(request)) as Claim);
    if (verb === 'create') {
      const claim = { ...body!, status: { conditions: [] } };
      checkClaim(claim);
      if (claims.has(claim.metadata.name)) throw new Refusal(409, 'already exists');
      claims.set(claim.metadata.name, claim);
      bind(claim);
      return claim;
    }
    if (verb === 'list') {
      const wanted = (url.searchParams.get('labelSelector') ?? '').split(',').map((part) => part.split('='));
      return {
        items: [...claims.values()].filter(({ metadata }) => wanted.every(([key, is]) => metadata.labels[key!] === is)),
      };
    }
    const claim = claims.get(name!);
    if (claim === undefined) throw new Refusal(404, `${resource} "${name}" not found`);
    if (resource === 'sandboxes') return { metadata: { name, annotations: { 'agents.x-k8s.io/pod-name': name } } };
    if (verb === 'delete') removeClaim(name!);
    if (verb === 'patch') {
      if (request.headers['content-type'] !== 'application/merge-patch+json') throw new Refusal(415, 'media type');
      Object.assign(claim.metadata.labels, body!.metadata?.labels);
      Object.assign(claim.metadata.annotations, body!.metadata?.annotations);
      Object.assign(claim.spec.lifecycle, body!.spec?.lifecycle);
      checkClaim(claim);
    }
    return claim;
  };

  const run = async (request: IncomingMessage, socket: Duplex, url: URL): Promise<void> => {
    allow('', 'pods/exec', 'get');
    allow('', 'pods/exec', 'create');
    const name = url.pathname.split('/').at(-2)!;
    const id = await containers.get(name);
    const protocols = String(request.headers['sec-websocket-protocol']);
    if (id === undefined || request.headers.authorization !== `Bearer ${TOKEN}` || !protocols.includes(PROTOCOL))
      return void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    const command = await docker.getContainer(id).exec({
      Cmd: url.searchParams.getAll('command'),
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
    });
    const stream = await command.start({ hijack: true, stdin: true });
    const ours = acceptWebSocket(request, socket, {
      protocol: PROTOCOL,
      onMessage: (message) => {
        if (message[0] === 0) stream.write(message.subarray(1));
        if (message[0] === 255 && message[1] === 0) stream.end();
      },
      onClose: () => stream.destroy(),
    });
    const channel = (number: number) => (chunk: Buffer) => ours.send(Buffer.concat([Buffer.of(number), chunk]));
    // A server begins with an empty message on each channel.
    channel(1)(Buffer.alloc(0));
    stream.on('data', demultiplexer(channel(1), channel(2)));
    stream.on('error', () => undefined);
    // The engine may keep the stream of a command open for ever when its container is removed.
    const isGone = async (): Promise<void> => {
      while (containers.has(name)) await sleep(100);
    };
    await Promise.race([streamEnd(stream), isGone()]);
    const { ExitCode } = containers.has(name) ? await ended(command, name) : { ExitCode: null };
    // The container went away with the command in it: the connection breaks off.
    if (ExitCode === null) return ours.close();
    const status =
      ExitCode === 0
        ? { metadata: {}, status: 'Success' }
        : {
            metadata: {},
            status: 'Failure',
            reason: 'NonZeroExitCode',
            message: `command terminated with non-zero exit code: exit status ${ExitCode}`,
            details: { causes: [{ reason: 'ExitCode', message: String(ExitCode) }] },
          };
    channel(3)(Buffer.from(JSON.stringify(status)));
    ours.close();
  };
  const ended = async (
    command: { inspect(): Promise<{ ExitCode: number | null; Running: boolean }> },
    name: string,
  ) => {
    for (;;) {
      const seen = await command.inspect().catch(() => ({ ExitCode: null, Running: false }));
      if (!seen.Running || !containers.has(name)) return seen;
      await sleep(50);
    }
  };

  const respond = (response: ServerResponse, status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const file = (name: string): Buffer => readFileSync(tlsFile(name));
  const certificates = { key: file('server-key.pem'), cert: file('server.pem'), ca: file('authority.pem') };
  const server = createServer({ ...certificates, requestCert: true }, (request, response) => {
    answer(request, new URL(request.url!, 'http://cluster')).then(
      (body) => respond(response, 200, body),
      (refusal: Error) => {
        const code = refusal instanceof Refusal ? refusal.status : 500;
        respond(response, code, { kind: 'Status', message: refusal.message, code });
      },
    );
  });
  server.on('upgrade', (request, socket) => {
    run(request, socket, new URL(request.url!, 'http://cluster')).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const kubeconfig = join(mkdtempSync(join(tmpdir(), 'evolve-cluster-')), randomBytes(4).toString('hex'));
  writeFileSync(
    kubeconfig,
    stringify({
      'current-context': 'played',
      contexts: [{ name: 'played', context: { cluster: 'played', user: 'worker', namespace: NAMESPACE } }],
      clusters: [
        {
          name: 'played',
          cluster: {
            server: `https://127.0.0.1:${port}`,
            'tls-server-name': 'temporal.example',
            'certificate-authority-data': certificates.ca.toString('base64'),
          },
        },
      ],
      users: [
        {
          name: 'worker',
          user: { token: TOKEN, 'client-certificate': tlsFile('client.pem'), 'client-key': tlsFile('client-key.pem') },
        },
      ],
    }),
  );
  return {
    settings: {
      kubeconfig,
      namespace: null,
      pool: manifest('SandboxWarmPool').metadata.name,
      container: null,
      service: null,
    },
    claims: () => [...claims.values()],
    close: async () => {
      clearInterval(expiry);
      for (const name of claims.keys()) removeClaim(name);
      await Promise.all(removals);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
