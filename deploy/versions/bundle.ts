// The workflow bundle, made once per state of the sources in a short process of its own (webpack needs 300 MB).
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Home, PROJECT_ROOT, projectNode } from '../host/home.ts';
import { runCommand, type Say, SetupError } from '../host/run-command.ts';
import { sdkVersion } from './kept-versions.ts';
import { hashSources } from './sources.ts';

const BUNDLE_TIMEOUT_MS = 600_000;
const KEPT = 8;

/**
 * Removes older bundles. Some stay for other homes that share the parts; those that executions still need are kept in
 * each home (kept-versions.ts).
 */
const prune = (directory: string): void => {
  const byAge = readdirSync(directory)
    .map((name) => join(directory, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const old of byAge.slice(KEPT)) rmSync(old, { force: true });
};

export const ensureBundle = async (home: Home, say: Say): Promise<{ readonly path: string; readonly hash: string }> => {
  const hash = hashSources(['workflows', 'evolution', 'workers/bundle.ts'], [sdkVersion()]);
  const directory = join(home.parts, 'bundles');
  const path = join(directory, `${hash}.js`);
  if (existsSync(path)) {
    say('workflows', `bundle ${hash} is up to date`);
    return { path, hash };
  }
  mkdirSync(directory, { recursive: true });
  const { ok, error } = await runCommand(projectNode(), [join(PROJECT_ROOT, 'workers', 'bundle.ts'), path], {
    timeoutMs: BUNDLE_TIMEOUT_MS,
    cwd: PROJECT_ROOT,
  });
  if (!ok || !existsSync(path))
    throw new SetupError(`bundling the workflows failed (node workers/bundle.ts):\n${error}`);
  say('workflows', `bundled as ${hash}`);
  prune(directory);
  return { path, hash };
};
