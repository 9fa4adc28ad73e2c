// A Docker engine that accepts connections and says nothing is an infrastructure error after a while, not an
// evaluation without end.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { InfrastructureError } from '../../../activities/sandbox/contract/types.ts';
import { connectDocker } from '../../../activities/sandbox/launchers/docker-connection.ts';
import { createDockerLauncher } from '../../../activities/sandbox/launchers/docker-launcher.ts';

it('a silent engine is told from one that is slow by a limit, and named', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'evolve-silent-'));
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
  }).listen(join(folder, 'docker.sock'));
  try {
    const docker = connectDocker(`unix://${folder}/docker.sock`);
    const launcher = createDockerLauncher({
      docker,
      image: 'image',
      home: 'silent',
      log: () => undefined,
      answerMs: 200,
    });
    const end = await Promise.race([
      launcher.engine().then(
        () => 'answered',
        (error: Error) => error,
      ),
      sleep(300_000, 'waits', { ref: false }),
    ]);
    expect(end).toBeInstanceOf(InfrastructureError);
    expect((end as Error).message).toBe('Docker engine gave no answer within 0.2 s while asking what it can do');
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
