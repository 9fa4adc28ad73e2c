// Activity `ask`: one call of a stage (evolution/stages.ts). The answer is stored when it comes, and a stored answer is
// never asked for again.
import { Context } from '@temporalio/activity';
import { costUsd, priceOf } from '../../../evolution/budget/money.ts';
import { answeredId, programId, promptId, stageId } from '../../../evolution/ids.ts';
import { drawModel } from '../../../evolution/models/ensemble.ts';
import { rng, seedOf } from '../../../evolution/rng.ts';
import { roleOf } from '../../../evolution/stages.ts';
import type { ModelSettings } from '../../../evolution/config/run-config.ts';
import type { Role } from '../../../evolution/types.ts';
import type { ModelActivities } from '../../interface/step.ts';
import { recentRun } from '../../run/recent-run.ts';
import { missing } from '../../run/step-summary.ts';
import type { CallDocument } from '../../store/documents/step-documents.ts';
import type { Store } from '../../store/store.ts';
import { budgetSpent, createBooks } from './booked.ts';
import type { ChatResponse } from './client.ts';
import { createFailover } from './failover.ts';
import type { GenerateDeps } from './generate.ts';
import { readMessages } from './messages.ts';
import { poolOf, type Served, servedAs, storeSamples } from './policies.ts';
import { createRequest } from './request.ts';
import { askedWith, costOfAnswer, sentAs } from './usage.ts';

const MAX_ANSWER_CHARS = 4_000_000;

export const createAsk = ({ store, clientFor, outages, silence }: GenerateDeps): Pick<ModelActivities, 'ask'> => {
  const settingsOf = recentRun(store);
  const books = createBooks(store, silence === undefined ? {} : { silence });
  const send = createRequest(clientFor, books, createFailover(outages));
  return {
    async ask({ run, step, epoch, group, told = 0, ...call }) {
      const { stage } = call;
      const ofProgram = 'slot' in call ? [call.slot, ...(call.round === undefined ? [] : [call.round])] : [];
      const prompted = promptId(run, step, epoch, group);
      const id =
        'slot' in call
          ? answeredId(programId(run, step, epoch, call.slot), call.stage, call.round)
          : stageId(prompted, call.stage);
      const present = (await store.getCalls([id])).get(id);
      if (present !== undefined) return paid(present);
      const request = (await store.getRequests([id])).get(id);
      if (request === undefined) throw missing(`request ${id}`);
      // The endpoints are read anew each time, so that a change of models cures a parked step.
      const { config } = await settingsOf(run);
      const plan = (await store.getPrompts([prompted])).get(prompted);
      const role = roleOf(stage) ?? plan?.operator ?? 'exploit';
      const place = [step, epoch, group, stage, ...ofProgram];
      const drawn = drawModel(config, role, rng(config.seed, 'model', ...place));
      const {
        cancellationSignal: signal,
        info: { attempt },
      } = Context.current();
      const random = () => rng(config.seed, 'failover', ...place, attempt);
      // An evaluation that was begun is finished: it is bounded by itself.
      const limit = stage === 'evaluator' ? null : await books.spent(run, config.limits);
      if (limit !== null) throw budgetSpent(limit);
      const served = await servedAs(store, drawn, { frozen: plan?.policy, role });
      const made = await send({
        ...{ run, step, epoch, stage, answer: id, key: id, told, served, n: 1 },
        messages: await readMessages(store, request.messages),
        seed: seedOf(config.seed, 'stage', stage, step, epoch, group, ...ofProgram),
        temperature: stage === 'judge' ? config.ideation.judgeTemperature : undefined,
        asking: { pool: poolOf(config, role, drawn), drawn, attempt, signal, random },
      });
      const { answer, answered, settings } = made;
      const [stored] = await answered.keep(costOfAnswer(answer), () =>
        save(store, {
          ...{ id, run, step, epoch, group, stage, role },
          answer,
          settings,
          served,
          sending: answered.sending,
        }),
      );
      return paid(stored!);
    },
  };
};

type Saved = Pick<CallDocument, 'run' | 'step' | 'epoch' | 'group' | 'stage'> & {
  readonly id: string;
  readonly role: Role;
  readonly answer: ChatResponse;
  readonly settings: ModelSettings;
  readonly served: Served | null;
  readonly sending: number;
};

const save = async (
  store: Store,
  { id, run, step, epoch, group, stage, role, answer, settings, served, sending }: Saved,
): Promise<readonly CallDocument[]> => {
  const choice = answer.choices[0]!;
  const { text, reasoning, finishReason } = choice;
  const refs = await store.putTexts(
    [text, ...(reasoning === null ? [] : [reasoning])].map((one) => one.slice(0, MAX_ANSWER_CHARS)),
  );
  const place = { id, run, step, epoch, group, role, text: refs[0]! };
  const sample = (await storeSamples(store, served, [{ choice, place }])).get(id);
  return store.putCalls([
    {
      ...{ _id: id, run, step, epoch, group, stage },
      response: sample?.text ?? refs[0]!,
      reasoning: refs[1] ?? null,
      model: answer.model,
      finishReason: sample === undefined ? finishReason : sample.finishReason,
      usage: answer.usage,
      costUsd: costUsd(answer.usage, priceOf(settings)),
      ...askedWith(settings, answer),
      ...sentAs(sending, answer),
      ...(served === null ? {} : { policy: served._id }),
    },
  ]);
};

const paid = ({ usage, costUsd: cost }: CallDocument): { readonly tokens: number; readonly costUsd: number } => ({
  tokens: usage.in + usage.out,
  costUsd: cost,
});
