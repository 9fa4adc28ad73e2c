// Every metric of ours, and the functions that count. They do nothing until a process has said where numbers go, so
// that tests, commands and workers without metrics pay nothing for them.

type Common = {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
};
export type Metric =
  | (Common & { readonly kind: 'counter' | 'gauge' })
  | (Common & { readonly kind: 'histogram'; readonly buckets: readonly number[] });

const SHORT = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] as const;
const LONG = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800] as const;

/**
 * The label `run` is only on what the engine's worker counts, and its series go when the run ends. Values of every
 * other label are few: names of models, of operations, of outcomes.
 */
export const METRICS = {
  programs: counter('programs_total', 'Programs of committed steps, by what became of them.', ['run', 'outcome']),
  steps: counter('steps_total', 'Committed steps.', ['run']),
  tokens: counter('tokens_total', 'Tokens of the answers in committed steps; kind is in or out.', [
    'run',
    'model',
    'kind',
  ]),
  cost: counter('cost_usd_total', 'Dollars for the answers in committed steps.', ['run', 'model']),
  population: gauge('population', 'Programs that are alive after the last commit.', ['run']),
  best: gauge('best_score', 'Score of the best program after the last commit.', ['run']),
  runs: gauge('runs', 'Runs by state, as `evolve list` names it.', ['state']),
  running: gauge('run_running', '1 while a run works on steps.', ['run']),
  parked: gauge('parked_seconds', 'How long a phase of the run has been parked; the cause is the kind of failure.', [
    'run',
    'cause',
  ]),
  openStep: gauge('open_step_age_seconds', 'Time since the last commit of a run that works, or since it began.', [
    'run',
  ]),
  versionOpen: gauge(
    'version_open_workflows',
    'Open workflows of a version; served says whether a worker of it asks for work.',
    ['build', 'served'],
  ),
  policyUpdates: counter('policy_updates_total', 'Updates of policies that were committed.', ['run']),
  trainedTokens: counter('trained_tokens_total', 'Tokens that updates of policies were trained on.', ['run']),
  requests: counter('model_requests_total', 'Requests to models: answered, refused (429), failed.', [
    'model',
    'outcome',
  ]),
  requestSeconds: histogram('model_request_seconds', 'Time until the answer of a model.', ['model'], LONG),
  rateWaits: counter('rate_limit_waits_total', 'Requests that waited for a rate; limit names which.', [
    'endpoint',
    'limit',
  ]),
  rateWaitSeconds: counter('rate_limit_wait_seconds_total', 'Time for which requests waited for a rate.', [
    'endpoint',
    'limit',
  ]),
  evaluations: counter('evaluations_total', 'Evaluations: how the execution ended, and what its claim was worth.', [
    'execution',
    'outcome',
  ]),
  evaluationSeconds: histogram(
    'evaluation_seconds',
    'Time of an evaluation, with its waiting for a container.',
    [],
    LONG,
  ),
  evaluationCpu: counter('evaluation_cpu_seconds_total', 'CPU time of candidates.', []),
  containerStart: histogram('container_start_seconds', 'Time until a container was ready.', ['level'], LONG),
  containerRun: histogram('container_run_seconds', 'Time for which a candidate ran in its container.', ['level'], LONG),
  sandboxFailures: counter('sandbox_failures_total', 'Evaluations that the engine, image or connection failed.', []),
  database: histogram('database_seconds', 'Time of a call to the database.', ['operation'], SHORT),
  places: gauge('places', 'What a process does at once, cores of evaluations or requests to models, as it stands.', [
    'of',
    'state',
  ]),
  diskFree: gauge('disk_free_bytes', 'Free space where the data directory is.', ['folder']),
  diskSize: gauge('disk_size_bytes', 'Size of the file system where the data directory is.', ['folder']),
  notices: counter('notices_total', 'Attempts to send a notice to a destination, by what became of it: sent, failed.', [
    'destination',
    'outcome',
  ]),
  worker: gauge('worker_info', '1; what this process is.', ['role', 'build', 'version']),
  lookupsFailed: counter(
    'lookups_failed_total',
    'Times that runs, versions or the disk could not be looked up for these metrics: what they tell is older.',
    [],
  ),
  spansLost: counter('spans_lost_total', 'Spans that no collector took.', []),
} as const satisfies Readonly<Record<string, Metric>>;

function counter<const L extends readonly string[]>(name: string, help: string, labels: L) {
  return { kind: 'counter', name: `evolve_${name}`, help, labels } as const;
}
function gauge<const L extends readonly string[]>(name: string, help: string, labels: L) {
  return { kind: 'gauge', name: `evolve_${name}`, help, labels } as const;
}
function histogram<const L extends readonly string[]>(
  name: string,
  help: string,
  labels: L,
  buckets: readonly number[],
) {
  return { kind: 'histogram', name: `evolve_${name}`, help, labels, buckets } as const;
}

type Metrics = typeof METRICS;
export type MetricKey = keyof Metrics;
type OfKind<K extends Metric['kind']> = {
  [M in MetricKey]: Metrics[M]['kind'] extends K ? M : never;
}[MetricKey];
/** One value for each label of the metric. */
type LabelsOf<M extends MetricKey> = { readonly [L in Metrics[M]['labels'][number]]: string };

/** Where numbers go. */
export type Meter = {
  add(metric: MetricKey, labels: Readonly<Record<string, string>>, by: number): void;
  set(metric: MetricKey, labels: Readonly<Record<string, string>>, value: number): void;
  observe(metric: MetricKey, labels: Readonly<Record<string, string>>, value: number): void;
};

let meter: Meter | null = null;

/** From now on this process counts there; null ends it. */
export const meterWith = (to: Meter | null): void => {
  meter = to;
};

export const count = <M extends OfKind<'counter'>>(metric: M, labels: LabelsOf<M>, by = 1): void =>
  meter?.add(metric, labels, by);

export const gaugeAt = <M extends OfKind<'gauge'>>(metric: M, labels: LabelsOf<M>, value: number): void =>
  meter?.set(metric, labels, value);

/** Observes in seconds how long the work took, also where it fails. */
export const timed = async <T, M extends OfKind<'histogram'>>(
  metric: M,
  labels: LabelsOf<M>,
  work: () => Promise<T>,
): Promise<T> => {
  if (meter === null) return work();
  const started = performance.now();
  try {
    return await work();
  } finally {
    meter?.observe(metric, labels, (performance.now() - started) / 1000);
  }
};
