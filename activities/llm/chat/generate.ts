// Activity `generate`: asks the model for a group's responses and stores each as it arrives. Stored ones are never
// asked for again.
import { Context } from '@temporalio/activity';
import { costUsd, priceOf } from '../../../evolution/budget/money.ts';
import type { ModelSettings } from '../../../evolution/config/run-config.ts';
import { programId, promptId, stageId } from '../../../evolution/ids.ts';
import { rng, seedOf } from '../../../evolution/rng.ts';
import { sampleOf, slotsOf } from '../../../evolution/schedule/slots.ts';
import type { Role } from '../../../evolution/types.ts';
import type { ModelActivities, StepRef } from '../../interface/step.ts';
import { recentRun } from '../../run/recent-run.ts';
import { missing } from '../../run/step-summary.ts';
import type { RolloutDocument } from '../../store/documents/step-documents.ts';
import type { Store } from '../../store/store.ts';
import { createChooseModel } from './choose-model.ts';
import { createBooks } from './booked.ts';
import type { ChatResponse } from './client.ts';
import { Places } from './places.ts';
import { createFailover, type Outages } from './failover.ts';
import { programMessages, readMessages } from './messages.ts';
import { poolOf, responsesAtOnce, servedAs, storeSamples, type Served } from './policies.ts';
import { type ClientFor, createRequest } from './request.ts';
import { askedWith, costOfAnswer, sentAs, usageShares } from './usage.ts';
import type { Silence } from './silence.ts';

/** Longest stored answer, in characters. What exceeds it is cut, because documents end at 12 MB. */
const MAX_ANSWER_CHARS = 4_000_000;

export type GenerateDeps = {
  readonly store: Store;
  readonly clientFor: ClientFor;
  /** The models that are known to be down. Left out, the activity keeps its own list. */
  readonly outages?: Outages;
  /** The endpoints that are known to be silent. Left out, the activity keeps its own list. */
  readonly silence?: Silence;
  /** The places of runs among the requests in flight. Without it, the activity keeps its own. */
  readonly places?: Places;
};

export const createGenerate = ({
  store,
  clientFor,
  outages,
  silence,
  places = new Places(),
}: GenerateDeps): Pick<ModelActivities, 'generate'> => {
  const settingsOf = recentRun(store);
  const chooseModel = createChooseModel(store);
  const books = createBooks(store, silence === undefined ? {} : { silence });
  const request = createRequest(clientFor, books, createFailover(outages));
  /** The model that is asked for the programs of a group, and the messages to it. */
  const askedFor = async ({ run, step, epoch, version, group }: StepRef & { readonly group: number }) => {
    // The endpoints are read anew each time, so that a change of models cures a parked step.
    const { config } = await settingsOf(run);
    const [prompt] = (await store.getPrompts([promptId(run, step, epoch, group)])).values();
    if (prompt === undefined) throw missing(`prompt of group ${group}`);
    const role = prompt.operator ?? 'exploit';
    const drawn = await chooseModel({ run, step, epoch, version, group, role, config });
    const stored = await programMessages(store, prompt);
    if (stored === null) throw missing(`request ${stageId(prompt._id, 'program')}`);
    const {
      cancellationSignal: signal,
      info: { attempt },
    } = Context.current();
    const random = () => rng(config.seed, 'failover', step, epoch, group, attempt);
    return {
      ...{ role, limits: config.limits, seed: seedOf(config.seed, 'response', step, epoch, group) },
      messages: await readMessages(store, stored),
      served: await servedAs(store, drawn, { frozen: prompt.policy, role }),
      asking: { pool: poolOf(config, role, drawn), drawn, attempt, signal, random },
    };
  };
  return {
    async generate({ first, count, responses, told = 0, inFlight, ...ref }) {
      const { run, step, epoch, group } = ref;
      const slots = slotsOf(group, responses, first, count);
      const idOf = (slot: number) => programId(run, step, epoch, slot);
      const present = await store.getRollouts(slots.map(idOf));
      const stored = slots.filter((slot) => present.has(idOf(slot)));
      const spent = [...present.values()];
      const wanted = slots.filter((slot) => !present.has(idOf(slot)));
      const done = () => ({ stored: stored.sort((a, b) => a - b), missing: absent, ...costOf(spent) });
      const absent: number[] = [];
      if (wanted.length === 0) return done();

      const { role, limits, seed, messages, served, asking } = await askedFor(ref);
      const most = served?.learns === true ? responsesAtOnce(asking.drawn) : Infinity;
      for (const range of contiguous(wanted, most)) {
        const start = range[0]!;
        if ((await books.spent(run, limits)) !== null)
          return { ...done(), omitted: wanted.filter((slot) => slot >= start) };
        const made = await request({
          ...{ run, step, epoch, stage: 'program', answer: idOf(start), told, messages, served, asking },
          n: range.length,
          seed: seed + sampleOf(start, responses),
          key: `${idOf(start)}+${range.length}`,
          places: inFlight === undefined ? null : places.of(run, inFlight),
        });
        const { answer, answered, settings } = made;
        // An endpoint without native n gives fewer choices, and the others are asked for one by one.
        const got = range.slice(0, answer.choices.length);
        absent.push(...range.slice(got.length));
        const cost = costOfAnswer(answer);
        if (got.length === 0) {
          await answered.waste(cost, 'an answer without choices');
          continue;
        }
        const saved = {
          ...{ run, step, epoch, group, slots: got, answer, settings, served, role },
          sending: answered.sending,
        };
        spent.push(...(await answered.keep(cost, () => save(store, saved))));
        stored.push(...got);
      }
      return done();
    },
  };
};

