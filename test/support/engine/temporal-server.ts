// A Temporal server of a test's own, beside any home, in memory.
import { spawn } from 'node:child_process';
import { resolveHome } from '../../../deploy/host/home.ts';
import { findFreePort } from '../../../deploy/parts/free-port.ts';
import { ensureTemporalCli } from '../../../deploy/parts/temporal/temporal-cli.ts';
import { isHealthy } from '../../../deploy/supervisor/health.ts';
import { PARTS, until } from '../machine/home.ts';

export type TemporalServer = { readonly address: string; readonly pid: number; stop(): Promise<void> };

/** `flags` are those of the CLI, besides. */
export const startTemporal = async (flags: readonly string[] = []): Promise<TemporalServer> => {
  const cli = await ensureTemporalCli(resolveHome({ EVOLVE_HOME: PARTS, EVOLVE_PARTS: PARTS }), () => undefined);
  const port = (await findFreePort())!;
  const child = spawn(
    cli.path,
    [
      'server',
      'start-dev',
      '--headless',
      '--ip',
      '127.0.0.1',
      '--port',
      String(port),
      '--log-level',
      'error',
      ...flags,
    ],
    { stdio: 'ignore' },
  );
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', kill);
  await until('the Temporal server', 60_000, () => isHealthy({ kind: 'temporal', port }, { pid: 0, log: '' }));
  return {
    address: `127.0.0.1:${port}`,
    pid: child.pid!,
    async stop() {
      const ended = new Promise<void>((done) => {
        if (child.exitCode !== null) done();
        else child.once('exit', () => done());
      });
      kill();
      await ended;
      process.removeListener('exit', kill);
    },
  };
};
