// A sweep as people write it, checked key by key.
import { z } from 'zod';
import { isPlain, type Path } from '../config/layers.ts';
import { ConfigError } from '../config/config-error.ts';
import { keysAt, schemaProblems, unknownKey, type Whereabouts } from '../config/problems.ts';
import { settingsSchema } from '../config/settings.ts';
import { ANY, whole } from '../config/settings/leaves.ts';
import { fileLayer } from '../config/sources.ts';
import type { Json } from '../types.ts';
import { MAX_SWEEP_RUNS } from './halving.ts';
import { isSweepName, sweepName } from './name.ts';

const seed = () => whole(0, ANY);
const values = (error: string) => z.array(z.json(), { error }).min(1, error);

const range = z.strictObject({
  min: z.number(),
  max: z.number(),
  log: z.boolean().optional(),
  integer: z.boolean().optional(),
});
const NAME =
  'a name of 1 to 40 characters a-z, 0-9 and -, beginning and ending with a letter or digit; {date} and {time} stand for the UTC time that it is started for (20261121, 1530)';

const sweepSchema = z.strictObject({
  name: z.string({ error: NAME }).refine((name) => isSweepName(sweepName(name, new Date(0))), NAME),
  base: settingsSchema.default({}),
  grid: z
    .record(z.string(), values('a list of values'), { error: 'a mapping of settings to lists of values' })
    .optional(),
  list: z
    .array(z.record(z.string(), z.json(), { error: 'a mapping of settings to values' }), {
      error: 'a list of mappings',
    })
    .min(1, 'at least one mapping')
    .optional(),
  random: z
    .strictObject({
      samples: whole(1, MAX_SWEEP_RUNS),
      seed: seed().default(0),
      space: z.record(
        z.string(),
        z.union([values('a list'), range], {
          error: 'a list of choices, or a range {min, max, log, integer} with numbers and flags',
        }),
        { error: 'a mapping of settings to lists or ranges' },
      ),
    })
    .optional(),
  seeds: z.array(seed(), { error: 'a list of seeds' }).min(1, 'at least one seed').optional(),
  repeat: whole(1, 100).default(1),
  maxParallel: whole(1, 64).default(2),
  /** The SHA-256 of each task that the start kept, by its name. The command line writes it. */
  tasks: z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/, 'the SHA-256 of a kept task')).optional(),
  /** The paper's experiment that it makes, and the choices beside the file. The command line writes it. */
  experiment: z.strictObject({ paper: z.string(), id: z.string(), choice: z.json() }).optional(),
  stopWhen: z
    .strictObject({
      halving: z.strictObject({
        first: whole(1, ANY),
        factor: whole(2, MAX_SWEEP_RUNS).default(2),
      }),
    })
    .optional(),
});

/** Settings that vary, by dotted key. */
export type Combination = { readonly [dottedKey: string]: Json };
export type Range = z.infer<typeof range>;
/** A checked sweep; checking it again gives the same. Without grid, list and random only seeds and repetitions vary. */
export type SweepSpec = z.infer<typeof sweepSchema>;

/** A sweep file as it was written and as it was checked, with the places of its keys. */
export type SweepFile = {
  readonly value: Json;
  readonly spec: SweepSpec;
  readonly where: Whereabouts;
};

const WAYS = ['grid', 'list', 'random'] as const;

/** Parses and checks the text of a YAML or JSON file. Throws a ConfigError; problems name file, line and column. */
export const sweepFromFile = (file: string, text: string): SweepFile => {
  const { settings, where } = fileLayer(file, text, 'name: batch-sizes');
  const spec = checkSweep(settings, where);
  return { value: settings as Json, spec, where };
};

