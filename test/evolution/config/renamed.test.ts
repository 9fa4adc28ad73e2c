// Names of settings and values that have changed: the old ones are read wherever settings are, and noted; the new ones
// are written; what is made from names stays as it was.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { patchFrom } from '../../../cli/commands/steer/set.ts';
import { noteRenamings, settingsFrom } from '../../../cli/flags/settings-flags.ts';
import { renamingNotes, withCurrentNames } from '../../../evolution/config/renamed.ts';
import { changedConfig } from '../../../evolution/methods/change.ts';
import { completeStored } from '../../../evolution/methods/defaults.ts';
import { resolveConfig } from '../../../evolution/methods/resolve.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { expandSweep } from '../../../evolution/sweep/expand.ts';
import { checkSweep, sweepFromFile } from '../../../evolution/sweep/spec.ts';
import type { Json } from '../../../evolution/types.ts';

const OLD = { population: { map: 'none', founding: 3, protectOwners: true, eviction: 'sparing' } } as const;
const NEW = {
  population: { map: 'none', initialisation: 3, protectElites: true, eviction: 'protect-elites' },
} as const;
const NOTES = [
  'population.founding is called population.initialisation since 0.3.0',
  'population.protectOwners is called population.protectElites since 0.3.0',
  'population.eviction sparing is called protect-elites since 0.3.0',
];
const resolved = (settings: object): RunConfig => resolveConfig([{ settings, where: () => 'test' }]).config;

/** Complete settings as an earlier version wrote them. */
const stored = (): RunConfig => {
  const { population, ...rest } = resolved(NEW);
  const { initialisation, protectElites, ...others } = population;
  return {
    ...rest,
    population: { ...others, founding: initialisation, protectOwners: protectElites, eviction: 'sparing' },
  } as unknown as RunConfig;
};

const folder = mkdtempSync(join(tmpdir(), 'evolve-renamed-'));
const file = (text: string): string => {
  const path = join(folder, 'run.yaml');
  writeFileSync(path, text);
  return path;
};

afterEach(() => vi.restoreAllMocks());
const notesOf = (act: () => unknown): readonly string[] => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  act();
  const notes = written.mock.calls.map(([text]) => String(text));
  written.mockRestore();
  return notes;
};

describe('old names', () => {
  it('are read as the new ones, and the settings that were given stay as they are', () => {
    const given = structuredClone(OLD);
    expect(withCurrentNames(given)).toEqual(NEW);
    expect(given).toEqual(OLD);
    expect(withCurrentNames(NEW)).toBe(NEW);
    for (const odd of [undefined, null, 3, 'text', [], { population: null }, { population: 'sparing' }])
      expect(withCurrentNames(odd)).toBe(odd);
  });

  it('are noted, each once', () => {
    expect(renamingNotes(OLD)).toEqual(NOTES);
    expect(renamingNotes(NEW)).toEqual([]);
  });

  it('are read in files and flags, and one note each goes to stderr', () => {
    const config = file('population:\n  map: none\n  founding: 2\n');
    const notes = notesOf(() => {
      const set = ['population.founding=3', 'population.protectOwners=true', 'population.eviction=sparing'];
      expect(settingsFrom({ config, set }, {}).config).toEqual(resolved(NEW));
    });
    expect(notes).toEqual(NOTES.map((text) => `note: ${text}\n`));
    expect(notesOf(() => settingsFrom({ set: ['population.initialisation=3'] }, {}))).toEqual([]);
  });

  it('with a wrong value name the place where they were written', () => {
    const config = file('population:\n  map: none\n  founding: none\n');
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(() => settingsFrom({ config }, {})).toThrow(
      `${config}:3:3: population.initialisation: expected a whole number from 1 to 100000, got "none".`,
    );
    expect(() => settingsFrom({ config: file('population: {founding: 3, initialisation: 4}') }, {})).toThrow(
      'population.founding: unknown key. It is called population.initialisation today, which is set too: leave one of them out.',
    );
  });

  it('are read in complete settings: the input of a workflow, and what an earlier version stored', () => {
    expect(resolved(stored())).toEqual(resolved(NEW));
    const complete = completeStored(stored());
    expect(complete).toEqual(resolved(NEW));
    expect(completeStored(complete)).toBe(complete);
  });

  it('are read in changes of a run', () => {
    const wanted = patchFrom(['population.founding=5', 'population.eviction=sparing'], undefined) as Json;
    const config = completeStored(stored());
    expect(changedConfig(config, { kind: 'patch', patch: wanted }).population).toEqual({
      ...config.population,
      initialisation: 5,
    });
    expect(notesOf(() => noteRenamings([wanted]))).toHaveLength(2);
  });
});

describe('a sweep', () => {
  const AT = new Date('2026-11-22T00:00:00Z');
  const sweep = (founding: string, sparing: string) => ({
    name: 'renamed',
    base: { limits: { steps: 2 }, population: { map: 'none', [founding]: 2 } },
    grid: { [`population.${founding}`]: [3, 4], 'population.eviction': ['worst', sparing] },
  });
  const before = sweep('founding', 'sparing');
  const expanded = (spec: object) => expandSweep(checkSweep(spec), AT);
  const runsOf = (spec: object) => expanded(spec).runs;

  it('of old names has the same runs, under the ids that it always had', () => {
    expect(expanded(before)).toEqual(expanded(sweep('initialisation', 'protect-elites')));
    // The ids that were made of this sweep before the names changed.
    expect(runsOf(before).map(({ run }) => run)).toEqual(
      ['afcdb791', 'da88ef6d', '1f6142b0', '97c43445'].map((hash) => `renamed-${hash}-s42`),
    );
  });

  it('draws the same at random', () => {
    const drawn = (key: string) =>
      runsOf({
        name: 'renamed',
        base: { population: { map: 'none' } },
        random: { samples: 4, space: { [key]: { min: 2, max: 15, integer: true } } },
      });
    expect(drawn('population.founding')).toEqual(drawn('population.initialisation'));
  });

  it('notes them', () => {
    const { notes } = sweepFromFile('sweep.yaml', JSON.stringify(before));
    expect(notes).toEqual([NOTES[0], NOTES[2]]);
  });
});
