// The dashboard and the alert rules ask for metrics and labels that are told. Those of Temporal's SDK are checked where
// its workers run (test/workflows/run/rows.test.ts).
import { afterEach, expect, test } from 'vitest';
import { type MetricKey, METRICS, meterWith } from '../../../activities/telemetry/metrics.ts';
import { openByVersion } from '../../../deploy/versions/executions.ts';
import { createRegistry } from '../../../workers/telemetry/registry.ts';
import { versionGaugesOf } from '../../../workers/telemetry/gauges.ts';
import { alerts, dashboard, lacking, questions, seriesIn } from '../../support/domain/dashboards.ts';

afterEach(() => meterWith(null));

/** An answer in which every metric of ours has a series. */
const everything = async (): Promise<string> => {
  const registry = createRegistry();
  for (const [key, { kind, labels }] of Object.entries(METRICS)) {
    const values = Object.fromEntries(labels.map((label) => [label, 'x']));
    const how = kind === 'counter' ? 'add' : kind === 'gauge' ? 'set' : 'observe';
    registry[how](key as MetricKey, values, 1);
  }
  return registry.text();
};

test('every metric and label of ours that is asked for is told', async () => {
  const series = seriesIn(await everything());
  expect(lacking('evolve_', series)).toEqual([]);
  const names = new Set(questions.flatMap(({ expr }) => expr.match(/\b(?:evolve|temporal)_\w+/g) ?? []));
  expect(names.size).toBeGreaterThan(25);
  // What the test looks for is found where it is missing.
  expect(lacking('evolve_', new Map([...series].filter(([name]) => name !== 'evolve_parked_seconds')))).toContain(
    'alert EvolvePhaseParked: no series evolve_parked_seconds',
  );
});

test('files have the form that Prometheus and Grafana want', () => {
  const ids = dashboard.panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { type, title, targets = [] } of dashboard.panels)
    expect([title, targets.length > 0]).toEqual([title, type !== 'row']);
  const rules = alerts.flatMap((group) => group.rules);
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  for (const rule of rules) {
    const { alert, expr, labels, annotations, ...rest } = rule;
    expect(alert).toMatch(/^Evolve[A-Za-z]+$/);
    expect([alert, labels['severity']]).toEqual([alert, expect.stringMatching(/^(page|warn)$/)]);
    expect([alert, Object.keys(annotations).sort()]).toEqual([alert, ['description', 'summary']]);
    expect([alert, Object.keys(rest).filter((key) => key !== 'for')]).toEqual([alert, []]);
    for (const pair of ['()', '{}', '[]'])
      expect([alert, expr.split(pair[0]!).length]).toEqual([alert, expr.split(pair[1]!).length]);
  }
});

test('every role that an installation cannot do without is missed, what a scaler may take to none while runs work', () => {
  const missed = alerts
    .flatMap(({ rules }) => rules)
    .flatMap(({ expr }) => [/^absent\(evolve_worker_info\{role=~"([^"]*)"\}\)(.*)$/.exec(expr)?.slice(1) ?? []])
    .filter((found) => found.length > 0);
  const working = ' and on () sum(evolve_run_running) > 0';
  // The names that `evolve up` gives to its processes, and the roles of those that are started alone.
  expect(missed.toSorted()).toEqual([
    ['sandbox|evaluation', working],
    ['worker|engine', ''],
    ['worker|model', working],
  ]);
});

test('a version on which something is open and that nobody serves is told of', async () => {
  const registry = createRegistry();
  meterWith(registry);
  const open: Record<string, number> = { new: 3, old: 2, gone: 0, drained: 1 };
  const look = async (drained: readonly string[]): Promise<readonly string[]> => {
    const asked: string[] = [];
    // It counts executions of the versions that the question names.
    const count = async (query: string): Promise<{ count: number }> => {
      const builds = [...query.matchAll(/"durable-evolve:(\w+)"/g)].map(([, build]) => build!);
      asked.push(builds.join());
      return { count: builds.reduce((sum, build) => sum + (open[build] ?? 0), 0) };
    };
    const versions = ['new', 'old', 'gone', ...drained].map((build) => ({
      ...{ build, current: build === 'new', drained: drained.includes(build), leftAtMs: 0 },
    }));
    await versionGaugesOf({
      versions: async () => versions,
      open: (of) => openByVersion({ workflow: { count } } as never, of),
      polled: async () => new Set(['new']),
    })(registry);
    return asked;
  };
  await look(['drained']);
  expect((await registry.text()).match(/^evolve_version_open_workflows\{.*/gm)).toEqual([
    'evolve_version_open_workflows{build="new",served="yes"} 3',
    'evolve_version_open_workflows{build="old",served="no"} 2',
    'evolve_version_open_workflows{build="drained",served="no"} 1',
  ]);
  // However many versions are over, they are asked for with one question.
  expect(await look(['one', 'two', 'three'])).toEqual(['one,two,three', 'new', 'old', 'gone']);
});
