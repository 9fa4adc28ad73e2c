// Collecting on the host: frames under caps, strict JSON, the vote on imports, the reaper's rule. No container.
import { hostname } from 'node:os';
import fc from 'fast-check';
import type Docker from 'dockerode';
import { describe, expect, test, vi } from 'vitest';
import { steadyNow } from '../../../activities/sandbox/contract/fair-clock.ts';
import { modulesOf } from '../../../activities/sandbox/contract/imports.ts';
import { parseStrictJson } from '../../../activities/sandbox/contract/strict-json.ts';
import { CandidateOutput } from '../../../activities/sandbox/host/candidate-output.ts';
import {
  createReaper,
  isOrphan,
  ownerLives,
  ownOwner,
} from '../../../activities/sandbox/launchers/docker-connection.ts';

const frame = (kind: string, payload: string): Buffer => {
  const head = Buffer.alloc(5);
  head.write(kind);
  head.writeUInt32BE(Buffer.byteLength(payload), 1);
  return Buffer.concat([head, Buffer.from(payload)]);
};
const text = (value: string): Uint8Array => Buffer.from(value);

describe('strict JSON', () => {
  for (const bad of [
    'NaN',
    'Infinity',
    '{"a":1e999}',
    '{"a":1,"a":2}',
    '[1]x',
    '',
    '{"a":{"b":1,"b":1}}',
    '[[[[[]]]]]',
    '{"\\u0061":1,"a":2}',
    '[9007199254740993]',
    '[-9007199254740993]',
    '{"a":100000000000000000000}',
    '['.repeat(1_000_000),
    `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  ]) {
    test(`refuses ${JSON.stringify(bad.slice(0, 40))}`, () => {
      expect(() => parseStrictJson(text(bad))).toThrow();
    });
  }
  test('refuses bytes that are not UTF-8', () => {
    expect(() => parseStrictJson(Uint8Array.of(0x22, 0xff, 0x22))).toThrow();
  });
  test('gives back every value of at most four levels', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3, noUnicodeString: false }), (value) => {
        const written = JSON.stringify(value);
        fc.pre(!/(^|[[:,-])\d{16,}($|[\],}])/.test(written));
        expect(JSON.stringify(parseStrictJson(text(written)))).toBe(written);
      }),
    );
  });
  test('a float that is whole stays a float, and an integer an integer', () => {
    const written = '{"a":[1.0,-0.0,1,9007199254740992,1e3,"1.0",0.5]}';
    expect(JSON.stringify(parseStrictJson(text(written)))).toBe(written);
  });
  test('looks at the size before it reads', () => {
    expect(() => parseStrictJson(text('[1,2]'), 4)).toThrow('expected at most 4 bytes, got 5');
    expect(parseStrictJson(text('[1,2]'), 5)).toEqual([1, 2]);
  });
});

describe('candidate output', () => {
  test('reads frames however they are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 })), (cuts) => {
        const output = new CandidateOutput(1000);
        const bytes = Buffer.concat([
          frame('R', ''),
          frame('C', '{"step":1}'),
          frame('C', '{"step":2}'),
          frame('S', '{"circles":[]}'),
        ]);
        let at = 0;
        for (const cut of cuts) {
          output.onStdout(bytes.subarray(at, at + cut));
          at += cut;
        }
        output.onStdout(bytes.subarray(at));
        expect(output.result()).toMatchObject({ frame: 'one', solution: { circles: [] }, refusal: null });
        expect(output.checkpoint()).toEqual({ step: 2 });
      }),
    );
  });
  test('a half-sent checkpoint does not replace the last complete one', () => {
    const output = new CandidateOutput(1000);
    output.onStdout(Buffer.concat([frame('C', '{"step":1}'), frame('C', '{"step":2}').subarray(0, 9)]));
    expect(output.checkpoint()).toEqual({ step: 1 });
    expect(output.result().frame).toBe('none');
  });
  test('the cap fires on the announced length, on the sum, and on stderr, once each', () => {
    for (const feed of [
      (output: CandidateOutput) => output.onStdout(Buffer.from([0x53, 0xff, 0xff, 0xff, 0xff])),
      (output: CandidateOutput) => {
        for (let i = 0; i < 100; i += 1) output.onStdout(frame('C', 'x'.repeat(900)));
      },
      (output: CandidateOutput) => {
        for (let i = 0; i < 100; i += 1) output.onStderr(Buffer.alloc(100_000));
      },
    ]) {
      const output = new CandidateOutput(1000);
      let fired = 0;
      output.onCap = () => {
        fired += 1;
      };
      feed(output);
      expect(fired).toBe(1);
      expect(output.truncated()).toBe(true);
    }
  });
  test('two results, an unknown frame and a malformed one are told apart from one', () => {
    const read = (...frames: Buffer[]): string => {
      const output = new CandidateOutput(1000);
      output.onStdout(Buffer.concat(frames));
      return output.result().frame;
    };
    expect(read(frame('S', '1'), frame('S', '2'))).toBe('several');
    expect(read(frame('S', '1'), frame('X', ''))).toBe('malformed');
    expect(read(frame('S', '{"a":NaN}'))).toBe('malformed');
    expect(read(frame('S', '1'), Buffer.from('text'))).toBe('malformed');
    expect(read(frame('R', ''), frame('S', '1'))).toBe('one');
    expect(read(frame('R', ''), frame('R', ''), frame('S', '1'))).toBe('malformed');
  });
});

describe('imports', () => {
  test('are seen in the forms programs use', () => {
    expect(modulesOf('import math')).toEqual([]);
    expect(modulesOf('import math, numpy as np')).toEqual(['numpy']);
    expect(modulesOf('    from numpy.linalg import norm')).toEqual(['numpy']);
    expect(modulesOf('import numpy\nfrom scipy.optimize import minimize')).toContain('scipy.optimize');
    expect(modulesOf('# import scipy\nx = "numpy"')).toEqual([]);
  });
});

describe('orphans', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  test('are past their deadline or without a living owner', () => {
    expect(isOrphan({ 'evolve.owner': 'a', 'evolve.deadline': '2025-12-31T23:59:59Z' }, now, () => true)).toBe(true);
    expect(isOrphan({ 'evolve.owner': 'a', 'evolve.deadline': '2026-01-01T00:00:01Z' }, now, () => true)).toBe(false);
    expect(isOrphan({ 'evolve.owner': 'a', 'evolve.deadline': 'none' }, now, () => true)).toBe(false);
    expect(isOrphan({ 'evolve.owner': 'a', 'evolve.deadline': 'none' }, now, () => false)).toBe(true);
  });
  test.each([-1, 1])('are no others after the clock was set by %i hour', async (hours) => {
    const labels = (minutes: number) => ({
      'evolve.owner': ownOwner(),
      'evolve.deadline': new Date(steadyNow().getTime() + minutes * 60_000).toISOString(),
    });
    const containers = [
      { Id: 'works', Labels: labels(30) },
      { Id: 'late', Labels: labels(-30) },
    ];
    const removed: string[] = [];
    const docker = {
      listContainers: async () => containers,
      getContainer: (id: string) => ({ remove: async () => removed.push(id) }),
    } as unknown as Docker;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 });
    const reaper = createReaper({ docker, home: 'h', log: () => undefined });
    try {
      await reaper.sweep();
    } finally {
      reaper.close();
      vi.useRealTimers();
    }
    expect(removed).toEqual(['late']);
  });
  test('of workers on other hosts, which may share the engine, are those past their deadline or at their end', async () => {
    const own = ownOwner();
    // In a pod each worker is process 1 of a data directory of the same name.
    const other = (State: string, deadline: string) => ({
      Id: `${State} ${deadline}`,
      State,
      Labels: { 'evolve.owner': own.replace(/.*\//, 'another-pod/'), 'evolve.deadline': deadline },
    });
    const containers = [
      other('running', '2999-01-01T00:00:00Z'),
      other('exited', '2999-01-01T00:00:00Z'),
      other('running', 'none'),
      other('exited', 'none'),
      other('running', '2026-01-01T00:00:00Z'),
      { ...other('exited', 'none'), Id: 'own', Labels: { 'evolve.owner': own, 'evolve.deadline': 'none' } },
      { ...other('running', 'none'), Id: 'earlier version', Labels: { 'evolve.owner': '999999-1' } },
    ];
    const removed: string[] = [];
    const docker = {
      listContainers: async () => containers,
      getContainer: (id: string) => ({ remove: async () => removed.push(id) }),
    } as unknown as Docker;
    const reaper = createReaper({ docker, home: 'h', log: () => undefined });
    await reaper.sweep();
    reaper.close();
    expect(removed).toEqual(['exited none', 'running 2026-01-01T00:00:00Z', 'earlier version']);
  });
  test('an owner is a host and a pid with its start time', () => {
    expect(ownerLives(ownOwner())).toBe(true);
    expect(ownerLives(`${hostname()}/${process.pid}-1`)).toBe(false);
    expect(ownerLives(`${process.pid}-1`)).toBe(false);
    expect(ownerLives('')).toBe(false);
  });
});
