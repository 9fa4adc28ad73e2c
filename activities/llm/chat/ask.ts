// Activity `ask`: one call of a group before its programs (an idea, a judgement, an edited prompt), or for a delta that
// a response left out, or for edits in place of those that could not be taken. The answer is stored when it comes, and a stored answer is never asked for again.
import { ApplicationFailure, Context } from '@temporalio/activity';
import { costUsd, priceOf } from '../../../evolution/budget/money.ts';
import { againId, programId, promptId, repairId, stageId } from '../../../evolution/ids.ts';
import { drawModel, modelId, modelsFor } from '../../../evolution/models/ensemble.ts';
import { rng, seedOf } from '../../../evolution/rng.ts';
import type { ModelActivities } from '../../interface/step.ts';
import { recentRun } from '../../run/recent-run.ts';
import type { CallDocument } from '../../store/step-documents.ts';
import type { Store } from '../../store/store.ts';
import { budgetSpent, createBooks, type Sending } from './booked.ts';
import type { ChatRequest } from './client.ts';
import { createFailover } from './failover.ts';
import type { GenerateDeps } from './generate.ts';
import { readMessages } from './messages.ts';
import { askedWith, costOfAnswer, promptTokens, sentAs, withUsage } from './shares.ts';

const MAX_ANSWER_CHARS = 4_000_000;

export const createAsk = ({ store, clientFor, outages, silence }: GenerateDeps): Pick<ModelActivities, 'ask'> => {
  const settingsOf = recentRun(store);
  const withFailover = createFailover(outages);
  const books = createBooks(store, silence === undefined ? {} : { silence });
  return {
    async ask({ run, step, epoch, group, told = 0, ...call }) {
      const { stage } = call;
      const [id, place] =
        call.stage === 'repair'
          ? ([repairId(programId(run, step, epoch, call.slot)), [group, stage, call.slot]] as const)
          : call.stage === 'again'
            ? ([
                againId(programId(run, step, epoch, call.slot), call.round),
                [group, stage, call.slot, call.round],
              ] as const)
            : ([stageId(promptId(run, step, epoch, group), call.stage), [group, stage]] as const);
      const present = (await store.getCalls([id])).get(id);
      if (present !== undefined) return paid(present);
      const request = (await store.getRequests([id])).get(id);
      if (request === undefined)
        throw ApplicationFailure.create({
          message: `expected request ${id} in the store, found none`,
          type: 'Missing',
        });
      // The endpoints are read anew each time, so that a change of models cures a parked step.
      const { config } = await settingsOf(run);
      const role = call.stage === 'again' ? await operatorOf(store, promptId(run, step, epoch, group)) : call.stage;
      const drawn = drawModel(config, role, rng(config.seed, 'model', step, epoch, ...place));
      const {
        cancellationSignal: signal,
        info: { attempt },
      } = Context.current();
      const asking = {
        pool: modelsFor(config, role),
        drawn,
        attempt,
        signal,
        random: () => rng(config.seed, 'failover', step, epoch, ...place, attempt),
      };
      const limit = await books.spent(run, config.limits);
      if (limit !== null) throw budgetSpent(limit);
      const messages = await readMessages(store, request.messages);
      const prompt = promptTokens(messages);
      const { answer, answered, settings } = await withFailover(asking, async (asked) => {
        const { client, model, acquire } = await clientFor(asked);
        const request: ChatRequest = {
          messages,
          n: 1,
          seed: seedOf(
            config.seed,
            ...['stage', stage, step, epoch, group],
            ...('slot' in call ? [call.slot] : []),
            ...('round' in call ? [call.round] : []),
          ),
          model,
          temperature: stage === 'judge' ? config.ideation.judgeTemperature : asked.temperature,
          topP: asked.topP,
          maxTokens: asked.maxTokens,
          timeoutMs: asked.timeoutSeconds * 1000,
          reasoningEffort: asked.reasoningEffort,
          stream: asked.stream,
          // An idempotency key stands for one request body.
          key: asked === drawn ? id : `${id}@${modelId(asked)}`,
        };
        const { timeoutMs } = request;
        const sending: Sending = {
          ...{ run, step, epoch, stage, answer: id, to: asked, told, acquire, signal },
          ...{ prompt, maxOut: asked.maxTokens, timeoutMs },
        };
        const sent = await books.send(sending, () => client.chat(request, signal));
        return { settings: asked, answer: withUsage(sent.answer, prompt), answered: sent.answered };
      });
      const { choices, usage, model: answeredBy } = answer;
      const { text, reasoning, finishReason } = choices[0] ?? { text: '', reasoning: null, finishReason: 'no choices' };
      const [stored] = await answered.keep(costOfAnswer(answer), async () => {
        const refs = await store.putTexts(
          [text, ...(reasoning === null ? [] : [reasoning])].map((one) => one.slice(0, MAX_ANSWER_CHARS)),
        );
        return store.putCalls([
          {
            _id: id,
            run,
            step,
            epoch,
            group,
            stage,
            response: refs[0]!,
            reasoning: refs[1] ?? null,
            model: answeredBy,
            finishReason,
            usage,
            costUsd: costUsd(usage, priceOf(settings)),
            ...askedWith(settings, answer),
            ...sentAs(answered.sending, answer),
          },
        ]);
      });
      return paid(stored!);
    },
  };
};

/** Whoever writes a group's programs writes their edits again. */
const operatorOf = async (store: Pick<Store, 'getPrompts'>, prompt: string): Promise<'exploit' | 'explore'> =>
  (await store.getPrompts([prompt])).get(prompt)?.operator ?? 'exploit';

const paid = ({ usage, costUsd: cost }: CallDocument): { readonly tokens: number; readonly costUsd: number } => ({
  tokens: usage.in + usage.out,
  costUsd: cost,
});
