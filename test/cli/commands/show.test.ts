// `evolve show --prompt` shows all that a program was asked for with: every turn of a conversation, and the calls
// before it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { showLines } from '../../../cli/commands/programs/show.ts';
import { showReport } from '../../../client/rows/shown-program.ts';
import { readFacts } from '../../../client/read/program-numbers.ts';
import { eliteCells, StepTimes } from '../../../client/read/views.ts';
import { readOrigin } from '../../../client/read/program-origin.ts';
import { judgedIdea, readProgram } from '../../../activities/results/program-texts.ts';
import { writeFiles } from '../../../activities/results/write-results.ts';
import { programLine, runReport } from '../../../client/read/report.ts';
import { codeWorld, messagesOf, plansOf, programsOf, SMALL } from '../../support/worlds/code-world.ts';
import { research } from '../../support/worlds/research-world.ts';
import { play } from '../../support/worlds/world.ts';

const shown = async (store: Store, id: string) => {
  const found = (await readProgram(store, id))!;
  const origin = await readOrigin(store, found);
  return {
    report: showReport(found, origin, 'committed'),
    lines: showLines(found, origin, 'committed', { prompt: true }),
  };
};
/** Its lines before what was asked for and the code. */
const head = (lines: readonly string[]) =>
  lines.slice(
    0,
    lines.findIndex((text) => text.startsWith('--- ')),
  );
const headings = (lines: readonly string[]) => lines.filter((text) => text.startsWith('--- '));

test('the messages of a prompt of two, and nothing where nobody was asked', async () => {
  const { store, programs } = await play(false);
  const { report, lines } = await shown(store, programs.at(-1)!._id);
  expect(report.messages.map(({ role }) => role)).toEqual(['system', 'user']);
  expect([report.system, report.user]).toEqual(report.messages.map(({ content }) => content));
  expect(report.calls).toEqual([]);
  expect(headings(lines)).toEqual(['--- program: system', '--- program: user', '--- code']);
  const initial = await shown(store, programs[0]!._id);
  expect(initial.report).toMatchObject({ messages: [], stages: [], system: null, user: null });
  expect(headings(initial.lines)).toEqual(['--- prompt', '--- code']);
});

test('what it owes to its parent, and what its answer cost: the answers to a prompt share its tokens', async () => {
  const { store, programs } = await play(false);
  const group = programs.filter(({ step, outcome }) => step === 1 && outcome !== 'no_solution');
  const texts = await Promise.all(group.map(({ _id }) => shown(store, _id)));
  // Two prompts of 10 tokens, each of which the store counts with the first of its six answers.
  expect(texts.flatMap(({ report }) => report.usage?.in ?? [])).toEqual([2, 2, 2, 2, 1, 1, 2, 2, 2, 2, 1, 1]);
  expect(head(texts[0]!.lines).find((text) => text.startsWith('paid'))).toMatch(
    /^paid {6}tokens in 2, tokens out \d+, tokens \d+, cost \S+; the answers to a prompt share its tokens/,
  );
  // `evolve programs --columns tokens,score,cpuSeconds` reads the same.
  const numbers = await readFacts(store, group, ['tokens', 'score', 'cpuSeconds']);
  for (const [index, { report }] of texts.entries())
    expect(numbers[index]!.numbers).toEqual({
      tokens: report.usage!.in + report.usage!.out,
      score: report.score,
      cpuSeconds: report.evaluationResult === null ? null : report.evaluationResult.cpuMs! / 1000,
    });
  // `programs --json` and `--elites` know the metrics, the model, the time of the step, and the cells that are held.
  const measured = {
    ...store,
    getEvaluations: async (keys: readonly string[]) =>
      new Map([...(await store.getEvaluations(keys))].map(([key, one]) => [key, { ...one, metrics: { size: 7 } }])),
  };
  const facts = await readFacts(measured, programs, ['tokens'], { metrics: true });
  expect(facts.map(({ model }) => model).slice(0, 2)).toEqual([null, 'm']);
  expect(facts.map(({ metrics }) => metrics)).toEqual(
    programs.map((one) => (one.evaluation === null ? {} : { size: 7 })),
  );
  const run = (await store.readRun(programs[0]!.run))!;
  const times = await new StepTimes(store, run.run, 0).of(programs);
  expect(times.every((time) => time !== null && !Number.isNaN(Date.parse(time)))).toBe(true);
  const held = eliteCells(await store.population(run));
  expect(held.size).toBeGreaterThan(0);
  expect([...held.keys()].every((id) => programs.some(({ _id }) => _id === id))).toBe(true);
  for (const { report, lines } of texts) {
    const [parent] = report.parentScores;
    expect(report.parentScores.map(({ id }) => id)).toEqual(report.parents);
    const said = lines.find((text) => text.startsWith(`          ${parent!.id} has score `))!;
    if (parent!.gain === null) expect(said).not.toContain('this one');
    else expect(said).toContain(parent!.gain === 0 ? 'as good' : parent!.gain > 0 ? 'better by' : 'worse by');
  }
  expect(texts.some(({ report }) => report.parentScores[0]!.gain !== null)).toBe(true);
});

