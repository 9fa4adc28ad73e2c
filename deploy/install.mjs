// Installs the npm packages where they are missing or outdated, and names the Node that runs the project. It uses
// built-ins alone and runs on any Node from 18, because it runs before anything is installed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MODULES = join(ROOT, 'node_modules');
/** In an installed package npm has made everything (deploy/pack.mjs). */
const IS_INSTALLED = ROOT.split(sep).includes('node_modules');
const MARKER = join(MODULES, '.evolve-install');
/** From here on Node runs TypeScript without a flag. */
const TYPE_STRIPPING = [22, 18];

const fail = (message) => {
  console.error(`error: ${message}`);
  process.exit(1);
};

const readJson = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
};

const lockHash = () => {
  try {
    return createHash('sha256')
      .update(readFileSync(join(ROOT, 'package-lock.json')))
      .digest('hex');
  } catch {
    return fail(`${join(ROOT, 'package-lock.json')} is missing: the clone is incomplete`);
  }
};

/**
 * True if npm's own record of its packages agrees with the lock file. Then packages that a person installed with
 * `npm ci` are taken as they are.
 */
const matchesRecord = () => {
  const locked = readJson(join(ROOT, 'package-lock.json'))?.packages ?? {};
  const present = readJson(join(MODULES, '.package-lock.json'))?.packages;
  if (!present) return false;
  return Object.entries(locked).every(
    ([path, entry]) => path === '' || entry.optional || present[path]?.version === entry.version,
  );
};

/** Returns null when the packages are those of the lock file, and otherwise why they are not. */
const outdated = (hash) => {
  if (!existsSync(MODULES)) return 'node_modules is missing';
  let marked = null;
  try {
    marked = readFileSync(MARKER, 'utf8').trim();
  } catch {
    /* never installed by us */
  }
  if (marked === hash) return null;
  if (matchesRecord()) {
    try {
      writeFileSync(MARKER, hash);
    } catch {
      // Another user installed them. They are compared again at the next start.
    }
    return null;
  }
  return marked === null ? 'node_modules is not finished' : 'package-lock.json has changed';
};

const alive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

const home = () => resolve((process.env.EVOLVE_HOME || join(ROOT, '.evolve')).replace(/^~(?=\/|$)/, homedir()));

/**
 * Makes one level after the other, because Node's recursive mkdir never returns where the file system takes no
 * directories (/proc).
 */
const makeDirectory = (path, mode = 0o777) => {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
};

/** When a process began, in ticks since the start of the machine: pids are used again. Empty where nothing says it. */
const beganAt = (pid) => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return '';
  }
};

/** The process that holds the lock; null where it is gone, or the file says nothing and is not being written. */
const holderOf = (file) => {
  try {
    const [, pid, began] = /^(\d+) (\d*)$/.exec(readFileSync(file, 'utf8')) ?? [];
    if (pid === undefined) return Date.now() - statSync(file).mtimeMs < 2_000 ? 'unknown' : null;
    return alive(Number(pid)) && beganAt(pid) === began ? pid : null;
  } catch {
    return null;
  }
};

/** The C library that the prebuilt parts need: Node's own, and the client of the workflow engine. */
const OLDEST_GLIBC = [2, 28];

/** Ends where the parts cannot run with the C library of this machine. */
const requireLibc = () => {
  if (process.platform !== 'linux') return;
  process.report.excludeNetwork = true;
  const found = process.report.getReport().header.glibcVersionRuntime;
  const [major, minor] = (found ?? '0.0').split('.').map(Number);
  if (major > OLDEST_GLIBC[0] || (major === OLDEST_GLIBC[0] && minor >= OLDEST_GLIBC[1])) return;
  fail(
    `expected glibc ${OLDEST_GLIBC.join('.')} or newer, got ${found ? `glibc ${found}` : 'another C library (musl, as in Alpine)'}: Node and the client of Temporal are prebuilt for glibc; use a machine or an image with Debian 10, Ubuntu 20.04 or newer (node:24-slim in place of node:24-alpine)`,
  );
};

