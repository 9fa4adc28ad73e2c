// The settings of what a process tells of itself: metrics, traces, log. They are read before anything starts, by `evolve
// up` for the processes that it will start and by every worker for itself. Where processes of this machine serve their
// metrics stands in a folder of the home, in the form of Prometheus' file_sd.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonOrNull, writeJsonAtomically } from './files.ts';
import type { Home } from './home.ts';
import { isAlive, type ProcessRef, self } from './process-identity.ts';
import { SetupError } from './run-command.ts';

export type MetricsAddress = { readonly host: string; readonly port: number };

export type TelemetrySettings = {
  /** The address that serves metrics; null where they are off. Port 0 is any free one. */
  readonly metrics: MetricsAddress | null;
  readonly traces: boolean;
  readonly log: 'text' | 'json';
};

const METRICS_SETTING = 'EVOLVE_METRICS';
const LOG_SETTING = 'EVOLVE_LOG';

/** Variables that processes of a home get from the environment of `evolve up`. */
export const isTelemetrySetting = (name: string): boolean =>
  name === METRICS_SETTING || name === 'EVOLVE_TRACES' || name === LOG_SETTING || name.startsWith('OTEL_');

/** The same for the learner, which has no traces. */
export const isLearnerTelemetry = (name: string): boolean => name === METRICS_SETTING || name === LOG_SETTING;

const LOOPBACK: MetricsAddress = { host: '127.0.0.1', port: 0 };
const ADDRESS = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+)):(\d{1,5})$/i;

const wrong = (name: string, expected: string, came: string): SetupError =>
  new SetupError(`${name}: expected ${expected}, got ${JSON.stringify(came.slice(0, 100))}`);

const metricsOf = (text: string): MetricsAddress | null => {
  if (text === 'on') return LOOPBACK;
  if (text === 'off') return null;
  const [, v6, name, port] = ADDRESS.exec(text) ?? [];
  const host = v6 ?? name;
  if (host === undefined || Number(port) > 65_535)
    throw wrong('EVOLVE_METRICS', '`on`, `off` or an address as 127.0.0.1:9464', text);
  return { host, port: Number(port) };
};

const either = <const T extends string>(env: NodeJS.ProcessEnv, name: string, first: T, second: T): T => {
  const text = env[name] || first;
  if (text !== first && text !== second) throw wrong(name, `\`${first}\` or \`${second}\``, text);
  return text as T;
};

/** Throws SetupError that names the variable, what was expected and what came. */
export const telemetrySettings = (env: NodeJS.ProcessEnv): TelemetrySettings => {
  const traces = either(env, 'EVOLVE_TRACES', 'off', 'on') === 'on';
  const collector = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (traces && !collector)
    throw new SetupError(
      'EVOLVE_TRACES: on needs a collector: set OTEL_EXPORTER_OTLP_ENDPOINT to its address, as http://localhost:4318',
    );
  if (traces && !/^https?:$/.test(URL.parse(collector!)?.protocol ?? ''))
    throw wrong('OTEL_EXPORTER_OTLP_ENDPOINT', 'an address that begins with http:// or https://', collector!);
  return {
    metrics: metricsOf(env['EVOLVE_METRICS'] || 'on'),
    traces,
    log: either(env, LOG_SETTING, 'text', 'json'),
  };
};

/** Several processes of a home cannot have one port. Throws SetupError where `evolve up` is given one. */
export const requireTelemetrySettings = (env: NodeJS.ProcessEnv): void => {
  const { metrics } = telemetrySettings(env);
  if (metrics !== null && metrics.port !== 0)
    throw wrong(
      'EVOLVE_METRICS',
      '`on` or `off`, because the processes that `evolve up` starts have a port each (a worker that is started alone takes one address)',
      env['EVOLVE_METRICS']!,
    );
};

/** A process that serves its metrics. */
type MetricsTarget = { readonly name: string; readonly url: string };

/** One file of Prometheus' file_sd. Labels come to every series of the process, but for those that begin with `__`. */
type TargetFile = readonly {
  readonly targets: readonly string[];
  readonly labels: { readonly process: string; readonly __pid: string; readonly __identity: string };
}[];

const folderOf = (root: string): string => join(root, 'metrics');

const filesIn = (root: string): readonly { readonly file: string; readonly content: TargetFile | null }[] => {
  let names: string[];
  try {
    names = readdirSync(folderOf(root)).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
  return names.sort().map((name) => {
    const file = join(folderOf(root), name);
    return { file, content: readJsonOrNull<TargetFile>(file) };
  });
};

const processOf = (content: TargetFile | null): ProcessRef | null => {
  const labels = content?.[0]?.labels;
  return labels === undefined ? null : { pid: Number(labels.__pid), identity: labels.__identity };
};

/** The processes of a home that serve metrics now. */
export const metricsTargets = ({ root }: Pick<Home, 'root'>): readonly MetricsTarget[] =>
  filesIn(root).flatMap(({ content }) => {
    const process = processOf(content);
    const { targets, labels } = content?.[0] ?? {};
    return process !== null && isAlive(process) && targets?.[0] !== undefined && labels !== undefined
      ? [{ name: labels.process, url: `http://${targets[0]}/metrics` }]
      : [];
  });

/** For people: where the metrics are, and how Prometheus finds them. */
export const metricsDetail = (home: Pick<Home, 'root'>): string => {
  const targets = metricsTargets(home);
  return targets.length === 0
    ? 'no process of this home serves any now'
    : `${targets.map(({ name, url }) => `${name} ${url}`).join(', ')}; for Prometheus: file_sd_configs with ${join(folderOf(home.root), '*.json')}`;
};

/**
 * Writes down where this process serves its metrics, and removes what processes left behind that are gone. The function
 * that it returns removes the file again.
 */
export const announceMetrics = (root: string, name: string, { host, port }: MetricsAddress): (() => void) => {
  mkdirSync(folderOf(root), { recursive: true, mode: 0o700 });
  for (const { file, content } of filesIn(root)) {
    const process = processOf(content);
    if (process === null || !isAlive(process)) rmSync(file, { force: true });
  }
  const { pid, identity } = self();
  const file = join(folderOf(root), `${name}-${pid}.json`);
  // Programs of this machine ask there, also where the process listens on all of its addresses.
  const reached = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const target = `${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
  const content: TargetFile = [
    { targets: [target], labels: { process: name, __pid: String(pid), __identity: identity } },
  ];
  writeJsonAtomically(file, content);
  return () => rmSync(file, { force: true });
};