/** Checks a sweep. Throws a ConfigError with every problem found. */
export const checkSweep = (written: unknown, where: Whereabouts = () => 'sweep'): SweepSpec => {
  const result = sweepSchema.safeParse(written);
  if (!result.success)
    throw new ConfigError([
      ...schemaProblems(result.error.issues, written, where, sweepSchema),
      ...(isPlain(written) ? wrongKeys(written, where) : []),
    ]);
  const problems = [
    ...wrongKeys(result.data, where),
    ...clashes(result.data).map(([path, problem]) => `${where(path)}: ${path.join('.')}: ${problem}.`),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  return result.data;
};

/** The places where settings are named by dotted key: the path and the keys of each mapping. */
const dottedKeys = ({
  grid,
  list,
  random,
}: {
  readonly [key: string]: unknown;
}): readonly (readonly [Path, readonly string[]])[] => {
  const keys = (mapping: unknown): readonly string[] => (isPlain(mapping) ? Object.keys(mapping) : []);
  return [
    [['grid'], keys(grid)],
    ...(Array.isArray(list) ? list.map((entry, index) => [['list', index], keys(entry)] as const) : []),
    [['random', 'space'], keys(isPlain(random) ? random['space'] : undefined)],
  ];
};

/** Problems with keys that are no settings, and with keys one of which holds another. */
const wrongKeys = (sweep: { readonly [key: string]: unknown }, where: Whereabouts): readonly string[] =>
  dottedKeys(sweep).flatMap(([path, keys]) =>
    keys.flatMap((key) => {
      const parts = key.split('.');
      const at = where([...path, key]);
      if (!keysAt(parts.slice(0, -1))?.includes(parts.at(-1)!)) return [`${at}: ${unknownKey(known(parts))}`];
      const holder = keys.find((other) => key.startsWith(`${other}.`));
      return holder === undefined
        ? []
        : [`${at}: ${[...path, key].join('.')}: ${holder} holds it and varies too: leave one of them out.`];
    }),
  );

/** The path up to its first unknown part. */
const known = (parts: readonly string[]): readonly string[] => {
  const wrong = parts.findIndex((part, index) => !keysAt(parts.slice(0, index))?.includes(part));
  return parts.slice(0, wrong + 1);
};

/** Checks beyond the schema. */
const clashes = (spec: SweepSpec): readonly (readonly [Path, string])[] => {
  const { grid, random, seeds, repeat } = spec;
  const ways = WAYS.filter((way) => spec[way] !== undefined);
  if (ways.length > 1) return [[[ways[1]!], `expected one of ${WAYS.join(', ')}, got ${ways.join(' and ')}`]];
  const problems: (readonly [Path, string])[] = [];
  if (grid && Object.keys(grid).length === 0) problems.push([['grid'], 'expected at least one setting, got none']);
  if (random && Object.keys(random.space).length === 0)
    problems.push([['random', 'space'], 'expected at least one setting, got none']);
  for (const [key, choice] of Object.entries(random?.space ?? {})) {
    const wrong = Array.isArray(choice) ? null : wrongRange(choice as Range);
    if (wrong !== null) problems.push([['random', 'space', key], wrong]);
  }
  if (seeds && new Set(seeds).size < seeds.length)
    problems.push([['seeds'], `expected each seed once, got ${seeds.join(', ')}: repeat does the same run again`]);
  const seeded = dottedKeys(spec).find(([, keys]) => keys.includes('seed'));
  if (seeds && seeded) problems.push([['seeds'], `${seeded[0].join('.')} gives the seed too: leave one of them out`]);
  const runs = combinations(spec) * (seeds?.length ?? 1) * repeat;
  if (runs > MAX_SWEEP_RUNS)
    problems.push([
      ways.length === 0 ? ['seeds'] : [ways[0]!],
      `expected at most ${MAX_SWEEP_RUNS} runs in all, got ${runs} (combinations * seeds * repeat)`,
    ]);
  return problems;
};

const combinations = ({ grid, list, random }: SweepSpec): number =>
  random?.samples ??
  list?.length ??
  Object.values(grid ?? {}).reduce((product, choices) => product * choices.length, 1);

const wrongRange = ({ min, max, log, integer }: Range): string | null => {
  if (!(min < max)) return `expected min < max, got min ${min} and max ${max}`;
  if (log && min <= 0) return `a logarithmic range needs a min above 0, got ${min}`;
  return integer && !(Number.isSafeInteger(min) && Number.isSafeInteger(max))
    ? `an integer range needs whole bounds, got ${min} and ${max}`
    : null;
};
