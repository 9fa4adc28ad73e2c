// GPUs: what the engine is asked for, one program at a time on a device, and a device that fails. No GPU is needed: the
// engine and the launcher are played, and what they are sent is what Docker's API documents.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Confined, ConfinedSpec, Ending, Launcher } from '../../../activities/sandbox/contract/confined.ts';
import { encodeFrame } from '../../../activities/sandbox/contract/frames.ts';
import { createConfinedSandbox } from '../../../activities/sandbox/host/confined-sandbox.ts';
import { Devices, deviceProblem, type DeviceLocks } from '../../../activities/sandbox/host/devices.ts';
import { connectDocker } from '../../../activities/sandbox/launchers/docker-connection.ts';
import { createDockerLauncher } from '../../../activities/sandbox/launchers/docker-launcher.ts';
import { fitProblem } from '../../../evolution/methods/rules/task-fit.ts';
import { job, never, quickLimits } from './levels/docker.ts';

const spec = (devices: readonly string[]): ConfinedSpec => ({
  ...{ source: '', args: [], limits: quickLimits, run: 'r', activity: 'a', deadline: null, devices },
  onStdout: () => undefined,
  onStderr: () => undefined,
});

test('the engine is asked for the device by its number, after what a killed worker left there is removed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'evolve-gpu-'));
  const asked: string[] = [];
  let created: any = null;
  const left = (id: string, gpus: string, owner: string) => ({
    Id: id,
    Labels: { 'evolve.gpus': gpus, 'evolve.owner': owner },
  });
  const ANSWERS: Record<string, unknown> = {
    info: { MemoryLimit: true, SwapLimit: true, PidsLimit: true, CpuCfsQuota: true, CgroupVersion: '2' },
    'images/image/json': { Id: 'sha256:1' },
    'containers/json': [left('left', '0,1', '0-0'), left('other', '2', '0-0')],
  };
  const server = createServer((request, response) => {
    const path = request.url!.slice(1).split('?')[0]!;
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      asked.push(`${request.method} ${path}`);
      if (path === 'containers/create') created = JSON.parse(body);
      const answer = ANSWERS[path];
      response.statusCode = answer === undefined ? (request.method === 'DELETE' ? 204 : 500) : 200;
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify(answer ?? { message: 'could not select device driver "" with capabilities: [[gpu]]' }),
      );
    });
  }).listen(join(folder, 'docker.sock'));
  try {
    const launcher = createDockerLauncher({
      ...{ docker: connectDocker(`unix://${folder}/docker.sock`), image: 'image', home: 'gpu', trusted: true },
      ...{ cgroups: folder, log: () => undefined },
    });
    await expect(launcher.launch(spec(['1']))).rejects.toThrow('could not select device driver');
    expect(created.HostConfig.DeviceRequests).toEqual([
      { Driver: '', Count: 0, DeviceIDs: ['1'], Capabilities: [['gpu', 'compute', 'utility']], Options: {} },
    ]);
    expect(created.Labels['evolve.gpus']).toBe('1');
    expect(asked.filter((one) => one.startsWith('DELETE'))).toEqual(['DELETE containers/left']);
    await launcher.launch({ ...spec([]), devices: undefined as never }).catch(() => undefined);
    expect(created.HostConfig.DeviceRequests).toBeUndefined();
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Programs say with their code what they write to the standard error and how they end. */
const played = () => {
  const state = { alive: new Map<string, number>(), most: 0, broken: '', looks: 0 };
  const launcher: Launcher = {
    level: 'docker',
    imageId: 'played',
    close: async () => undefined,
    launch: async ({ devices = [], activity, onStdout, onStderr }): Promise<Confined> => {
      const { promise: ended, resolve } = Promise.withResolvers<Ending>();
      const end = (exitCode: number): void => resolve({ exitCode, oom: false, lost: null });
      for (const id of devices) state.alive.set(id, (state.alive.get(id) ?? 0) + 1);
      state.most = Math.max(state.most, ...state.alive.values());
      if (activity === 'check') {
        state.looks += 1;
        onStderr(Buffer.from(`${state.broken}\n`));
        end(state.broken === '' ? 0 : 1);
      } else onStdout(encodeFrame('R'));
      return {
        ended,
        claim: async () => undefined,
        markUse: () => undefined,
        use: () => ({ cpuMs: 1, peakBytes: null }),
        closeInput: () => undefined,
        send: (bytes) => {
          const said = /CUDA error: [a-z ]+|Xid/.exec(bytes.toString())?.[0];
          void sleep(20).then(() => {
            if (said === undefined) onStdout(encodeFrame('S', Buffer.from('1')));
            else onStderr(Buffer.from(`${said}\n`));
            end(said === undefined ? 0 : 1);
          });
        },
        kill: async () => end(137),
        remove: async () => {
          await sleep(5);
          for (const id of devices) state.alive.set(id, state.alive.get(id)! - 1);
          end(137);
        },
      };
    },
  };
  return { state, launcher };
};

const inMemory = (): DeviceLocks => {
  const held = new Set<string>();
  return { take: (id) => !held.has(id) && held.add(id) !== null, give: (id) => void held.delete(id) };
};

test('one program at a time on a device; a fault of the device is nobody’s, and the device is left until it works', async () => {
  const { state, launcher } = played();
  const said: string[] = [];
  const log = (line: string): number => said.push(line);
  const locks = inMemory();
  const devices = new Devices({ ids: ['0', '1'], locks, problemOf: deviceProblem(launcher), log, restMs: 100 });
  const sandbox = createConfinedSandbox({ launcher, devices, home: 'gpu', concurrency: 8, log });
  const run = (code: string, gpus = 1) => sandbox.run(job(code, { gpus }), never());

  const many = await Promise.all([...[1, 1, 1, 2, 1].map((gpus) => run('x = 1', gpus))]);
  expect(many.map(({ kind }) => kind)).toEqual(Array(5).fill('ok'));
  expect([state.most, state.looks]).toEqual([1, 2]);

  // The program's own fault: the device works.
  expect((await run('# CUDA error: an illegal memory access was encountered')).kind).toBe('program_error');
  expect(state.looks).toBe(3);

  state.broken = 'cuInit: CUDA_ERROR_ECC_UNCORRECTABLE';
  await expect(run('# Xid', 2)).rejects.toThrow('GPU 0, 1 failed while a program ran, which is run again: cuInit');
  await expect(run('x = 1')).rejects.toThrow('got 2 of which some do not work: GPU 0: cuInit: CUDA_ERROR_ECC');
  await expect(devices.check()).rejects.toThrow('--gpus (EVOLVE_EVAL_GPUS): expected 2 that containers get');
  state.broken = '';
  await sleep(150);
  expect((await run('x = 1', 2)).kind).toBe('ok');
  expect(said).toContain('GPU 1 works again');
  expect(await devices.check()).toEqual(['0', '1']);
  expect([...state.alive.values()]).toEqual([0, 0]);
  await sandbox.close();
});

test('a level that gives programs no GPU is refused before a run exists', () => {
  const task = { ...{ id: 't', needs: { gpu: 1 }, scoreName: 's', evaluatorSource: '' }, features: [] };
  const problem = (sandbox: 'docker' | 'fork' | 'auto', runtime: 'engine' | 'runc' | 'runsc' = 'engine') =>
    fitProblem({ evaluation: { sandbox, runtime, cores: null }, population: { map: 'none' } } as never, task as never)
      ?.message ?? null;
  expect([problem('docker'), problem('auto', 'runc')]).toEqual([null, null]);
  expect(problem('fork')).toContain('programs of t need a GPU and the level fork gives them none, got fork');
  expect(problem('docker', 'runsc')).toContain('programs of t need a GPU, and runsc gives them none');
});
