// The control groups that sandboxes of a home made (activities/sandbox/launchers/cgroup-slots.ts). A worker that was
// killed leaves its own, and they go on holding memory of the kernel.
import { readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';

const CGROUPS = '/sys/fs/cgroup';

/** By cgroupfs, and by systemd, in whose names dashes mean nesting. */
export const isGroupOf = (homeHash: string, name: string): boolean =>
  new RegExp(`^(evolve-${homeHash}-[0-9a-f]{8}|evolve${homeHash}[0-9a-f]{8}\\.slice)$`).test(name);

/** Links between the trees of v1 are not followed. */
const foldersIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
};

/** The innermost first. One that holds a process, or that this user may not remove, stays. */
const remove = (folder: string): void => {
  for (const inner of foldersIn(folder)) remove(inner);
  try {
    rmdirSync(folder);
  } catch {
    /* it is counted as left */
  }
};

/** The groups of the home, in v2 in one tree and in v1 in one for each resource: those that were removed, and the others. */
export const removeControlGroups = (
  homeHash: string,
  root = CGROUPS,
): { readonly removed: number; readonly left: readonly string[] } => {
  const found = [root, ...foldersIn(root)].flatMap((tree) =>
    foldersIn(tree).filter((folder) => isGroupOf(homeHash, folder.slice(tree.length + 1))),
  );
  for (const folder of found) remove(folder);
  const left = [root, ...foldersIn(root)].flatMap(foldersIn).filter((folder) => found.includes(folder));
  return { removed: found.length - left.length, left };
};
