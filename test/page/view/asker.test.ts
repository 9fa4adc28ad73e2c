// One answer of a page: however fast the news come it is asked for again, an answer on its way is awaited, and where the
// server was away it comes by itself.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Answer, Asker } from '../../../page/view/base/asker.ts';
import { SourceError } from '../../../page/view/base/source.ts';

const server = { takesMs: 0, away: false, asked: 0, given: 0 };
let shown: Answer<number>[] = [];
const make = () =>
  new Asker<number>(
    async (signal) => {
      const number = ++server.asked;
      await new Promise((done) => setTimeout(done, server.takesMs));
      signal.throwIfAborted();
      if (server.away) throw new SourceError('away', 'The server does not answer.');
      server.given += 1;
      return number;
    },
    (answer) => shown.push(answer),
  );
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(server, { takesMs: 0, away: false, asked: 0, given: 0 });
  shown = [];
});
afterEach(() => vi.useRealTimers());

it('comes while the news come faster than it may be asked for, and slower than it takes', async () => {
  server.takesMs = 700;
  const one = make();
  void one.ask();
  for (let at = 0; at < 100; at++) {
    one.news();
    await pass(100);
  }
  expect(server.asked).toBeGreaterThanOrEqual(8);
  expect(server.asked).toBeLessThanOrEqual(11);
  expect(server.asked - server.given).toBeLessThanOrEqual(1);
  one.end();
});

it('is asked for once more after the last news, and soon after the first', async () => {
  const one = make();
  void one.ask();
  await pass(1);
  await pass(60_000);
  expect(server.asked).toBe(1);
  one.news();
  one.news();
  await pass(250);
  expect(server.asked).toBe(2);
  one.news();
  await pass(60_000);
  expect(server.asked).toBe(3);
  one.end();
});

it('comes by itself when the server is back, asked for less and less often; what was there stays', async () => {
  const one = make();
  void one.ask();
  await pass(1);
  server.away = true;
  one.news();
  await pass(1_500);
  expect(shown.at(-1)).toMatchObject({ value: 1, error: { kind: 'away' }, busy: false });
  const before = server.asked;
  await pass(600_000);
  expect(server.asked - before).toBeLessThan(30);
  server.away = false;
  await pass(31_000);
  expect(shown.at(-1)).toMatchObject({ value: server.asked, error: null });
  one.end();
});

it('comes at once when everything answers again, and only where it was missing', async () => {
  server.away = true;
  const [missing, there] = [make(), make()];
  void missing.ask();
  await pass(120_000);
  server.away = false;
  void there.ask();
  await pass(1);
  const before = server.asked;
  missing.back();
  there.back();
  await pass(1);
  expect([server.asked, shown.at(-1)]).toEqual([before + 1, { value: before + 1, error: null, busy: false }]);
  missing.end();
  there.end();
});

it('is nobody’s when its view has gone', async () => {
  server.takesMs = 500;
  const one = make();
  void one.ask();
  await pass(100);
  one.end();
  const before = shown.length;
  await pass(60_000);
  expect([shown.length, server.asked]).toEqual([before, 1]);
});
