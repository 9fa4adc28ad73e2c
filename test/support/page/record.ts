// Packs an export into the fixture that recorded.ts reads: node test/support/page/record.ts <folder of an export>.
// Checksums and what only a running step needs are left out, and hashes become numbers: they are most of what does not
// compress.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';
import { fileName, FIXTURE, HASH } from './recorded-format.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('expected the folder of an export');
const numbers = new Map<string, number>();
const numbered = (hash: string): string => {
  if (!numbers.has(hash)) numbers.set(hash, numbers.size);
  return `~${hash.length === 64 ? '' : 'h'}${numbers.get(hash)!}~`;
};
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.jsonl') && !/^(openings|bookings)\./.test(name))
  .sort()
  .map((name) => {
    const text = readFileSync(join(folder, name), 'utf8')
      .replaceAll(/,"crc32":"[0-9a-f]{8}"\}$/gm, '}')
      .replaceAll(/"deleted":\["[0-9a-f",]*\]/g, '"deleted":[]');
    // What names the task is compared with the task.
    const whole = /^(runs|tasks)\./.test(name) ? text : text.replaceAll(HASH, numbered);
    return `${fileName(name.slice(0, -'.jsonl'.length))}${whole}`;
  });
const whole = Buffer.from(files.join(''));
const packed = zstdCompressSync(whole, {
  params: {
    [constants.ZSTD_c_compressionLevel]: 19,
    [constants.ZSTD_c_windowLog]: 27,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
  },
});
writeFileSync(FIXTURE, packed);
console.log(`${FIXTURE}: ${(packed.length / 1e6).toFixed(2)} MB of ${(whole.length / 1e6).toFixed(1)} MB`);
