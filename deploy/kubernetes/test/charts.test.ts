// The Helm chart of our workers is rendered and checked against the schemas of Kubernetes 1.37, KEDA and agent-sandbox. No
// cluster is here: docs/operations/deployment.md says so.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { ClusterApi } from '../api.ts';
import { build } from '../../../cli/commands/parts/worker.ts';
import { EVALUATION_QUEUE, queueOf } from '../../../evolution/hosts/needs.ts';
import { TRACKERS_FILE } from '../../host/notify.ts';
import { QUEUES } from '../../../workflows/engine/queues.ts';
import { manifests } from './cluster.ts';
import { alerts } from '../../../test/support/domain/dashboards.ts';
import { type Charts, type Manifest, openCharts, readCrds } from '../../../test/support/charts/helm.ts';

const crds = readCrds(join(import.meta.dirname, 'crds'));
const charts = await openCharts(join(import.meta.dirname, '..', 'chart'), crds);

const LEAST = { temporal: { address: 'temporal.example:7233' }, mongodb: { secret: 'mongodb' } };
const MOST = {
  image: { repository: 'registry.example/evolve', pullSecrets: ['registry'] },
  temporal: {
    address: 'lab.tmprl.cloud:7233',
    namespace: 'lab',
    tls: { enabled: true, secret: 'temporal-tls', serverName: 'temporal.internal' },
    apiKey: { secret: 'temporal-key', key: 'key' },
  },
  mongodb: { secret: 'mongodb', key: 'connectionString.standardSrv', tlsSecret: 'mongodb-tls' },
  payloadKeys: { secret: 'payload' },
  modelKeys: { secret: 'model' },
  secretsKey: { secret: 'shared' },
  notify: { secret: 'notify' },
  trackers: { mlflow: 'http://mlflow.lab:5000/base', tensorboard: '/var/lib/evolve/tb' },
  networkPolicy: { metricsFrom: [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }] },
  workers: {
    model: { replicas: null, autoscaling: { min: 1, max: 4, perWorker: 32 } },
    evaluation: {
      replicas: null,
      grace: 600,
      slots: 4,
      container: { dockerHost: 'tcp://docker.lab', tlsSecret: 'engine', image: 'evaluator:1' },
      autoscaling: { min: 0, max: 20, perWorker: 4 },
    },
    gpu: { role: 'evaluation', gpus: 1, dedicated: true, container: { socket: '/run/docker.sock' } },
    fast: {
      role: 'evaluation',
      labels: ['avx512', 'fast'],
      dedicated: true,
      autoscaling: { min: 1, max: 3, perWorker: 2, queues: [queueOf({ labels: ['fast', 'avx512'] })] },
      container: { socket: '/run/docker.sock' },
      supplementalGroups: [998],
      runtimeClassName: 'gvisor',
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'lab', operator: 'Exists' }],
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: {} },
      ],
      affinity: { podAntiAffinity: {} },
      podAnnotations: { note: 'text' },
      env: [{ name: 'EVOLVE_LEAST_FREE', value: '2GB' }],
      egress: [{ ports: [{ protocol: 'TCP', port: 2375 }] }],
      volumes: [{ name: 'authorities', configMap: { name: 'authorities' } }],
      volumeMounts: [{ name: 'authorities', mountPath: '/etc/authorities' }],
    },
  },
};

const of = (objects: readonly Manifest[], kind: string): readonly Manifest[] =>
  objects.filter((one) => one.kind === kind);
const podOf = ({ spec }: Manifest): any => spec.template.spec;
const argsOf = (deployment: Manifest): readonly string[] => podOf(deployment).containers[0].args;

