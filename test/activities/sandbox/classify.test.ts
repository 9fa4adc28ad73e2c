// Outcome classification: which evidence gives which outcome, and in which order.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { classify, type Evidence } from '../../../activities/sandbox/host/outcome.ts';

const well: Evidence = {
  lost: null,
  capFired: false,
  wallFired: false,
  oom: false,
  memoryError: false,
  exitCode: 0,
  cpuMs: 100,
  wallMs: 100,
  cpuLimitMs: 10_000,
  frame: 'one',
};

const table: readonly (readonly [string, Partial<Evidence>, string])[] = [
  ['one frame and exit 0', {}, 'ok'],
  ['the engine went away, whatever else', { lost: 'gone', capFired: true, oom: true, exitCode: 1 }, 'infrastructure'],
  ['our byte cap fired before our timer', { capFired: true, wallFired: true, exitCode: 137 }, 'output_limit'],
  ['our timer fired', { wallFired: true, exitCode: 137 }, 'timeout_wall'],
  ['exit 124', { exitCode: 124 }, 'timeout_wall'],
  ['out of memory with exit 137', { oom: true, exitCode: 137 }, 'memory'],
  ['out of memory in a child, parent exits 0 with a frame', { oom: true }, 'memory'],
  ['an uncaught MemoryError', { memoryError: true, exitCode: 1, frame: 'none' }, 'memory'],
  ['a word of a MemoryError, exit 0 and a frame', { memoryError: true }, 'ok'],
  ['children that together used more than the limit', { cpuMs: 10_001 }, 'timeout_cpu'],
  ['the same with a crash at the end', { cpuMs: 10_001, exitCode: 139 }, 'timeout_cpu'],
  ['SIGXCPU seen by an init', { exitCode: 152, frame: 'none' }, 'timeout_cpu'],
  ['killed with the CPU time used up', { exitCode: 137, cpuMs: 9_800, frame: 'none' }, 'timeout_cpu'],
  [
    'killed with the CPU time unknown but the wall past it',
    { exitCode: 137, cpuMs: null, wallMs: 12_000, frame: 'none' },
    'timeout_cpu',
  ],
  [
    'killed with the CPU time unknown and the wall short of it',
    { exitCode: 137, cpuMs: null, wallMs: 9_500, frame: 'none' },
    'program_error',
  ],
  ['killed early', { exitCode: 137, frame: 'none' }, 'program_error'],
  ['segmentation fault', { exitCode: 139, frame: 'one' }, 'program_error'],
  ['exit 1 after a frame', { exitCode: 1 }, 'program_error'],
  ['no exit code', { exitCode: null }, 'program_error'],
  ['no frame', { frame: 'none' }, 'invalid_output'],
  ['two frames', { frame: 'several' }, 'invalid_output'],
  ['a malformed frame', { frame: 'malformed' }, 'invalid_output'],
];

for (const [name, evidence, kind] of table)
  test(`${name}: ${kind}`, () => {
    expect(classify({ ...well, ...evidence })).toBe(kind);
  });

test('only exit 0 with exactly one frame and no limit passed is ok', () => {
  fc.assert(
    fc.property(
      fc.record({
        lost: fc.constantFrom(null, 'gone'),
        capFired: fc.boolean(),
        wallFired: fc.boolean(),
        oom: fc.boolean(),
        memoryError: fc.boolean(),
        exitCode: fc.constantFrom(0, 1, 124, 137, 139, 152, null),
        cpuMs: fc.constantFrom(null, 0, 10_000, 20_000),
        wallMs: fc.constantFrom(0, 20_000),
        cpuLimitMs: fc.constant(10_000),
        frame: fc.constantFrom('none', 'one', 'several', 'malformed'),
      }),
      (evidence) => {
        const clean =
          evidence.lost === null &&
          !evidence.capFired &&
          !evidence.wallFired &&
          !evidence.oom &&
          (evidence.cpuMs ?? 0) <= evidence.cpuLimitMs &&
          evidence.exitCode === 0 &&
          evidence.frame === 'one';
        expect(classify(evidence as Evidence) === 'ok').toBe(clean);
      },
    ),
  );
});
