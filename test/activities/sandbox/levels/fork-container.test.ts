// A warm container whose parent misbehaves, played by a fake: what the run in flight is told, and that the container
// is thrown away.
import { afterEach, expect, test, vi } from 'vitest';
import type { Confined, ConfinedSpec, Ending, Launcher } from '../../../../activities/sandbox/contract/confined.ts';
import { encodeFrame } from '../../../../activities/sandbox/contract/frames.ts';
import { InfrastructureError } from '../../../../activities/sandbox/contract/types.ts';
import type { Candidate } from '../../../../activities/sandbox/launchers/fork-candidate.ts';
import { WarmContainer } from '../../../../activities/sandbox/launchers/fork-container.ts';

const limits = { cpuSeconds: 1.5, memoryBytes: 1 << 20, pids: 4 };
const exit = { status: 0, cpuMs: 5, ownMs: 2, counted: true, peakBytes: 7, oomKills: 0, begun: true, left: null };

type Fake = {
  readonly launcher: Launcher;
  readonly sent: Buffer[];
  said(kind: string, payload?: string | Buffer): void;
  end(ending: Ending): void;
  killed: number;
  spec: ConfinedSpec;
  cpuMs: number | null;
};

const fake = (answerKill = true): Fake => {
  const { promise: ended, resolve } = Promise.withResolvers<Ending>();
  const made: Fake = {
    sent: [],
    killed: 0,
    cpuMs: 20,
    spec: undefined as unknown as ConfinedSpec,
    said: (kind, payload = '') => made.spec.onStdout(encodeFrame(kind, Buffer.from(payload))),
    end: resolve,
    launcher: {
      level: 'docker',
      imageId: 'image',
      close: async () => undefined,
      launch: async (spec) => {
        made.spec = spec;
        const confined: Confined = {
          send: (bytes) => {
            made.sent.push(bytes);
          },
          closeInput: () => undefined,
          claim: async () => undefined,
          ended,
          kill: async () => {
            made.killed += 1;
            if (answerKill) resolve({ exitCode: 137, oom: false, lost: null });
          },
          markUse: () => undefined,
          use: () => ({ cpuMs: made.cpuMs, peakBytes: 100 }),
          remove: async () => resolve({ exitCode: null, oom: false, lost: 'removed' }),
        };
        setTimeout(() => made.said('H'), 0);
        return confined;
      },
    },
  };
  return made;
};

const start = async (parent: Fake): Promise<{ warm: WarmContainer; candidate: Candidate; out: string[] }> => {
  const warm = await WarmContainer.start({ launcher: parent.launcher, limits, modules: ['numpy'], deadline: null });
  const out: string[] = [];
  const spec = {
    ...parent.spec,
    limits,
    source: 'pass',
    args: [],
    onStdout: (chunk: Buffer) => {
      out.push(`out ${chunk}`);
    },
    onStderr: (chunk: Buffer) => {
      out.push(`err ${chunk}`);
    },
  };
  const candidate = warm.launch(spec, 20_001);
  candidate.markUse();
  return { warm, candidate, out };
};

afterEach(() => {
  vi.useRealTimers();
});

test('outputs, the end and the use of a candidate arrive, and the container is clean again', async () => {
  const parent = fake();
  const { warm, candidate, out } = await start(parent);
  expect(parent.spec).toMatchObject({
    forkserver: true,
    args: [expect.stringMatching(/^[0-9a-f]+$/), 'numpy'],
    limits: { cpuSeconds: null },
  });
  parent.said('O', 'one');
  parent.said('X', 'two');
  expect(warm.state).toBe('busy');
  parent.said('Q', JSON.stringify(exit));
  expect(warm.state).toBe('clean');
  // The parent's count; the peak of the cgroup.
  expect(await candidate.ended).toEqual({
    ending: { exitCode: 0, oom: false, lost: null },
    use: { cpuMs: 5, peakBytes: 100 },
  });
  expect(candidate.use()).toEqual({ cpuMs: 5, peakBytes: 100 });
  expect(out).toEqual(['out one', 'err two']);
});

test.each([
  [true, 5],
  [false, null],
])('without a readable cgroup the parent counts (%s), or nobody does', async (counted, cpuMs) => {
  const parent = fake();
  parent.cpuMs = null;
  const { candidate } = await start(parent);
  parent.said('Q', JSON.stringify({ ...exit, counted }));
  expect((await candidate.ended).use.cpuMs).toBe(cpuMs);
});

test("while it runs, its use is the container's without the parent's part as last told", async () => {
  const parent = fake();
  const { candidate } = await start(parent);
  expect(candidate.use().cpuMs).toBe(20);
  parent.said('U', JSON.stringify({ cpuMs: 5, ownMs: 4, counted: true }));
  expect(candidate.use().cpuMs).toBe(16);
  parent.cpuMs = null;
  expect(candidate.use().cpuMs).toBe(5);
  parent.said('U', JSON.stringify({ cpuMs: 5, ownMs: 4, counted: false }));
  expect(candidate.use().cpuMs).toBeNull();
});

test('a process killed for memory is told, and the container goes on', async () => {
  const parent = fake();
  const { warm, candidate } = await start(parent);
  parent.said('Q', JSON.stringify({ ...exit, oomKills: 1 }));
  expect((await candidate.ended).ending).toEqual({ exitCode: 0, oom: true, lost: null });
  expect(warm.state).toBe('clean');
});

