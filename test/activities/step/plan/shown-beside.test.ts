// How the programs beside a parent are drawn where the rule is not by merit: by groups that explore (CodeEvolve
// Algorithm 1, line 10), and in Random-Context (DeltaEvolve 3.3).
import { expect, it } from 'vitest';
import { packVector } from '../../../../activities/llm/embeddings/vectors.ts';
import { shownBeside } from '../../../../activities/step/plan/context.ts';
import { NONE } from '../../../../activities/step/plan/history.ts';
import type { ProgramDocument } from '../../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../../activities/store/store.ts';
import type { RunConfig } from '../../../../evolution/config/run-config.ts';
import { codeDefaults } from '../../../../evolution/methods/code.ts';
import { openevolveDefaults } from '../../../../evolution/methods/controls.ts';
import { mapOf } from '../../../../evolution/population/population.ts';
import type { ParentDraw } from '../../../../evolution/selection/selection.ts';
import type { ProgramId, RunId } from '../../../../evolution/types.ts';
import { expectUniform } from '../../../support/domain/chi-square.ts';
import { runWorld, settingsOf } from '../../../support/worlds/populations.ts';

const run = 'r' as RunId;
const DRAWS = 1500;
const world = runWorld(settingsOf({ cap: 70, archive: 20, islands: 3 }), 21, 12, () => {});
const storeOf = (programs: readonly Partial<ProgramDocument>[] = []): Store =>
  ({
    getPrograms: async () => new Map(),
    eachProgram: async function* () {
      yield* programs;
    },
  }) as unknown as Store;
const idsDrawn = async (
  store: Store,
  defaults: Omit<RunConfig, 'task'>,
  prompt: Partial<RunConfig['prompt']>,
  draw: Pick<ParentDraw, 'parent' | 'island'> & Partial<ParentDraw>,
): Promise<readonly string[]> => {
  const config = {
    ...defaults,
    task: 't',
    population: { ...defaults.population, ...world.settings },
    prompt: { ...defaults.prompt, ancestors: 0, ...prompt },
  } as RunConfig;
  const draws = Array.from({ length: DRAWS }, () => ({ branch: 'elites', ...draw }) as unknown as ParentDraw);
  const shown = await shownBeside(store, world, draws, { run, config, step: 3 });
  return shown.flatMap(({ prior, context }) => [
    ...prior,
    ...context.flatMap(({ id, role }) => (role === 'inspiration' ? [id] : [])),
  ]);
};

it('a group that explores draws its inspirations uniformly, also where those of others are drawn by rank', async () => {
  const island = 1;
  const elites = [...mapOf(world.maps, island)!.cells.values()].filter(({ id }) => world.islands[island]!.byId.has(id));
  const parent = elites[0]!.id;
  const others = elites.map(({ id }) => id).filter((id) => id !== parent);
  expect(others.length).toBeGreaterThan(5);
  const prompt = { inspirations: 1, inspirationsBy: 'rank' } as const;
  const drawn = async (operator: 'explore' | 'exploit') =>
    idsDrawn(storeOf(), codeDefaults as Omit<RunConfig, 'task'>, prompt, { parent, island, operator });
  expectUniform(await drawn('explore'), others);
  const ranked = await drawn('exploit');
  expect(() => expectUniform(ranked, others)).toThrow();
});

it('Random-Context draws uniformly from all programs of the run, the latest and the worst too', async () => {
  const programs = Array.from({ length: 30 }, (_, index) => ({
    _id: `r:${String(index).padStart(6, '0')}:0:000000` as ProgramId,
    step: Math.floor(index / 15),
    parents: [],
    code: 'code',
  }));
  const parent = programs[4]!._id;
  const drawn = await idsDrawn(
    storeOf(programs),
    openevolveDefaults as Omit<RunConfig, 'task'>,
    { draw: 'random', priorPrograms: 2, elites: 0, diverse: 0, inspirations: 0 },
    { parent, island: 0 },
  );
  expectUniform(
    drawn,
    programs.map(({ _id }) => _id).filter((id) => id !== parent),
  );
});

it.each(['conversation', 'delta'] as const)(
  'diverseBy embedding, style %s: shows the elites farthest from the parent, those without a vector last',
  async (style) => {
    const island = 1;
    const elites = [...mapOf(world.maps, island)!.cells.values()].filter((one) =>
      world.islands[island]!.byId.has(one.id),
    );
    const [parent, opposite, across, near, unknown] = elites.map(({ id }) => id);
    const angles = new Map<ProgramId, number>([
      [parent!, 0],
      [opposite!, Math.PI],
      [across!, Math.PI / 2],
      [near!, 0.1],
    ]);
    for (const { id } of elites.slice(5)) angles.set(id, 0.2);
    const asked: ProgramId[] = [];
    const store = {
      ...storeOf(),
      getPrograms: async (ids: readonly ProgramId[]) =>
        new Map(ids.map((id) => [id, { _id: id, parents: ['p'], outcome: 'valid', change: { status: 'given' } }])),
      getEmbeddings: async (ids: readonly ProgramId[]) => {
        asked.push(...ids);
        return new Map(
          ids.flatMap((id) => {
            const angle = angles.get(id);
            return angle === undefined
              ? []
              : [[id, { vector: packVector(Float32Array.of(Math.cos(angle), Math.sin(angle))) }]];
          }),
        );
      },
    } as unknown as Store;
    const shownWith = async (diverse: number): Promise<readonly ProgramId[]> => {
      const config = {
        ...codeDefaults,
        task: 't',
        population: { ...codeDefaults.population, ...world.settings },
        prompt: {
          ...codeDefaults.prompt,
          ...NONE,
          style,
          diverse,
          diverseBy: 'embedding',
          frame: 'paper',
          ancestors: 0,
        },
      } as unknown as RunConfig;
      const draw = { branch: 'elites', operator: 'exploit', parent: parent!, island } as unknown as ParentDraw;
      const [shown] = await shownBeside(store, world, [draw], { run, config, step: 3 });
      return shown!.context.flatMap(({ id, role }) => (role === 'diverse' ? [id] : []));
    };
    expect(await shownWith(2)).toEqual([opposite, across]);
    const all = await shownWith(elites.length);
    expect(all).toHaveLength(elites.length - 1);
    expect(all.slice(-2)).toEqual([near, unknown]);
    expect(asked).toContain(parent);
    asked.length = 0;
    expect(await shownWith(0)).toEqual([]);
    expect(asked).toEqual([]);
  },
);
