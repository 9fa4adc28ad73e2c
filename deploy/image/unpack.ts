// The evaluator image as a folder, for machines without Docker (bubblewrap).
import { spawn, type ChildProcess } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';

/** Unpacks the single layer of our image archive into `folder`. */
export const unpackLayer = async (archive: string, folder: string): Promise<void> => {
  const part = `${folder}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  const layer = spawn('tar', ['--extract', '--to-stdout', '--wildcards', '*/layer.tar'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const files = spawn('tar', ['--extract', '--directory', part], { stdio: ['pipe', 'inherit', 'inherit'] });
  await Promise.all([
    fed(pipeline(createReadStream(archive), createZstdDecompress(), layer.stdin)),
    fed(pipeline(layer.stdout, files.stdin)),
    succeeded(layer, archive),
    succeeded(files, archive),
  ]);
  await rename(part, folder);
};

/**
 * tar stops reading at its end mark and leaves the padding behind it. So the writer's broken pipe is no failure, and
 * tar's exit code tells.
 */
const fed = (written: Promise<void>): Promise<void> =>
  written.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });

const succeeded = (tar: ChildProcess, archive: string): Promise<void> =>
  new Promise((resolve, reject) => {
    tar.once('error', reject);
    tar.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`tar ended with ${code} while unpacking ${archive}`)),
    );
  });
