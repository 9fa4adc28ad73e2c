// The image recipe for machines that reach a public image registry: python:3.12-slim and the hash-locked wheels.
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { tagOf } from './archive.ts';
import { buildImage, followProgress } from './engine.ts';
import { installWheels } from './wheels.ts';

const BASE = 'python:3.12-slim';
const PROBE_TIMEOUT_MS = 3_000;
export const SLIM_WHEELS = join(import.meta.dirname, 'python-3.12-wheels.txt');

/** True if the registry that the engine itself names speaks the registry protocol within three seconds. */
export const registryAnswers = async (docker: Docker): Promise<boolean> => {
  const info = (await docker.info()) as { IndexServerAddress?: string };
  if (!info.IndexServerAddress) return false;
  const url = new URL('/v2/', info.IndexServerAddress);
  const probe = fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).then(
    (response) => response.headers.has('docker-distribution-api-version'),
    () => false,
  );
  return Promise.race([probe, sleep(PROBE_TIMEOUT_MS + 500, false, { ref: false })]);
};

const dockerfile = [
  `FROM ${BASE}`,
  'COPY site-packages /usr/local/lib/python3.12/site-packages',
  'RUN ["python3", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", "/usr/local/lib/python3.12"]',
  'CMD ["python3"]',
  '',
].join('\n');

/** Builds, tags and returns the image id. The wheels come from the host's pip, so the build itself needs no network. */
export const buildFromSlim = async (
  docker: Docker,
  options: { workDir: string; cacheDir: string; say: (line: string) => void },
): Promise<string> => {
  await mkdir(options.workDir, { recursive: true });
  await copyFile(SLIM_WHEELS, join(options.workDir, 'requirements.txt'));
  await installWheels({
    target: join(options.workDir, 'site-packages'),
    requirements: SLIM_WHEELS,
    pythonVersion: '3.12',
    cacheDir: options.cacheDir,
    say: options.say,
  });
  await writeFile(join(options.workDir, 'Dockerfile'), dockerfile);
  await followProgress(docker, await docker.pull(BASE));
  const id = await buildImage(docker, {
    folder: options.workDir,
    tag: 'durable-evolve-evaluator:building',
    labels: { 'evolve.image': 'evaluator' },
  });
  const [repo, tag] = tagOf(id).split(':') as [string, string];
  await docker.getImage(id).tag({ repo, tag });
  return id;
};
