// Reads a task's fixtures: golden cases, the honest solution and gold files (docs/tasks.md, Fixtures).
import { join } from 'node:path';
import { z } from 'zod';
import { isTaskPath, PATH_EXPECTED } from '../../evolution/task/task-paths.ts';
import type { Json } from '../../evolution/types.ts';
import { GIVEN_BYTES, GivenFileError, listGiven, readGiven } from '../given-file.ts';

export class FixtureError extends Error {
  override readonly name = 'FixtureError';
}

const json = z.json() as z.ZodType<Json>;

const golden = z
  .strictObject({
    name: z.string().min(1),
    /** The solution itself, or Python that makes it: an expression, or a script that sets `solution`. */
    solution: json.optional(),
    python: z.string().min(1).optional(),
    /** For a `function` task, a whole program, or the name of its file beside golden.json. */
    program: z.string().min(1).optional(),
    /** Replaces keys of the instance. */
    instance: z.record(z.string(), json).optional(),
    expected: z.looseObject({ valid: z.boolean() }),
    /** Tolerance for numbers: relative, or absolute where the value is below 1. The default is 1e-12, relative. */
    tolerance: z.number().positive().optional(),
  })
  .refine(
    ({ solution, python, program }) => [solution, python, program].filter((part) => part !== undefined).length === 1,
    'expected one of solution, python and program',
  );
export type Golden = z.infer<typeof golden>;

const honest = z.strictObject({ score: z.number(), solution: json });
export type Honest = z.infer<typeof honest>;

const gold = z
  .strictObject({
    name: z.string().min(1),
    score: z.number(),
    /** The strict score. True means that it equals the score; null or left out, that the task has none. */
    strict: z.union([z.number(), z.boolean(), z.null()]).optional(),
    how: z.string().min(1),
    /** The solver's file, beside this one or under tasks/library/solvers. */
    script: z.string().min(1),
    seconds: z.number().nonnegative(),
    machine: z.string().min(1),
    solution: json.optional(),
    /** For a `function` task, the program's file beside this one. */
    program: z.string().min(1).optional(),
    tolerance: z.number().positive().optional(),
  })
  .refine(
    ({ solution, program }) => (solution === undefined) !== (program === undefined),
    'expected either solution or program',
  );
export type Gold = z.infer<typeof gold> & { readonly file: string };

/** The text of a file of a task's folder. Throws FixtureError. */
export const readFixture = (path: string, folder: string): string => {
  try {
    return readGiven(path, { maxBytes: GIVEN_BYTES.text, within: folder });
  } catch (error) {
    throw error instanceof GivenFileError
      ? new FixtureError(`${path}: expected a file of the task, got ${error.message}`, { cause: error })
      : error;
  }
};

/** The files directly in a folder of the task, in order. Throws FixtureError. */
export const listFixtures = (path: string, folder: string): readonly string[] => {
  try {
    return listGiven(path, folder, { deep: false });
  } catch (error) {
    throw error instanceof GivenFileError
      ? new FixtureError(`${path}: expected a folder of the task, got ${error.message}`, { cause: error })
      : error;
  }
};

const readJson = async <T>(path: string, folder: string, schema: z.ZodType<T>): Promise<T> => {
  const text = readFixture(path, folder);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new FixtureError(`${path}: expected a JSON file, got ${(error as Error).message}`, { cause: error });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new FixtureError(
    parsed.error.issues
      .slice(0, 5)
      .map((issue) => `${path}: ${issue.path.join('.') || 'the file'}: ${issue.message}`)
      .join('\n'),
  );
};

const fixtures = (folder: string): string => join(folder, 'fixtures');

export const readGolden = (folder: string): Promise<readonly Golden[]> =>
  readJson(join(fixtures(folder), 'golden.json'), folder, z.array(golden));

export const readHonest = (folder: string): Promise<Honest> =>
  readJson(join(fixtures(folder), 'honest.json'), folder, honest);

export const readGold = async (folder: string): Promise<readonly Gold[]> => {
  const root = join(fixtures(folder), 'gold');
  const files = listFixtures(root, folder).filter((file) => file.endsWith('.json'));
  return Promise.all(
    files.map(async (file) => ({ ...(await readJson(join(root, file), folder, gold)), file: join(root, file) })),
  );
};

/** The text itself, or the text of the file that it names, which is in this folder. Throws FixtureError. */
export const programOf = async (folder: string, program: string): Promise<string> => {
  if (program.includes('\n') || !program.endsWith('.py')) return program;
  if (!isTaskPath(program))
    throw new FixtureError(`expected ${PATH_EXPECTED}, got ${JSON.stringify(program.slice(0, 100))}`);
  return readFixture(join(folder, program), folder);
};
