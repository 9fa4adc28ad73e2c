// Activity `generate`: asks the model for a group's responses and stores each as it arrives. Stored ones are never
// asked for again.
import { ApplicationFailure, Context } from '@temporalio/activity';
import { costUsd, priceOf } from '../../../evolution/budget/money.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { programId, promptId, stageId } from '../../../evolution/ids.ts';
import { modelsFor } from '../../../evolution/models/ensemble.ts';
import { rng, seedOf } from '../../../evolution/rng.ts';
import { sampleOf, slotsOf } from '../../../evolution/slots.ts';
import type { ModelActivities } from '../../interface/step.ts';
import { recentRun } from '../../run/recent-run.ts';
import type { RolloutDocument } from '../../store/step-documents.ts';
import type { Store } from '../../store/store.ts';
import { createChooseModel } from './choose-model.ts';
import { type ChatRequest, type ChatResponse, type ModelClient, ModelError } from './client.ts';
import { createFailover, type Outages } from './failover.ts';
import { programMessages, readMessages } from './messages.ts';
import { askedWith, usageShares } from './shares.ts';

/** Longest stored answer, in characters. What exceeds it is cut, because documents end at 12 MB. */
const MAX_ANSWER_CHARS = 4_000_000;

export type GenerateDeps = {
  readonly store: Store;
  readonly clientFor: (model: RunConfig['model']) => Promise<{ readonly client: ModelClient; readonly model: string }>;
  /** What the process knows of models that are down. Without it, the activity keeps its own. */
  readonly outages?: Outages;
};

export const createGenerate = ({ store, clientFor, outages }: GenerateDeps): Pick<ModelActivities, 'generate'> => {
  const settingsOf = recentRun(store);
  const chooseModel = createChooseModel(store);
  const withFailover = createFailover(outages);
  return {
    async generate({ run, step, epoch, version, group, first, count, responses }) {
      const slots = slotsOf(group, responses, first, count);
      const idOf = (slot: number) => programId(run, step, epoch, slot);
      const present = await store.getRollouts(slots.map(idOf));
      const stored = slots.filter((slot) => present.has(idOf(slot)));
      const spent = [...present.values()];
      const wanted = slots.filter((slot) => !present.has(idOf(slot)));
      if (wanted.length === 0) return { stored, missing: [], ...costOf(spent) };

      // The endpoints are read anew each time, so that a change of models cures a parked step.
      const { config } = await settingsOf(run);
      const prompt = await required(
        store.getPrompts([promptId(run, step, epoch, group)]).then((found) => found.values().next().value ?? null),
        `prompt of group ${group}`,
      );
      const role = prompt.operator ?? 'exploit';
      const drawn = await chooseModel({ run, step, epoch, version, group, role, config });
      const messages = await readMessages(
        store,
        await required(programMessages(store, prompt), `request ${stageId(prompt._id, 'program')}`),
      );
      const base = seedOf(config.seed, 'response', step, epoch, group);
      const {
        cancellationSignal: signal,
        info: { attempt },
      } = Context.current();
      const asking = {
        pool: modelsFor(config, role),
        drawn,
        attempt,
        signal,
        random: () => rng(config.seed, 'failover', step, epoch, group, attempt),
      };
      const missing: number[] = [];

      for (const range of contiguous(wanted)) {
        const start = range[0]!;
        const { answer, settings } = await withFailover(asking, async (asked) => {
          const { client, model } = await clientFor(asked);
          // An idempotency key stands for one request body.
          const key = `${idOf(start)}+${range.length}${asked === drawn ? '' : `@${asked.name}`}`;
          return {
            settings: asked,
            answer: await askFor(
              client,
              {
                messages,
                n: range.length,
                seed: base + sampleOf(start, responses),
                model,
                temperature: asked.temperature,
                topP: asked.topP,
                maxTokens: asked.maxTokens,
                timeoutMs: asked.timeoutSeconds * 1000,
                reasoningEffort: asked.reasoningEffort,
                stream: asked.stream,
                key,
              },
              signal,
            ),
          };
        });
        const got = range.slice(0, answer.choices.length);
        missing.push(...range.slice(got.length));
        spent.push(...(await save(store, { run, step, epoch, group, slots: got, answer, settings })));
        stored.push(...got);
      }
      return { stored: stored.sort((a, b) => a - b), missing, ...costOf(spent) };
    },
  };
};

/**
 * Sends one request. An endpoint without native n gives fewer choices or refuses n. Both leave slots that are asked for
 * one by one.
 */
const askFor = async (client: ModelClient, request: ChatRequest, signal: AbortSignal): Promise<ChatResponse> => {
  try {
    const answer = await client.chat(request, signal);
    // A request for one response that brings no choice is an empty answer, which is a response like any other.
    if (answer.choices.length === 0 && request.n === 1)
      return { ...answer, choices: [{ text: '', reasoning: null, finishReason: 'no choices' }] };
    return answer;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ModelError)) throw error;
    if (error.status === 400 && request.n > 1 && /\bn\b|choices/i.test(error.message))
      return { choices: [], usage: { in: 0, out: 0 }, model: request.model };
    throw error;
  }
};

type Saved = {
  readonly run: string;
  readonly step: number;
  readonly epoch: number;
  readonly group: number;
  readonly slots: readonly number[];
  readonly answer: ChatResponse;
  readonly settings: RunConfig['model'];
};

const costOf = (rollouts: readonly RolloutDocument[]): { readonly tokens: number; readonly costUsd: number } => ({
  tokens: rollouts.reduce((sum, { usage }) => sum + usage.in + usage.out, 0),
  costUsd: rollouts.reduce((sum, rollout) => sum + rollout.costUsd, 0),
});

const save = async (
  store: Store,
  { run, step, epoch, group, slots, answer, settings }: Saved,
): Promise<readonly RolloutDocument[]> => {
  if (slots.length === 0) return [];
  const choices = answer.choices.slice(0, slots.length);
  const reasoned = choices.flatMap((choice) => (choice.reasoning === null ? [] : [choice.reasoning]));
  const refs = await store.putTexts(
    [...choices.map((choice) => choice.text), ...reasoned].map((text) => text.slice(0, MAX_ANSWER_CHARS)),
  );
  let next = choices.length;
  const price = priceOf(settings);
  const usages = usageShares(
    answer.usage,
    choices.map((choice) => choice.text.length + (choice.reasoning?.length ?? 0) + 1),
  );
  const documents = choices.map((choice, index): RolloutDocument => {
    const usage = usages[index]!;
    return {
      _id: programId(run, step, epoch, slots[index]!),
      run,
      step,
      epoch,
      group,
      slot: slots[index]!,
      response: refs[index]!,
      reasoning: choice.reasoning === null ? null : refs[next++]!,
      model: answer.model,
      finishReason: choice.finishReason,
      usage,
      costUsd: costUsd(usage, price),
      ...askedWith(settings, answer),
    };
  });
  return store.putRollouts(documents);
};

/** Runs of consecutive numbers, each at least one long. */
const contiguous = (slots: readonly number[]): number[][] => {
  const ranges: number[][] = [];
  for (const slot of slots) {
    const last = ranges.at(-1);
    if (last && last.at(-1)! + 1 === slot) last.push(slot);
    else ranges.push([slot]);
  }
  return ranges;
};

const required = async <T>(value: Promise<T | null>, what: string): Promise<T> => {
  const found = await value;
  if (found === null)
    throw ApplicationFailure.create({ message: `expected ${what} in the store, found none`, type: 'Missing' });
  return found;
};
