// Where the database is away and no worker lives, the commands still say how a run stands, and end it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openParts, type Place } from '../../../client/connect/connection.ts';
import { diagnose } from '../../../client/doctor/diagnose-run.ts';
import { terminate } from '../../../client/upkeep/terminate.ts';
import { resolveHome } from '../../../deploy/host/home.ts';
import { upInfo } from '../../deploy/up-info.ts';
import { startTemporal, type TemporalServer } from '../../support/engine/temporal-server.ts';

describe('without a database and without workers', () => {
  const root = mkdtempSync(join(tmpdir(), 'evolve-home-'));
  const place: Place = { home: resolveHome({ EVOLVE_HOME: root }), env: {} };
  let server: TemporalServer;
  let connection: Connection;
  let client: Client;
  beforeAll(async () => {
    server = await startTemporal();
    connection = await Connection.connect({ address: server.address });
    client = new Client({ connection });
    mkdirSync(root, { recursive: true });
    const temporal = { address: server.address, namespace: 'default', ui: null, external: false };
    writeFileSync(place.home.upFile, JSON.stringify(upInfo(root, { temporal })));
  });
  afterAll(async () => {
    await connection?.close();
    await server?.stop();
    rmSync(root, { recursive: true, force: true });
  });
  const started = async (type: string, workflowId: string) => {
    await client.workflow.start(type, { workflowId, taskQueue: 'nobody', args: [{}] });
    return async () => (await client.workflow.getHandle(workflowId).describe()).status.name;
  };

  // Attempt: messages and the terminal.
  test('doctor says what is away and that the run is open, and terminate ends runs and sweeps', async () => {
    const state = await started('evolutionRun', 'run/orphan');
    const sweepState = await started('sweep', 'sweep/orphans');
    const parts = openParts(place);
    // Each of them waits for the database.
    const [{ findings }, endedSweep] = await Promise.all([
      diagnose(parts, 'orphan'),
      terminate(place, { kind: 'sweep', name: 'orphans' }),
      expect(terminate(place, { kind: 'run', name: 'latest' })).rejects.toThrow('name the run'),
    ]);
    await parts.close();
    expect(endedSweep).toMatchObject({ workflowId: 'sweep/orphans' });
    expect(await sweepState()).toBe('TERMINATED');
    expect(findings.map(({ about, ok }) => [about, ok])).toEqual([
      ['database', false],
      ['workflow', false],
    ]);
    expect(findings[1]?.command).toContain('npx evolve terminate orphan');
    const ended = await terminate(place, { kind: 'run', name: 'orphan', reason: 'a test' });
    expect(ended).toMatchObject({ name: 'orphan', workflowId: 'run/orphan' });
    expect(ended.unmarked).toContain('the database (secantusdb) does not answer');
    expect(await state()).toBe('TERMINATED');
    await expect(terminate(place, { kind: 'run', name: 'orphan' })).rejects.toThrow('nothing to terminate');
  });
});
