// Activity `ask`: one call of a group before its programs (an idea, a judgement, an edited prompt), or for a delta that
// a response left out, or for edits in place of those that could not be taken. The answer is stored when it comes, and a stored answer is never asked for again.
import { ApplicationFailure, Context } from '@temporalio/activity';
import { costUsd, priceOf } from '../../../evolution/budget/money.ts';
import { answeredId, programId, promptId, stageId } from '../../../evolution/ids.ts';
import { drawModel, modelId } from '../../../evolution/models/ensemble.ts';
import { rng, seedOf } from '../../../evolution/rng.ts';
import { roleOf } from '../../../evolution/stages.ts';
import type { ModelActivities } from '../../interface/step.ts';
import { recentRun } from '../../run/recent-run.ts';
import type { CallDocument } from '../../store/step-documents.ts';
import { budgetSpent, createBooks } from './booked.ts';
import type { Sending } from './booking.ts';
import type { ChatRequest, Choice } from './client.ts';
import { createFailover } from './failover.ts';
import type { GenerateDeps } from './generate.ts';
import { readMessages } from './messages.ts';
import { askAs, poolOf, servedAs, storeSamples } from './policies.ts';
import { askedWith, costOfAnswer, promptTokens, sentAs, withUsage } from './shares.ts';

const MAX_ANSWER_CHARS = 4_000_000;

export const createAsk = ({ store, clientFor, outages, silence }: GenerateDeps): Pick<ModelActivities, 'ask'> => {
  const settingsOf = recentRun(store);
  const withFailover = createFailover(outages);
  const books = createBooks(store, silence === undefined ? {} : { silence });
  return {
    async ask({ run, step, epoch, group, told = 0, ...call }) {
      const { stage } = call;
      const ofProgram = 'slot' in call ? [call.slot, ...(call.round === undefined ? [] : [call.round])] : [];
      const place = [group, stage, ...ofProgram];
      const id =
        'slot' in call
          ? answeredId(programId(run, step, epoch, call.slot), call.stage, call.round)
          : stageId(promptId(run, step, epoch, group), call.stage);
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
      const prompted = promptId(run, step, epoch, group);
      const plan = (await store.getPrompts([prompted])).get(prompted);
      const role = roleOf(stage) ?? plan?.operator ?? 'exploit';
      const drawn = drawModel(config, role, rng(config.seed, 'model', step, epoch, ...place));
      const {
        cancellationSignal: signal,
        info: { attempt },
      } = Context.current();
      const asking = {
        pool: poolOf(config, role, drawn),
        drawn,
        attempt,
        signal,
        random: () => rng(config.seed, 'failover', step, epoch, ...place, attempt),
      };
      const limit = await books.spent(run, config.limits);
      if (limit !== null) throw budgetSpent(limit);
      const messages = await readMessages(store, request.messages);
      const prompt = promptTokens(messages);
      const served = await servedAs(store, drawn, { frozen: plan?.policy, role });
      const { answer, answered, settings } = await withFailover(asking, async (asked) => {
        const { client, model, acquire, baseUrl } = await clientFor(asked, served);
        const request: ChatRequest = {
          messages,
          n: 1,
          seed: seedOf(config.seed, 'stage', stage, step, epoch, group, ...ofProgram),
          model,
          temperature: stage === 'judge' ? config.ideation.judgeTemperature : asked.temperature,
          topP: asked.topP,
          maxTokens: asked.maxTokens,
          timeoutMs: asked.timeoutSeconds * 1000,
          reasoningEffort: asked.reasoningEffort,
          stream: asked.stream,
          ...(served?.learns === true ? { tokens: true } : {}),
          // An idempotency key stands for one request body.
          key: asked === drawn ? id : `${id}@${modelId(asked)}`,
        };
        const { timeoutMs } = request;
        const sending: Sending = {
          ...{ run, step, epoch, stage, answer: id, told, acquire, signal },
          to: served === null ? asked : { ...asked, baseUrl: baseUrl ?? null },
          ...{ prompt, maxOut: asked.maxTokens, timeoutMs },
        };
        const sent = await books.send(sending, () => askAs(client, request, served, signal));
        return { settings: asked, answer: withUsage(sent.answer, prompt), answered: sent.answered };
      });
      const { choices, usage, model: answeredBy } = answer;
      const choice: Choice = choices[0] ?? { text: '', reasoning: null, finishReason: 'no choices' };
      const { text, reasoning, finishReason } = choice;
      const [stored] = await answered.keep(costOfAnswer(answer), async () => {
        const refs = await store.putTexts(
          [text, ...(reasoning === null ? [] : [reasoning])].map((one) => one.slice(0, MAX_ANSWER_CHARS)),
        );
        const place = { id, run, step, epoch, group, role, text: refs[0]! };
        const sample = (await storeSamples(store, served, [{ choice, place }])).get(id);
        return store.putCalls([
          {
            _id: id,
            run,
            step,
            epoch,
            group,
            stage,
            response: sample?.text ?? refs[0]!,
            reasoning: refs[1] ?? null,
            model: answeredBy,
            finishReason: sample === undefined ? finishReason : sample.finishReason,
            usage,
            costUsd: costUsd(usage, priceOf(settings)),
            ...askedWith(settings, answer),
            ...sentAs(answered.sending, answer),
            ...(served === null ? {} : { policy: served._id }),
          },
        ]);
      });
      return paid(stored!);
    },
  };
};

const paid = ({ usage, costUsd: cost }: CallDocument): { readonly tokens: number; readonly costUsd: number } => ({
  tokens: usage.in + usage.out,
  costUsd: cost,
});
