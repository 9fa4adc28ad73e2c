// Answers about programs and search, from runs that were really played: a program is what `evolve show` shows of it, and
// a search finds what stands in code, deltas and ideas, the newest first.
import { describe, expect, it } from 'vitest';
import { packVector, unitVector } from '../../../../activities/llm/embeddings/vectors.ts';
import type { Store } from '../../../../activities/store/store.ts';
import type { Similarity } from '../../../../page/api/pictures/components.ts';
import { programAnswers } from '../../../../page/server/routes/programs.ts';
import { searchAnswers, searched } from '../../../../page/server/routes/search.ts';
import {
  artifactsPath,
  askedPath,
  type ProgramArtifacts,
  type ProgramAsked,
  type ProgramFacts,
  programPath,
  solutionPath,
} from '../../../../page/api/program/programs.ts';
import { type SearchLine, searchPath } from '../../../../page/api/rows/search.ts';
import { pathsAfter } from '../../../../page/export/paths.ts';
import { programId } from '../../../../evolution/ids.ts';
import { evaluation, grow } from '../../../activities/store/fixtures.ts';
import { memoryStore } from '../../../doubles/memory-store.ts';
import { answersOver } from '../../../support/page/in-tests.ts';
import { play } from '../../../support/worlds/world.ts';

/** Nothing here writes, so one run is enough for all. */
const played = play(false);

const asking = (store: Store) => {
  const answers = answersOver(store, [programAnswers, searchAnswers], '/');
  const lines = async (path: string): Promise<readonly SearchLine[]> =>
    (await (await answers.get(path)).text())
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as SearchLine);
  return { ...answers, lines };
};

describe('one program', () => {
  it('is what is stored of it, with what was asked and answered', async () => {
    const { store, programs } = await played;
    const { json } = asking(store);
    const last = programs.findLast(({ code }) => code !== null)!;
    const facts = await json<ProgramFacts>(programPath(last.run, last._id));
    expect(facts).toMatchObject({
      id: last._id,
      outcome: last.outcome,
      score: last.score,
      parents: last.parents,
      superseded: false,
    });
    expect(facts.code).toBe((await store.getTexts([last.code!])).get(last.code!));
    const asked = await json<ProgramAsked>(askedPath(last.run, last._id));
    expect(asked.stages.flatMap(({ messages }) => messages.map(({ role }) => role))).toEqual(['system', 'user']);
    const first = await json<ProgramAsked>(askedPath(last.run, programs[0]!._id));
    expect(first).toEqual({ stages: [], answer: null, shownBeside: [], unanswered: null });
    expect(Object.keys(await json<object>(solutionPath(last.run, last._id)))).toEqual(['solution']);
  });

  it('has the artifacts of its evaluation, which are read by themselves', async () => {
    const store = memoryStore();
    await grow(store, 'r', 1);
    const id = programId('r', 1, 0, 1);
    const { evaluation: key } = (await store.getPrograms([id])).get(id)!;
    const [text] = await store.putTexts(['case\tgap\n7\t0.5']);
    await store.putEvaluations([
      { ...evaluation('r', 1, 1), _id: key!, artifacts: [{ name: 'worst', kind: 'table', text: text!, size: 15 }] },
    ]);
    const { json } = asking(store);
    expect((await json<ProgramFacts>(programPath('r', id))).evaluated!.artifacts).toMatchObject([{ size: 15 }]);
    expect(await json<ProgramArtifacts>(artifactsPath('r', id))).toEqual({
      artifacts: [{ name: 'worst', kind: 'table', text: 'case\tgap\n7\t0.5' }],
    });
    const facts = new TextEncoder().encode(JSON.stringify(await json<ProgramFacts>(programPath('r', id))));
    expect(pathsAfter('r', programPath('r', id), facts)).toEqual([artifactsPath('r', id)]);
  });

  it('counts the lines that went as the engine does, and of the initial program none', async () => {
    const { store, programs } = await played;
    const { json } = asking(store);
    const counted = programs.filter(({ lines }) => lines !== undefined).slice(0, 20);
    expect(counted).not.toEqual([]);
    const deltas = await store.getDeltas(counted.map(({ _id }) => _id));
    for (const { run, _id } of counted)
      expect((await json<ProgramFacts>(programPath(run, _id))).linesDeleted).toBe(
        deltas.get(_id)!.lines!.deleted.length,
      );
    expect((await json<ProgramFacts>(programPath(programs[0]!.run, programs[0]!._id))).linesDeleted).toBeNull();
  });

  it('is missing where there is none', async () => {
    const { store } = await played;
    const { json, status } = asking(store);
    for (const id of ['nothing', 'x'.repeat(5_000), '"><script>', '..%2f..']) {
      expect(await status(programPath('r', id))).toBe(404);
      expect(await json(programPath('r', id))).toMatchObject({ error: { kind: 'missing' } });
    }
  });
});