/** The claim that a worker sends for a pod. */
const claimed = async (): Promise<object> => {
  const { promise: sent, resolve } = Promise.withResolvers<object>();
  const server = createServer((request, response) => {
    void json(request).then((body) => resolve(body as object));
    response.end('{}');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const api = new ClusterApi({
    server: new URL(`http://127.0.0.1:${port}`),
    namespace: 'lab',
    tls: {},
    token: async () => null,
  });
  await api.createClaim({ name: 'one', labels: {}, annotations: {}, pool: 'pool', until: new Date() });
  await api.close();
  server.close();
  return sent;
};

describe.skipIf(charts === null)('the Helm chart', () => {
  const { render, faults } = charts ?? ({} as Charts);
  const least = charts === null ? [] : render(LEAST);
  const most = charts === null ? [] : render(MOST);

  it('makes what Kubernetes and KEDA accept, with few values and with all', () => {
    expect(of(least, 'Deployment').map(({ metadata }) => metadata.name)).toEqual([
      'evolve-engine',
      'evolve-evaluation',
      'evolve-model',
    ]);
    expect(of(least, 'ScaledObject')).toEqual([]);
    // Nothing is wrong but what is made wrong here, in our objects and in those of KEDA.
    const [scaled] = structuredClone(of(most, 'ScaledObject'));
    const [deployment] = structuredClone(of(least, 'Deployment'));
    scaled!.spec.minReplicas = 0;
    podOf(deployment!).containers[0].readinesProbe = {};
    const unknown = { apiVersion: 'v1', kind: 'Sevice', metadata: { name: 'x' } };
    expect(faults([...least, ...most, scaled!, deployment!, unknown])).toEqual([
      expect.stringMatching(/^ScaledObject .*'minReplicas' was unexpected/),
      expect.stringMatching(/^Deployment .*containers.0: .*'readinesProbe' was unexpected/),
      'Sevice x: no schema of v1',
    ]);
  });

  it('starts the roles with flags that they know, and gives them time to drain', () => {
    const flags = build(new Command()).options.map(({ long }) => long);
    for (const deployment of [...of(least, 'Deployment'), ...of(most, 'Deployment')]) {
      const [command, role, ...rest] = argsOf(deployment);
      expect([command, rest.filter((flag) => !flags.includes(flag.split('=')[0]!))]).toEqual(['worker', []]);
      expect(['engine', 'model', 'evaluation']).toContain(role);
      const grace = Number(rest.find((flag) => flag.startsWith('--grace='))!.slice('--grace='.length));
      // A worker waits 10 s longer (workers/process/process.ts).
      expect(podOf(deployment).terminationGracePeriodSeconds).toBeGreaterThan(grace + 10);
    }
  });

  it('keeps secrets in files of those who need them, and a container engine with the role evaluation', () => {
    const [given] = of(most, 'ConfigMap');
    expect(JSON.parse(given!['data']['trackers.json'])).toEqual(MOST.trackers);
    for (const deployment of of(most, 'Deployment')) {
      const [, role] = argsOf(deployment);
      const pod = podOf(deployment);
      const [{ env, securityContext }] = pod.containers;
      const secrets = pod.volumes.flatMap(({ secret }: any) => secret?.secretName ?? []);
      const own = role === 'model' ? ['model'] : role === 'engine' ? ['notify'] : [];
      const engine = deployment.metadata.name === 'evolve-evaluation' ? ['engine'] : [];
      expect(secrets).toEqual(['mongodb', 'mongodb-tls', 'temporal-tls', 'payload', ...own, ...engine]);
      const trackers = pod.volumes.flatMap(({ name, configMap }: any) => (name === 'trackers' ? configMap.name : []));
      expect(trackers).toEqual(role === 'engine' ? [given!.metadata.name] : []);
      expect(env.some(({ name }: any) => name === TRACKERS_FILE)).toBe(role === 'engine');
      // Temporal's own settings know no file for it.
      expect(env.filter(({ valueFrom }: any) => valueFrom !== undefined).map(({ name }: any) => name)).toEqual([
        'TEMPORAL_API_KEY',
        ...(role === 'model' ? ['EVOLVE_SECRETS_KEY'] : []),
      ]);
      expect(/docker/.test(JSON.stringify(pod))).toBe(role === 'evaluation');
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
    }
  });

  it('scales by the queues that the roles poll, and leaves replicas to the scaler', () => {
    const objects = most;
    const { metadata, authentication } = crds.find((one) => one['temporalScaler'] !== undefined)!['temporalScaler'];
    const queues = of(objects, 'ScaledObject').map(({ metadata: { name }, spec }) => {
      const deployment = of(objects, 'Deployment').find((one) => one.metadata.name === spec.scaleTargetRef.name)!;
      expect([name, deployment.spec.replicas]).toEqual([name, undefined]);
      for (const trigger of spec.triggers)
        expect(Object.keys(trigger.metadata).filter((key) => !metadata.includes(key))).toEqual([]);
      return spec.triggers.map((trigger: any) => trigger.metadata.taskQueue);
    });
    expect(queues).toEqual([[EVALUATION_QUEUE], ['evolve-eval-avx512-fast'], [QUEUES.llm]]);
    const [{ spec }] = of(objects, 'TriggerAuthentication') as [Manifest];
    const parameters = spec.secretTargetRef.map(({ parameter }: any) => parameter);
    expect(parameters).toEqual(['apiKey', 'ca', 'cert', 'key']);
    expect(parameters.filter((one: string) => !authentication.includes(one))).toEqual([]);
  });

  it('lets each role reach what it needs, and its metrics be found by the alert rules', () => {
    const portsOf = (objects: readonly Manifest[], name: string): readonly unknown[] =>
      of(objects, 'NetworkPolicy')
        .find((one) => one.metadata.name === `evolve-${name}`)!
        ['spec'].egress.flatMap(({ ports }: any) => (ports === undefined ? 'any' : ports.map(({ port }: any) => port)))
        .slice(2);
    expect(portsOf(least, 'engine')).toEqual([7233, 27017]);
    // Notices go to addresses of the person's choice.
    expect(portsOf(most, 'engine')).toEqual([7233, 27017, 443, 5000]);
    const tracked = render({ ...LEAST, trackers: { mlflow: 'https://mlflow.example' } });
    expect(portsOf(tracked, 'engine')).toEqual([7233, 27017, 443]);
    expect(portsOf(most, 'model')).toEqual([7233, 27017, 'any']);
    expect(portsOf(most, 'evaluation')).toEqual([7233, 27017, 2376]);
    const container = { dockerHost: 'tcp://10.0.0.7' };
    const monitored = render({ ...LEAST, metrics: { podMonitor: true }, workers: { evaluation: { container } } });
    expect(portsOf(monitored, 'evaluation')).toEqual([7233, 27017, 2375]);
    const [{ spec }] = of(monitored, 'PodMonitor') as [Manifest];
    expect(JSON.stringify(alerts)).toContain('job=\\"evolve\\"');
    expect(spec.podMetricsEndpoints).toEqual([
      { port: 'metrics', relabelings: [{ targetLabel: 'job', replacement: 'evolve' }] },
    ]);
  });

  it('has a page where it is wanted, which shows only with a token and is reached by those who are named', () => {
    const from = [{ podSelector: { matchLabels: { app: 'ingress' } } }];
    const objects = render({ ...MOST, page: { enabled: true, tokenSecret: 'page-token', from } });
    expect(faults(objects)).toEqual([]);
    const page = of(objects, 'Deployment').find(({ metadata }) => metadata.name === 'evolve-page')!;
    const flags = build(new Command()).options.map(({ long }) => long);
    const [command, role, ...rest] = argsOf(page);
    expect([command, role, rest.filter((flag) => !flags.includes(flag.split('=')[0]!))]).toEqual([
      'worker',
      'page',
      [],
    ]);
    expect(rest).not.toContain('--allow-actions');
    const secrets = podOf(page).volumes.flatMap(({ secret }: any) => secret?.secretName ?? []);
    expect(secrets).toEqual(['mongodb', 'mongodb-tls', 'temporal-tls', 'payload', 'page-token']);
    const [service] = of(objects, 'Service') as [Manifest];
    expect(service['spec'].selector).toEqual(page['spec'].selector.matchLabels);
    expect(service['spec'].ports).toEqual([{ name: 'page', port: 8235, targetPort: 'page' }]);
    const policy = of(objects, 'NetworkPolicy').find(({ metadata }) => metadata.name === 'evolve-page')!;
    expect(policy['spec'].ingress).toEqual([{ from, ports: [{ protocol: 'TCP', port: 'page' }] }]);
    expect(() => render({ ...LEAST, page: { enabled: true } })).toThrow('page.tokenSecret');
    expect(of(least, 'Service')).toEqual([]);
  });

  it('makes the pods in which programs run, as the file for kubectl does, and gives the worker what it needs for them', async () => {
    const agentSandbox = {
      enabled: true,
      namespace: 'candidates',
      image: 'registry.example.com/durable-evolve-evaluator:1',
    };
    const objects = render({ ...LEAST, agentSandbox });
    const shipped = manifests();
    const [pod, shippedPod] = [objects, shipped].map((all) => of(all, 'SandboxTemplate')[0]!['spec'].podTemplate.spec);
    const asPod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'candidate' }, spec: shippedPod };
    expect(faults([...objects, ...shipped, asPod, await claimed()])).toEqual([]);
    expect(pod).toEqual(shippedPod);
    expect(of(objects, 'Role')[0]!['rules']).toEqual(of(shipped, 'Role')[0]!['rules']);
    const { name } = of(objects, 'SandboxWarmPool')[0]!.metadata;
    const worker = podOf(of(objects, 'Deployment').find((one) => one.metadata.name === 'evolve-evaluation')!);
    expect(worker.serviceAccountName).toBe(of(objects, 'ServiceAccount')[0]!.metadata.name);
    expect(worker.containers[0].env).toContainEqual({ name: 'EVOLVE_K8S_POOL', value: name });
    expect(worker.automountServiceAccountToken).toBeUndefined();
    const engine = podOf(of(objects, 'Deployment').find((one) => one.metadata.name === 'evolve-engine')!);
    expect(engine).toMatchObject({ automountServiceAccountToken: false });
  });

  it.each([
    [{ agentSandbox: { enabled: true, namespace: 'lab', image: 'x' } }, /agentSandbox.namespace: expected a namespace/],
    [{ agentSandbox: { enabled: true, namespace: 'candidates' } }, /agentSandbox.image: expected the evaluator image/],
    [{ temporal: { address: 'temporal' } }, /temporal.address: Does not match/],
    [{ mongodb: {} }, /mongodb.secret/],
    [{ wokers: {} }, /wokers is not allowed/],
    [{ trackers: { mlfow: 'http://x' } }, /trackers.*mlfow/],
    [{ trackers: { mlflow: 'http://me:key@x' } }, /trackers.mlflow: Does not match/],
    [{ workers: { model: { labels: ['fast'] } } }, /workers.model.labels: expected with the role evaluation alone/],
    [{ workers: { model: { replica: 2 } } }, /replica is not allowed/],
    [{ workers: { engine: { replicas: 2 } } }, /workers.engine.replicas: expected 1 with storage/],
    [
      { workers: { x: { role: 'evaluation', labels: ['a'], autoscaling: { min: 0, max: 1, perWorker: 1 } } } },
      /workers.x.autoscaling.min: expected 1 or more with labels/,
    ],
    [
      {
        temporal: { ...LEAST.temporal, tls: { enabled: true } },
        workers: { x: { role: 'evaluation', autoscaling: { min: 0, max: 1, perWorker: 1 } } },
      },
      /workers.x.autoscaling: expected temporal.tls with a certificate of the client/,
    ],
    [{ temporal: { ...LEAST.temporal, apiKey: { secret: 'x' } } }, /temporal.apiKey: expected temporal.tls.enabled/],
  ])('refuses %j', (values, message) => {
    expect(() => render({ ...LEAST, ...values })).toThrow(message);
  });
});
