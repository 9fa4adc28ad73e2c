// Packs an export into a fixture that recorded.ts reads, the whole of it or some collections:
//   node test/support/page/record.ts <folder of an export> [<name of the fixture> <collection> ...]
// Checksums and what only a running step needs are left out, and hashes become numbers: they are most of what does not
// compress.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';
import { fileName, fixture, HASH } from './recorded.ts';

const [folder, name = 'recorded', ...only] = process.argv.slice(2);
if (folder === undefined) throw new Error('expected the folder of an export');
const numbers = new Map<string, number>();
const numbered = (hash: string): string => {
  if (!numbers.has(hash)) numbers.set(hash, numbers.size);
  return `~${hash.length === 64 ? '' : 'h'}${numbers.get(hash)!}~`;
};
const files = readdirSync(folder)
  .filter((file) => file.endsWith('.jsonl') && !/^(openings|bookings)\./.test(file))
  .filter((file) => only.length === 0 || only.includes(file.slice(0, -'.jsonl'.length)))
  .sort()
  .map((file) => {
    const text = readFileSync(join(folder, file), 'utf8')
      .replaceAll(/,"crc32":"[0-9a-f]{8}"\}$/gm, '}')
      .replaceAll(/"deleted":\["[0-9a-f",]*\]/g, '"deleted":[]');
    // What names the task is compared with the task.
    const whole = /^(runs|tasks)\./.test(file) ? text : text.replaceAll(HASH, numbered);
    return `${fileName(file.slice(0, -'.jsonl'.length))}${whole}`;
  });
const whole = Buffer.from(files.join(''));
const packed = zstdCompressSync(whole, {
  params: {
    [constants.ZSTD_c_compressionLevel]: 19,
    [constants.ZSTD_c_windowLog]: 27,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
  },
});
writeFileSync(fixture(name), packed);
console.log(`${fixture(name)}: ${(packed.length / 1e6).toFixed(2)} MB of ${(whole.length / 1e6).toFixed(1)} MB`);
