// The answers that a run has paid for, step by step: responses, calls of stages, embeddings. Called by `evolve usage`.
import { promptId } from '../../evolution/ids.ts';
import type { Role, RunId, Usage } from '../../evolution/types.ts';
import { callsOf } from '../stages/made.ts';
import type { ProgramDocument, StepDocument } from '../store/documents.ts';
import type { Store } from '../store/store.ts';

export type PaidFor = Role | 'embedding';

/** `model`: its name in the settings. */
export type PaidAnswer = { readonly model: string; readonly role: PaidFor; readonly usage: Usage; readonly costUsd: number };

/** The answers of each committed step, in order; one step's in memory at a time. */
export async function* eachPaid(store: Store, run: RunId): AsyncGenerator<{ readonly step: number; readonly answers: readonly PaidAnswer[] }> {
  const rest = store.eachProgram(run)[Symbol.asyncIterator]();
  let next = await rest.next();
  for await (const marker of store.eachStep(run)) {
    const programs: ProgramDocument[] = [];
    for (; next.done !== true && next.value.step <= marker.step; next = await rest.next()) if (next.value.step === marker.step) programs.push(next.value);
    yield { step: marker.step, answers: await answersOf(store, marker, programs) };
  }
}

const answersOf = async (store: Store, { run, step, epoch, configVersion }: StepDocument, programs: readonly ProgramDocument[]): Promise<readonly PaidAnswer[]> => {
  const config = await store.readConfig(run, configVersion);
  const { batch, embedding } = config;
  const ids = programs.map(({ _id }) => _id);
  const prompts = step === 0 ? [] : [...(await store.getPrompts(Array.from({ length: batch }, (_, group) => promptId(run, step, epoch, group)))).values()];
  const roleOf = new Map(prompts.map(({ group, operator }) => [group, operator ?? 'exploit']));
  const calls = await callsOf(store, { run, step, epoch }, config);
  const rollouts = await store.getRollouts(ids);
  const embeddings = embedding.model === null ? [] : [...(await store.getEmbeddings(ids)).values()];
  return [
    ...[...rollouts.values()].map(({ asked, model, group, usage, costUsd }): PaidAnswer => ({ model: asked ?? model, role: roleOf.get(group) ?? 'exploit', usage, costUsd })),
    ...calls.map(({ asked, model, stage, usage, costUsd }): PaidAnswer => ({ model: asked ?? model, role: stage, usage, costUsd })),
    ...embeddings.map(({ model, tokens, costUsd }): PaidAnswer => ({ model, role: 'embedding', usage: { in: tokens, out: 0 }, costUsd })),
  ];
};
