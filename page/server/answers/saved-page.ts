// GET runs/<run>/export: the page of a run as one file, as `evolve export --page` writes it. It only reads, so whoever may
// look may save it.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Place } from '../../../client/connection.ts';
import { refuse } from '../site/refusal.ts';
import { pageFolder } from '../site/page-folder.ts';
import type { Answers } from '../site/site.ts';

const WRITE = fileURLToPath(new URL('../../export/export-process.ts', import.meta.url));
/** A large run takes minutes. */
const LIMIT_MS = 1_800_000;
const AT_ONCE = 2;
const PROGRAMS = /^(?:all|none|best:[1-9]\d{0,6})$/;

const written = ({ home, env }: Place, run: string, programs: string, file: string): Promise<void> =>
  new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [WRITE, run, programs, file],
      { env: { ...env, EVOLVE_HOME: home.named }, timeout: LIMIT_MS },
      (error, _, said) => {
        if (error === null) return resolve();
        const why = said.split('\n').find((line) => /^\w*Error: /.test(line));
        reject(new Error(`the page could not be written: ${why ?? error.message.split('\n')[0]}`));
      },
    );
  });

/** The bytes of a file that has no name any more, so that nothing of it is left when they were read. */
const lastReading = async (file: string): Promise<ReadableStream<Uint8Array>> => {
  const handle = await open(file, 'r');
  await rm(file);
  return Readable.toWeb(createReadStream('', { fd: handle })) as unknown as ReadableStream<Uint8Array>;
};

export const savedPageAnswers: Answers = (app, site) => {
  let writing = 0;
  app.get('/runs/:run/export', async (c) => {
    const { programs = 'all', ...unknown } = c.req.query();
    const [name] = Object.keys(unknown);
    if (name !== undefined) refuse(`expected programs, got ${name.slice(0, 100)}`);
    if (!PROGRAMS.test(programs))
      refuse(`programs: expected all, none or best:<n> such as best:100, got ${programs.slice(0, 100)}`);
    const { run } = await site.looks.run(c.req.param('run'));
    if (writing >= AT_ONCE) refuse(`expected at most ${AT_ONCE} pages that are written at once: ask again soon`, 429);
    const folder = join(pageFolder(site.place.home), 'saved');
    const file = join(folder, `${randomUUID()}.html`);
    writing += 1;
    try {
      await mkdir(folder, { recursive: true });
      await written(site.place, run, programs, file);
    } finally {
      writing -= 1;
    }
    // As a page of this server it could act: it is a file to keep and nothing else.
    return c.body(await lastReading(file), 200, {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': `attachment; filename="${run}.html"`,
    });
  });
};