test("a conversation whole, ancestors as turns, and the edited prompt's call before it", async () => {
  const { store, play: plays } = codeWorld(SMALL);
  await plays(12);
  const plans = await plansOf(store, 12, SMALL.batch);
  const programs = await programsOf(store);
  const of = (wanted: (plan: (typeof plans)[number]) => boolean) => {
    const plan = plans.findLast(wanted)!;
    return { plan, program: programs.find(({ step, slot }) => step === plan.step && slot === plan.group)! };
  };
  const long = of(({ context = [] }) => context.some(({ role }) => role === 'ancestor'));
  const { report, lines } = await shown(store, long.program._id);
  expect(report.messages).toEqual(await messagesOf(store, long.plan));
  expect(report.messages.length).toBeGreaterThan(2);
  for (const { content } of report.messages) expect(lines).toContain(content);
  const explored = await shown(
    store,
    of(({ operator, first }) => operator === 'explore' && first === 'meta').program._id,
  );
  expect(explored.report.calls.map(({ stage }) => stage)).toEqual(['meta']);
  expect(headings(explored.lines).slice(0, 4)).toEqual([
    '--- meta: system',
    '--- meta: user',
    '--- meta: answer of m, finish reason stop',
    '--- program: system',
  ]);
});

test('what the model says first of its change, and the limits that held when the program ran', async () => {
  const { store, play: plays, programs } = research();
  await plays(2);
  const made = (await programs()).find(({ outcome, step }) => outcome === 'valid' && step > 0)!;
  const { report, lines } = await shown(store, made._id);
  expect(report.said).toBe('I change a number.');
  expect(lines).toContain('said      I change a number.');
  expect(report.limits).toMatchObject({ cpuSeconds: expect.any(Number), memoryMiB: expect.any(Number) });
  const { cpuSeconds, wallSeconds, memoryMiB } = report.limits!;
  expect(lines).toContain(
    `          limits ${cpuSeconds} s of CPU time, ${wallSeconds} s of wall clock, ${memoryMiB} MiB of memory`,
  );
  const initial = await shown(store, (await programs())[0]!._id);
  expect(initial.report.said).toBeNull();
});

test('a refused idea: what was asked before, and no request for a program', async () => {
  const { store, play: plays, programs } = research({ judge: (_, k) => `\\boxed{${k === 0 ? 3 : 7}}` });
  await plays(2);
  const rejected = (await programs()).find(({ outcome }) => outcome === 'rejected')!;
  const { report, lines } = await shown(store, rejected._id);
  expect(report).toMatchObject({ messages: [], user: null });
  expect(report.calls.map(({ stage, answer }) => [stage, answer?.text])).toEqual([
    ['idea', 'Idea 0'],
    ['judge', '\\boxed{3}'],
  ]);
  expect(headings(lines)).not.toContain('--- program: user');
});

test('ideas with their judgements stand wherever a program does, those of the initial program and of refusals too', async () => {
  const world = research({ idea: (_, k) => `Idea ${k}.`, judge: (_, k) => `\\boxed{${k === 0 ? 3 : 7.5}}` });
  await world.play(2);
  const [initial, rejected, carried] = await world.programs();
  const texts = await world.store.getTexts([initial, rejected, carried].flatMap((one) => one?.idea?.text ?? []));
  const ideas = [initial, rejected, carried].map((one) => judgedIdea(one!, texts));
  expect(ideas).toEqual([
    { text: expect.stringMatching(/^Problem: /), score: 4.5, would: 'rejected' },
    { text: 'Idea 0.', score: 3, would: 'rejected' },
    { text: 'Idea 1.', score: 7.5, would: 'pass' },
  ]);
  // The triple of AlphaResearch: idea, program, result.
  expect(programLine(carried!, { code: 'x', idea: ideas[2] })).toMatchObject({
    idea: { text: 'Idea 1.', score: 7.5 },
    code: 'x',
    outcome: 'valid',
    reward: expect.any(Number),
  });
  const first = await shown(world.store, initial!._id);
  expect(first.report.idea).toEqual(ideas[0]);
  expect(first.report.calls.map(({ stage, answer }) => [stage, answer?.text])).toEqual([
    ['judge', 'Known.\n\\boxed{4.5}'],
  ]);
  const second = await shown(world.store, rejected!._id);
  expect(second.report.idea).toEqual(ideas[1]);
  expect(second.lines).toEqual(
    expect.arrayContaining(['idea      judged 3 of 10, below the threshold of the gate', '--- idea', 'Idea 0.']),
  );

  const directory = mkdtempSync(join(tmpdir(), 'evolve-ideas-'));
  try {
    const run = { ...(await world.document()), best: { program: carried!._id, score: 1, strictScore: 1, step: 2 } };
    const deps = {
      store: world.store,
      loadTask: () => Promise.reject(new Error('no task')),
      report: (one: RunDocument) => runReport(one, new Date(), null),
    };
    await writeFiles(deps, run, directory);
    expect(JSON.parse(readFileSync(join(directory, 'summary.json'), 'utf8')).best).toMatchObject({
      program: carried!._id,
      reward: carried!.reward,
      idea: ideas[2],
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
});
