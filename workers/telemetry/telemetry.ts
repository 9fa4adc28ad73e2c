// Metrics, log and traces of a worker process. They are started once, before anything of Temporal's SDK, because the
// SDK's runtime is made with its metrics and its logger.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Context as ActivityContext } from '@temporalio/activity';
import { Runtime } from '@temporalio/worker';
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import { createKeyRing } from '../../activities/llm/transport/key-ring.ts';
import { gaugeAt, meterWith } from '../../activities/telemetry/metrics.ts';
import { PROJECT_ROOT } from '../../deploy/host/home.ts';
import { announceMetrics, telemetrySettings } from '../../deploy/host/telemetry.ts';
import { findFreePort } from '../../deploy/parts/free-port.ts';
import { at, logJson, type Place, textLogger } from './log.ts';
import { lookingUp, serveMetrics } from './metrics-server.ts';
import { createRegistry, type MetricsRegistry } from './registry.ts';
import type { Traces } from './traces.ts';

type Started = {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
};

/** Sets gauges that are only looked up when somebody asks for metrics. What it throws is left out. */
type Sample = (registry: MetricsRegistry) => Promise<void>;

export type Telemetry = {
  /** Makes spans and the places of log lines of every activity. */
  readonly interceptor: (context: ActivityContext) => { inbound: ActivityInboundCallsInterceptor };
  sampling(sample: Sample): void;
  close(): Promise<void>;
};

/** The SDK is told its port before it takes it, so another process may have been faster. */
const PORT_ATTEMPTS = 5;

/** Resolves to the port at which the SDK serves its metrics; null where it does not. */
export const installRuntime = async (
  logger: ReturnType<typeof textLogger>,
  metrics: boolean,
): Promise<number | null> => {
  for (let attempt = 1; ; attempt += 1) {
    const port = metrics ? await findFreePort() : null;
    const exporter = {
      bindAddress: `127.0.0.1:${port}`,
      ...{ countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true },
    };
    try {
      Runtime.install({
        ...{ logger, shutdownSignals: [] },
        ...(port === null ? {} : { telemetryOptions: { metrics: { prometheus: exporter } } }),
      });
      return port;
    } catch (error) {
      if (port === null || attempt === PORT_ATTEMPTS) throw error;
    }
  }
};

/** The name that the supervisor gave to this process, else the role that `evolve worker` was asked for. */
const nameOf = (env: NodeJS.ProcessEnv): string =>
  env['EVOLVE_CHILD']?.split('/').at(-1) ?? env['EVOLVE_ROLE'] ?? 'worker';

/** The workflow bundle that it runs, which is named by its hash; empty where it runs no workflows. */
const buildOf = (env: NodeJS.ProcessEnv): string => basename(env['EVOLVE_BUNDLE'] ?? '', '.js');

const VERSION = (JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as { version: string }).version;

/** Throws SetupError where a setting is wrong, and an error that names the address where it is taken. */
export const startTelemetry = async ({ home, env }: Started): Promise<Telemetry> => {
  const settings = telemetrySettings(env);
  const name = nameOf(env);
  const keys = createKeyRing({ home, env });
  const logger =
    settings.log === 'json'
      ? logJson({ process: name, redact: (text) => keys.error(text) })
      : textLogger({ redact: (text) => keys.report(text) });
  const sdkPort = await installRuntime(logger, settings.metrics !== null);
  const samples: Sample[] = [];
  const closing: (() => void | Promise<void>)[] = [];

  if (settings.metrics !== null) {
    const registry = createRegistry();
    const server = await serveMetrics(settings.metrics, {
      text: () => registry.text(),
      sdkPort,
      sample: lookingUp(() => samples.map((sample) => () => sample(registry))),
    });
    meterWith(registry);
    gaugeAt('worker', { role: name, build: buildOf(env), version: VERSION }, 1);
    closing.push(announceMetrics(home, name, server.address), () => server.close());
  }
  // Loaded only where traces are on: it costs a moment at start, and memory.
  const traces = settings.traces ? (await import('./traces.ts')).startTraces('durable-evolve', VERSION) : null;
  if (traces !== null) closing.push(() => traces.close());

  return {
    interceptor: placing(settings.log === 'json', traces),
    sampling: (sample) => {
      samples.push(sample);
    },
    async close() {
      meterWith(null);
      for (const close of closing) await close();
    },
  };
};

const placing =
  (logs: boolean, traces: Traces | null): Telemetry['interceptor'] =>
  ({ info }) => ({
    inbound: {
      execute(input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, 'execute'>): Promise<unknown> {
        if (!logs && traces === null) return next(input);
        const place = placeOf(input.args[0], info);
        const work = (): Promise<unknown> => next(input);
        const traced = traces === null ? work : (): Promise<unknown> => traces.activity(place, timesOf(info), work);
        return logs ? at(place, traced) : traced();
      },
    },
  });

const timesOf = ({ currentAttemptScheduledTimestampMs, taskQueue }: ActivityContext['info']) => ({
  scheduledMs: currentAttemptScheduledTimestampMs,
  queue: taskQueue,
});

const NUMBERS = ['step', 'epoch', 'group', 'slot'] as const;

/** Activities name what they work on alike, as far as they do. */
const placeOf = (input: unknown, { activityType, attempt }: ActivityContext['info']): Place => {
  const fields = (typeof input === 'object' && input !== null ? input : {}) as Readonly<Record<string, unknown>>;
  const numbers = NUMBERS.flatMap((name) => (typeof fields[name] === 'number' ? [[name, fields[name]]] : []));
  return {
    ...(typeof fields['run'] === 'string' ? { run: fields['run'] } : {}),
    ...(typeof fields['program'] === 'string' ? { program: fields['program'] } : {}),
    ...(Object.fromEntries(numbers) as Partial<Place>),
    ...{ activity: activityType, attempt },
  };
};
