// What a run has paid for, in sums and answer by answer, and the epoch under which a step asks for responses.
import type { Paid } from '../../evolution/budget/money.ts';
import { promptId } from '../../evolution/ids.ts';
import { range } from '../../evolution/slots.ts';
import type { Role, RunId, Usage } from '../../evolution/types.ts';
import { callsOf } from './calls.ts';
import type { EpochStart, RunDocument, StepDocument, UnansweredSum } from './documents.ts';
import type { ProgramDocument } from './step-documents.ts';
import type { Store } from './store.ts';

/**
 * `epochs` is in the order in which they were asked for: a later one holds from its step on, whatever earlier ones
 * said.
 */
export const epochAt = (epochs: readonly EpochStart[], step: number): number =>
  epochs.findLast((start) => start.step <= step)?.epoch ?? 0;

/**
 * Sums over the committed steps, over what was set aside and is not committed again, and over requests without an
 * answer, where they are given. Tokens are input and output together.
 */
export const paidSoFar = (
  run: Pick<RunDocument, 'totals' | 'setAside' | 'epochs' | 'committedStep' | 'unanswered'>,
  unanswered: Pick<UnansweredSum, 'tokens' | 'costUsd'> = run.unanswered ?? { tokens: { in: 0, out: 0 }, costUsd: 0 },
): Paid => {
  const gone = run.setAside.filter(
    ({ step, epoch }) => step > run.committedStep || epochAt(run.epochs, step) !== epoch,
  );
  return [run.totals, ...gone, { programs: 0, ...unanswered }].reduce<Paid>(
    (sum, { programs, tokens, costUsd }) => ({
      programs: sum.programs + programs,
      tokens: sum.tokens + tokens.in + tokens.out,
      costUsd: sum.costUsd + costUsd,
    }),
    { programs: 0, tokens: 0, costUsd: 0 },
  );
};

/** Responses, calls of stages and embeddings are all paid for. */
export type PaidFor = Role | 'again' | 'embedding';

/** `model` is its name in the settings. */
export type PaidAnswer = {
  readonly model: string;
  readonly role: PaidFor;
  readonly usage: Usage;
  readonly costUsd: number;
  /** The endpoint named no usage, so that the tokens are our estimate. */
  readonly estimated: boolean;
};

/** The answers of each committed step, in order. Only one step's are in memory at a time. */
export async function* eachPaid(
  store: Store,
  run: RunId,
): AsyncGenerator<{ readonly step: number; readonly answers: readonly PaidAnswer[] }> {
  const rest = store.eachProgram(run)[Symbol.asyncIterator]();
  let next = await rest.next();
  for await (const marker of store.eachStep(run)) {
    const programs: ProgramDocument[] = [];
    for (; next.done !== true && next.value.step <= marker.step; next = await rest.next())
      if (next.value.step === marker.step) programs.push(next.value);
    yield { step: marker.step, answers: await answersOf(store, marker, programs) };
  }
}

const answersOf = async (
  store: Store,
  { run, step, epoch, configVersion }: StepDocument,
  programs: readonly ProgramDocument[],
): Promise<readonly PaidAnswer[]> => {
  const config = await store.readConfig(run, configVersion);
  const { batch, embedding } = config;
  const ids = programs.map(({ _id }) => _id);
  const prompts =
    step === 0
      ? []
      : [...(await store.getPrompts(range(0, batch).map((group) => promptId(run, step, epoch, group)))).values()];
  const roleOf = new Map(prompts.map(({ group, operator }) => [group, operator ?? 'exploit']));
  const calls = await callsOf(store, { run, step, epoch }, config);
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
