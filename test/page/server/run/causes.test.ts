// The causes of bests, in runs of every method: what each was really made from, on the page as in `evolve show`.
import { expect, test } from 'vitest';
import type { ProgramDocument } from '../../../../activities/store/documents/step-documents.ts';
import { readProgram } from '../../../../activities/results/program-texts.ts';
import type { Store } from '../../../../activities/store/store.ts';
import { readOrigin } from '../../../../client/read/program-origin.ts';
import { promptBehind } from '../../../../client/read/requests/prompts.ts';
import { METHOD_NAMES } from '../../../../evolution/config/names.ts';
import { editedLines } from '../../../../evolution/edits/reintroduced.ts';
import type { ProgramFacts } from '../../../../page/api/program/programs.ts';
import type { Records } from '../../../../page/api/run/overview.ts';
import type { Traits } from '../../../../page/api/run/traits.ts';
import { glanceAnswers } from '../../../../page/server/routes/overview.ts';
import { programAnswers } from '../../../../page/server/routes/programs.ts';
import { settingsAnswers } from '../../../../page/server/routes/settings.ts';
import { LEARNED, learnedStore } from '../../../support/page/recorded.ts';
import { answersOver } from '../../../support/page/in-tests.ts';
import { codeWorld, programsOf, run } from '../../../support/worlds/code-world.ts';
import { research } from '../../../support/worlds/research-world.ts';

const STEPS = 4;
const INJECTED = 3;
const scoreOf = (code: string): number | null => Number(/middle_x = (0\.\d+)/.exec(code)?.[1] ?? Number.NaN) || null;

/** A short run in which a person puts a good program in before a step. */
const played = async (method: (typeof METHOD_NAMES)[number]): Promise<Store> => {
  const world =
    method === 'research'
      ? research({}, { responses: 2 })
      : codeWorld(
          {
            method,
            batch: 4,
            responses: 2,
            ...(method === 'code' ? { population: { islands: 2, initialisation: 3 } } : {}),
          },
          { score: scoreOf, repair: () => '', notes: () => 'Notes.', novelty: () => 'NOVEL' },
        );
  const { store, call, activities } = world;
  await world.open();
  for (let step = 0; step <= STEPS; step++) {
    if (step === INJECTED) {
      const [initial] = await programsOf(store);
      const code = (await store.getTexts([initial!.code!])).get(initial!.code!)!;
      const program = code.replace(/middle_x = .*/, 'middle_x = 0.95');
      await call(activities.injectProgram, { run, island: 0, program });
    }
    await world.step(step);
  }
  return store;
};

/** The truth by what was asked: the program that stood in the request, and whether it founded an island. */
const truthOf = async (store: Store, program: ProgramDocument) => {
  if (program.step === 0) return { kind: 'initial', from: null };
  const delta = (await store.getDeltas([program._id])).get(program._id)!;
  if (delta.island !== undefined) return { kind: 'injected', from: null };
  const prompt = (await promptBehind(store, program))!;
  return { kind: prompt.founding === true ? 'seed' : 'child', from: prompt.parent };
};

const asking = (store: Store, id = run) =>
  answersOver(store, [glanceAnswers, programAnswers, settingsAnswers], `/runs/${id}/`).json;

/** Compares the causes of all bests with the truth, and gives their kinds. */
const causesOf = async (store: Store): Promise<readonly string[]> => {
  const ask = asking(store);
  const { records } = await ask<Records>('records');
  for (const { program: id, cause, diff, parentScore } of records) {
    const { model } = cause;
    const texts = (await readProgram(store, id))!;
    const truth = await truthOf(store, texts.program);
    expect(cause).toMatchObject(truth);
    expect(cause.words).toBe(
      {
        initial: 'the program that the run began with',
        injected: 'put in by a person',
        seed: `a seed of island ${texts.program.island}, written by ${model} from the initial program`,
        child: `written by ${model} from ${truth.from}`,
      }[truth.kind]!,
    );
    // `evolve show` and the program's page say the same.
    expect((await readOrigin(store, texts)).cause).toEqual(cause);
    expect((await ask<ProgramFacts>(`programs/${id}/facts`)).cause).toEqual(cause);
    const source = truth.from === null ? null : (await readProgram(store, truth.from))!;
    expect(parentScore).toBe(source?.program.score ?? null);
    if (source === null) expect(diff).toBeNull();
    else if (texts.program.change === undefined) {
      const { added, deleted } = editedLines(source.code!, texts.code!);
      expect(diff).toEqual({ went: deleted.slice(0, 3), came: added.slice(0, 3) });
    }
  }
  return records.map(({ cause }) => cause.kind);
};

test.each(METHOD_NAMES)('the cause of every best of a run of %s names its real origin', async (method) => {
  const kinds = await causesOf(await played(method));
  expect(kinds).toEqual(expect.arrayContaining(['initial', 'injected', ...(method === 'code' ? ['seed'] : [])]));
  expect(kinds.some((kind) => kind === 'child' || kind === 'seed')).toBe(true);
});

test('a best without a delta has the first words of the answer that made it', async () => {
  const { records } = await asking(await played('research'))<Records>('records');
  const made = records.filter(({ cause }) => cause.kind === 'child');
  expect(made.length).toBeGreaterThan(0);
  expect(new Set(made.map(({ said }) => said))).toEqual(new Set(['I change a number.']));
  expect(records.at(-1)).toMatchObject({ cause: { kind: 'initial' }, said: null });
});

test('a best says what the run gained by it, and the three largest gains are marked', async () => {
  const { records } = await asking(await played('code'))<Records>('records');
  const oldest = records.toReversed();
  expect(oldest.length).toBeGreaterThan(3);
  for (const [index, { runGain, score }] of oldest.entries())
    if (index === 0) expect(runGain).toBeNull();
    else expect(runGain).toBeCloseTo(score! - oldest[index - 1]!.score!, 12);
  const gains = oldest.flatMap(({ runGain }) => runGain ?? []).toSorted((a, b) => b - a);
  for (const place of [1, 2, 3]) expect(records.find((one) => one.place === place)?.runGain).toBe(gains[place - 1]);
  expect(records.filter(({ place }) => place !== null)).toHaveLength(3);
});

test('only a run that learns has the view of its policies', async () => {
  const { has } = await asking((await learnedStore()).store, LEARNED)<Traits>('traits');
  expect(has.policies).toBe(true);
});
