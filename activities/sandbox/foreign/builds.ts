// Makes programs of sources in other languages: compiled once, in a container of its own with limits of its own, and kept
// in the home by what they are made of.
import { mkdirSync, readFileSync, rmSync, statSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { lacksTool, type LanguageName, type Toolchain } from '../../../evolution/task/languages.ts';
import type { TaskLimits } from '../../../evolution/task/task.ts';
import { sha256 } from '../../sha256.ts';
import { writeWhole } from '../../whole-file.ts';
import { type Execution, InfrastructureError, type SandboxJob } from '../contract/types.ts';

const guest = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');
const COMPILE = guest('compile.py');
const FOREIGN = guest('program.py');

const GIB = 1024 ** 3;
/** What is left of a home's builds when they are more: the newest. */
const MOST_BYTES = GIB;
/** What is larger is made again when it is wanted again, so that a few programs cannot push out those of all runs. */
const LARGEST_KEPT = 4 * 1024 ** 2;
/**
 * CPU of a compiler, where the task does not say it: what its programs may use, so that a program gains little by having
 * the compiler compute for it, and enough for ordinary compilers.
 */
const LEAST_SECONDS = 20;
const MOST_SECONDS = 60;
const secondsOf = ({ compileSeconds, cpuSeconds }: Limits): number =>
  compileSeconds ?? Math.min(MOST_SECONDS, Math.max(LEAST_SECONDS, cpuSeconds));

/** `code` is what the sandbox runs. `said` are warnings. */
export type Built =
  | { readonly code: string; readonly said: string }
  | { readonly refusal: string; readonly said: string };

type Job = { readonly key: string; readonly run: string; readonly source: string };
/** As compile.py makes it. */
const ANSWER = z.union([
  z.object({ lacks: z.string() }),
  z.object({ code: z.number(), said: z.string(), files: z.record(z.string(), z.string()) }),
]);
type Compiled = Exclude<z.infer<typeof ANSWER>, { lacks: string }>;

type Limits = Pick<TaskLimits, 'compileSeconds' | 'cpuSeconds'>;
type Parts = {
  readonly run: (job: SandboxJob, signal: AbortSignal) => Promise<Execution>;
  /** The reason for which an execution gave nothing. */
  readonly reasonFor: (execution: Execution, limits: TaskLimits) => string;
  /** The image that compiles and runs. */
  readonly imageId: () => string;
  readonly language: LanguageName;
  readonly toolchain: Toolchain;
  readonly limits: Limits;
  /** The folder of the home's builds; undefined: nothing outlives this object. */
  readonly folder: string | undefined;
};

export class Builds {
  readonly #parts: Parts;
  /** The last few, because a program is checked, run and repaired in one go. */
  readonly #made = new Map<string, { readonly built: Promise<Built>; readonly signal: AbortSignal }>();
  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async of(job: Job, signal: AbortSignal): Promise<Built> {
    const { toolchain, imageId } = this.#parts;
    const key = sha256(JSON.stringify([toolchain, COMPILE, imageId(), job.source]));
    for (;;) {
      const made = this.#made.get(key) ?? this.#begin(key, job, signal);
      try {
        return await made.built;
      } catch (error) {
        // Another evaluation of the same source began it, and was cancelled.
        if (signal.aborted || made.signal === signal || !made.signal.aborted) throw error;
      }
    }
  }

  #begin(key: string, job: Job, signal: AbortSignal): { readonly built: Promise<Built>; readonly signal: AbortSignal } {
    const made = { built: this.#make(key, job, signal), signal };
    this.#made.set(key, made);
    const forget = (): boolean => this.#made.delete(key);
    made.built.then((built) => 'code' in built && built.code.length > LARGEST_KEPT && forget(), forget);
    for (const old of this.#made.keys()) if (this.#made.size > 16) this.#made.delete(old);
    return made;
  }

  async #make(key: string, job: Job, signal: AbortSignal): Promise<Built> {
    const { toolchain, folder } = this.#parts;
    const file = folder && join(folder, `${key}.json`);
    const answer = (file && kept(file)) || (await this.#compile(key, job, signal));
    if ('refusal' in answer) return answer;
    const { code, said, files } = answer;
    // A compiler that fails may have been ended by the machine, so nothing is kept of it.
    if (code !== 0) return { refusal: `does not compile: ${firstError(said)}`, said };
    if (file && folder) keep(folder, file, answer);
    const made = [toolchain.run, files].map((one) => JSON.stringify(one)).join(', ');
    return { code: `${FOREIGN}PROGRAM = Program(${made})\n`, said };
  }

  async #compile(
    key: string,
    { key: of, run, source }: Job,
    signal: AbortSignal,
  ): Promise<Compiled | Extract<Built, { refusal: string }>> {
    const { run: execute, reasonFor, toolchain, language, limits } = this.#parts;
    const cpuSeconds = secondsOf(limits);
    const own = {
      ...{ cpuSeconds, wallSeconds: 3 * cpuSeconds, memoryBytes: 2 * GIB, pids: 256, cores: 1 },
      outputBytes: 64 * 1024 ** 2,
    };
    const { file, compile, built, env } = toolchain;
    const execution = await execute(
      {
        ...{ key: `${of}:compile:${key.slice(0, 8)}`, run, code: COMPILE, entry: 'build', limits: own },
        instance: { file, source, built, compile, seconds: cpuSeconds },
        env,
        acceptSavedOnTimeout: false,
      },
      signal,
    );
    const { data: answer } = ANSWER.safeParse(execution.solution);
    if (answer === undefined)
      return {
        refusal: `does not compile: the compiler was ${reasonFor(execution, own) || 'ended'}`,
        said: execution.stderrTail,
      };
    if ('lacks' in answer) throw new InfrastructureError(lacksTool(language, answer.lacks));
    return answer;
  }
}

/** The line that says the first error, or the first line. */
const firstError = (said: string): string => {
  const lines = said.split('\n').map((line) => line.trim());
  const at = Math.max(
    lines.findIndex((line) => /\berror\b|^Error/i.test(line)),
    0,
  );
  // rustc says the place on the next line, and gfortran some lines before.
  const isPlace = (line: string): boolean => /\w\.\w+:\d+/.test(line);
  const next = lines.slice(at + 1, at + 3).find((line) => line.startsWith('-->'));
  const place = next ?? lines.slice(Math.max(0, at - 5), at).findLast(isPlace);
  const line = lines[at] ?? '';
  const whole =
    place === undefined || isPlace(line) ? line : `${place.replace(/^-+> /, '').replace(/:?$/, ':')} ${line}`;
  return whole.slice(0, 300);
};

const kept = (file: string): Compiled | null => {
  try {
    const answer = JSON.parse(readFileSync(file, 'utf8')) as Compiled;
    utimesSync(file, new Date(), new Date());
    return answer;
  } catch {
    return null;
  }
};

const keep = (folder: string, file: string, answer: Compiled): void => {
  const text = JSON.stringify(answer);
  if (text.length > LARGEST_KEPT) return;
  try {
    mkdirSync(folder, { recursive: true });
    writeWhole(file, text);
    let left = MOST_BYTES;
    const all = readdirSync(folder).map((name) => ({ name, ...pick(join(folder, name)) }));
    for (const { name, size } of all.sort((a, b) => b.at - a.at)) {
      left -= size;
      if (left < 0) rmSync(join(folder, name), { force: true });
    }
  } catch {
    // A full disk: it is compiled again when it is wanted again.
  }
};

const pick = (path: string): { readonly size: number; readonly at: number } => {
  const { size, mtimeMs } = statSync(path);
  return { size, at: mtimeMs };
};
