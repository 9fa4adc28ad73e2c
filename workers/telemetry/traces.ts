// Spans for OpenTelemetry. The ids of a step's trace follow from its run, number and epoch, so that activities on any
// machine make spans below their step, and no workflow has to hand anything on: histories are the same with traces and
// without.
import { AsyncLocalStorage } from 'node:async_hooks';
import { hostname } from 'node:os';
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResourcesSync, envDetectorSync, Resource } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
} from '@opentelemetry/sdk-trace-base';
import type { StreamTurned } from '../../activities/interface/stream.ts';
import { sha256 } from '../../activities/sha256.ts';
import { count } from '../../activities/telemetry/metrics.ts';
import { type Attributes, traceWith } from '../../activities/telemetry/spans.ts';
import type { Place } from './log.ts';

const SAMPLED = 1;
/** Steps whose begin is remembered until they are committed. The oldest is forgotten first. */
const MOST_STEPS = 1_000;

type Step = { readonly run: string; readonly step: number; readonly epoch: number };

const keyOf = ({ run, step, epoch }: Step): string => `${run}:${step}:${epoch}`;
const traceIdOf = (key: string): string => sha256(`evolve trace ${key}`).slice(0, 32);
const spanIdOf = (key: string): string => sha256(`evolve span ${key}`).slice(0, 16);

/** The steps that an activity has committed: its own, or those of a turn of a stream. */
const committedBy = (activity: string, of: Step, result: unknown): readonly Step[] => {
  if (activity === 'commitStep') return [of];
  if (activity !== 'turnStream') return [];
  const { summary, further = [] } = result as Pick<StreamTurned, 'summary' | 'further'>;
  const summaries = [...(summary === null ? [] : [summary]), ...further.map((one) => one.summary)];
  return summaries.map(({ step }) => ({ ...of, step }));
};

/** Gives the ids that are set, and else random ones. */
class SetIds extends RandomIdGenerator implements IdGenerator {
  next: { readonly traceId: string; readonly spanId: string } | null = null;
  override generateTraceId = (): string => this.next?.traceId ?? randomIds.generateTraceId();
  override generateSpanId = (): string => this.next?.spanId ?? randomIds.generateSpanId();
}
const randomIds = new RandomIdGenerator();

/** Counts the spans that no collector took, after the exporter's own attempts. */
class CountingExporter extends OTLPTraceExporter {
  override export(...[spans, done]: Parameters<OTLPTraceExporter['export']>): void {
    super.export(spans, (result) => {
      if (result.code !== 0) count('spansLost', {}, spans.length);
      done(result);
    });
  }
}

export type Traces = {
  /** An activity as a span of its step. The commit of a step ends the span of the step itself. */
  activity<T>(
    place: Place,
    times: { readonly scheduledMs: number; readonly queue: string },
    work: () => Promise<T>,
  ): Promise<T>;
  close(): Promise<void>;
};

const below = (step: Step): Context =>
  trace.setSpanContext(ROOT_CONTEXT, {
    traceId: traceIdOf(keyOf(step)),
    spanId: spanIdOf(keyOf(step)),
    traceFlags: SAMPLED,
    isRemote: true,
  });

/** The exporter reads OTEL_EXPORTER_OTLP_ENDPOINT, _HEADERS and their like from the environment by itself. */
const providerOf = (service: string, version: string, ids: IdGenerator): BasicTracerProvider => {
  const fromEnvironment = detectResourcesSync({ detectors: [envDetectorSync] });
  return new BasicTracerProvider({
    resource: new Resource({
      'service.name': service,
      'service.version': version,
      // Processes of one service are told apart by it.
      'service.instance.id': `${hostname()}:${process.pid}`,
    }).merge(fromEnvironment),
    idGenerator: ids,
    spanProcessors: [new BatchSpanProcessor(new CountingExporter())],
  });
};

