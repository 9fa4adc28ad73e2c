// deploy/compose.yaml and the recipe of the worker image: what can be checked without Compose and without a registry.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { build } from '../../../cli/commands/parts/worker.ts';
import { PROJECT_ROOT, resolveHome } from '../../../deploy/host/home.ts';
import { MONGO_IMAGE } from '../../../deploy/parts/database/mongo-image.ts';
import { ensurePythonTool } from '../../../deploy/parts/python/venv.ts';
import { DYNAMIC_CONFIG } from '../../../deploy/parts/temporal/temporal-settings.ts';
import { openCharts } from '../../support/charts/helm.ts';
import { PARTS } from '../../support/machine/home.ts';

const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const compose = parse(read('deploy/compose.yaml'), { merge: true });
const charts = await openCharts();
const WORKERS = ['engine', 'model', 'evaluation'];
// The page takes no work, so that it has nothing to drain.

describe('compose.yaml', () => {
  it.skipIf(charts === null)('is what the specification of Compose allows', () => {
    const schema = JSON.parse(read('test/fixtures/compose-spec.json'));
    expect(charts!.misfits(compose, schema)).toEqual([]);
    const wrong = structuredClone(compose);
    wrong.services.engine.secret = [];
    expect(charts!.misfits(wrong, schema)).toEqual([expect.stringContaining('services.engine')]);
  });

  it('has the versions and the dynamic settings of the development server', async () => {
    const home = resolveHome({ EVOLVE_HOME: PARTS, EVOLVE_PARTS: PARTS });
    const cli = join(await ensurePythonTool(home, 'temporal', () => undefined), 'temporal');
    const said = execFileSync(cli, ['--version'], { encoding: 'utf8' });
    const [, server, ui] = /Server (\S+), UI ([\d.]+)/.exec(said)!;
    const images = Object.values<any>(compose.services).map(({ image }) => image);
    expect(images.filter((image: string) => image.startsWith('temporalio/')).toSorted()).toEqual([
      ...Array(2).fill(`temporalio/admin-tools:${server}`),
      `temporalio/server:${server}`,
      `temporalio/ui:${ui}`,
    ]);
    expect(compose.services.mongo.image).toBe(MONGO_IMAGE);
    const settings = Object.entries<any>(parse(compose.configs['temporal-dynamic'].content));
    expect(settings.map(([name, [{ value }]]) => `${name}=${JSON.stringify(value)}`)).toEqual(DYNAMIC_CONFIG);
  });

  it('names the image of this version, as the chart does', () => {
    const { version } = JSON.parse(read('package.json'));
    expect(compose['x-worker'].image).toBe(`\${EVOLVE_WORKER_IMAGE:-durable-evolve:${version}}`);
    expect(parse(read('deploy/kubernetes/chart/Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });

  it('gives secrets as files to those who need them, and the Docker socket to the role evaluation', () => {
    const services = Object.entries<any>(compose.services);
    for (const [name, service] of services) {
      expect([name, JSON.stringify(service).includes('docker.sock')]).toEqual([name, name === 'evaluation']);
      expect([name, JSON.stringify(service.environment ?? {}).match(/password|PWD"|api.key/i)?.[0]]).toEqual([
        name,
        name === 'mongo' || name === 'postgres' ? expect.stringMatching(/password/i) : undefined,
      ]);
      for (const secret of service.secrets ?? []) expect(Object.keys(compose.secrets)).toContain(secret);
      // What does not end says whether it is well.
      expect([name, 'healthcheck' in service || service.restart === 'on-failure:6' || name === 'temporal-ui']).toEqual([
        name,
        true,
      ]);
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
    }
    // The script makes each of them.
    const script = read('deploy/compose-secrets.sh');
    for (const { file } of Object.values<any>(compose.secrets))
      expect(script).toContain(`make ${file.split('/').pop()}`);
  });

  it('starts the roles with flags that they know, and gives them time to drain', () => {
    const flags = build(new Command()).options.map(({ long }) => long);
    for (const name of WORKERS) {
      const { command, stop_grace_period: period, read_only, cap_drop } = compose.services[name];
      expect(command.slice(0, 2)).toEqual(['worker', name]);
      expect(command.slice(2).filter((flag: string) => !flags.includes(flag.split('=')[0]!))).toEqual([]);
      const grace = Number(/--grace=(\d+)/.exec(command.join(' '))![1]);
      expect(parseInt(period, 10)).toBeGreaterThan(grace + 10);
      expect({ read_only, cap_drop }).toEqual({ read_only: true, cap_drop: ['ALL'] });
    }
  });
});

describe('the worker image', () => {
  it('has what a worker is made of, is nobody in particular, and has no secret', () => {
    const recipe = read('deploy/images/worker/Dockerfile');
    const all = (pattern: RegExp): readonly string[] => [...recipe.matchAll(pattern)].map(([, found]) => found!);
    const sources = all(/^COPY (?!--from)(.+) \S+$/gm).flatMap((paths) => paths.split(' '));
    const rooms = ['activities', 'cli', 'client', 'deploy', 'evolution', 'tasks', 'workers', 'workflows'];
    expect(sources).toEqual(expect.arrayContaining([...rooms, 'package.json', 'package-lock.json']));
    for (const path of sources) expect([path, existsSync(join(PROJECT_ROOT, path))]).toEqual([path, true]);
    expect(recipe).toMatch(/^RUN npm ci .*--omit=dev/m);
    expect(recipe).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
    const [workDir] = all(/^WORKDIR (.+)$/gm).slice(-1);
    expect(all(/^ENTRYPOINT (.+)$/gm)).toEqual([`["node", "${workDir}/cli/evolve.mjs"]`]);
    expect(['CMD', ...JSON.parse(all(/^HEALTHCHECK .* CMD (.+)$/gm)[0]!)]).toEqual(
      compose.services.engine.healthcheck.test,
    );
    expect(read('.dockerignore').split('\n')).toEqual(
      expect.arrayContaining(['node_modules', 'deploy/secrets', '.evolve*']),
    );
  });

  // Attempt: files, settings and the machine.
  it('gets passwords from files that other users of the machine cannot reach', () => {
    const root = mkdtempSync(join(tmpdir(), 'evolve-secrets-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const script = join(root, 'compose-secrets.sh');
    copyFileSync(join(PROJECT_ROOT, 'deploy/compose-secrets.sh'), script);
    // As Compose makes it where it is started before the script.
    mkdirSync(join(root, 'secrets'));
    chmodSync(join(root, 'secrets'), 0o755);
    execFileSync('/bin/sh', [script]);
    expect(statSync(join(root, 'secrets')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(root, 'secrets'))).toHaveLength(Object.keys(compose.secrets).length);
  });
});
