// GET runs/<run>/export: the page of a run as one file, as `evolve export --page` writes it. It only reads, so whoever
// may look may save it.
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import type { Place } from '../../../client/connect/connection.ts';
import type { Progress } from '../../api/site/live.ts';
import { FairLimit, holderOf } from '../access/fair-limit.ts';
import { whenGone } from '../access/visitor.ts';
import { refuse } from '../site/refusal.ts';
import { pageFolder } from '../rows/row-files.ts';
import type { Answers } from '../site/site.ts';

const WRITE = new URL('../../export/export-thread.ts', import.meta.url);
/** A large run takes minutes. */
const LIMIT_MS = 1_800_000;
const AT_ONCE = 2;
const PROGRAMS = /^(?:all|none|best:[1-9]\d{0,6})$/;

/** The name by which a page asks how far its file is. */
const TICKET = /^[a-z0-9]{8,64}$/;

/** Carries out the writing; `signal` ends it. */
export type Write = (
  place: Place,
  order: {
    readonly run: string;
    readonly programs: string;
    readonly file: string;
    readonly signal: AbortSignal;
    readonly tell: (progress: Progress) => void;
  },
) => Promise<void>;

const written: Write = ({ home, env }, { run, programs, file, signal, tell }) =>
  new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`the page could not be written: ${why}`));
    const thread = new Worker(WRITE, { workerData: [run, programs, file], env: { ...env, EVOLVE_HOME: home.named } });
    thread.on('message', tell);
    const end = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    end.addEventListener('abort', () => void thread.terminate(), { once: true });
    if (end.aborted) void thread.terminate();
    thread.once('error', (error) => fail((error as Error).message));
    thread.once('exit', (code) => (code === 0 ? resolve() : fail('it was given up')));
  });

const bytesOf = async (file: string): Promise<ReadableStream<Uint8Array>> =>
  Readable.toWeb(createReadStream('', { fd: await open(file, 'r') })) as unknown as ReadableStream<Uint8Array>;

/** Removes the folders of a server that was killed while a page was written. */
const removeOld = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
    if (Date.now() - mtimeMs > 2 * LIMIT_MS) await rm(path, { recursive: true, force: true });
  }
};

/** `write` is exchanged by tests alone. */
export const savedPages =
  (write: Write = written): Answers =>
  (app, site) => {
    const writing = new FairLimit(AT_ONCE);
    const progress = new Map<string, Progress>();
    app.get('/runs/:run/export/:ticket', (c) => {
      const answer: Progress | null = progress.get(c.req.param('ticket')) ?? null;
      return c.json(answer);
    });
    app.get('/runs/:run/export', async (c) => {
      const { programs = 'all', ticket = '', ...unknown } = c.req.query();
      const [name] = Object.keys(unknown);
      if (name !== undefined) refuse(`expected programs or ticket, got ${name.slice(0, 100)}`);
      if (!PROGRAMS.test(programs))
        refuse(`programs: expected all, none or best:<n> such as best:100, got ${programs.slice(0, 100)}`);
      if (ticket !== '' && !TICKET.test(ticket)) refuse('ticket: expected 8 to 64 of the characters a-z and 0-9');
      const tell = (now: Progress): void => void (ticket !== '' && progress.set(ticket, now));
      const { run } = await site.looks.run(c.req.param('run'));
      const tooMany = (): never =>
        refuse(`expected at most ${AT_ONCE} pages that are written at once: ask again soon`, 429);
      const stop = new AbortController();
      let givenUp = false;
      const giveBack =
        writing.take(holderOf(c), () => {
          givenUp = true;
          stop.abort();
        }) ?? tooMany();
      whenGone(c, () => stop.abort());
      const saved = join(pageFolder(site.place.home), 'saved');
      const folder = join(saved, randomUUID());
      const file = join(folder, 'page.html');
      try {
        await mkdir(folder, { recursive: true });
        await removeOld(saved);
        await write(site.place, { run, programs, file, signal: stop.signal, tell }).catch((error: unknown) => {
          throw givenUp ? tooMany() : error;
        });
        // As a page of this server it could act: it is a file to keep and nothing else. Its bytes are read although it
        // has no name any more, so that nothing of it is left when they were.
        return c.body(await bytesOf(file), 200, {
          'Content-Type': 'application/octet-stream',
          'Content-Disposition': `attachment; filename="${run}.html"`,
        });
      } finally {
        giveBack();
        progress.delete(ticket);
        await rm(folder, { recursive: true, force: true });
      }
    });
  };
