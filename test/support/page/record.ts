// Packs an export into the fixture of recorded.ts: node test/support/page/record.ts <folder of an export>.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';

const folder = process.argv[2];
if (folder === undefined) throw new Error('expected the folder of an export');
const files = readdirSync(folder).sort();
const whole = Buffer.concat(
  files.flatMap((name) => {
    const bytes = readFileSync(join(folder, name));
    return [Buffer.from(`== ${name} ${bytes.length}\n`), bytes];
  }),
);
const packed = zstdCompressSync(whole, {
  params: {
    [constants.ZSTD_c_compressionLevel]: 19,
    [constants.ZSTD_c_windowLog]: 27,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
  },
});
const target = join(import.meta.dirname, '..', '..', 'fixtures', 'page', 'recorded.zst');
writeFileSync(target, packed);
console.log(`${target}: ${(packed.length / 1e6).toFixed(2)} MB of ${(whole.length / 1e6).toFixed(1)} MB`);
