// The page's side of the news: one connection for all parts of a page, which names the sets whose rows come with them.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LiveEvent } from '../../../page/api/site/live.ts';
import { followServer } from '../../../page/view/base/server.ts';

type Asked = { readonly query: URLSearchParams; readonly signal: AbortSignal };
const asked: Asked[] = [];
let say: (event: object) => void = () => undefined;
let end: () => void = () => undefined;

beforeEach(() => {
  asked.length = 0;
  vi.useFakeTimers();
  vi.stubGlobal('location', { pathname: '/evolve/' });
  vi.stubGlobal('document', { hidden: false, addEventListener: () => undefined, removeEventListener: () => undefined });
  vi.stubGlobal('fetch', async (address: string, { signal }: RequestInit) => {
    expect(address).toMatch(/^api\/v1\/live/);
    asked.push({ query: new URL(address, 'http://x').searchParams, signal: signal! });
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        say = (event) => controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
        end = () => controller.close();
      },
    });
    return new Response(body);
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const until = async (check: () => boolean): Promise<void> => {
  for (let ms = 0; !check() && ms < 60_000; ms += 10) await vi.advanceTimersByTimeAsync(10);
  expect(check()).toBe(true);
};

it('wants in one question the rows of all who follow, and asks anew only where a set is lacking', async () => {
  const stop = [followServer('demo', () => undefined), followServer('demo', () => undefined, ['base'])];
  await until(() => asked.length === 1);
  expect(asked[0]!.query.get('with')).toBe('base');
  const leave = followServer('demo', () => undefined, ['paid', 'base']);
  await until(() => asked.length === 2);
  expect(asked[1]!.query.get('with')).toBe('base,paid');
  expect([asked[0]!.signal.aborted, asked[1]!.signal.aborted]).toEqual([true, false]);
  leave();
  stop.push(followServer('demo', () => undefined, ['paid']));
  await vi.advanceTimersByTimeAsync(200);
  expect(asked).toHaveLength(2);
  for (const one of stop) one();
  expect(asked[1]!.signal.aborted).toBe(true);
});

it('tells that the server was away and is back, and what it says then', async () => {
  const seen: LiveEvent[] = [];
  const stop = followServer('demo', (event) => seen.push(event));
  await until(() => asked.length === 1);
  say({ kind: 'run', run: 'demo' });
  await until(() => seen.length === 1);
  end();
  await until(() => asked.length === 2);
  say({ kind: 'run', run: 'demo' });
  await until(() => seen.length === 4);
  expect(seen.map(({ kind }) => kind)).toEqual(['run', 'away', 'back', 'run']);
  stop();
});

it('follows while nobody sees the page only for those who want that', async () => {
  const looks: (() => void)[] = [];
  const page = { hidden: false, addEventListener: (_: string, look: () => void) => looks.push(look) };
  vi.stubGlobal('document', { ...page, removeEventListener: () => undefined });
  const hide = (): void => {
    (document as { hidden: boolean }).hidden = true;
    looks.forEach((look) => look());
  };
  const stop = [followServer('seen', () => undefined), followServer('told', () => undefined, [], true)];
  await until(() => asked.length === 2);
  hide();
  const open = asked.filter(({ signal }) => !signal.aborted).map(({ query }) => query.get('run'));
  expect(open).toEqual(['told']);
  for (const one of stop) one();
});
