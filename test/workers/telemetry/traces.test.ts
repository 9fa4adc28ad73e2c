// Spans as a collector gets them: a step with its activities, and below them requests to models and the work of
// candidates, named as OpenTelemetry names such things.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { watchedRequest } from '../../../activities/telemetry/requests.ts';
import { spanned } from '../../../activities/telemetry/spans.ts';
import { startTraces } from '../../../workers/telemetry/traces.ts';

type Attribute = { readonly key: string; readonly value: Readonly<Record<string, unknown>> };
type Span = {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly Attribute[];
};

const valuesOf = (attributes: readonly Attribute[]): object =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** A collector that remembers; the environment names it until the test has ended. */
const collecting = async (): Promise<{ readonly spans: Span[]; readonly resources: object[] }> => {
  const spans: Span[] = [];
  const resources: object[] = [];
  const collector = createServer((request, response) => {
    void json(request).then((body) => {
      for (const { resource, scopeSpans } of (body as { resourceSpans: readonly any[] }).resourceSpans) {
        resources.push(valuesOf(resource.attributes));
        for (const scope of scopeSpans) spans.push(...scope.spans);
      }
      response.end('{}');
    });
  });
  await new Promise<void>((listening) => collector.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void collector.close());
  const { port } = collector.address() as AddressInfo;
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `http://127.0.0.1:${port}`);
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=lab');
  onTestFinished(() => void vi.unstubAllEnvs());
  return { spans, resources };
};

test('a step is one trace over its workers, with what was asked of models and run in containers', async () => {
  const { spans, resources } = await collecting();
  const step = { run: 'a', step: 3, epoch: 1, attempt: 1 };
  const times = { scheduledMs: Date.now() - 50, queue: 'evolve-llm' };
  const failing = async (): Promise<never> => {
    throw new TypeError('words of a model');
  };
  // Two workers, one after the other, since a process has one tracer.
  const model = startTraces('durable-evolve', '1.2.3');
  await expect(
    model.activity({ ...step, activity: 'generate' }, times, () =>
      watchedRequest({ model: 'm', stage: 'response', answer: 'a:3:0' }, failing),
    ),
  ).rejects.toThrow('words');
  await model.close();
  const engine = startTraces('durable-evolve', '1.2.3');
  await engine.activity({ ...step, activity: 'planStep' }, times, () =>
    spanned('container', { 'evolve.level': 'docker' }, async () => undefined),
  );
  await engine.activity({ ...step, activity: 'commitStep' }, times, async () => undefined);
  await engine.close();

  const named = Object.fromEntries(spans.map((span) => [span.name, span]));
  expect(Object.keys(named).toSorted()).toEqual([
    ...['chat m', 'commitStep', 'container', 'generate', 'planStep', 'step 3'],
  ]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  const above = (name: string): string | undefined =>
    spans.find(({ spanId }) => spanId === named[name]!.parentSpanId)?.name;
  expect(['generate', 'planStep', 'commitStep', 'chat m', 'container', 'step 3'].map(above)).toEqual([
    ...['step 3', 'step 3', 'step 3', 'generate', 'planStep', undefined],
  ]);
  // Internal, client and consumer, as the protocol numbers them.
  expect([named['container']!.kind, named['chat m']!.kind, named['generate']!.kind]).toEqual([1, 3, 5]);
  expect(valuesOf(named['chat m']!.attributes)).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'm',
    'evolve.stage': 'response',
    'evolve.answer': 'a:3:0',
    'error.type': 'TypeError',
  });
  expect(JSON.stringify(spans)).not.toContain('words');
  expect(resources).toHaveLength(2);
  expect(resources[0]).toMatchObject({
    'service.name': 'durable-evolve',
    'service.version': '1.2.3',
    'deployment.environment.name': 'lab',
  });
});

test('steps of a stream are told where a turn has committed them, and the first one has what was asked', async () => {
  const { spans } = await collecting();
  const place = { run: 'a', step: 3, epoch: 0, attempt: 1 };
  const times = { scheduledMs: Date.now() - 50, queue: 'evolve-db' };
  const traces = startTraces('durable-evolve', '1.2.3');
  const turn = (step: number, ...committed: readonly number[]): Promise<unknown> => {
    const [first = null, ...further] = committed.map((one) => ({ summary: { step: one } }));
    const turned = { summary: first?.summary ?? null, further };
    return traces.activity({ ...place, step, activity: 'turnStream' }, times, async () => turned);
  };
  await traces.activity({ ...place, activity: 'planStep' }, times, async () => undefined);
  await traces.activity({ ...place, activity: 'generateBatch' }, times, async () => undefined);
  await turn(3);
  await turn(3, 3, 4);
  await turn(5, 5);
  await traces.close();
  const steps = spans.filter(({ name }) => name.startsWith('step '));
  expect(steps.map(({ name }) => name)).toEqual(['step 3', 'step 4', 'step 5']);
  // Whatever names a span above it finds that one.
  const known = new Set(spans.map(({ spanId }) => spanId));
  expect(spans.filter(({ parentSpanId }) => parentSpanId !== undefined && !known.has(parentSpanId))).toEqual([]);
  expect(spans.find(({ name }) => name === 'generateBatch')!.parentSpanId).toBe(steps[0]!.spanId);
});
