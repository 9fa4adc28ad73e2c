// What a hostile program costs the host that reads it: CPU time grows as the bytes do, however they are cut, and stops
// at the caps.
// Attempts: programs and scores.
import { expect, test } from 'vitest';
import { encodeFrame, type Frame } from '../../../activities/sandbox/contract/frames.ts';
import { demultiplexer } from '../../../activities/sandbox/launchers/docker-container.ts';
import { parseStrictJson } from '../../../activities/sandbox/contract/strict-json.ts';
import { CandidateOutput } from '../../../activities/sandbox/host/candidate-output.ts';

const MIB = 1024 * 1024;
/** Growth allowed for twice the input, and the time below which nothing is compared. */
const MOST_GROWTH = 2.5;
const FLOOR_MS = 20;
/** A busy machine spoils single measurements: the least of some runs counts, and all is repeated before it fails. */
const [RUNS, ATTEMPTS] = [3, 4];

const cpuMs = (work: () => void): number => {
  const times = Array.from({ length: RUNS }, () => {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.max(FLOOR_MS, Math.min(...times));
};

const growth = (work: (size: number) => void, size: number): number => {
  let least = Infinity;
  for (let count = 0; count < ATTEMPTS && least > MOST_GROWTH; count += 1) {
    const once = cpuMs(() => work(size));
    least = Math.min(least, cpuMs(() => work(2 * size)) / once);
  }
  return least;
};

/** In chunks of `step` bytes, as a program decides by how it writes. */
const inChunks = (bytes: Buffer, step: number, use: (chunk: Buffer) => void): void => {
  for (let at = 0; at < bytes.length; at += step) use(bytes.subarray(at, at + step));
};

/** Messages of an attached stream, as the engine sends them. */
const messages = (parts: readonly (readonly [output: number, text: string])[]): Buffer =>
  Buffer.concat(
    parts.flatMap(([output, text]) => {
      const head = Buffer.alloc(8);
      head.writeUInt8(output);
      head.writeUInt32BE(Buffer.byteLength(text), 4);
      return [head, Buffer.from(text)];
    }),
  );

const json = (text: string) => (): void => {
  try {
    parseStrictJson(Buffer.from(text));
  } catch {
    /* refused is as good: only the time counts */
  }
};

const worst: { readonly [what: string]: readonly [size: number, work: (size: number) => void] } = {
  'one frame byte by byte': [
    150_000,
    (size) => {
      const output = new CandidateOutput(4 * MIB);
      inChunks(encodeFrame('S', Buffer.alloc(size, '1')), 1, output.onStdout);
    },
  ],
  'frames without content in chunks that cut them': [
    200_000,
    (size) => {
      const output = new CandidateOutput(4 * MIB);
      inChunks(Buffer.concat(Array(size / 10).fill(encodeFrame('C'))), 7, output.onStdout);
    },
  ],
  'text byte by byte': [
    200_000,
    (size) => {
      const output = new CandidateOutput(4 * MIB);
      inChunks(Buffer.alloc(size, 'x'), 1, output.onStderr);
    },
  ],
  'single bytes as the Docker engine passes them on': [
    100_000,
    (size) => {
      const output = new CandidateOutput(4 * MIB);
      inChunks(messages(Array(size).fill([2, 'x'])), 65_536, demultiplexer(output.onStdout, output.onStderr));
    },
  ],
  'text of backslashes': [400_000, (size) => json(`"${'\\\\'.repeat(size)}"`)()],
  'texts and white space': [30_000, (size) => json(`[${`"a"${' '.repeat(20)},`.repeat(size)}1]`)()],
  'a text and much white space': [1_000_000, (size) => json(`["a"${' '.repeat(size)}]`)()],
  'many objects': [40_000, (size) => json(`[${'{"a":1,"b":2},'.repeat(size)}1]`)()],
  'a key many times': [100_000, (size) => json(`{${'"k":1,'.repeat(size)}"k":1}`)()],
  'open brackets': [400_000, (size) => json('['.repeat(size))()],
};

for (const [what, [size, work]] of Object.entries(worst))
  test(`${what}: twice the bytes cost at most ${MOST_GROWTH} times as much`, () => {
    expect(growth(work, size)).toBeLessThanOrEqual(MOST_GROWTH);
  });

test('what a container writes comes apart into its two outputs, however it is cut', () => {
  const bytes = messages([
    [1, 'one'],
    [2, 'two'],
    [1, ''],
    [2, 'three'],
    [1, 'four'],
  ]);
  for (let step = 1; step <= bytes.length; step += 1) {
    const said = ['', ''];
    const add = (output: number) => (chunk: Buffer) => {
      said[output] += chunk.toString();
    };
    inChunks(bytes, step, demultiplexer(add(0), add(1)));
    expect(said).toEqual(['onefour', 'twothree']);
  }
});

test('greetings are messages out of turn like others, and nothing behind a cap is read', () => {
  const output = new CandidateOutput(MIB);
  let fired = 0;
  output.onCap = () => {
    fired += 1;
  };
  const got: Frame[] = [];
  output.onStdout(encodeFrame('R'));
  output.converse((frame) => got.push(frame));
  for (let count = 0; count < 100; count += 1) output.onStdout(encodeFrame('R', Buffer.alloc(MIB)));
  expect(fired).toBe(1);
  expect(got.length).toBe(63);
  expect(got.every(({ kind }) => kind === 'R')).toBe(true);
  expect(output.truncated()).toBe(true);
});

test('a conversation that was ended is not read any more', () => {
  const output = new CandidateOutput(MIB);
  let got = 0;
  output.converse(() => {
    got += 1;
    output.stop();
  });
  output.onStdout(Buffer.concat(Array(1000).fill(encodeFrame('K'))));
  output.onStdout(encodeFrame('K'));
  expect(got).toBe(1);
  expect(output.capFired()).toBe(false);
});

test('so many frames that no program needs them end it, however small they are', () => {
  const output = new CandidateOutput(4 * MIB);
  output.onStdout(Buffer.concat(Array(20_001).fill(encodeFrame('C'))));
  expect(output.capFired()).toBe(true);
});
