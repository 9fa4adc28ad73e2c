// Temporal servers of a test's own, beside any home, in memory.
import { spawn } from 'node:child_process';
import type { DataConverter } from '@temporalio/common';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { resolveHome } from '../../../deploy/host/home.ts';
import { findFreePort } from '../../../deploy/parts/free-port.ts';
import { ensureTemporalCli } from '../../../deploy/parts/temporal/temporal-cli.ts';
import { DYNAMIC_CONFIG } from '../../../deploy/parts/temporal/temporal-settings.ts';
import { isHealthy } from '../../../deploy/supervisor/health.ts';
import { ATTRIBUTES } from '../../../workflows/engine/attributes.ts';
import { PARTS, until } from '../machine/home.ts';

export type TemporalServer = { readonly address: string; readonly pid: number; stop(): Promise<void> };

const configured = (...more: readonly string[]): string[] =>
  [...DYNAMIC_CONFIG, ...more].flatMap((setting) => ['--dynamic-config-value', setting]);

const ensureCli = () => ensureTemporalCli(resolveHome({ EVOLVE_HOME: PARTS, EVOLVE_PARTS: PARTS }), () => undefined);

/**
 * A server with our search attributes and settings, and a client of it. `settings` are further ones, `name=value`; `suggestAt` is the length of a
 * history at which the server suggests to continue as new.
 */
export const localTemporal = async ({
  settings = [],
  suggestAt,
  dataConverter,
}: {
  readonly settings?: readonly string[];
  readonly suggestAt?: number | undefined;
  readonly dataConverter?: DataConverter | undefined;
}): Promise<TestWorkflowEnvironment> => {
  // The server is small and lives for seconds: to collect its memory seldom saves a fifth of its CPU time.
  process.env['GOGC'] ??= '800';
  const { path } = await ensureCli();
  return TestWorkflowEnvironment.createLocal({
    ...(dataConverter && { client: { dataConverter } }),
    server: {
      executable: { type: 'existing-path', path },
      searchAttributes: Object.values(ATTRIBUTES),
      log: { format: 'pretty', level: 'error' },
      extraArgs: configured(
        ...(suggestAt === undefined ? [] : [`limit.historyCount.suggestContinueAsNew=${suggestAt}`]),
        ...settings,
      ),
    },
  });
};

/** `flags` are those of the CLI, besides. */
export const startTemporal = async (flags: readonly string[] = []): Promise<TemporalServer> => {
  const cli = await ensureCli();
  const port = (await findFreePort())!;
  const child = spawn(
    cli.path,
    [
      ...'server start-dev --headless --ip 127.0.0.1 --log-level error --port'.split(' '),
      ...[String(port), ...configured(), ...flags],
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