test("a container that ran out of memory as a whole is the candidate's doing", async () => {
  const parent = fake();
  const { warm, candidate } = await start(parent);
  parent.end({ exitCode: 137, oom: true, lost: null });
  expect((await candidate.ended).ending).toEqual({ exitCode: 137, oom: true, lost: null });
  expect(warm.state).toBe('dead');
});

test('a container that ends later than a candidate before ran out of memory is lost', async () => {
  const parent = fake();
  const { warm } = await start(parent);
  parent.said('Q', JSON.stringify({ ...exit, oomKills: 1 }));
  const next = warm.launch({ ...parent.spec, limits, source: 'pass', args: [] }, 20_002);
  parent.end({ exitCode: 137, oom: true, lost: null });
  expect((await next.ended).ending.lost).toMatch('the container of candidates was lost');
});

test('a parent that ends by itself is lost, with its last words', async () => {
  const parent = fake();
  const { candidate } = await start(parent);
  parent.spec.onStderr(Buffer.from('could not be wiped\n'));
  parent.end({ exitCode: 70, oom: false, lost: null });
  expect((await candidate.ended).ending.lost).toBe(
    'the container of candidates was lost: its parent ended with exit code 70: could not be wiped',
  );
});

test('an engine that goes away is said', async () => {
  const parent = fake();
  const { candidate } = await start(parent);
  parent.end({ exitCode: null, oom: false, lost: 'the engine does not answer' });
  expect((await candidate.ended).ending.lost).toBe('the container of candidates was lost: the engine does not answer');
});

for (const [name, speak] of Object.entries({
  'an unknown frame': (parent: Fake) => parent.said('?'),
  'an end that is no JSON': (parent: Fake) => parent.said('Q', 'x'),
  'an end of another form': (parent: Fake) => parent.said('Q', '{"status": "good"}'),
  'a second greeting': (parent: Fake) => parent.said('H'),
  'a use that is no number': (parent: Fake) => parent.said('U', '{"cpuMs": "much"}'),
  'a giant frame': (parent: Fake) => parent.spec.onStdout(Buffer.from([0x4f, 0xff, 0xff, 0xff, 0xff])),
})) {
  test(`a broken protocol (${name}) kills the container and is lost`, async () => {
    const parent = fake();
    const { warm, candidate } = await start(parent);
    speak(parent);
    expect(parent.killed).toBe(1);
    expect((await candidate.ended).ending).toMatchObject({
      exitCode: null,
      lost: expect.stringMatching(/^the container of candidates was lost: it broke the protocol/),
    });
    expect(warm.state).toBe('dead');
  });
}

test('two ends of one candidate break the protocol, after the run has its result', async () => {
  const parent = fake();
  const { warm, candidate } = await start(parent);
  parent.said('Q', JSON.stringify(exit));
  parent.said('Q', JSON.stringify(exit));
  expect((await candidate.ended).ending.lost).toBeNull();
  expect(parent.killed).toBe(1);
  await vi.waitFor(() => expect(warm.state).toBe('dead'));
});

test('a kill that is not obeyed kills the whole container; the run is not lost by it', async () => {
  const parent = fake();
  const { candidate } = await start(parent);
  vi.useFakeTimers();
  candidate.kill();
  expect(parent.sent.at(-1)!.toString('latin1', 0, 1)).toBe('K');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(parent.killed).toBe(1);
  expect((await candidate.ended).ending).toEqual({ exitCode: 137, oom: false, lost: null });
});

test('a container in which something was left ends with its candidate, which has its result', async () => {
  const parent = fake();
  const { warm, candidate } = await start(parent);
  parent.said('Q', JSON.stringify({ ...exit, left: 'a file is open' }));
  expect((await candidate.ended).ending).toEqual({ exitCode: 0, oom: false, lost: null });
  expect({ state: warm.state, left: warm.left }).toEqual({ state: 'dead', left: 'a file is open' });
});

test('a candidate that did not get its program is lost', async () => {
  const parent = fake();
  const { candidate } = await start(parent);
  parent.said('Q', JSON.stringify({ ...exit, status: 1, begun: false }));
  expect((await candidate.ended).ending.lost).toBe('it did not start');
});

test('the parent is told the runner once', async () => {
  const parent = fake();
  const { warm } = await start(parent);
  const told = (): unknown[] => parent.sent.map((frame) => 'source' in JSON.parse(frame.toString('utf8', 5)));
  parent.said('Q', JSON.stringify(exit));
  for (const source of ['pass', 'another']) {
    warm.launch({ ...parent.spec, limits, source, args: [] }, 20_002);
    parent.said('Q', JSON.stringify(exit));
  }
  expect(told()).toEqual([true, false, true]);
});

test('a container that ends before its greeting is infrastructure', async () => {
  const parent = fake();
  const launch = WarmContainer.start({
    launcher: {
      ...parent.launcher,
      launch: async (spec) => {
        const confined = await parent.launcher.launch({ ...spec, onStdout: () => undefined });
        spec.onStderr(Buffer.from('expected a counter'));
        parent.end({ exitCode: 70, oom: false, lost: null });
        return confined;
      },
    },
    limits,
    modules: [],
    deadline: null,
  });
  await expect(launch).rejects.toThrow(InfrastructureError);
  await expect(launch).rejects.toThrow(/did not boot: its parent ended with exit code 70: expected a counter/);
});

test('one candidate at a time', async () => {
  const { warm } = await start(fake());
  expect(() => warm.launch({} as ConfinedSpec, 20_002)).toThrow('a container of candidates was used while it was busy');
});
