// Answers about deltas, evolved prompts and ideas, from runs that were really played, and that go on while one looks.
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../../activities/store/store.ts';
import type { DeltasAnswer, StepNarration } from '../../../../page/api/program/deltas.ts';
import type { IdeasAnswer, PromptsAnswer, PromptText } from '../../../../page/api/program/prompts.ts';
import type { Traits } from '../../../../page/api/run/traits.ts';
import { roundsLine, runReport } from '../../../../client/read/report.ts';
import { narrationAnswers } from '../../../../page/server/routes/narration.ts';
import { settingsAnswers } from '../../../../page/server/routes/settings.ts';
import { answersOver } from '../../../support/page/in-tests.ts';
import { codeWorld, programsOf, SMALL } from '../../../support/worlds/code-world.ts';
import { lively, played } from '../../../support/worlds/delta-world.ts';
import { research } from '../../../support/worlds/research-world.ts';

/** Each look reads the run again. */
const asking = (store: Store) =>
  answersOver(store, [narrationAnswers, settingsAnswers], '/runs/r/', {
    looks: { run: async (id) => (await store.readRun(id))!, all: async () => '' },
  });

describe('deltas', () => {
  it('are summed up, go on with the run, and count no program twice', async () => {
    const world = await played({ answer: lively }, 3);
    const { json } = asking(world.store);
    const programs = async () => (await programsOf(world.store)).filter(({ change }) => change !== undefined);
    for (const step of [null, 4, 5]) {
      if (step !== null) await world.step(step);
      // Two who look at once are told the same.
      const [first, second] = await Promise.all([json<DeltasAnswer>('deltas'), json<DeltasAnswer>('deltas')]);
      expect(first).toEqual(second);
      const all = await programs();
      expect(first.deltas).toBe(all.length);
      const improved = first.components.reduce((sum, { labels }) => sum + labels.improved, 0);
      expect(improved).toBe(all.filter(({ change }) => change!.label === 'improved').length);
      const best = first.components.flatMap(({ examples }) => examples);
      const fits = new Map((await programsOf(world.store)).map((program) => [program._id, program.fit]));
      for (const { program, gain } of best) {
        const { fit, parents } = all.find(({ _id }) => _id === program)!;
        expect(gain).toBeCloseTo(fit! - fits.get(parents[0]!)!, 12);
      }
    }
    expect(await json<Traits>('traits')).toMatchObject({
      direction: 'maximise',
      has: { deltas: true, ideas: false, policies: false },
    });
  });

  it('of one step are there in full', async () => {
    const { store } = await played({ answer: lively }, 2);
    const { json, status } = asking(store);
    const told = await json<StepNarration>('told/2');
    const own = (await programsOf(store)).filter(({ step }) => step === 2);
    expect(Object.keys(told)).toEqual(own.map(({ _id }) => _id));
    for (const { _id, change } of own) expect(told[_id]!.delta).toEqual(change);
    expect(await json('told/99')).toEqual({});
    expect(await status('told/x')).toBe(400);
  });
});

it('prompts that evolve are listed with what they made, and with the text that they came from', async () => {
  const world = codeWorld(SMALL);
  await world.play(8);
  const { json, status } = asking(world.store);
  const programs = (await programsOf(world.store)).filter(({ prompt }) => prompt !== undefined);
  const { prompts } = await json<PromptsAnswer>('prompts');
  expect(prompts.reduce((sum, one) => sum + one.programs, 0)).toBe(programs.length);
  const edited = prompts.filter(({ id }) => id !== 'initial');
  expect(edited.length).toBeGreaterThan(0);
  for (const { id, place, parent } of edited) {
    const { text, before } = await json<PromptText>(`prompts/${place}`);
    const made = programs.find(({ prompt }) => prompt!.id === id)!.prompt!;
    expect(text).toBe((await world.store.getTexts([made.text])).get(made.text));
    expect(prompts[parent!]!.id).toBe(made.parent);
    expect(before).toBe((await json<PromptText>(`prompts/${parent}`)).text);
  }
  expect(await status(`prompts/${prompts.length}`)).toBe(404);
  expect(await json<Traits>('traits')).toMatchObject({ has: { deltas: false, prompts: true, ideas: false } });
});

it('ideas are held against what became of them, each once, on the page as in `status`', async () => {
  const responses = 3;
  const world = research(
    { idea: (_, k) => `idea ${k % 2}`, judge: (_, k) => `\\boxed{${k % 11}}` },
    { batch: 2, responses },
  );
  await world.play(6);
  const { json } = asking(world.store);
  const programs = (await programsOf(world.store)).filter(({ idea, step }) => idea !== undefined && step > 0);
  const answer = await json<IdeasAnswer>('ideas');
  expect(answer.ideas).toBe(programs.length / responses);
  expect(answer.ideas).toBe(world.asked.filter(({ role }) => role === 'idea').length);
  const carriedOut = programs.filter(({ outcome }) => outcome !== 'rejected').length;
  expect(answer.programs).toBe(carriedOut);
  const { rounds } = runReport(await world.document(), new Date(), null);
  expect(rounds!.ideas).toMatchObject({
    carried: carriedOut / responses,
    rejected: (programs.length - carriedOut) / responses,
  });
  expect(roundsLine(rounds!)).toContain(
    `12 ideas, ${carriedOut / responses} of them carried out; of their 36 programs `,
  );
  expect(answer.newest[0]).toMatchObject({ text: expect.stringMatching(/^idea \d+$/) });
  const judged = programs.filter(({ idea }) => (idea!.score ?? -1) >= 0);
  expect(answer.bins.reduce((sum, { ideas }) => sum + ideas, 0)).toBe(judged.length / responses);
  for (const { from, ideas, carried } of answer.bins)
    if (from + 1 <= answer.threshold && ideas > 0) expect(carried).toBe(0);
  expect(await json<Traits>('traits')).toMatchObject({ has: { ideas: true } });
});
