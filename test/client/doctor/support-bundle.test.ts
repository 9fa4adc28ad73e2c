// A support bundle of a home with secrets in all its places, whose parts are down: it is written, says what it could not
// gather, and holds none of the secrets in any form.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { writeSupportBundle } from '../../../client/doctor/support-bundle/bundle.ts';
import { ofRun } from '../../../client/doctor/support-bundle/sections.ts';
import { redactorOf } from '../../../client/doctor/support-bundle/secrets.ts';
import { resolveHome } from '../../../deploy/host/home.ts';
import { storeOver } from '../../../activities/store/open-store.ts';
import { commitOf, newRun } from '../../activities/store/fixtures.ts';
import { memoryCollections } from '../../doubles/memory-store.ts';

const root = mkdtempSync(join(tmpdir(), 'evolve-support-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Secrets that look like nothing in particular; each is told apart. */
const planted = (name: string): string =>
  createHash('sha256').update(`planted ${name}`).digest('base64url').slice(0, 30);
const SECRETS = {
  model: `sk-${planted('model')}`,
  header: planted('header'),
  temporal: planted('temporal'),
  uri: `p$1&"${planted('uri')}`,
  certificate: planted('certificate'),
  payload: Buffer.from(planted('payload').padEnd(32).slice(0, 32)).toString('base64'),
  retired: Buffer.from(planted('retired').padEnd(32).slice(0, 32)).toString('base64'),
  database: createHash('sha256').update('database').digest('hex'),
  draws: createHash('sha256').update('draws').digest('hex'),
  hook: planted('hook'),
  signature: Buffer.from(planted('signature')).toString('base64'),
  short: 'hunter-2',
  // Begins as a path does.
  shared: `/${Buffer.from(planted('shared')).toString('base64').slice(1)}`,
  profile: planted('profile'),
  cluster: planted('cluster'),
  query: planted('query'),
} as const;

const write = (name: string, content: unknown): void =>
  writeFileSync(join(root, name), typeof content === 'string' ? content : JSON.stringify(content));

/** The files of an archive as tar reads them. */
const unpacked = (file: string): Readonly<Record<string, string>> => {
  const bytes = gunzipSync(readFileSync(file));
  const files: Record<string, string> = {};
  for (let at = 0; bytes[at] !== 0;) {
    const name = bytes
      .subarray(at, at + 100)
      .toString('latin1')
      .replace(/\0+$/, '');
    const size = Number.parseInt(bytes.subarray(at + 124, at + 135).toString('latin1'), 8);
    const header = Buffer.from(bytes.subarray(at, at + 512)).fill(' ', 148, 156);
    expect(Number.parseInt(bytes.subarray(at + 148, at + 154).toString('latin1'), 8)).toBe(
      header.reduce((sum, byte) => sum + byte, 0),
    );
    files[name] = bytes.subarray(at + 512, at + 512 + size).toString('utf8');
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
};

// Attempt: files, settings and the machine.
it('knows the secrets of the files that an environment names, in every form that these files have', () => {
  const secret = (name: string): string => planted(`file ${name}`);
  const file = (name: string, text: string): string => {
    write(name, text);
    return join(root, name);
  };
  mkdirSync(join(root, 'config', 'temporalio'), { recursive: true });
  const pem = `-----BEGIN PRIVATE KEY-----\n${secret('pem 1')}\n${secret('pem 2')}\n-----END PRIVATE KEY-----`;
  file('config/temporalio/temporal.toml', `[profile.default]\napi_key = "${secret('default')}"  # of the team\n`);
  const named = file(
    'named.toml',
    `[profile.lab]\ntls = { client_key_data = """${pem}""" }\n[profile.lab.grpc_meta]\nauthorization = "Bearer ${secret('meta')}"\nx-lab-token = '${secret('own')}'\n`,
  );
  const cluster = { users: [{ name: 'me', user: { token: secret('json'), password: secret('basic') } }] };
  const environments = [
    {
      XDG_CONFIG_HOME: join(root, 'config'),
      MONGODB_URI_FILE: file('uri', `mongodb://evolve:${secret('uri')}@db.example/evolve?authSource=admin\n`),
      EVOLVE_K8S_KUBECONFIG: file('kubeconfig.json', JSON.stringify(cluster)),
    },
    { TEMPORAL_CONFIG_FILE: named },
  ];
  const names = ['pem 1', 'pem 2', 'default', 'meta', 'own', 'json', 'basic', 'uri'];
  const text = names.map((name) => `${name}: ${secret(name)}`).join('\n');
  const redacted = environments.reduce(
    (left, env) => redactorOf({ home: resolveHome({ EVOLVE_HOME: root }), env }, [])(left),
    text,
  );
  expect(redacted).toBe(names.map((name) => `${name}: [key removed]`).join('\n'));
});

// Attempt: files, settings and the machine.
it('has words of models and lines of programs only where it is asked for code', async () => {
  const store = storeOver(memoryCollections());
  await store.createRun(newRun('r'));
  const commit = commitOf('r', 0, await store.openStep('r', 0, 'w'));
  const word = (name: string): string => `word-of-the-${name}`;
  const [first, ...others] = commit.programs;
  const change = {
    label: 'improved',
    status: 'full',
    summary: { from: word('answer'), to: word('answer') },
    plan: [{ component: 'c', oldLogic: 'o', newLogic: word('answer'), hypothesis: 'h' }],
    repair: { outcome: 'failed', reason: word('endpoint') },
  } as const;
  const told = { ...first!, change, reasons: [`does not compile: ${word('program')} = (`] };
  const edits = [{ block: 1, reason: `\`import ${word('program')}\` does not say which names it brings` }];
  await store.commit({ ...commit, programs: [{ ...told, edits }, ...others] });
  const run = (await store.readRun('r'))!;
  const of = async (code: boolean): Promise<any> => {
    const text = JSON.stringify(await ofRun(store, run, code));
    expect(text.includes('word-of-the'), `code: ${code}`).toBe(code);
    return JSON.parse(text)['run/programs.json'];
  };
  await of(true);
  expect(await of(false)).toContainEqual(
    expect.objectContaining({
      ...{ _id: first!._id, reasons: ['does not compile'], edits: [{ block: 1, reason: '' }] },
      change: { label: 'improved', status: 'full', plan: 1, repair: 'failed' },
    }),
  );
});

// Attempt: files, settings and the machine.
it('holds what a report needs and none of the secrets that were planted', async () => {
  const uri = `mongodb://evolve:${encodeURIComponent(SECRETS.uri)}@db.example:27017/?tls=true&tlsCertificateKeyFilePassword=${SECRETS.certificate}`;
  const env = {
    EVOLVE_HOME: root,
    EVOLVE_LOG: 'json',
    OPENAI_API_KEY: SECRETS.model,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${SECRETS.header}`,
    HTTPS_PROXY: `http://me:${SECRETS.short}@proxy.example`,
    EVOLVE_SECRETS_KEY: SECRETS.shared,
    TEMPORAL_CONFIG_FILE: join(root, 'temporal.toml'),
    EVOLVE_K8S_KUBECONFIG: join(root, 'kubeconfig'),
  };
  mkdirSync(join(root, 'logs'));
  write('keys.json', { 'https://api.example/v1': SECRETS.model });
  write('database-password', `${SECRETS.database}\n`);
  write('payload-keys', `new:${SECRETS.payload}\nold:${SECRETS.retired}\n`);
  write('secret', SECRETS.draws);
  write('temporal.toml', `[profile.lab]\naddress = "lab.example:7233"\napi_key = "${SECRETS.profile}"\n`);
  write('kubeconfig', `users:\n- name: me\n  user:\n    token: ${SECRETS.cluster}\n`);
  write('notify.json', {
    webhook: { url: `https://hooks.example/${SECRETS.hook}?key=${SECRETS.query}`, secret: SECRETS.signature },
  });
  const child = {
    ...{ name: 'worker', stage: 1, file: 'node', args: [], cwd: '/', port: null, log: 'l', stopTimeoutMs: 1 },
    env: { MONGODB_URI: uri, TEMPORAL_API_KEY: SECRETS.temporal, EVOLVE_PAYLOAD_KEYS: `new:${SECRETS.payload}` },
  };
  write('plan.json', { id: 'x', children: [child], parts: {}, dockerRegister: null });
  const everything = Object.entries(SECRETS).flatMap(([name, secret]) => [
    `${name} is ${secret} here`,
    `${name} ${JSON.stringify({ secret })} ${encodeURIComponent(secret)}`,
    ...(secret.length > 8 ? [`${name} ${Buffer.from(secret).toString('base64')}`] : []),
  ]);
  const [old, address] = ['a1b2c3d4e5f6a7b8c9d0', 'https://old.example/v1?v=1&k='];
  write(
    'logs/worker.log',
    `a line\n${everything.join('\n')}\n${uri}\n${JSON.stringify({ baseUrl: `${address}${old}` })}\nthe last line\n`,
  );
  const to = join(root, 'bundle.tar.gz');
  const place = { home: resolveHome(env), env };
  const bundle = await writeSupportBundle(place, { to, run: null, code: true, now: new Date('2026-11-23T12:00:00Z') });
  expect(statSync(to).mode & 0o077).toBe(0);
  expect(Object.keys(bundle.left)).toEqual(['installation']);
  const files = unpacked(to);
  expect(Object.keys(files).map((name) => name.replace('evolve-support/', ''))).toEqual(bundle.files);
  const text = Object.values(files).join('\n');
  for (const [name, secret] of Object.entries(SECRETS))
    for (const form of [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    ])
      expect(text.includes(form), `${name} as ${form}`).toBe(false);
  expect(text).toContain(`${address}***`);
  expect(text.includes(old), 'a key in the address of an old run').toBe(false);
  // Whole letters of a secret in another form would be found here, too.
  const letters = text.replace(/[^A-Za-z0-9]/g, '');
  for (const [name, secret] of Object.entries(SECRETS))
    if (secret.length > 12) expect(letters.includes(secret.replace(/[^A-Za-z0-9]/g, '')), name).toBe(false);
  expect(files['evolve-support/logs/worker.log']).toMatch(
    /^a line\nmodel is \[key removed\] here\n[^]*\nthe last line\n$/,
  );
  expect(JSON.parse(files['evolve-support/plan.json']!)).toMatchObject([
    { name: 'worker', env: { MONGODB_URI: '(set)', TEMPORAL_API_KEY: '(set)', EVOLVE_PAYLOAD_KEYS: '(set)' } },
  ]);
  expect(JSON.parse(files['evolve-support/environment.json']!)).toMatchObject({ EVOLVE_LOG: 'json' });
  const findings = JSON.parse(files['evolve-support/doctor.json']!) as { part: string }[];
  expect(findings.map(({ part }) => part)).toContain('disk');
  await expect(writeSupportBundle(place, { to, run: null, code: false, now: new Date() })).rejects.toThrow(
    `--to: expected a file that is not there yet, got ${to}`,
  );
});
