// The evaluator image as a folder, for machines without Docker (bubblewrap). Called by deploy/image.ts.
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';

/** Unpacks the single layer of an archive made by archive.ts into `folder`. */
export const unpackLayer = async (archive: string, folder: string): Promise<void> => {
  const part = `${folder}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  const layer = spawn('tar', ['--extract', '--to-stdout', '--wildcards', '*/layer.tar'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const files = spawn('tar', ['--extract', '--directory', part], { stdio: ['pipe', 'inherit', 'inherit'] });
  const ended = new Promise<void>((resolve, reject) => files.once('close', code => (code === 0 ? resolve() : reject(new Error(`tar ended with ${code} while unpacking ${archive}`)))));
  await Promise.all([pipeline(createReadStream(archive), createZstdDecompress(), layer.stdin), pipeline(layer.stdout, files.stdin), ended]);
  await rename(part, folder);
};
