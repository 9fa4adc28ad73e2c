import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { writeJsonAtomically } from '../../../deploy/host/files.ts';
import { self } from '../../../deploy/host/process-identity.ts';
import { processesOf, readUp, type UpInfo } from '../../../deploy/supervisor/plan.ts';
import { scratchHome } from '../scratch.ts';
import { upInfo } from '../up-info.ts';

const info = (root: string): UpInfo =>
  upInfo(root, {
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
