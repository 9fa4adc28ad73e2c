// The page's side of the news: one connection for all parts of a page, which says what is to come with them, and answers
// that are put together of what came before.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { editOf } from '../../../page/data/edit.ts';
import { followServer, type News } from '../../../page/view/base/follow.ts';

type Asked = { readonly method: string; readonly query: URLSearchParams; readonly signal: AbortSignal };
const asked: Asked[] = [];
let say: (event: object) => void = () => undefined;
let end: () => void = () => undefined;

beforeEach(() => {
  asked.length = 0;
  vi.stubGlobal('document', { hidden: false, addEventListener: () => undefined, removeEventListener: () => undefined });
  vi.stubGlobal('fetch', async (address: string, { method = 'GET', signal }: RequestInit) => {
    asked.push({ method, query: new URL(address, 'http://x').searchParams, signal: signal! });
    if (method === 'POST') return new Response('{}');
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        say = (event) => controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
        end = () => controller.close();
      },
    });
    return new Response(body);
  });
});
afterEach(() => vi.unstubAllGlobals());

const until = (check: () => boolean): Promise<boolean> => vi.waitUntil(check, { timeout: 60_000, interval: 10 });
const whole = (number: number, text: string) => ({ number, of: null, edit: { first: 0, text, last: 0 } });
const answersIn = (seen: readonly News[]) => seen.flatMap((event) => (event.kind === 'run' ? [event.answers] : []));

it('says in one question what all who follow want, and tells the server when that is something else', async () => {
  const stop = [followServer('demo', () => undefined, ['report']), followServer('demo', () => undefined, ['base'])];
  await until(() => asked.length === 1);
  expect(asked[0]!.query.get('with')).toBe('base,report');
  stop.push(followServer('demo', () => undefined, ['paid', 'report']));
  await until(() => asked.length === 2);
  expect([asked[1]!.method, asked[1]!.query.get('with')]).toEqual(['POST', 'base,paid,report']);
  expect(asked[1]!.query.get('as')).toBe(asked[0]!.query.get('as'));
  for (const one of stop) one();
  expect(asked[0]!.signal.aborted).toBe(true);
});

it('puts answers together, and leaves one out where it lacks the one before', async () => {
  const seen: News[] = [];
  const stop = followServer('demo', (event) => seen.push(event), ['report', 'overview', 'islands']);
  await until(() => asked.length === 1);
  const [before, now] = [
    { a: 1, b: [1, 2] },
    { a: 1, b: [1, 2, 3] },
  ].map((value) => JSON.stringify(value));
  const edit = { number: 4, of: 3, edit: editOf(before!, now!) };
  say({ kind: 'run', run: 'demo', answers: { report: whole(3, before!), islands: null } });
  say({ kind: 'run', run: 'demo', answers: { report: edit, overview: edit } });
  say({ kind: 'run', run: 'demo' });
  await until(() => seen.length === 3);
  expect(answersIn(seen)).toEqual([
    { report: { value: JSON.parse(before!) as unknown }, islands: null },
    { report: { value: JSON.parse(now!) as unknown } },
    {},
  ]);
  // What came over a connection that has ended counts no more.
  end();
  await until(() => asked.length === 2);
  say({ kind: 'run', run: 'demo', answers: { report: { ...edit, number: 5, of: 4 } } });
  await until(() => answersIn(seen).length === 4);
  expect(seen.map(({ kind }) => kind)).toEqual(['run', 'run', 'run', 'away', 'back', 'run']);
  expect(answersIn(seen).at(-1)).toEqual({});
  stop();
});
