// The stored parts of programs that their numbers are read from (evolution/reports/program-numbers.ts).
import type { ProgramDocument, RolloutDocument } from '../../activities/store/documents/step-documents.ts';
import type { Store } from '../../activities/store/store.ts';
import {
  type NumberName,
  type NumberPart,
  numbersOf,
  type NumberSet,
  setOf,
} from '../../evolution/reports/program-numbers.ts';
import type { Evaluation } from '../../evolution/scoring/evaluation.ts';
import { inputElsewhere } from '../../evolution/budget/money.ts';
import { programId } from '../../evolution/ids.ts';
import { groupOf, slotsOf } from '../../evolution/schedule/slots.ts';
import { sumOf } from '../../evolution/statistics.ts';
import type { ProgramId } from '../../evolution/types.ts';

type Answer = Pick<RolloutDocument, 'model' | 'asked' | 'usage' | 'costUsd'>;
const NO_ANSWER: Answer = { model: '', usage: { in: 0, out: 0 }, costUsd: 0 };
type Evaluated = NumberPart<'evaluated'> & Pick<Evaluation, 'metrics'>;
const NOT_EVALUATED: Evaluated = { cpuMs: null, wallMs: Number.NaN, peakBytes: null, metrics: {} };

/**
 * Each of the answers of a group with its share of the prompt, whose tokens and price the store counts with the first
 * answer of a request. The shares add up to what was paid.
 */
const sharingPrompt = (answers: readonly RolloutDocument[]): readonly RolloutDocument[] => {
  const bare = answers.filter(({ usage }) => inputElsewhere(usage));
  if (bare.length === 0) return answers;
  const share = (tokens: readonly number[], index: number): number =>
    Math.floor(sumOf(tokens) / tokens.length) + (index < sumOf(tokens) % tokens.length ? 1 : 0);
  const [read, cached] = [answers.map(({ usage }) => usage.in), answers.map(({ usage }) => usage.cached ?? 0)];
  const perToken = sumOf(bare.map(({ costUsd }) => costUsd)) / sumOf(bare.map(({ usage }) => usage.out));
  const ofPrompt = sumOf(answers.map(({ costUsd, usage }) => costUsd - perToken * usage.out)) / answers.length;
  return answers.map((answer, index) => ({
    ...answer,
    usage: {
      ...answer.usage,
      in: share(read, index),
      ...(answer.usage.cached === undefined ? {} : { cached: share(cached, index) }),
    },
    costUsd: perToken * answer.usage.out + ofPrompt,
  }));
};

/** The programs of the groups of these ones. A step has as many responses to a prompt as its run asks for. */
const withSiblings = async (
  store: Pick<Store, 'readRun'>,
  ids: readonly ProgramId[],
): Promise<readonly ProgramId[]> => {
  const responses = new Map<string, number>();
  const all = new Set<ProgramId>();
  for (const id of ids) {
    const [run = '', step, epoch, slot] = id.split(':');
    if (!responses.has(run)) responses.set(run, (await store.readRun(run))?.config.responses ?? 1);
    const each = responses.get(run)!;
    for (const one of slotsOf(groupOf(Number(slot), each), each))
      all.add(programId(run, Number(step), Number(epoch), one));
  }
  return [...all];
};

/** The answer to each program's request, with its share of the prompt; one without tokens where no model answered. */
export const answersOf = async (
  store: Pick<Store, 'getRollouts' | 'readRun'>,
  ids: readonly ProgramId[],
): Promise<readonly Answer[]> => {
  const answers = [...(await store.getRollouts(await withSiblings(store, ids))).values()];
  const groups = Map.groupBy(answers, ({ run, step, epoch, group, asked, model }) =>
    [run, step, epoch, group, asked ?? model].join(':'),
  );
  const shared = new Map([...groups.values()].flatMap(sharingPrompt).map((answer) => [answer._id, answer]));
  return ids.map((id) => shared.get(id) ?? NO_ANSWER);
};

export const evaluationsOf = async (
  store: Pick<Store, 'getEvaluations'>,
  programs: readonly (Pick<ProgramDocument, 'evaluation'> | undefined)[],
): Promise<readonly Evaluated[]> => {
  const keys = programs.map((program) => program?.evaluation ?? null);
  const evaluations = await store.getEvaluations([...new Set(keys.filter((key) => key !== null))]);
  return keys.map((key) => (key === null ? undefined : evaluations.get(key)) ?? NOT_EVALUATED);
};

type Numbers = { readonly [name in NumberName]?: number | null };
/** The numbers of a program, with the metrics and the model where its answer and its evaluation were read. */
export type ProgramFacts = {
  readonly numbers: Numbers;
  readonly metrics: Evaluation['metrics'];
  readonly model: string | null;
};

/** The numbers of these names, for each program. Only what they need is read. */
export const readFacts = async (
  store: Pick<Store, 'getRollouts' | 'readRun' | 'getEvaluations'>,
  programs: readonly ProgramDocument[],
  names: readonly NumberName[],
  { metrics = false }: { readonly metrics?: boolean } = {},
): Promise<readonly ProgramFacts[]> => {
  const sets = new Set<NumberSet>(names.map(setOf));
  const ids = programs.map(({ _id }) => _id);
  const answers = sets.has('paid') ? await answersOf(store, ids) : [];
  const evaluations = sets.has('evaluated') || metrics ? await evaluationsOf(store, programs) : [];
  return programs.map((program, index) => {
    const all: Numbers = {
      ...numbersOf('base', program),
      ...numbersOf('features', program),
      ...(sets.has('paid') ? numbersOf('paid', answers[index]!) : {}),
      ...(sets.has('evaluated') ? numbersOf('evaluated', evaluations[index]!) : {}),
    };
    return {
      numbers: Object.fromEntries(names.map((name) => [name, all[name] ?? null])),
      metrics: evaluations[index]?.metrics ?? {},
      model: answers[index]?.model || null,
    };
  });
};
