// `npm run check`: types, lint, format, import directions and dead code, one after the other. The first that finds a
// fault ends it.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, ROOT } from './install.mjs';

const ROOMS = ['evolution', 'activities', 'workflows', 'workers', 'client', 'page', 'cli', 'deploy'];
const CHECKS = [
  ['types', 'typescript/bin/tsc', '-p', '.'],
  ['types of the page', 'typescript/bin/tsc', '-p', 'page/view'],
  ['lint', 'oxlint/bin/oxlint', '--type-aware', '--quiet'],
  ['format', 'oxfmt/bin/oxfmt', '--check'],
  [
    'import directions',
    'dependency-cruiser/bin/dependency-cruise.mjs',
    '--config',
    '.dependency-cruiser.cjs',
    ...ROOMS,
  ],
  ['dead code', 'knip/bin/knip.js', '--production'],
];

const node = await ensureInstalled();
for (const [name, file, ...args] of CHECKS) {
  const started = Date.now();
  const { status, stdout, stderr } = spawnSync(node, [join(ROOT, 'node_modules', file), ...args], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) {
    process.stdout.write(stdout);
    process.stderr.write(stderr);
    console.error(`check: ${name} found a fault`);
    process.exit(1);
  }
  console.log(`check: ${name} is in order (${((Date.now() - started) / 1000).toFixed(1)} s)`);
}
