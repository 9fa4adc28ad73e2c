// What runs share of the programs that were built: a source is compiled once, whoever asks, and nobody pays for another.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Execution, SandboxJob } from '../../../activities/sandbox/contract/types.ts';
import { Builds } from '../../../activities/sandbox/foreign/builds.ts';
import { toolchainOf } from '../../../evolution/task/languages.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evolve-builds-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A compiler that leaves `bytes`, or waits to be cancelled. */
const buildsWith = (bytes: number, limits: { cpuSeconds: number; compileSeconds?: number } = { cpuSeconds: 3 }) => {
  const jobs: SandboxJob[] = [];
  const waits: boolean[] = [];
  const builds = new Builds({
    run: async (job, signal) => {
      jobs.push(job);
      if (waits.shift())
        await new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        });
      return { solution: { code: 0, said: '', files: { program: 'A'.repeat(bytes) } } } as unknown as Execution;
    },
    reasonFor: () => '',
    imageId: () => 'image',
    ...{ language: 'cpp', toolchain: toolchainOf('cpp')!, limits, folder },
  });
  return { builds, jobs, waits };
};
const job = { key: 'k', run: 'r', source: 'int main() {}' };
const { signal: never } = new AbortController();

test('a source is compiled once, and kept where it is no larger than most', async () => {
  for (const [bytes, compiles, kept] of [
    [1_000, 1, 1],
    [5 * 2 ** 20, 2, 0],
  ] as const) {
    const { builds, jobs } = buildsWith(bytes);
    await builds.of(job, never);
    await builds.of(job, never);
    expect([jobs.length, readdirSync(folder).length]).toEqual([compiles, kept]);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
  }
});

test('where the one that compiles is cancelled, another that waits for the same source compiles it itself', async () => {
  const { builds, jobs, waits } = buildsWith(10);
  waits.push(true);
  const cancelled = new AbortController();
  const first = builds.of(job, cancelled.signal);
  const second = builds.of(job, never);
  cancelled.abort(new Error('cancelled'));
  await expect(first).rejects.toThrow('cancelled');
  expect(await second).toMatchObject({ said: '' });
  expect(jobs).toHaveLength(2);
});

test.each([
  [{ cpuSeconds: 3 }, 20],
  [{ cpuSeconds: 40 }, 40],
  [{ cpuSeconds: 900 }, 60],
  [{ cpuSeconds: 3, compileSeconds: 6 }, 6],
])('a compiler may use about as much as the program: %j', async (limits, seconds) => {
  const { builds, jobs } = buildsWith(10, limits);
  await builds.of(job, never);
  expect(jobs[0]!.limits.cpuSeconds).toBe(seconds);
});
