// What a worker process tells of itself: metrics on one port, lines of its log, the settings of both.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { Permits } from '../../../activities/sandbox/host/permits.ts';
import { count, gaugeAt, METRICS, meterWith, timed } from '../../../activities/telemetry/metrics.ts';
import {
  announceMetrics,
  metricsDetail,
  requireTelemetrySettings,
  telemetrySettings,
} from '../../../deploy/host/telemetry.ts';
import { at, createJsonLog, textLogger } from '../../../workers/telemetry/log.ts';
import { lookingUp, seldom, serveMetrics } from '../../../workers/telemetry/metrics-server.ts';
import { createRegistry } from '../../../workers/telemetry/registry.ts';
import { runGauges, slotGauges } from '../../../workers/telemetry/gauges.ts';
import { OF_LEARNER } from '../../support/domain/dashboards.ts';

afterEach(() => meterWith(null));

const LOOPBACK = { host: '127.0.0.1', port: 0 };

test('metrics of ours and of the SDK are one answer, and what is looked up is looked up then', async () => {
  const registry = createRegistry();
  const sdk = await serveMetrics(LOOPBACK, {
    text: async () => '# TYPE temporal_sticky_cache_size gauge\ntemporal_sticky_cache_size 3\n# EOF\n',
    sdkPort: null,
    sample: async () => undefined,
  });
  const server = await serveMetrics(LOOPBACK, {
    text: () => registry.text(),
    sdkPort: sdk.address.port,
    sample: async () => gaugeAt('diskFree', { folder: '/data' }, 12),
  });
  try {
    meterWith(registry);
    count('programs', { run: 'a', outcome: 'valid' }, 3);
    count('programs', { run: 'b', outcome: 'invalid' });
    await timed('database', { operation: 'get' }, async () => undefined);
    const text = await (await fetch(`http://127.0.0.1:${server.address.port}/metrics`)).text();
    expect(text).toContain('evolve_programs_total{run="a",outcome="valid"} 3');
    expect(text).toContain('evolve_database_seconds_count{operation="get"} 1');
    expect(text).toContain('evolve_disk_free_bytes{folder="/data"} 12');
    expect(text).toContain('temporal_sticky_cache_size 3');
    expect(text).not.toContain('# EOF');
    await registry.keepRuns(new Set(['b']));
    const later = await registry.text();
    expect(later).not.toContain('run="a"');
    expect(later).toContain('evolve_programs_total{run="b",outcome="invalid"} 1');
    expect((await fetch(`http://127.0.0.1:${server.address.port}/healthz`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${server.address.port}/keys.json`)).status).toBe(404);
    await expect(
      serveMetrics(server.address, { text: async () => '', sdkPort: null, sample: async () => undefined }),
    ).rejects.toThrow(/EVOLVE_METRICS: expected an address on which this process can listen, got 127\.0\.0\.1:\d+/);
  } finally {
    server.close();
    sdk.close();
  }
});

// All of 127.0.0.0/8 is this machine.
test.each(['127.0.0.1', '127.0.0.2'])(
  'metrics are for no page whose name was made to mean this machine, and many who ask cost one look: %s',
  async (host) => {
    let [looks, most] = [0, 0];
    const server = await serveMetrics(
      { ...LOOPBACK, host },
      {
        text: async () => 'evolve_runs 1\n',
        sdkPort: null,
        sample: async () => {
          most = Math.max(most, (looks += 1));
          await sleep(50);
          looks -= 1;
        },
      },
    );
    const ask = (named: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        get({ host, port: server.address.port, path: '/metrics', headers: { host: named } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        }).once('error', reject);
      });
    try {
      expect(await ask('evil.example:80')).toBe(403);
      expect(most).toBe(0);
      const asked = await Promise.all(Array.from({ length: 8 }, () => ask('localhost')));
      expect(asked).toEqual(Array.from({ length: 8 }, () => 200));
      expect(most).toBe(1);
      expect(await ask(`${host}:${server.address.port}`)).toBe(200);
    } finally {
      server.close();
    }
  },
);

test('a database that does not answer holds up no answer, is asked once at a time, and is told of', async () => {
  const registry = createRegistry();
  meterWith(registry);
  let asked = 0;
  const { promise: answer, resolve } = Promise.withResolvers<void>();
  const silent = async (): Promise<void> => {
    asked += 1;
    if (asked === 1) return answer;
    throw new Error('no primary');
  };
  const sample = lookingUp(() => [silent, async () => gaugeAt('diskFree', { folder: '/data' }, 12)], 20);
  const failed = async (): Promise<string | undefined> =>
    /^evolve_lookups_failed_total (\d+)$/m.exec(await registry.text())?.[1];
  expect(await failed()).toBe('0');
  await sample();
  await sample();
  expect([asked, await failed()]).toEqual([1, '2']);
  expect(await registry.text()).toContain('evolve_disk_free_bytes{folder="/data"} 12');
  resolve();
  await sample();
  expect([asked, await failed()]).toEqual([1, '2']);
  await sample();
  expect([asked, await failed()]).toEqual([2, '3']);
});

// Attempt: the page and the network.
test('a label has a bounded number of values, whatever comes', async () => {
  const registry = createRegistry();
  meterWith(registry);
  for (let run = 0; run < 700; run += 1) count('steps', { run: `r${run}` });
  const series = (await registry.text()).split('\n').filter((line) => line.startsWith('evolve_steps_total{'));
  expect(series).toHaveLength(501);
  expect(series).toContain('evolve_steps_total{run="other"} 200');
});

test('counting without a registry does nothing, and metrics have names as Prometheus wants them', async () => {
  count('steps', { run: 'x' });
  expect(await timed('database', { operation: 'get' }, async () => 7)).toBe(7);
  for (const { name, kind } of Object.values(METRICS)) {
    expect(name).toMatch(/^evolve_[a-z_]+$/);
    expect(name.endsWith('_total')).toBe(kind === 'counter');
  }
});

test('settings: one clear error names what is wrong', () => {
  expect(telemetrySettings({})).toEqual({ metrics: LOOPBACK, traces: false, log: 'text' });
  expect(telemetrySettings({ EVOLVE_METRICS: '[::1]:9464' }).metrics).toEqual({ host: '::1', port: 9464 });
  expect(telemetrySettings({ EVOLVE_METRICS: 'off' }).metrics).toBeNull();
  for (const [env, error] of [
    [{ EVOLVE_METRICS: '9464' }, 'EVOLVE_METRICS: expected `on`, `off` or an address as 127.0.0.1:9464, got "9464"'],
    [{ EVOLVE_METRICS: 'a:99999' }, 'got "a:99999"'],
    [{ EVOLVE_LOG: 'xml' }, 'EVOLVE_LOG: expected `text` or `json`, got "xml"'],
    [{ EVOLVE_TRACES: 'on' }, 'EVOLVE_TRACES: on needs a collector: set OTEL_EXPORTER_OTLP_ENDPOINT'],
    [{ EVOLVE_TRACES: 'on', OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' }, 'begins with http:// or https://'],
  ] as const)
    expect(() => telemetrySettings(env)).toThrow(error);
  expect(() => requireTelemetrySettings({ EVOLVE_METRICS: '127.0.0.1:9464' })).toThrow('expected `on` or `off`');
});

test('Prometheus finds the processes of a home by files, and those of processes that are gone are removed', () => {
  const root = mkdtempSync(join(tmpdir(), 'evolve-metrics-'));
  try {
    const files = () => readdirSync(join(root, 'metrics'));
    const gone = announceMetrics(root, 'worker', { host: '0.0.0.0', port: 1234 });
    const [file = ''] = files();
    const [target] = JSON.parse(readFileSync(join(root, 'metrics', file), 'utf8')) as [object];
    expect(target).toMatchObject({ targets: ['127.0.0.1:1234'], labels: { process: 'worker' } });
    expect(metricsDetail({ root })).toContain('worker http://127.0.0.1:1234/metrics');
    gone();
    expect(files()).toEqual([]);
    expect(metricsDetail({ root })).toBe('no process of this home serves any now');
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test('a line of the log says where it was written, and holds no key', async () => {
  const lines: string[] = [];
  const { write, logger } = createJsonLog({
    process: 'worker',
    redact: (text) => text.replaceAll('sk-secret', '[key removed]'),
    write: (line) => lines.push(line),
  });
  await at({ run: 'r', step: 4, slot: 2, activity: 'generate', attempt: 3 }, async () =>
    write('warn', 'the endpoint said sk-secret', { detail: 'sk-secret' }),
  );
  logger.warn('Activity failed', {
    ...{ workflowId: 'run/r/step/7', activityType: 'ask', attempt: 2, error: new Error('no sk-secret') },
  });
  logger.info('left out', {});
  const [first, second, ...more] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(more).toEqual([]);
  expect(first).toMatchObject({
    ...{ level: 'warn', process: 'worker', run: 'r', step: 4, slot: 2, activity: 'generate', attempt: 3 },
    ...{ message: 'the endpoint said [key removed]', detail: '[key removed]' },
  });
  expect(first!['time']).toMatch(/^\d{4}-\d\d-\d\dT/);
  expect(second).toMatchObject({ run: 'r', step: 7, activity: 'ask', attempt: 2 });
  expect(String(second!['error'])).toContain('no [key removed]');
});

// Attempt: the page and the network.
test('a line of the text log holds no key either, and nothing that a terminal obeys', () => {
  const lines: string[] = [];
  const logger = textLogger({
    redact: (text) => text.replaceAll('sk-secret', '[key removed]'),
    write: (line) => lines.push(line),
  });
  const error = new Error('the endpoint said sk-secret\u001b]0;owned\u0007');
  logger.warn('Activity failed: 100 % of sk-secret', { workflowId: 'run/r', attempt: 2, error });
  logger.error('without more');
  logger.info('left out');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\dT\S+ \[WARN\] Activity failed: 100 % of \[key removed\] \{/);
  expect(lines[0]).toContain('said [key removed]');
  expect(lines[0]).toContain("workflowId: 'run/r'");
  expect(lines.join('')).not.toMatch(/sk-secret|[\u001b\u0007]/);
  expect(lines[1]).toMatch(/ \[ERROR\] without more$/);
});

test('the table in docs/operations/telemetry.md is that of the metrics', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/operations/telemetry.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(evolve_\w+)` \| (\w+) \| (.*?) \| (.*?) \|$/gm)].map((row) => row.slice(1));
  // Those of the learner are in the table after it (test/trainer/worker.test.ts).
  const told = rows.filter(([name]) => !name!.startsWith(OF_LEARNER));
  expect(told).toEqual(
    Object.values(METRICS).map(({ name, kind, labels, help }) => [
      ...[name, kind],
      labels.map((label) => `\`${label}\``).join(', ') || '-',
      help,
    ]),
  );
});

test('what a process does at once is told as it stands when somebody asks', async () => {
  const registry = createRegistry();
  meterWith(registry);
  const permits = new Permits(2);
  const look = slotGauges('cores', 2, permits.standing);
  const told = async (): Promise<readonly string[] | null> => {
    await look();
    return (await registry.text()).match(/^evolve_places\{.*/gm);
  };
  const never = new AbortController().signal;
  const release = await permits.acquire(never);
  const wide = permits.acquire(never, { count: 2 });
  expect(await told()).toEqual([
    'evolve_places{of="cores",state="free"} 1',
    'evolve_places{of="cores",state="taken"} 1',
    'evolve_places{of="cores",state="waited for"} 1',
  ]);
  release();
  await wide;
  expect(await told()).toEqual([
    'evolve_places{of="cores",state="free"} 0',
    'evolve_places{of="cores",state="taken"} 2',
    'evolve_places{of="cores",state="waited for"} 0',
  ]);
});

test('runs are told of by state, and one that ended once more and then no longer', async () => {
  const registry = createRegistry();
  meterWith(registry);
  const run = (fields: object) =>
    ({ run: 'a', status: 'running', createdAt: new Date(), committedStep: -1, statusReason: null, ...fields }) as never;
  const runs = [
    run({}),
    run({
      ...{ run: 'b', status: 'needs attention', statusReason: 'generate: Unanswered: no words' },
      parked: { since: '2026-01-01T00:00:00Z', tries: 1, next: null, trying: false },
    }),
  ];
  const sample = runGauges({ listRuns: async () => runs, committedAt: async () => null }, tmpdir());
  await sample(registry);
  count('steps', { run: 'a' });
  const first = await registry.text();
  expect(first).toContain('evolve_runs{state="running"} 1');
  expect(first).toMatch(/evolve_parked_seconds\{run="b",cause="Unanswered"\} [1-9]/);
  expect(first).toContain('evolve_run_running{run="a"} 1');
  expect(first).toMatch(/evolve_disk_free_bytes\{folder=".+"\} [1-9]/);
  runs[0] = run({ status: 'finished' });
  await sample(registry);
  expect(await registry.text()).toContain('evolve_steps_total{run="a"} 1');
  await sample(registry);
  expect(await registry.text()).not.toContain('run="a"');
});

test('what changes seldom is looked up seldom, and again soon where it failed', async () => {
  let atMs = 0;
  let looked = 0;
  let fails = true;
  const look = seldom(
    async (by: number) => {
      looked += by;
      if (fails) throw new Error('away');
    },
    1_000,
    () => atMs,
  );
  await expect(look(1)).rejects.toThrow('away');
  fails = false;
  for (const at of [0, 999, 1_000, 1_500, 2_000]) {
    atMs = at;
    await look(1);
  }
  expect(looked).toBe(4);
});