type Saved = {
  readonly run: string;
  readonly step: number;
  readonly epoch: number;
  readonly group: number;
  readonly slots: readonly number[];
  readonly answer: ChatResponse;
  readonly settings: ModelSettings;
  readonly served: Served | null;
  readonly role: Role;
  readonly sending: number;
};

const costOf = (rollouts: readonly RolloutDocument[]): { readonly tokens: number; readonly costUsd: number } => ({
  tokens: rollouts.reduce((sum, { usage }) => sum + usage.in + usage.out, 0),
  costUsd: rollouts.reduce((sum, rollout) => sum + rollout.costUsd, 0),
});

const save = async (
  store: Store,
  { run, step, epoch, group, slots, answer, settings, served, role, sending }: Saved,
): Promise<readonly RolloutDocument[]> => {
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
  const idOf = (index: number) => programId(run, step, epoch, slots[index]!);
  const samples = await storeSamples(
    store,
    served,
    choices.map((choice, index) => ({
      choice,
      place: { id: idOf(index), run, step, epoch, group, role, text: refs[index]! },
    })),
  );
  const documents = choices.map((choice, index): RolloutDocument => {
    const usage = usages[index]!;
    const sample = samples.get(idOf(index));
    return {
      _id: idOf(index),
      run,
      step,
      epoch,
      group,
      slot: slots[index]!,
      response: sample?.text ?? refs[index]!,
      reasoning: choice.reasoning === null ? null : refs[next++]!,
      model: answer.model,
      finishReason: sample === undefined ? choice.finishReason : sample.finishReason,
      usage,
      costUsd: costUsd(usage, price),
      ...askedWith(settings, answer),
      ...sentAs(sending, answer),
      ...(served === null ? {} : { policy: served._id }),
    };
  });
  return store.putRollouts(documents);
};

/** Runs of consecutive numbers, each at least one and at most so many long. */
const contiguous = (slots: readonly number[], most: number): number[][] => {
  const ranges: number[][] = [];
  for (const slot of slots) {
    const last = ranges.at(-1);
    if (last && last.at(-1)! + 1 === slot && last.length < most) last.push(slot);
    else ranges.push([slot]);
  }
  return ranges;
};
