// Whatever a model or a candidate writes, reading it takes time in proportion to its length: twice the text takes at
// most 2.5 times the time, for every reader and on the worst texts that can be put together for them.
// Attempts: programs and scores.
import { expect, it } from 'vitest';
import { rng } from '../../evolution/rng.ts';
import { FULL } from '../support/sizes.ts';
import { READERS, worstTexts } from '../support/models/untrusted-readers.ts';

/** Characters of the shorter text. A reader that takes the square of it needs seconds. */
const LENGTH = 8_000;
/** The parser of syntax trees takes a hundred times as long as any other reader for a text that is no program. */
const SHORTER: { readonly [reader: string]: number } = { 'the size of the syntax tree': 500 };
/** What takes less than this many milliseconds of CPU says nothing about growth. */
const FLOOR_MS = 20;
const MOST = 2.5;
/** How often a reader that seems to grow too fast is measured again, each time with texts of twice the length. */
const AGAIN = 4;
/** From the second measurement on, one that takes this many milliseconds is enough to judge by. */
const ENOUGH_MS = 150;
/** One in this many texts is read in `npm test`; `npm run test:full` reads them all. */
const SAMPLE = FULL ? 1 : 48;

const cpuMs = (work: () => unknown): number => {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
};

/** The least of several measurements: others share the machine, and memory is tidied up in between. */
const least = (read: (text: string) => unknown, text: string, times: number): number =>
  Math.min(...Array.from({ length: times }, () => cpuMs(() => read(text))));

/** Null where the time grows no faster than it may, else what was measured last. */
const growthOf = (read: (text: string) => unknown, of: (length: number) => string, length: number): string | null => {
  let measured: string | null = null;
  for (let again = 0; again <= AGAIN; again++) {
    const [short, long] = [of(length * 2 ** again), of(length * 2 ** (again + 1))];
    const quick = cpuMs(() => read(long));
    if (quick < FLOOR_MS) return null;
    const twice = Math.min(quick, least(read, long, 1 + again));
    const once = least(read, short, 2 + again);
    if (twice < FLOOR_MS || twice <= MOST * once) return null;
    measured = `${once.toFixed(1)} ms for ${short.length} characters, ${twice.toFixed(1)} ms for ${long.length}`;
    if (again >= 1 && twice > ENOUGH_MS) break;
  }
  return measured;
};

const random = rng(11, 'linear');
const TEXTS = worstTexts(300, (count) => random.int(count));

it.each(Object.entries(READERS))('%s is read in linear time', (name, read) => {
  const order = rng(12, name);
  const slow = TEXTS.filter(() => order.int(SAMPLE) === 0).flatMap(({ name: text, of }) => {
    const growth = growthOf(read, of, SHORTER[name] ?? LENGTH);
    return growth === null ? [] : [`${text}: ${growth}`];
  });
  expect(slow).toEqual([]);
});

it('a reader that takes the square of the length is found', () => {
  const square = (text: string): number => {
    let found = 0;
    for (let at = 0; at < text.length; at++)
      for (let other = at; other < text.length; other++) if (text.charCodeAt(other) === 0x5f) found++;
    return found;
  };
  expect(growthOf(square, (length) => 'x'.repeat(length), LENGTH / 2)).toMatch(/ms for/);
});
