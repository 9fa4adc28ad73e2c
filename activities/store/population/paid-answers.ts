// The answers that a run has paid for, one by one.
import type { Role, RunId, Usage } from '../../../evolution/types.ts';
import { callsOf } from '../content/calls.ts';
import type { ContentStore } from '../content/content-store.ts';
import type { StepDocument } from '../documents/documents.ts';
import type { RunStore } from '../documents/run-store.ts';
import type { CallDocument, ProgramDocument } from '../documents/step-documents.ts';
import { askedIn, promptsIn } from '../documents/step-ids.ts';
import type { StepStore } from '../steps/step-store.ts';
import type { PopulationStore } from './population-store.ts';

type Reading = Pick<RunStore, 'readConfig'> &
  Pick<ContentStore, 'getPrompts' | 'getCalls' | 'getRollouts' | 'getEmbeddings'> &
  Pick<StepStore, 'eachStep'> &
  Pick<PopulationStore, 'eachProgram'>;

/** Responses, calls of stages and embeddings are all paid for. */
export type PaidFor = Role | CallDocument['stage'] | 'embedding';

/** `model` is its name in the settings. */
export type PaidAnswer = {
  readonly model: string;
  readonly role: PaidFor;
  readonly usage: Usage;
  readonly costUsd: number;
  /** The endpoint named no usage, so that the tokens are our estimate. */
  readonly estimated: boolean;
};

/** The answers of each committed step, in order, one step at a time. `by` is the run that paid (a fork's parent). */
export async function* eachPaid(
  store: Reading,
  run: RunId,
): AsyncGenerator<{ readonly step: number; readonly by: RunId; readonly answers: readonly PaidAnswer[] }> {
  const rest = store.eachProgram(run)[Symbol.asyncIterator]();
  let next = await rest.next();
  for await (const marker of store.eachStep(run)) {
    const programs: ProgramDocument[] = [];
    for (; next.done !== true && next.value.step <= marker.step; next = await rest.next())
      if (next.value.step === marker.step) programs.push(next.value);
    yield { step: marker.step, by: marker.run, answers: await answersOf(store, marker, programs) };
  }
}

const answersOf = async (
  store: Reading,
  marker: StepDocument,
  programs: readonly ProgramDocument[],
): Promise<readonly PaidAnswer[]> => {
  const { run, step, configVersion } = marker;
  const config = await store.readConfig(run, configVersion);
  const { embedding } = config;
  const ids = programs.map(({ _id }) => _id);
  const asked = askedIn(marker, ids);
  const prompts = step === 0 ? [] : [...(await store.getPrompts(promptsIn(asked, config))).values()];
  const roleOf = new Map(prompts.map(({ group, operator }) => [group, operator ?? 'exploit']));
  const calls = await callsOf(store, asked, config);
  const rollouts = await store.getRollouts(ids);
  const embeddings = embedding.model === null ? [] : [...(await store.getEmbeddings(ids)).values()];
  return [
    ...[...rollouts.values()].map(({ asked, model, group, usage, costUsd, estimated = false }): PaidAnswer => ({
      model: asked ?? model,
      role: roleOf.get(group) ?? 'exploit',
      usage,
      costUsd,
      estimated,
    })),
    ...calls.map(({ asked, model, stage, usage, costUsd, estimated = false }): PaidAnswer => ({
      model: asked ?? model,
      role: stage,
      usage,
      costUsd,
      estimated,
    })),
    ...embeddings.map(({ model, tokens, costUsd, estimated = false }): PaidAnswer => ({
      model,
      role: 'embedding',
      usage: { in: tokens, out: 0 },
      costUsd,
      estimated,
    })),
  ];
};
