// `npm run check`: types, lint, format, import directions, dead code and the rules of `npm run house`, one after the
// other. The first that finds a fault ends it.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { house, ROOMS } from './house.mjs';
import { ensureInstalled, ROOT } from './install.mjs';

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
  ['links of the docs', '../deploy/site/links.mjs'],
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

const started = Date.now();
const { faults } = house(node);
if (faults.length > 0) {
  console.error([...faults, 'check: house found a fault'].join('\n'));
  process.exit(1);
}
console.log(`check: house is in order (${((Date.now() - started) / 1000).toFixed(1)} s)`);
