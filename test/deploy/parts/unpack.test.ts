// Unpacking the evaluator image for bubblewrap: padding behind tar's end mark must not fail it (it did, at random).
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { unpackLayer } from '../../../deploy/images/evaluator/unpack.ts';

const work = mkdtempSync(join(tmpdir(), 'evolve-unpack-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const archiveOf = (padding: number): string => {
  const layer = join(work, 'abc');
  mkdirSync(join(work, 'files', 'etc'), { recursive: true });
  mkdirSync(layer, { recursive: true });
  writeFileSync(join(work, 'files', 'etc', 'name'), 'evaluator');
  execFileSync('tar', ['--create', '--file', join(layer, 'layer.tar'), '--directory', join(work, 'files'), '.']);
  const outer = execFileSync('tar', ['--create', '--directory', work, 'abc'], { maxBuffer: 1 << 26 });
  const file = join(work, `image-${padding}.tar.zst`);
  writeFileSync(file, zstdCompressSync(Buffer.concat([outer, Buffer.alloc(padding)])));
  return file;
};

test.each([0, 1 << 20, 1 << 25])('unpacks with %i bytes of padding, ten times', async (padding) => {
  const archive = archiveOf(padding);
  for (let round = 0; round < 10; round += 1) {
    const folder = join(work, `out-${padding}-${round}`);
    await unpackLayer(archive, folder);
    expect(readFileSync(join(folder, 'etc', 'name'), 'utf8')).toBe('evaluator');
  }
});

test('several processes may unpack at once, and others can read the folder whatever the umask', async () => {
  const folder = join(work, 'shared');
  const before = process.umask(0o077);
  try {
    await Promise.all(Array.from({ length: 4 }, () => unpackLayer(archiveOf(0), folder)));
  } finally {
    process.umask(before);
  }
  expect(statSync(folder).mode & 0o777).toBe(0o755);
  expect(readFileSync(join(folder, 'etc', 'name'), 'utf8')).toBe('evaluator');
  expect(readdirSync(work).filter((name) => name.includes('.part'))).toEqual([]);
});

test('a broken archive is an error', async () => {
  const file = join(work, 'broken.tar.zst');
  writeFileSync(file, zstdCompressSync(Buffer.from('no tar at all'.repeat(100))));
  await expect(unpackLayer(file, join(work, 'broken'))).rejects.toThrow();
});