/** Only one process installs at a time. A second one waits, and then finds the packages there. */
const lock = () => {
  const file = join(home(), 'install.lock');
  try {
    // Keys and passwords are kept there later.
    makeDirectory(home(), 0o700);
  } catch (error) {
    fail(
      `expected a directory that can be written at ${home()} (${error.code}): make it writable, or set EVOLVE_HOME to another directory`,
    );
  }
  for (let isAnnounced = false; ;) {
    try {
      writeFileSync(file, `${process.pid} ${beganAt(process.pid)}`, { flag: 'wx', mode: 0o600 });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST')
        fail(`${file} cannot be written (${error.code}): make ${home()} writable, or set EVOLVE_HOME`);
    }
    const holder = holderOf(file);
    if (holder === null) {
      rmSync(file, { force: true });
      continue;
    }
    if (!isAnnounced) {
      console.log(`packages: waiting for process ${holder}, which installs them`);
      isAnnounced = true;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
  const unlock = () => rmSync(file, { force: true });
  process.once('exit', unlock);
  return unlock;
};

const npmCi = () => {
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund'];
  const npm = process.env.npm_execpath;
  const [file, first] = npm && npm.endsWith('npm-cli.js') ? [process.execPath, [npm]] : ['npm', []];
  return new Promise((resolve) => {
    const child = spawn(file, [...first, ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (chunk) => {
      output = (output + chunk).slice(-20_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) =>
      resolve({ code: -1, output: error.code === 'ENOENT' ? 'npm is not on PATH' : error.message }),
    );
    child.on('close', (code) => resolve({ code, output }));
    for (const name of ['SIGINT', 'SIGTERM'])
      process.once(name, () => {
        child.kill(name);
        process.exit(name === 'SIGINT' ? 130 : 143);
      });
  });
};

const hint = (output) =>
  /ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENETUNREACH|network/.test(output)
    ? 'the npm registry cannot be reached: check the network, the proxy settings, or `npm config get registry`, then run the same command again'
    : /not on PATH/.test(output)
      ? 'install npm (Debian: apt-get install npm)'
      : 'see the output above; `npm ci` by hand shows it again';

const install = async (reason, hash) => {
  requireLibc();
  console.log(`packages: ${reason}: installing with npm ci (about a minute)`);
  const { code, output } = await npmCi();
  if (code !== 0) {
    console.error(output.trim());
    fail(`npm ci failed (code ${code}): ${hint(output)}`);
  }
  writeFileSync(MARKER, hash);
};

/** npm links the commands of dependencies and not those of the project itself, so we link `evolve` for `npx evolve`. */
const linkCommand = () => {
  const link = join(MODULES, '.bin', 'evolve');
  const target = join('..', '..', 'cli', 'evolve.mjs');
  try {
    if (lstatSync(link).isSymbolicLink() && readlinkSync(link) === target) return;
  } catch {
    /* not there */
  }
  try {
    mkdirSync(dirname(link), { recursive: true });
    rmSync(link, { force: true });
    symlinkSync(target, link);
    chmodSync(join(ROOT, 'cli', 'evolve.mjs'), 0o755);
  } catch (error) {
    if (error.code !== 'EEXIST')
      console.error(
        `packages: ${link} cannot be made (${error.code}): use \`node cli/evolve.mjs\` instead of \`npx evolve\``,
      );
  }
};

/** Node runs TypeScript as it is from 22.18 on. */
export const stripsTypes = (version) => {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  return major > TYPE_STRIPPING[0] || (major === TYPE_STRIPPING[0] && minor >= TYPE_STRIPPING[1]);
};

/** The Node of the package `node`, and of the one that an installed package uses, beside which npm puts it. */
const pinnedNodes = () => [
  join(MODULES, 'node'),
  join(dirname(ROOT), `node-${process.platform}-${process.arch}`),
  join(MODULES, `node-${process.platform}-${process.arch}`),
];

/** The Node that runs TypeScript: the one pinned in node_modules, else the present one if it can. */
export const findNode = () => {
  const pinned = pinnedNodes().find(
    (folder) =>
      existsSync(join(folder, 'bin', 'node')) && stripsTypes(readJson(join(folder, 'package.json'))?.version ?? '0.0'),
  );
  if (pinned) return join(pinned, 'bin', 'node');
  if (stripsTypes(process.version)) return process.execPath;
  return fail(
    IS_INSTALLED
      ? `expected the package node-${process.platform}-${process.arch} beside this one, or a Node of at least ${TYPE_STRIPPING.join('.')} on PATH; this is ${process.version}: run \`npm install --include=optional\`, or install a newer Node`
      : `expected Node 24 in node_modules/.bin/node, or a Node of at least ${TYPE_STRIPPING.join('.')} on PATH; this is ${process.version}. ` +
          'npm may have skipped the install script of the package "node": allow it (`npm approve-scripts node`, then `npm rebuild node`), or install a newer Node',
  );
};

/** Installs the packages where needed, and resolves to the path of the Node to use. */
export const ensureInstalled = async () => {
  if (Number(process.versions.node.split('.')[0]) < 18)
    fail(`expected Node 18 or newer, got ${process.version}: install a newer Node`);
  if (IS_INSTALLED) {
    requireLibc();
    return findNode();
  }
  const hash = lockHash();
  if (outdated(hash)) {
    const unlock = lock();
    const reason = outdated(hash);
    if (reason) await install(reason, hash);
    unlock();
  }
  linkCommand();
  return findNode();
};

/**
 * Runs a script on that Node as if it were this process, in the same terminal and with signals passed on. Resolves to
 * its exit code.
 */
export const runScript = (node, script, args, env = {}) =>
  new Promise((resolve) => {
    const child = spawn(node, [join(ROOT, script), ...args], { stdio: 'inherit', env: { ...process.env, ...env } });
    let lastMs = 0;
    const pass = (name) => {
      // A terminal sends Ctrl-C to the whole process group, the child included, and npm passes it on once more.
      if (name === 'SIGINT' && (process.stdin.isTTY || Date.now() - lastMs < 300)) return;
      if (name === 'SIGINT') lastMs = Date.now();
      child.kill(name);
    };
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => pass(name));
    child.on('error', (error) => fail(`${node} does not start: ${error.message}`));
    child.on('close', (code, name) =>
      resolve(code ?? { SIGHUP: 129, SIGINT: 130, SIGKILL: 137, SIGTERM: 143 }[name] ?? 1),
    );
  });
