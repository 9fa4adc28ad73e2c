// Runs one job of `evolve task` in a process of its own that holds the Docker socket (workers/trial.ts), with the
// engine and the image that it needs. No server has to run.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Home, prepareHome, PROJECT_ROOT, projectNode } from '../host/home.ts';
import { type Say, SetupError } from '../host/run-command.ts';
import { dockerEnvironment } from '../parts/docker/engine-address.ts';
import { defaultRegister, releaseUser } from '../parts/docker/shared-dockerd.ts';
import { ensureEngine, ensureEvaluatorImage } from './ensure-parts.ts';
import { sandboxEnvironment } from '../supervisor/children.ts';
import { DEFAULT_LEVEL } from '../../evolution/config/levels.ts';

export type TrialOptions = {
  readonly home: Home;
  readonly env: NodeJS.ProcessEnv;
  readonly say: Say;
  /** Environment variables for the process beside its own. */
  readonly variables?: NodeJS.ProcessEnv;
  /** Awaited before the job, where there is an engine. */
  readonly ready?: (engine: { readonly dockerHost: string; readonly image: string }) => Promise<void>;
  /** Answers what a task's own evaluator asks a model: the process has no key. Left out, it asks none. */
  readonly askModel?: ((asked: AskedInTrial, signal: AbortSignal) => Promise<unknown>) | undefined;
  /** Gets one JSON object of the answer. */
  readonly onAnswer: (answer: unknown) => void;
};

export type AskedInTrial = { readonly program: string; readonly requests: readonly string[] };

const VARIABLES = ['PATH', 'HOME', 'EVOLVE_EVAL_CONCURRENCY'];

/** Throws SetupError when a part is missing. Resolves when the job is done and its containers are gone. */
export const runTrial = async (
  job: unknown,
  { home, env, variables, say, onAnswer, ready, askModel }: TrialOptions,
): Promise<void> => {
  // Written first: a job that cannot be written must not leave a process behind that waits for it.
  const text = JSON.stringify(job);
  prepareHome(home);
  const user = `${home.hash}-trial-${process.pid}`;
  try {
    const engine = await ensureEngine(home, user, say, env);
    const image = await ensureEvaluatorImage(home, engine, say);
    if (engine.host !== null && image !== null) await ready?.({ dockerHost: engine.host, image });
    const child = spawn(projectNode(), [join(PROJECT_ROOT, 'workers', 'trial.ts')], {
      stdio: ['pipe', 'pipe', 'pipe', ...(askModel === undefined ? [] : (['ipc'] as const))],
      env: {
        ...variables,
        ...Object.fromEntries(VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
        EVOLVE_HOME: home.root,
        EVOLVE_PARTS: home.parts,
        ...sandboxEnvironment(engine.level ?? DEFAULT_LEVEL, env),
        ...dockerEnvironment(engine.host, env),
        ...(image === null ? {} : { EVOLVE_IMAGE: image }),
      },
    });
    const ended = new AbortController();
    child.on('message', (asked: AskedInTrial) => {
      void askModel!(asked, ended.signal)
        .then((replies) => ({ replies }))
        .catch((error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }))
        .then((said) => child.connected && child.send({ program: asked.program, ...said }));
    });
    await answersOf(child as ChildProcessWithoutNullStreams, text, onAnswer).finally(() => ended.abort());
  } finally {
    await releaseUser(defaultRegister(), user);
  }
};

/**
 * Gives the process its job and hands on each answer, until it has ended. Whatever goes wrong here, the process is ended
 * with it, and its error output is part of what is thrown.
 */
export const answersOf = async (
  child: ChildProcessWithoutNullStreams,
  job: string,
  onAnswer: (answer: unknown) => void,
): Promise<void> => {
  let failure: Error | null = null;
  let noise = '';
  const fail = (error: unknown): void => {
    failure ??= error instanceof Error ? error : new Error(String(error));
    child.kill('SIGKILL');
  };
  child.stderr.on('data', (chunk: Buffer) => {
    noise = (noise + chunk.toString()).slice(-4_000);
  });
  createInterface({ input: child.stdout }).on('line', (text) => {
    if (failure !== null) return;
    try {
      const answer = JSON.parse(text) as { error?: string };
      if (typeof answer.error === 'string') failure = new SetupError(answer.error);
      else onAnswer(answer);
    } catch (error) {
      fail(error);
    }
  });
  // A process that ends before it has read its job says why on its error output.
  child.stdin.on('error', () => undefined);
  child.stdin.end(job);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (failure !== null) throw failure;
  if (code !== 0) throw new SetupError(`the trial ended with exit code ${code}: ${noise.trim().slice(-1_500)}`);
};
