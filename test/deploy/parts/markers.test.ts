import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Home } from '../../../deploy/host/home.ts';
import {
  databaseDirectory,
  readMarker,
  refuseOtherKind,
  writeMarker,
} from '../../../deploy/parts/database/database-marker.ts';
import { ensureDatabase } from '../../../deploy/parts/database/database.ts';
import {
  ensureTemporalCli,
  recordedVersion,
  recordVersion,
  temporalDatabaseOf,
} from '../../../deploy/parts/temporal/temporal-cli.ts';
import { scratchHome } from '../scratch.ts';

const silent = (): void => undefined;

describe('database directory', () => {
  it('is opened by the kind and version that wrote it, and by no other', () => {
    const home = scratchHome();
    const secantus = { kind: 'secantusdb', version: '0.7.0b3' } as const;
    refuseOtherKind(home, secantus);
    writeMarker(home, secantus);
    refuseOtherKind(home, secantus);
    expect(readMarker(home)).toEqual(secantus);
    expect(() => refuseOtherKind(home, { kind: 'mongod', version: '8.0.4' })).toThrow(
      /written by secantusdb 0\.7\.0b3 and would be opened by mongod 8\.0\.4/,
    );
    expect(() => refuseOtherKind(home, { kind: 'secantusdb', version: '0.8.0' })).toThrow(/never opened by another/);
  });

  it('lets a patch release of mongod open it', () => {
    const home = scratchHome();
    writeMarker(home, { kind: 'mongod', version: '8.0.4' });
    refuseOtherKind(home, { kind: 'mongod', version: '8.0.9' });
    expect(() => refuseOtherKind(home, { kind: 'mongod', version: '7.0.9' })).toThrow(/mongod 8\.0\.4/);
  });

  it('of unknown origin is refused', () => {
    const home = scratchHome();
    mkdirSync(databaseDirectory(home), { recursive: true });
    expect(readMarker(home)).toBeNull();
    writeFileSync(join(databaseDirectory(home), 'WiredTiger.wt'), '');
    expect(() => readMarker(home)).toThrow(/which server wrote it/);
  });

  it('is left alone when MONGODB_URI names a database', async () => {
    const home = scratchHome();
    writeMarker(home, { kind: 'mongod', version: '8.0.4' });
    const found = await ensureDatabase(
      { home, say: silent, dockerHost: null },
      { MONGODB_URI: 'mongodb://db.example:27017/' },
    );
    expect(found).toMatchObject({ kind: 'external', uri: 'mongodb://db.example:27017/' });
    await expect(
      ensureDatabase({ home, say: silent, dockerHost: null }, { MONGODB_URI: 'localhost:27017' }),
    ).rejects.toThrow(/MONGODB_URI: expected/);
  });

  it('names what is tried when a demanded kind is absent', async () => {
    const search = { home: scratchHome(), say: silent, dockerHost: null };
    await expect(ensureDatabase(search, { EVOLVE_DATABASE: 'docker' })).rejects.toThrow(
      /no Docker engine for mongo:8.*Set MONGODB_URI/,
    );
    await expect(ensureDatabase(search, { EVOLVE_DATABASE: 'oracle' })).rejects.toThrow(
      /expected one of mongod, docker, secantusdb/,
    );
  });
});

const fakeCli = (home: Home, version: string): string => {
  const file = join(home.root, `temporal-${version}`);
  writeFileSync(file, `#!/bin/sh\necho "temporal version ${version} (Server 1.32.0, UI 2.54.1)"\n`);
  chmodSync(file, 0o755);
  return file;
};

describe('Temporal CLI', () => {
  it('may be of any version while there is no data', async () => {
    const home = scratchHome();
    expect(await ensureTemporalCli(home, silent, { TEMPORAL_CLI_PATH: fakeCli(home, '1.8.0') })).toMatchObject({
      version: '1.8.0',
      how: 'TEMPORAL_CLI_PATH',
    });
  });

  it('must be of the version that wrote the data', async () => {
    const home = scratchHome();
    recordVersion(home, '1.9.1');
    writeFileSync(temporalDatabaseOf(home), '');
    expect(recordedVersion(home)).toBe('1.9.1');
    await expect(ensureTemporalCli(home, silent, { TEMPORAL_CLI_PATH: fakeCli(home, '1.8.0') })).rejects.toThrow(
      /is Temporal CLI 1\.8\.0.*written by 1\.9\.1.*do not move between versions/,
    );
    expect(await ensureTemporalCli(home, silent, { TEMPORAL_CLI_PATH: fakeCli(home, '1.9.1') })).toMatchObject({
      version: '1.9.1',
    });
  });

  it('named by the setting must run', async () => {
    await expect(ensureTemporalCli(scratchHome(), silent, { TEMPORAL_CLI_PATH: '/nowhere/temporal' })).rejects.toThrow(
      /TEMPORAL_CLI_PATH=\/nowhere\/temporal does not run/,
    );
  });
});
