// `evolve down` leaves no control group of its home, also of runs that crashed, and touches none of others.
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeControlGroups } from '../../../deploy/parts/docker/control-groups.ts';
import { scratchDirectory } from '../scratch.ts';

const OWN = 'aaaaaaaaaaaa';
const OTHER = 'bbbbbbbbbbbb';

/** Empty folders stand for groups, which hold nothing that could be removed but other groups. */
const tree = (...folders: readonly string[]) => {
  const root = scratchDirectory();
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true });
  return root;
};

test.each([
  ['v1', ['memory/', 'cpu,cpuacct/', 'unified/']],
  ['v2', ['']],
])('groups of this home go, with those in them, and others stay: %s', (version, trees) => {
  const own = trees.flatMap((at) => [
    `${at}evolve-${OWN}-01234567/slot0/container`,
    `${at}evolve-${OWN}-89abcdef`,
    `${at}evolve${OWN}01234567.slice/evolve${OWN}01234567-slot0.slice`,
  ]);
  const others = trees.flatMap((at) => [
    `${at}evolve-${OTHER}-01234567/slot0`,
    `${at}evolve-${OWN}`,
    `${at}evolve-${OWN}-notours`,
    `${at}evolve${OWN}01234567`,
    `${at}docker/evolve-${OWN}-01234567x`,
  ]);
  const root = tree(...own, ...others);
  if (version === 'v1') symlinkSync('cpu,cpuacct', join(root, 'cpu'));
  expect(removeControlGroups(OWN, root)).toEqual({ removed: 3 * trees.length, left: [] });
  for (const folder of own) expect(existsSync(join(root, folder))).toBe(false);
  for (const folder of others) expect(existsSync(join(root, folder))).toBe(true);
});

test('one that cannot be removed is named, and a machine without any has none', () => {
  const root = tree(`memory/evolve-${OWN}-01234567/slot0`);
  // Stands for a process in it.
  symlinkSync('/nowhere', join(root, `memory/evolve-${OWN}-01234567/tasks`));
  expect(removeControlGroups(OWN, root)).toEqual({ removed: 0, left: [join(root, `memory/evolve-${OWN}-01234567`)] });
  expect(removeControlGroups(OWN, join(root, 'none'))).toEqual({ removed: 0, left: [] });
});
