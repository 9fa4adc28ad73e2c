// Runs one job of `evolve task` in a process of its own that holds the Docker socket (workers/trial.ts), with the
// engine and the image that it needs. No server has to run.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Home, prepareHome, PROJECT_ROOT, projectNode } from '../host/home.ts';
import { type Say, SetupError } from '../host/run-command.ts';
import { defaultRegister, releaseUser } from '../parts/shared-dockerd.ts';
import { ensureEngine, ensureEvaluatorImage } from './ensure-parts.ts';

export type TrialOptions = {
  readonly home: Home;
  readonly env: NodeJS.ProcessEnv;
  readonly say: Say;
  /** Gets one JSON object of the answer. */
  readonly onAnswer: (answer: unknown) => void;
};

const VARIABLES = ['PATH', 'HOME', 'EVOLVE_EVAL_CONCURRENCY'];

/** Throws SetupError when a part is missing. Resolves when the job is done and its containers are gone. */
export const runTrial = async (job: unknown, { home, env, say, onAnswer }: TrialOptions): Promise<void> => {
  prepareHome(home);
  const user = `${home.hash}-trial-${process.pid}`;
  try {
    const engine = await ensureEngine(home, user, say, env);
    const image = engine.host === null ? null : await ensureEvaluatorImage(home, engine.host, say);
    const child = spawn(projectNode(), [join(PROJECT_ROOT, 'workers', 'trial.ts')], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        ...Object.fromEntries(VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
        EVOLVE_HOME: home.root,
        EVOLVE_PARTS: home.parts,
        EVOLVE_SANDBOX: engine.kind === 'bubblewrap' ? 'bubblewrap' : 'docker',
        ...(engine.host === null ? {} : { DOCKER_HOST: engine.host }),
        ...(image === null ? {} : { EVOLVE_IMAGE: image.id }),
      },
    });
    let failed: string | null = null;
    let noise = '';
    child.stderr.on('data', (chunk: Buffer) => {
      noise = (noise + chunk.toString()).slice(-4_000);
    });
    createInterface({ input: child.stdout }).on('line', (text) => {
      const answer = JSON.parse(text) as { error?: string };
      if (typeof answer.error === 'string') failed = answer.error;
      else onAnswer(answer);
    });
    child.stdin.end(JSON.stringify(job));
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (failed !== null) throw new SetupError(failed);
    if (code !== 0) throw new SetupError(`the trial ended with exit code ${code}: ${noise.trim().slice(-1_500)}`);
  } finally {
    await releaseUser(defaultRegister(), user);
  }
};
