// The needs of the image recipes: commands, Debian packages, and the Docker engine that DOCKER_HOST names.
import { stripVTControlCharacters } from 'node:util';
import { spawn } from 'node:child_process';
import Docker from 'dockerode';
import { aptInstall, isRoot, mayInstallPackages, runCommand } from '../../host/run-command.ts';
import { byTls } from '../../parts/docker/engine-address.ts';

/** Runs a command and resolves to what it printed. The error of a failure ends with the last lines of stderr. */
export const command = async (file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> => {
  const { ok, stdout, error } = await runCommand(file, args, { env: { ...process.env, ...env } });
  if (!ok) throw new Error(`command failed: ${file} ${args.join(' ')}\n${error}`);
  return stdout;
};

export const canRun = async (file: string, args: readonly string[]): Promise<boolean> =>
  command(file, args).then(
    () => true,
    () => false,
  );

/** Installs Debian packages when we may; otherwise says what to run. */
export const requirePackages = async (packages: readonly string[], say: (line: string) => void): Promise<void> => {
  const line = `apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  if (!isRoot()) throw new Error(`the evaluator image needs ${packages.join(', ')}; run: sudo ${line}`);
  if (!mayInstallPackages())
    throw new Error(
      `the evaluator image needs ${packages.join(', ')} and this machine has no apt-get: set EVOLVE_IMAGE to an image with Python, numpy and scipy`,
    );
  say(`evaluator image: installing ${packages.join(', ')} with apt-get`);
  const { ok, error } = await aptInstall(packages);
  if (!ok) throw new Error(`${line} failed:\n${error}`);
};

/** `undefined` means what dockerode means by it: DOCKER_HOST, else /var/run/docker.sock. */
export const connectEngine = (dockerHost: string | undefined): Docker => {
  if (dockerHost === undefined || dockerHost === '') return new Docker();
  if (dockerHost.startsWith('unix://')) return new Docker({ socketPath: dockerHost.slice('unix://'.length) });
  if (dockerHost.startsWith('/')) return new Docker({ socketPath: dockerHost });
  const url = new URL(dockerHost.replace(/^tcp:/, 'http:'));
  return new Docker({
    host: url.hostname,
    port: url.port || (byTls(url) ? '2376' : '2375'),
    // The library reads the certificates in DOCKER_CERT_PATH by itself.
    protocol: byTls(url) ? 'https' : 'http',
  });
};

/** The image's id, or null when the engine has no image of that name. Other failures throw. */
export const imageId = async (docker: Docker, name: string): Promise<string | null> => {
  try {
    return (await docker.getImage(name).inspect()).Id;
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 404) return null;
    throw error;
  }
};

/** Waits for the end of a pull, build or load and throws the first error it reports. */
export const followProgress = async (docker: Docker, stream: NodeJS.ReadableStream): Promise<void> => {
  const events = await new Promise<readonly { error?: string; stream?: string }[]>((resolve, reject) =>
    docker.modem.followProgress(stream, (error: Error | null, output: unknown) =>
      error ? reject(error) : resolve(output as readonly { error?: string; stream?: string }[]),
    ),
  );
  const failed = events.find((event) => event.error !== undefined);
  const printed = stripVTControlCharacters(events.map((event) => event.stream ?? '').join(''))
    .trim()
    .split('\n');
  const last = printed.findLast((line) => !line.startsWith('Removing intermediate container'));
  if (failed?.error !== undefined) throw new Error(`${failed.error.split('\n')[0]}${last ? `: ${last}` : ''}`);
};

type Context = {
  /** Has a Dockerfile and what that copies. */
  readonly folder: string;
  readonly tag: string;
  readonly labels: { readonly [name: string]: string };
  readonly signal?: AbortSignal;
  /** `none` where it is left out. */
  readonly network?: 'default' | 'none';
};

/** Builds an image. Every user may read the files that it copies, because programs run as nobody. Resolves to its id. */
export const buildImage = async (
  docker: Docker,
  { folder, tag, labels, signal, network = 'none' }: Context,
): Promise<string> => {
  const readable = ['--mode=a+rX', '--owner=0', '--group=0'];
  const tar = spawn('tar', ['--create', ...readable, '-C', folder, '.'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    ...(signal && { signal }),
  });
  tar.on('error', () => undefined);
  const stream = await docker.buildImage(tar.stdout, { t: tag, networkmode: network, labels, forcerm: true });
  // The engine ends a build that nobody listens to.
  signal?.addEventListener('abort', () => (stream as unknown as { destroy(): void }).destroy(), { once: true });
  await followProgress(docker, stream);
  const id = await imageId(docker, tag);
  if (id === null) throw new Error(`the build of ${tag} ended without an image`);
  return id;
};

/** A Dockerfile has to name its base by a tag, because the engine would look for an id in a registry. */
export const nameOf = async (docker: Docker, base: string): Promise<string> => {
  const { RepoTags: tags } = await docker.getImage(base).inspect();
  if (tags?.[0] !== undefined) return tags[0];
  const [repo, tag] = ['durable-evolve-base', base.replace(/^sha256:/, '').slice(0, 12)];
  await docker.getImage(base).tag({ repo, tag });
  return `${repo}:${tag}`;
};