describe('search', () => {
  it('finds what stands in code and ideas, the newest first', async () => {
    const { store, programs } = await played;
    const { lines } = asking(store);
    const texts = await store.getTexts(programs.flatMap(({ code }) => (code === null ? [] : [code])));
    for (const needle of ['DEF ', 'return', 'nothing holds this']) {
      const expected = programs
        .filter(({ code }) => code !== null && texts.get(code)!.toLowerCase().includes(needle.toLowerCase()))
        .map(({ _id }) => _id)
        .reverse();
      const found = await lines(searchPath(programs[0]!.run, needle, ['code']));
      expect(found.flatMap((line) => (line.kind === 'found' ? [line.id] : []))).toEqual(expected);
      expect(found.at(-1)).toEqual({ kind: 'end', read: programs.length, total: programs.length, full: false });
    }
  });

  it('stops when nobody reads on', async () => {
    const { store, programs } = await played;
    const batches = searched(store, { run: programs[0]!.run, text: 'a', searched: ['code'] });
    await batches.next();
    await batches.return(undefined);
    expect(await batches.next()).toMatchObject({ done: true });
  });

  it('refuses what is no search, with a sentence', async () => {
    const { store, programs } = await played;
    const { json } = asking(store);
    const { run } = programs[0]!;
    expect(await json(`runs/${run}/search?q=`)).toMatchObject({
      error: { message: expect.stringContaining('1 to 200') },
    });
    expect(await json(`runs/${run}/search?q=${'x'.repeat(201)}`)).toHaveProperty('error');
    expect(await json(`runs/${run}/search?q=x&in=code,secrets`)).toMatchObject({
      error: { message: expect.stringContaining('code, deltas, ideas') },
    });
    expect(await json('runs/no-such-run/search?q=x')).toMatchObject({ error: { kind: 'missing' } });
  });
});

describe('similarity', () => {
  it('places valid programs by their embeddings, of one model and of one length', async () => {
    const { store, programs } = await played;
    const valid = programs.filter(({ score }) => score !== null).map(({ _id }) => _id);
    const vectorOf = (at: number): readonly number[] => (at === 0 ? [1, 2] : [Math.sin(at), Math.cos(at), 1]);
    const asked = async (model: string | null): Promise<Similarity> => {
      const document = (await store.readRun(programs[0]!.run))!;
      const embedded = {
        ...store,
        readRun: async () => ({ ...document, config: { ...document.config, embedding: { model } } }),
        getEmbeddings: async (ids: readonly string[]) =>
          new Map(
            ids.map((_id) => {
              const at = valid.indexOf(_id);
              return [_id, { _id, step: at, model: 'm', vector: packVector(unitVector(vectorOf(at))) }] as const;
            }),
          ),
      } as unknown as Store;
      return asking(embedded).json<Similarity>(`runs/${encodeURIComponent(document.run)}/similarity`);
    };
    const { ids, at, shares } = await asked('m');
    expect(valid.length).toBeGreaterThan(3);
    expect(ids.toSorted()).toEqual(valid.slice(1).toSorted());
    expect(at.map((places) => places.length)).toEqual([ids.length, ids.length]);
    // The vectors lie in a plane.
    expect(shares[0] + shares[1]).toBeCloseTo(1, 6);
    expect((await asked(null)).ids).toEqual([]);
  });
});