class OtlpTraces implements Traces {
  readonly #ids = new SetIds();
  readonly #provider: BasicTracerProvider;
  readonly #tracer: Tracer;
  readonly #current = new AsyncLocalStorage<Context>();
  readonly #begun = new Map<string, number>();

  constructor(service: string, version: string) {
    this.#provider = providerOf(service, version, this.#ids);
    this.#tracer = this.#provider.getTracer('durable-evolve');
    traceWith({ span: (name, attributes, work) => this.#span(name, attributes, work) });
  }

  async activity<T>(
    place: Place,
    { scheduledMs, queue }: { readonly scheduledMs: number; readonly queue: string },
    work: () => Promise<T>,
  ): Promise<T> {
    const { run, step, epoch = 0, activity, attempt, group, slot } = place;
    const of = run === undefined || step === undefined ? null : { run, step, epoch };
    if (of !== null && activity !== 'commitStep') this.#beginning(of, scheduledMs);
    const above = of === null ? ROOT_CONTEXT : below(of);
    const attributes = {
      ...{ 'temporal.queue': queue, 'temporal.attempt': attempt, 'evolve.waited_ms': Date.now() - scheduledMs },
      ...(run === undefined ? {} : { 'evolve.run': run }),
      ...(step === undefined ? {} : { 'evolve.step': step }),
      ...(group === undefined ? {} : { 'evolve.group': group }),
      ...(slot === undefined ? {} : { 'evolve.slot': slot }),
    };
    const result = await this.#within(
      this.#tracer.startSpan(activity, { kind: SpanKind.CONSUMER, attributes }, above),
      above,
      work,
    );
    for (const one of of === null ? [] : committedBy(activity, of, result)) {
      // A turn may commit several steps of a stream, and has seen all of them begin.
      if (activity === 'turnStream') this.#beginning(one, scheduledMs);
      this.#ended(one);
    }
    return result;
  }

  async close(): Promise<void> {
    traceWith(null);
    // A collector that is away must not hold up the end of a worker.
    await Promise.race([
      this.#provider.shutdown().catch(() => undefined),
      new Promise((end) => setTimeout(end, 3_000).unref()),
    ]);
  }

  async #within<T>(span: Span, above: Context, work: () => Promise<T>): Promise<T> {
    try {
      return await this.#current.run(trace.setSpan(above, span), work);
    } catch (error) {
      // The words of an error may hold text of a model or an endpoint; its kind says what failed.
      const kind = error instanceof Error ? error.name : 'error';
      span.setStatus({ code: SpanStatusCode.ERROR, message: kind }).setAttribute('error.type', kind);
      throw error;
    } finally {
      span.end();
    }
  }

  #beginning(step: Step, atMs: number): void {
    if (this.#begun.has(keyOf(step))) return;
    this.#begun.set(keyOf(step), atMs);
    const [oldest] = this.#begun.keys();
    if (this.#begun.size > MOST_STEPS && oldest !== undefined) this.#begun.delete(oldest);
  }

  #ended(step: Step): void {
    const key = keyOf(step);
    const startTime = this.#begun.get(key);
    this.#begun.delete(key);
    if (startTime === undefined) return;
    this.#ids.next = { traceId: traceIdOf(key), spanId: spanIdOf(key) };
    try {
      const { run, step: number, epoch } = step;
      const attributes = { 'evolve.run': run, 'evolve.step': number, 'evolve.epoch': epoch };
      this.#tracer.startSpan(`step ${number}`, { root: true, startTime, attributes }, ROOT_CONTEXT).end();
    } finally {
      this.#ids.next = null;
    }
  }

  #span<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
    const above = this.#current.getStore() ?? ROOT_CONTEXT;
    // Requests to models leave the process; evaluations and containers are its own work.
    const kind = 'gen_ai.operation.name' in attributes ? SpanKind.CLIENT : SpanKind.INTERNAL;
    return this.#within(this.#tracer.startSpan(name, { kind, attributes }, above), above, work);
  }
}

export const startTraces = (service: string, version: string): Traces => new OtlpTraces(service, version);
