// Hostile answers of a cluster's API: none leads the worker, which may run commands there, to another place,
// gives its token away or fills its memory.
// Attempts: programs and scores.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { InfrastructureError } from '../../../activities/sandbox/contract/types.ts';
import { ClusterApi, type Pod } from '../api.ts';
import { confining } from '../pod-checks.ts';

const TOKEN = 'the token of the service account';
type Asked = { readonly url: string; readonly token: string | undefined };

const serverWith = async (
  answer: RequestListener,
): Promise<{ readonly url: URL; readonly asked: readonly Asked[] }> => {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    asked.push({ url: request.url ?? '', token: request.headers.authorization });
    answer(request, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), asked };
};

const apiOf = (server: URL): ClusterApi => {
  const api = new ClusterApi({ server, namespace: 'pods', tls: {}, token: async () => TOKEN });
  onTestFinished(() => api.close());
  return api;
};

const refused = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InfrastructureError);
  expect((error as Error).message.length).toBeLessThan(600);
  return (error as Error).message;
};

it.each(['../../../secrets/keys', 'a/../../secrets/keys', '..', '%2e%2e%2fsecrets', 'a?x', 'A', '', 7, null])(
  'a sandbox whose pod is called %j leads to no other place of the API',
  async (name) => {
    const { url, asked } = await serverWith((_request, response) =>
      response.end(
        JSON.stringify({ metadata: { annotations: name === null ? undefined : { 'agents.x-k8s.io/pod-name': name } } }),
      ),
    );
    const api = apiOf(url);
    expect(await refused(api.podOf('s'))).toMatch(name === null ? /without its containers/ : /is no name of one/);
    if (typeof name === 'string') {
      expect(() => api.exec(name)).toThrow('is no name of one');
      expect(await refused(api.podOf(name))).toContain('a sandbox');
    }
    expect(asked.every(({ url: path }) => /\/(sandboxes|pods)\/s$/.test(path))).toBe(true);
  },
);

it('a redirect takes the token to no other server', async () => {
  const elsewhere = await serverWith((_request, response) => response.end('{}'));
  const { url } = await serverWith((_request, response) =>
    response.writeHead(307, { location: `${elsewhere.url.href}api` }).end(),
  );
  expect(await refused(apiOf(url).getClaim('a'))).toContain('(307)');
  expect(elsewhere.asked).toEqual([]);
});

it('an answer without end is not read to its end', async () => {
  const chunk = Buffer.alloc(2 ** 20, ' ');
  const { url } = await serverWith((_request, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
  });
  expect(await refused(apiOf(url).getClaim('a'))).toContain('expected an answer of at most 16777216 bytes');
});

it.each(['', 'null', '7', '<html>', '{"metadata":'])('%j is no answer to anything', async (text) => {
  const { url } = await serverWith((_request, response) => response.end(text));
  const api = apiOf(url);
  for (const work of [api.getClaim('a'), api.getPod('a'), api.podOf('a'), api.listClaims('x=y')])
    expect(await refused(work)).toContain('what is no JSON object');
});

type Template = {
  readonly volume?: object;
  readonly spec?: object;
  readonly container?: object;
  readonly context?: object;
};
const checked = ({ volume = { emptyDir: {} }, spec, container, context }: Template): unknown => {
  const pod: Pod = {
    metadata: { name: 'p' },
    spec: {
      volumes: [{ name: 'v', ...volume }],
      containers: [
        {
          ...{ name: 'c', image: 'i', volumeMounts: [{ mountPath: '/box', name: 'v' }] },
          resources: { limits: { cpu: '1', memory: '1Gi' } },
          securityContext: {
            ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, runAsUser: 65534 },
            ...{ capabilities: { drop: ['ALL'] }, seccompProfile: { type: 'RuntimeDefault' } },
            ...context,
          },
          ...container,
        },
      ],
      ...spec,
    },
  };
  return confining(pod, { pool: 'p', container: null, runtime: 'engine', limits: null });
};

it.each(['emptyDir', 'ephemeral', 'image', 'configMap'])('a pod with a volume of the kind %s is taken', (kind) => {
  expect(checked({ volume: { [kind]: {} } })).toMatchObject({ memoryBytes: 2 ** 30 });
});

it.each(['hostPath', 'secret', 'projected', 'csi', 'persistentVolumeClaim', 'nfs', 'downwardAPI'])(
  'a pod with a volume of the kind %s is refused',
  (kind) => {
    expect(() => checked({ volume: { [kind]: {} } })).toThrow(
      'says no volume of host or secrets, and none that outlives the pod, got one that does not',
    );
  },
);

it.each<[what: string, template: Template, says: string]>([
  ['processes of other containers', { spec: { shareProcessNamespace: true } }, 'no processes of other containers'],
  ['all of /proc', { context: { procMount: 'Unmasked' } }, 'procMount: Default'],
  ['a block device', { container: { volumeDevices: [{ name: 'v' }] } }, 'none that outlives the pod'],
])('a pod that sees %s is refused', (_what, template, says) => {
  expect(() => checked(template)).toThrow(says);
});

it('a list without items is an empty one', async () => {
  const { url } = await serverWith((_request, response) => response.end('{"items":null}'));
  expect(await apiOf(url).listClaims('x=y')).toEqual([]);
});
