import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { writeJsonAtomically } from '../../deploy/host/files.ts';
import { self } from '../../deploy/host/process-identity.ts';
import { processesOf, readUp, type UpInfo } from '../../deploy/supervisor/plan.ts';
import { scratchHome } from './scratch.ts';

const info = (root: string): UpInfo => ({
  home: root,
  startedAt: '2026-01-01T00:00:00.000Z',
  supervisor: { ...self(), revision: 'r' },
  plan: 'p',
  processes: [
    { name: 'here', ...self(), port: 1, log: 'a.log', role: 'r', healthy: true, restarts: 0 },
    {
      name: 'gone',
      pid: process.pid,
      identity: 'of an earlier boot',
      port: null,
      log: 'b.log',
      role: 'r',
      healthy: true,
      restarts: 0,
    },
  ],
  temporal: { address: '127.0.0.1:1', namespace: 'default', ui: null, external: false },
  database: { uri: 'mongodb://127.0.0.1:2/', kind: 'secantusdb', version: '1', external: false },
  docker: { host: null, kind: 'none' },
  image: { id: null },
  offlineModel: { url: null },
});

describe('up.json', () => {
  it('is read as it was written', () => {
    const home = scratchHome();
    expect(readUp(home)).toBeNull();
    writeJsonAtomically(home.upFile, info(home.root));
    expect(readUp(home)).toEqual(info(home.root));
  });

  it('says of each process whether it lives, by pid and start time', () => {
    const home = scratchHome();
    writeJsonAtomically(home.upFile, info(home.root));
    expect(processesOf(home).map(({ name, alive, healthy }) => [name, alive, healthy])).toEqual([
      ['here', true, true],
      ['gone', false, false],
    ]);
  });

  it.each([
    '',
    '{"processes": [',
    'null',
    '[]',
    '{}',
    '{"processes": {}}',
    '{"processes": [{"name": "x"}], "supervisor": {}}',
  ])('counts as absent when it is %j', (text) => {
    const home = scratchHome();
    const complaints: string[] = [];
    writeFileSync(home.upFile, text);
    expect(readUp(home, (message) => complaints.push(message))).toBeNull();
    expect(complaints.length).toBe(text === 'null' ? 0 : 1);
    expect(processesOf(home)).toEqual([]);
  });
});
