// ShinkaEvolve's own parts over the activities of steps: drawn kinds of patches, notes, and the judge of near-duplicates.
import { expect, it } from 'vitest';
import { couplingsOf } from '../../../evolution/population/island-coupling.ts';
import { answeredId, stageId } from '../../../evolution/ids.ts';
import {
  changed,
  codeWorld,
  configOf,
  edit,
  isNotes,
  isNovelty,
  messagesOf,
  plansOf,
  programsOf,
} from '../../support/worlds/code-world.ts';

const STEPS = 4;
const BATCH = 6;
const settings = { method: 'shinkaevolve', population: { islands: 2 }, limits: { steps: STEPS }, seed: 3 };
const NOTES = '# Insights\n\nNone.\n\n# Recommendations\n\n1. First direction.\n2. Second direction,\n   in two lines.';

type Request = { readonly messages: readonly { readonly content: string }[]; readonly seed: number };
/** A whole program where one is asked for, else edits. */
const program = ({ messages, seed }: Request, line: string): string => {
  const { content } = messages.at(-1)!;
  if (messages.some((message) => message.content.includes('<<<<<<< SEARCH'))) return edit(line, changed(line, seed));
  const code = /# Current program\n\n```python\n([^]*?)```/.exec(content)![1]!;
  return `\`\`\`python\n${code.replace(line, changed(line, seed))}\`\`\``;
};
const played = async (more: object = {}, script: Parameters<typeof codeWorld>[1] = {}, twice = false) => {
  const world = codeWorld({ ...settings, ...more }, { program, notes: () => NOTES, ...script });
  await world.play(STEPS, twice);
  return { ...world, programs: await programsOf(world.store), plans: await plansOf(world.store, STEPS, BATCH) };
};

it('each group is asked for a drawn kind of patch, told so, and read so', async () => {
  const { store, plans, programs } = await played();
  expect(plans.map(({ patch }) => patch!.kind).join(' ')).toMatchInlineSnapshot(
    `"diff full diff full full diff full diff diff full diff diff diff full full diff full diff diff full diff cross diff cross"`,
  );
  for (const plan of plans) {
    const { kind, with: other } = plan.patch!;
    const prompt = (await messagesOf(store, plan)).map(({ content }) => content).join('\n');
    expect(prompt.includes('<<<<<<< SEARCH')).toBe(kind === 'diff');
    expect(prompt.includes('# Rewrite')).toBe(kind === 'full');
    expect(prompt.includes('# Program to cross with')).toBe(kind === 'cross');
    if (other === undefined) continue;
    expect([...(plan.context ?? []).map(({ id }) => id), ...plan.priorPrograms]).toContain(other);
    const { code } = (await store.getPrograms([other])).get(other)!;
    // It stands among the others, so it is named.
    expect(prompt).toMatch(/# Program to cross with\n\nIt is (?:Program|Inspiration|Diverse program) \d above\./);
    expect(code).not.toBeNull();
  }
  expect(programs.filter(({ outcome }) => outcome === 'valid')).toHaveLength(1 + STEPS * BATCH);
});

it('an answer in another form than the drawn one is not taken', async () => {
  const { programs } = await played(
    { repair: { rounds: 0 }, prompt: { patches: { diff: 0, full: 1, cross: 0 } } },
    { program: ({ seed }, line) => edit(line, changed(line, seed)) },
  );
  expect(new Set(programs.slice(1).map(({ outcome }) => outcome))).toEqual(new Set(['no_diff']));
});

it('every ten programs a group writes notes first, and later prompts show one of their recommendations', async () => {
  const { store, asked, plans, programs } = await played();
  const noted = plans.filter(({ first }) => first === 'notes').map(({ step, group }) => (step - 1) * BATCH + group);
  expect(noted).toEqual([10, 20]);
  expect(asked.filter(isNotes)).toHaveLength(2);
  expect(programs.filter(({ notes }) => notes !== undefined).map(({ step, slot }) => [step, slot])).toEqual([
    [2, 4],
    [4, 2],
  ]);
  const [, second] = asked.filter(isNotes).map(({ messages }) => messages.at(-1)!.content);
  expect(second).toContain('# Earlier notes');
  expect(second!.match(/^## Program /gm)).toHaveLength(10);
  for (const plan of plans) {
    const shown = plan.step > 2 && plan.patch!.kind !== 'cross';
    expect(plan.recommended !== undefined).toBe(shown);
    const prompt = (await messagesOf(store, plan)).at(-1)!.content;
    expect(/# Recommendation\n[^]*\n> (?:First direction\.|Second direction,\n> in two lines\.)/.test(prompt)).toBe(
      shown,
    );
  }
});

it('notes that recommend nothing, or that nobody wrote, change nothing', async () => {
  const { plans, programs } = await played({}, { notes: () => 'All is well.' });
  expect(programs.every(({ notes }) => notes === undefined)).toBe(true);
  expect(plans.every(({ recommended }) => recommended === undefined)).toBe(true);
});

const embedding = { model: 'e', baseUrl: 'http://127.0.0.1:9/v1', threshold: 0.99 };

it('a near-duplicate is evaluated where the judge finds it new, and rejected where it does not', async () => {
  const answers = [
    ['NOVEL: other numbers', 'valid'],
    ['**NOT_NOVEL**', 'duplicate'],
    ['', 'valid'],
  ] as const;
  for (const [answer, outcome] of answers) {
    const { store, asked, programs } = await played({ embedding }, { novelty: () => answer });
    const near = [...(await store.getEmbeddings(programs.map(({ _id }) => _id))).values()].filter(
      ({ duplicate }) => duplicate,
    );
    expect(near.length).toBeGreaterThan(0);
    expect(asked.filter(isNovelty)).toHaveLength(near.length);
    const judged = programs.filter(({ _id }) => near.some((one) => one._id === _id));
    expect(new Set(judged.map((one) => one.outcome))).toEqual(new Set([outcome]));
    const calls = await store.getCalls(near.map(({ _id }) => answeredId(_id, 'novelty')));
    expect(calls.size).toBe(near.length);
  }
});

it('without a judge a near-duplicate is rejected, and nobody is asked', async () => {
  const { asked, programs } = await played({ embedding: { ...embedding, judge: false } });
  expect(asked.filter(isNovelty)).toEqual([]);
  expect(programs.some(({ outcome }) => outcome === 'duplicate')).toBe(true);
});

it('activities that are repeated ask and store the same', async () => {
  const script = { novelty: ({ seed }: Request) => (seed % 2 === 0 ? 'NOVEL' : 'NOT_NOVEL') };
  const [once, twice] = [await played({ embedding }, script), await played({ embedding }, script, true)];
  expect(twice.programs).toEqual(once.programs);
  expect(twice.asked).toHaveLength(once.asked.length);
  const paid = await once.store.getCalls(once.plans.map(({ _id }) => stageId(_id, 'notes')));
  expect(paid.size).toBe(2);
});

it('the preset turns all of it on, and couples islands', () => {
  const config = configOf({ method: 'shinkaevolve', embedding: { model: 'e' } });
  const { prompt, embedding: embeds } = config;
  expect(prompt).toMatchObject({ patches: { diff: 0.4, full: 0.4, cross: 0.2 }, notes: 10 });
  expect(embeds).toMatchObject({ threshold: 0.99, judge: true });
  expect(couplingsOf(config)).toContain('prompt.notes');
});
