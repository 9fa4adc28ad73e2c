// `npm run audit`: asks for known vulnerabilities of what is locked, npm packages at the npm registry and Python packages at
// osv.dev. It is not part of the tests, because its answer changes from day to day. Ends with 0 where everything was
// asked and nothing found, 1 where something was found, 3 where a registry gave no answer and nothing was found.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const FOUND = 1;
const NOT_ASKED = 3;
const TIMEOUT_MS = 60_000;
const OSV = process.env.EVOLVE_OSV_URL || 'https://api.osv.dev/v1/querybatch';

/** Characters of an answer that could act on a terminal. */
const plain = (text) => text.replace(/[^\P{Cc}\n]|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}/gu, '?').slice(0, 300);

const notAsked = (what, why) => {
  console.log(`${what}: not asked: ${plain(why)}. Ask where that registry can be reached.`);
  return NOT_ASKED;
};

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const auditNpm = () => {
  const npm = process.env.npm_execpath;
  const [file, first] = npm?.endsWith('npm-cli.js') ? [process.execPath, [npm]] : ['npm', []];
  const { stdout, error } = spawnSync(file, [...first, 'audit', '--json', '--package-lock-only'], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
  const answer = parsed(stdout ?? '');
  const total = answer?.metadata?.vulnerabilities?.total;
  if (typeof total !== 'number') return notAsked('npm packages', answer?.message ?? error?.message ?? 'no answer');
  const all = answer.metadata.dependencies?.total ?? 'all';
  if (total === 0) {
    console.log(`npm packages: no known vulnerability in ${all} packages`);
    return 0;
  }
  for (const { name, severity, range } of Object.values(answer.vulnerabilities ?? {}))
    console.log(`npm packages: ${plain(`${name} ${range}: ${severity}`)}; \`npm audit\` says more`);
  return FOUND;
};

/** Name and version of every package of the lists that are locked by hash. */
const pythonPackages = () => {
  const lists = ['deploy/requirements', 'deploy/images/evaluator'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((file) => file.endsWith('.txt'))
      .map((file) => join(ROOT, folder, file)),
  );
  const pins = lists.flatMap((file) => [
    ...readFileSync(file, 'utf8').matchAll(/^([A-Za-z0-9][\w.-]*)==([^\s\\;]+)/gm),
  ]);
  return [...new Set(pins.map(([, name, version]) => `${name} ${version}`))].map((pin) => pin.split(' '));
};

const auditPython = async () => {
  const packages = pythonPackages();
  const queries = packages.map(([name, version]) => ({ package: { name, ecosystem: 'PyPI' }, version }));
  let results;
  try {
    const answer = await fetch(OSV, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ queries }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!answer.ok) return notAsked('Python packages', `osv.dev answered ${answer.status}`);
    ({ results } = await answer.json());
  } catch (error) {
    return notAsked('Python packages', `osv.dev: ${error.cause?.code ?? error.message}`);
  }
  if (!Array.isArray(results) || results.length !== packages.length)
    return notAsked('Python packages', 'osv.dev gave an answer of another form');
  const found = packages.flatMap(([name, version], index) =>
    (results[index]?.vulns ?? []).map(({ id }) => `${name} ${version}: ${plain(String(id))}`),
  );
  for (const one of found) console.log(`Python packages: ${one} (https://osv.dev)`);
  if (found.length === 0) console.log(`Python packages: no known vulnerability in ${packages.length} packages`);
  return found.length === 0 ? 0 : FOUND;
};

const codes = [auditNpm(), await auditPython()];
process.exitCode = codes.includes(FOUND) ? FOUND : Math.max(...codes);
