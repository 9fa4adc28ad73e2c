// The texts of a warm-up: the task's own prompts as the next step would ask them, with answers of the offline model, so
// that a small policy knows the form of an answer before its first update. Everything derives from the run's seed.
import { Context } from '@temporalio/activity';
import { OFFLINE_MODEL } from '../../evolution/config/offline.ts';
import { rng, seedOf } from '../../evolution/rng.ts';
import { range } from '../../evolution/schedule/slots.ts';
import type { Task } from '../../evolution/task/task.ts';
import type { Message } from '../../evolution/types.ts';
import type { ClientFor } from '../llm/chat/request.ts';
import { draftRequests } from '../step/plan/plan-groups.ts';
import type { RunDocument } from '../store/documents/documents.ts';
import { epochAt } from '../store/steps/paid.ts';
import type { Store } from '../store/store.ts';
import type { Example } from './arrow.ts';

/** Answers of the offline model to one prompt; the same seed gives the same answers. */
export type OfflineAnswers = (messages: readonly Message[], seed: number, n: number) => Promise<readonly string[]>;

const ANSWER_MS = 60_000;
const ANSWER_TOKENS = 8_192;

/** The answers of this installation's own offline model. */
export const offlineAnswers =
  (clientFor: ClientFor): OfflineAnswers =>
  async (messages, seed, n) => {
    const timeoutSeconds = ANSWER_MS / 1_000;
    const { client, model } = await clientFor({ kind: 'offline', baseUrl: null, name: OFFLINE_MODEL, timeoutSeconds });
    const sampling = { temperature: 1, topP: 1, maxTokens: ANSWER_TOKENS, timeoutMs: ANSWER_MS };
    const { choices } = await client.chat(
      { messages, n, seed, model, ...sampling, key: `warm-up-${seed}` },
      Context.current().cancellationSignal,
    );
    return choices.map(({ text }) => text);
  };

type WarmUp = {
  readonly store: Store;
  readonly task: Task;
  readonly run: RunDocument;
  readonly step: number;
  readonly answers: OfflineAnswers;
};

/** In the order of prompts and answers, then shuffled, so that no batch of a supervised step is of one prompt alone. */
export const warmUpExamples = async ({ store, task, run, step, answers }: WarmUp): Promise<readonly Example[]> => {
  const { config } = run;
  const count = config.learning.warmup?.examples ?? 0;
  const examples: Example[] = [];
  for (let round = 0; examples.length < count; round++) {
    const seed = seedOf(config.seed, 'warm-up', round);
    const requests = await draftRequests({
      store,
      task,
      run,
      step: step + 1,
      epoch: epochAt(run.epochs, step + 1),
      config: { ...config, seed },
      version: run.configVersion,
      population: await store.population(run.run),
      groups: range(0, config.batch),
    });
    const before = examples.length;
    for (const [group, messages] of requests.entries()) {
      const texts = await answers(messages, seedOf(seed, 'answers', group), config.responses);
      for (const [sample, response] of texts.entries())
        if (response !== '')
          examples.push({ id: `warm-up:${round}:${group}:${sample}`, messages: JSON.stringify(messages), response });
    }
    if (examples.length === before) break;
  }
  const random = rng(config.seed, 'warm-up', 'order');
  return shuffled(examples.slice(0, count), (n) => random.int(n));
};

const shuffled = <T>(list: readonly T[], draw: (n: number) => number): readonly T[] => {
  const mixed = [...list];
  for (let last = mixed.length - 1; last > 0; last--) {
    const other = draw(last + 1);
    [mixed[last], mixed[other]] = [mixed[other]!, mixed[last]!];
  }
  return mixed;
};
