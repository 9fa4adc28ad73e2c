// The evaluator image as a folder, for machines without Docker (bubblewrap).
import { spawn, type ChildProcess } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';

/**
 * Unpacks the single layer of our image archive into `folder`, which others can read. Several processes may do so at
 * once: the folder is there only when it is whole, and the first one stays.
 */
export const unpackLayer = async (archive: string, folder: string): Promise<void> => {
  await mkdir(dirname(folder), { recursive: true });
  const part = await mkdtemp(`${folder}.part-`);
  try {
    await unpackInto(part, archive);
    // The mode of a folder that mkdtemp made is 0700, and that of the layer's own root may be anything.
    await chmod(part, 0o755);
    await rename(part, folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(part, { recursive: true, force: true });
  }
};

const unpackInto = async (part: string, archive: string): Promise<void> => {
  const layer = spawn('tar', ['--extract', '--to-stdout', '--wildcards', '*/layer.tar'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const files = spawn('tar', ['--extract', '--directory', part], { stdio: ['pipe', 'inherit', 'inherit'] });
  await Promise.all([
    fed(pipeline(createReadStream(archive), createZstdDecompress(), layer.stdin)),
    fed(pipeline(layer.stdout, files.stdin)),
    succeeded(layer, `unpacking ${archive}`),
    succeeded(files, `unpacking ${archive}`),
  ]);
};

/**
 * tar stops reading at its end mark and leaves the padding behind it. So the writer's broken pipe is no failure, and
 * tar's exit code tells.
 */
const fed = (written: Promise<void>): Promise<void> =>
  written.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });

/** Resolves when tar has ended well. */
export const succeeded = (tar: ChildProcess, doing: string): Promise<void> =>
  new Promise((resolve, reject) => {
    tar.once('error', reject);
    tar.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`tar ended with ${code} while ${doing}`))));
  });
