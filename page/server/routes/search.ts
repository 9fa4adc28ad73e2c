// Search in the texts of a run's programs, the newest first. It reads in small batches, and only as fast as the page
// takes what was found, so that other answers go on meanwhile; it ends when the page asks something else.
import type { Hono } from 'hono';
import { setImmediate as others } from 'node:timers/promises';
import type { ProgramDocument } from '../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { findRun } from '../../../client/read/run-id.ts';
import { MOST_FOUND, patternOf, searchIn, type SearchLine } from '../../api/rows/search.ts';
import { MOST_SEARCHED, SEARCHED, type Searched } from '../../api/rows/table.ts';
import { refuse } from '../site/refusal.ts';
import { streamOf } from '../site/streamed.ts';
import { FairLimit, holderOf } from '../access/fair-limit.ts';
import { type Answers, storedRun } from '../site/site.ts';

/** Programs whose texts are unpacked in one go. */
const BATCH = 32;
/** Programs that are read from the database in one go, about. */
const PAGE = 500;
/** Each holds the programs that it has read. */
const MOST_SEARCHES = 16;

type SearchQuery = { readonly run: string; readonly text: string; readonly searched: readonly Searched[] };

/** The programs of committed steps, the newest step first, a window of steps at a time. */
async function* newestFirst(
  store: Store,
  run: string,
  last: number,
  programs: number,
): AsyncGenerator<readonly ProgramDocument[]> {
  const steps = Math.max(1, Math.ceil((PAGE * Math.max(1, last)) / Math.max(1, programs)));
  for (let end = last; end >= 0; end -= steps) {
    const window: ProgramDocument[] = [];
    for await (const program of store.eachProgram(run, { fromStep: Math.max(0, end - steps + 1) })) {
      if (program.step > end) break;
      window.push(program);
    }
    yield window.reverse();
  }
}

export async function* searched(
  store: Store,
  { run, text, searched: where }: SearchQuery,
): AsyncGenerator<readonly SearchLine[]> {
  const { committedStep, totals } = await findRun(store, run);
  const pattern = patternOf(text);
  let [read, found] = [0, 0];
  const total = (): number => Math.max(read, totals.programs + 1);
  for await (const window of newestFirst(store, run, committedStep, totals.programs)) {
    for (let at = 0; at < window.length; at += BATCH) {
      const batch = window.slice(at, at + BATCH);
      const refs = batch.flatMap(({ code, idea }) => [
        ...(code !== null && where.includes('code') ? [code] : []),
        ...(idea !== undefined && where.includes('ideas') ? [idea.text] : []),
      ]);
      const texts = await store.getTexts(refs);
      const lines: SearchLine[] = [];
      for (const { _id, step, code, change, idea } of batch) {
        read++;
        const own = { code: (code && texts.get(code)) ?? null, change, idea: (idea && texts.get(idea.text)) ?? null };
        const here = searchIn(own, pattern, where);
        if (here !== null) lines.push({ kind: 'found', id: _id, step, ...here });
      }
      const room = MOST_FOUND - found;
      found += lines.length;
      yield [...lines.slice(0, room), { kind: 'progress', read, total: total() }];
      if (found >= MOST_FOUND) return yield [{ kind: 'end', read, total: total(), full: true }];
      await others();
    }
  }
  yield [{ kind: 'end', read, total: read, full: false }];
}

const queryIn = (run: string, q: string, within: string | undefined): SearchQuery => {
  if (q === '' || q.length > MOST_SEARCHED)
    refuse(`q: expected a text of 1 to ${MOST_SEARCHED} characters, got ${q.length}`);
  const names = within === undefined ? SEARCHED : within.split(',');
  const where = SEARCHED.filter((one) => names.includes(one));
  if (where.length === 0 || names.some((name) => !(SEARCHED as readonly string[]).includes(name)))
    refuse(`in: expected some of ${SEARCHED.join(', ')}`);
  return { run, text: q, searched: where };
};

async function* linesOf(batches: AsyncGenerator<readonly SearchLine[]>): AsyncGenerator<string> {
  for await (const batch of batches) yield batch.map((line) => `${JSON.stringify(line)}\n`).join('');
}

export const searchAnswers: Answers = (app: Hono, site) => {
  const searches = new FairLimit(MOST_SEARCHES);
  app.get('/runs/:run/search', async (c) => {
    const asked = queryIn(c.req.param('run'), c.req.query('q') ?? '', c.req.query('in'));
    const { store, run } = await storedRun(site, asked.run);
    const body =
      searches.stream(holderOf(c), () => streamOf(() => linesOf(searched(store, { ...asked, run: run.run })))) ??
      refuse(`expected at most ${MOST_SEARCHES} searches at a time: search again in a few seconds`, 429);
    return c.body(body, 200, { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store, no-transform' });
  });
};
