// The role `model`: everything that is asked of models. It has the keys and no Docker socket.
import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { availableParallelism } from 'node:os';
import { createVerifyPolicy } from '../../activities/learning/verify-policy.ts';
import { createAsk } from '../../activities/llm/chat/ask.ts';
import { Outages } from '../../activities/llm/chat/failover.ts';
import { createGenerate } from '../../activities/llm/chat/generate.ts';
import { Places } from '../../activities/llm/chat/places.ts';
import { Silence } from '../../activities/llm/chat/silence.ts';
import { createGenerateBatch, storingBatched, type ReportAnswers } from '../../activities/llm/chat/batched.ts';
import { createEmbed } from '../../activities/llm/embeddings/embed.ts';
import { createIsland } from '../../activities/step/commit/ahead.ts';
import { createApplyResponses } from '../../activities/step/apply/apply-responses.ts';
import { QUEUES } from '../../workflows/engine/queues.ts';
import { internal } from '../../workflows/engine/form.ts';
import type { Context, Role } from '../process/context.ts';
import { createEmbeddingClientFor } from '../models/embedding-clients.ts';
import type { ModelEnvironment } from '../process/environment.ts';
import type { Models } from '../models/model-clients.ts';
import { followSharedKeys } from '../models/shared-keys.ts';
import { slotGauges } from '../telemetry/gauges.ts';
import { bySlots, modelSlots } from '../process/tuning.ts';

export const modelRole = async (
  context: Context,
  environment: ModelEnvironment,
  { clientFor, keys, aside, standing, rates, close }: Models,
): Promise<Role> => {
  const { store, loadTask, shared: options } = context;
  context.telemetry.sampling(slotGauges('requests', environment.llmSlots, standing));
  const shared = await followSharedKeys(store, keys, {
    secret: environment.secretsKey,
    log: (line) => console.log(line),
  });
  const outages = new Outages();
  const silence = new Silence();
  const asking = { clientFor, outages, silence, places: new Places() };
  const later = storingBatched(store);
  // Half as many again as requests in flight: while some wait for the model, others read prompts and store answers.
  const slots = Math.ceil(1.5 * environment.llmSlots);
  const worker = await Worker.create({
    ...options,
    taskQueue: QUEUES.llm,
    ...bySlots(modelSlots({ most: slots, inFlight: environment.llmSlots }, aside), slots),
    activities: {
      ...createGenerate({ ...asking, store }),
      ...createGenerateBatch({
        ...createGenerate({ ...asking, store: later.store }),
        settle: later.settle,
        ...createApplyResponses({ store, loadTask }),
        report: reportingAnswers(context),
      }),
      ...createAsk({ store, clientFor, outages, silence }),
      ...createVerifyPolicy({ store, clientFor }),
      ...createEmbed({
        store,
        islandOf: createIsland({ store, loadTask }),
        clientFor: createEmbeddingClientFor({ ...environment, keys, rates }),
        silence,
      }),
    },
  });
  return {
    about: { role: 'model', slots: environment.llmSlots, cores: availableParallelism(), gpus: 0, labels: [] },
    workers: [worker],
    async close() {
      shared.stop();
      await close();
    },
  };
};

const reportingAnswers = ({ engine, payloads }: Context): ReportAnswers => {
  const { connection, namespace } = engine;
  const client = new Client({ connection, namespace, dataConverter: payloads.ofClient });
  return ({ workflowId, runId }, outcomes) =>
    client.workflow.getHandle(workflowId, runId).signal('answersReceived', internal({ outcomes }));
};
