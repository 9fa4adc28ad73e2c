// Islands, seed programs and steps as large as the number of programs that is asked for allows, where nobody set them.
import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../../evolution/methods/presets.ts';
import { phaseNotes } from '../../../evolution/methods/size.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

const openai = { kind: 'openai', baseUrl: 'http://127.0.0.1:1/v1', name: 'm', roles: ['exploit', 'judge'] };
const resolve = (settings: object) => configFrom({ model: openai, ...settings });
const sizeOf = (settings: object) => {
  const { batch, population, migration } = resolve(settings);
  return { batch, islands: population.islands, initial: population.initialisation, topology: migration.topology };
};

describe('the size of a run', () => {
  it.each([
    ['code', { programs: 32 }, { batch: 3, islands: 3, initial: 3, topology: 'ring' }],
    ['code', { programs: 10 }, { batch: 1, islands: 1, initial: 3, topology: 'none' }],
    ['code', { steps: 5 }, { batch: 10, islands: 5, initial: 3, topology: 'ring' }],
    ['code', { steps: 250 }, { batch: 10, islands: 10, initial: 10, topology: 'ring' }],
    ['code', { tokens: 1_000_000 }, { batch: 10, islands: 10, initial: 10, topology: 'ring' }],
    ['theta', { programs: 16 }, { batch: 1, islands: 1, initial: 1, topology: 'none' }],
    ['delta', {}, { batch: 4, islands: 3, initial: 1, topology: 'ring' }],
    ['delta', { programs: 20 }, { batch: 4, islands: 2, initial: 1, topology: 'ring' }],
    ['research', { programs: 16 }, { batch: 1, islands: 1, initial: 1, topology: 'none' }],
    ['research', {}, { batch: 1, islands: 5, initial: 1, topology: 'ring' }],
  ])('%s with limits %j', (method, limits, expected) => {
    expect(sizeOf({ method, limits })).toEqual(expected);
  });

  it("begins small for a task of one's own, with every method and model", () => {
    for (const method of Object.keys(PRESETS))
      for (const model of [openai, { kind: 'offline' }]) {
        const { batch, responses } = resolve({ method, task: '/home/me/my-task', model });
        expect(Math.max(batch, responses)).toBeLessThanOrEqual(4);
      }
    expect(resolve({ task: '/home/me/my-task', batch: 32 })).toMatchObject({ batch: 32, responses: 4 });
  });

  it('is as it is set, whatever the limits', () => {
    expect(
      sizeOf({ method: 'code', limits: { programs: 32 }, population: { islands: 10, initialisation: 10 } }),
    ).toEqual({ batch: 10, islands: 10, initial: 10, topology: 'ring' });
    // A topology and a hint for an island are wishes for islands.
    expect(sizeOf({ limits: { programs: 16 }, migration: { topology: 'ring' } }).islands).toBe(2);
    expect(sizeOf({ limits: { programs: 16 }, prompt: { hints: [{ island: 3, text: 'x' }] } }).islands).toBe(4);
  });

  it('of the axis of CPU time is the limit that the settings name, unless the axis is set', () => {
    const axis = (settings: object) => resolve({ method: 'code', ...settings }).population.features[1];
    expect(axis({ evaluation: { cpuSeconds: 60 } })).toEqual({ name: 'cpu', min: 0, max: 60 });
    expect(axis({})).toEqual({ name: 'cpu', min: 0, max: 180 });
    const features = ['score', { name: 'cpu', min: 0, max: 30 }];
    expect(axis({ evaluation: { cpuSeconds: 60 }, population: { features } })).toEqual(features[1]);
  });

  it('is said before the start: how long the islands are initialised', () => {
    expect(phaseNotes(resolve({ method: 'code', limits: { programs: 32 } }))).toEqual([
      'the initial phase takes the first 6 programs of at most 32: 3 islands get 2 seed programs each, made from the initial program (population.initialisation 3)',
    ]);
    expect(
      phaseNotes(
        resolve({ method: 'code', limits: { programs: 32 }, population: { islands: 10, initialisation: 10 } }),
      )[0],
    ).toMatch(/first 90 programs of at most 32: .*the run ends before the search begins: raise its limits/);
    expect(phaseNotes(resolve({ method: 'delta' }))).toEqual([]);
  });
});
