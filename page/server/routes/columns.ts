// The programs of a run as typed columns (page/api/rows/columns.ts).
import { promisify } from 'node:util';
import { constants, gzip, zstdCompress, zstdDecompress } from 'node:zlib';
import { columnSets, encodeColumns, isColumnSet } from '../../api/rows/columns.ts';
import { toSend } from '../rows/row-files.ts';
import { refuse } from '../site/refusal.ts';
import type { Answers } from '../site/site.ts';

const [zstd, zip] = [promisify(zstdCompress), promisify(gzip)];
const compressions = {
  zstd: (bytes: Uint8Array) => zstd(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 3 } }),
  gzip: (bytes: Uint8Array) => zip(bytes, { level: 6 }),
} as const;
const unpack = promisify(zstdDecompress);
/** Fewer bytes are not worth the work. */
const LEAST_BYTES = 2_048;

const rowIn = (text: string): number =>
  /^\d{1,9}$/.test(text) ? Number(text) : refuse(`from: expected the number of a row, got ${text.slice(0, 100)}`);

export const columnAnswers: Answers = (app, site) => {
  app.get('/runs/:run/columns', async (c) => {
    const { set = 'base', from = '0', lineage = null, ...unknown } = c.req.query();
    const [name] = Object.keys(unknown);
    if (name !== undefined) refuse(`expected set, from or lineage, got ${name.slice(0, 100)}`);
    if (!isColumnSet(set)) return refuse(`set: expected ${columnSets.join(', ')}, got ${set.slice(0, 100)}`);
    const run = await site.looks.run(c.req.param('run'));
    const found = await site.rows.columnsToSend(run, set, rowIn(from), lineage);
    c.header('Content-Type', 'application/octet-stream');
    c.header('Vary', 'Accept-Encoding');
    const accepted = c.req.header('accept-encoding') ?? '';
    const coding = (['zstd', 'gzip'] as const).find((one) => new RegExp(`\\b${one}\\b`).test(accepted));
    if ('packed' in found && coding === 'zstd') {
      c.header('Content-Encoding', coding);
      return c.body(toSend(found));
    }
    const bytes = 'packed' in found ? new Uint8Array(await unpack(toSend(found))) : encodeColumns(found);
    if (coding === undefined || bytes.length < LEAST_BYTES) return c.body(bytes);
    c.header('Content-Encoding', coding);
    return c.body(new Uint8Array(await compressions[coding](bytes)));
  });
};
