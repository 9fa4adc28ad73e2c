// The real parts on which runs are recorded: a home of their own, and an endpoint that does as it is told.
import type { RunSettings } from '../../../evolution/config/settings.ts';
import { type Endpoint, startEndpoint } from '../../support/endpoint.ts';
import { connectEngine, type TestEngine } from '../../support/engine.ts';
import { testHome, type TestHome } from '../../support/home.ts';
import { type Record, recordIn, type Scene, worked } from './fixture.ts';

export type { Scene };

export type Stack = {
  readonly home: TestHome;
  readonly engine: TestEngine;
  readonly endpoint: Endpoint;
  settings(steps: number, more?: RunSettings): RunSettings;
  /** Of a run that has ended: the execution that came to the end. */
  readonly record: Record;
  /** Executions of a workflow that went on as another. */
  continued(workflowId: string): Promise<readonly string[]>;
  committed(run: string, step: number): Promise<unknown>;
  state(run: string, wanted: string): Promise<unknown>;
  close(): Promise<void>;
};

export const openStack = async (): Promise<Stack> => {
  const home = testHome('record');
  const up = await home.evolve(['up']);
  if (up.code !== 0) throw new Error(`evolve up ended with ${up.code}\n${up.stdout}${up.stderr}`);
  const engine = await connectEngine(home);
  const endpoint = await startEndpoint({ models: ['small', 'large'] });
  const { client } = engine;
  const write = recordIn(client);
  return {
    home,
    engine,
    endpoint,
    settings: (steps, more = {}) => ({
      seed: 1,
      batch: 2,
      responses: 2,
      limits: { steps },
      population: { islands: 2 },
      model: { name: 'small', baseUrl: endpoint.url },
      evaluation: { sandbox: 'noop' },
      ...more,
    }),
    record: async (name, workflowId, runId) => write(name, workflowId, runId ?? (await worked(client, workflowId))),
    async continued(workflowId) {
      const ids: string[] = [];
      const query = `WorkflowId = "${workflowId}" AND ExecutionStatus = "ContinuedAsNew"`;
      for await (const one of client.workflow.list({ query })) ids.push(one.runId);
      return ids;
    },
    committed: (run, step) => engine.seen(run, `step ${step}`, ({ committedStep }) => committedStep >= step),
    state: (run, wanted) => engine.seen(run, wanted, ({ status }) => status === wanted, 240_000),
    async close() {
      await engine.close();
      await endpoint.stop();
      await home.remove();
    },
  };
};
