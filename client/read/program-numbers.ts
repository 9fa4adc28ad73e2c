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
import type { ProgramId } from '../../evolution/types.ts';

type Answer = Pick<RolloutDocument, 'model' | 'asked' | 'usage' | 'costUsd'>;
const NO_ANSWER: Answer = { model: '', usage: { in: 0, out: 0 }, costUsd: 0 };
const NOT_EVALUATED: NumberPart<'evaluated'> = { cpuMs: null, wallMs: Number.NaN, peakBytes: null };

/** The answer to each program's request; one without tokens where no model answered. */
export const answersOf = async (
  store: Pick<Store, 'getRollouts'>,
  ids: readonly ProgramId[],
): Promise<readonly Answer[]> => {
  const answers = await store.getRollouts(ids);
  return ids.map((id) => answers.get(id) ?? NO_ANSWER);
};

export const evaluationsOf = async (
  store: Pick<Store, 'getPrograms' | 'getEvaluations'>,
  ids: readonly ProgramId[],
): Promise<readonly NumberPart<'evaluated'>[]> => {
  const programs = await store.getPrograms(ids);
  const keys = ids.map((id) => programs.get(id)?.evaluation ?? null);
  const evaluations = await store.getEvaluations([...new Set(keys.filter((key) => key !== null))]);
  return keys.map((key) => (key === null ? undefined : evaluations.get(key)) ?? NOT_EVALUATED);
};

type Numbers = { readonly [name in NumberName]?: number | null };

/** The numbers of these names, for each program. Only what they need is read. */
export const readNumbers = async (
  store: Store,
  programs: readonly ProgramDocument[],
  names: readonly NumberName[],
): Promise<readonly Numbers[]> => {
  const sets = new Set<NumberSet>(names.map(setOf));
  const ids = programs.map(({ _id }) => _id);
  const answers = sets.has('paid') ? await answersOf(store, ids) : [];
  const evaluations = sets.has('evaluated') ? await evaluationsOf(store, ids) : [];
  return programs.map((program, index) => {
    const all: Numbers = {
      ...numbersOf('base', program),
      ...numbersOf('features', program),
      ...(sets.has('paid') ? numbersOf('paid', answers[index]!) : {}),
      ...(sets.has('evaluated') ? numbersOf('evaluated', evaluations[index]!) : {}),
    };
    return Object.fromEntries(names.map((name) => [name, all[name] ?? null]));
  });
};
