// Our metrics in a registry of prom-client. It bounds how many series there can be: labels of a metric have few values,
// and those of a run that has ended are removed.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { METRICS, type Meter, type Metric, type MetricKey } from '../../activities/telemetry/metrics.ts';

/** A label of a metric has at most so many values in a process. What comes later is counted together. */
const MOST_VALUES = 500;
const OTHER = 'other';

type Labels = Readonly<Record<string, string>>;
type Instrument = Counter | Gauge | Histogram;

export type MetricsRegistry = Meter & {
  text(): Promise<string>;
  /** Removes the series of runs that are not named. */
  keepRuns(open: ReadonlySet<string>): Promise<void>;
  /** Removes all series of these metrics, before they are set anew. */
  clear(...metrics: readonly MetricKey[]): void;
};

const instrumentOf = (metric: Metric, registry: Registry): Instrument => {
  const { name, help } = metric;
  const options = { name, help, labelNames: [...metric.labels], registers: [registry] };
  switch (metric.kind) {
    case 'counter':
      return new Counter(options);
    case 'gauge':
      return new Gauge(options);
    case 'histogram':
      return new Histogram({ ...options, buckets: [...metric.buckets] });
  }
};

export const createRegistry = (): MetricsRegistry => {
  const registry = new Registry();
  const instruments = new Map(
    Object.entries(METRICS).map(([key, metric]) => [key, instrumentOf(metric, registry)] as const),
  );
  /** By metric and label, the values that have a series. */
  const values = new Map(
    Object.entries(METRICS).map(
      ([key, { labels }]) => [key, new Map(labels.map((label) => [label as string, new Set<string>()]))] as const,
    ),
  );

  const bounded = (metric: MetricKey, labels: Labels): Labels => {
    let bounds = labels;
    for (const [label, labelValues] of values.get(metric)!) {
      const value = labels[label]!;
      if (labelValues.size < MOST_VALUES) labelValues.add(value);
      else if (!labelValues.has(value)) bounds = { ...bounds, [label]: OTHER };
    }
    return bounds;
  };
  const of = <I extends Instrument>(metric: MetricKey): I => instruments.get(metric) as I;

  return {
    add: (metric, labels, by) => of<Counter>(metric).inc(bounded(metric, labels), by),
    set: (metric, labels, value) => of<Gauge>(metric).set(bounded(metric, labels), value),
    observe: (metric, labels, value) => of<Histogram>(metric).observe(bounded(metric, labels), value),
    text: () => registry.metrics(),
    async keepRuns(open) {
      for (const [metric, { labels: names }] of Object.entries(METRICS)) {
        if (!(names as readonly string[]).includes('run')) continue;
        const instrument = instruments.get(metric)!;
        for (const { labels } of (await instrument.get()).values) {
          const { run } = labels as { run?: string };
          if (run !== undefined && run !== OTHER && !open.has(run)) instrument.remove(labels as Record<string, string>);
        }
        const labelValues = values.get(metric)!.get('run')!;
        for (const run of labelValues) if (!open.has(run)) labelValues.delete(run);
      }
    },
    clear(...metrics) {
      for (const metric of metrics) of(metric).reset();
    },
  };
};
