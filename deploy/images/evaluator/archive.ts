// Writes a Docker image archive with a configuration of our own and loads it, so that the image id depends on its
// content alone. Docker's own import would give a new id every time.
import { spawn } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import type Docker from 'dockerode';
import { followProgress } from './engine.ts';
import type { Layer } from './rootfs.ts';
import { succeeded } from './unpack.ts';
import { sha256 } from '../../host/sha256.ts';

const REPOSITORY = 'durable-evolve-evaluator';
const EPOCH = '1970-01-01T00:00:00Z';

export const tagOf = (id: string): string => `${REPOSITORY}:${id.replace(/^sha256:/, '').slice(0, 12)}`;

/** The OCI's image configuration. */
const imageConfig = (layer: Layer): string =>
  JSON.stringify({
    architecture: 'amd64',
    os: 'linux',
    created: EPOCH,
    config: { Env: ['PATH=/usr/local/bin:/usr/bin:/bin'], Cmd: ['/usr/bin/python3'], WorkingDir: '/' },
    rootfs: { type: 'layers', diff_ids: [`sha256:${layer.digest}`] },
    history: [{ created: EPOCH, created_by: 'durable-evolve evaluator recipe' }],
  });

/** Writes `file` (tar, zstd) from a layer in the same folder. Resolves to the image id that loading it will give. */
export const writeArchive = async (layer: Layer, file: string): Promise<string> => {
  const config = imageConfig(layer);
  const id = sha256(config);
  const folder = dirname(layer.file);
  await mkdir(join(folder, layer.digest), { recursive: true });
  await rename(layer.file, join(folder, layer.digest, 'layer.tar'));
  await writeFile(join(folder, `${id}.json`), config);
  await writeFile(
    join(folder, 'manifest.json'),
    JSON.stringify([{ Config: `${id}.json`, RepoTags: [tagOf(id)], Layers: [`${layer.digest}/layer.tar`] }]),
  );
  const tar = spawn(
    'tar',
    [
      '--create',
      '--directory',
      folder,
      '--mtime=@0',
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      'manifest.json',
      `${id}.json`,
      layer.digest,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await Promise.all([
    pipeline(tar.stdout, createZstdCompress(), createWriteStream(`${file}.part`)),
    succeeded(tar, `writing ${file}`),
  ]);
  await rename(`${file}.part`, file);
  return `sha256:${id}`;
};

export const loadArchive = async (docker: Docker, file: string): Promise<void> => {
  const stream = createReadStream(file).pipe(createZstdDecompress());
  await followProgress(docker, await docker.loadImage(stream as unknown as NodeJS.ReadableStream));
};
