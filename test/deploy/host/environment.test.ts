import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveHome } from '../../../deploy/host/home.ts';
import {
  databaseEnvironment,
  mainWorkerEnvironment,
  sandboxWorkerEnvironment,
  stackChildren,
} from '../../../deploy/supervisor/children.ts';
import { learningChildren } from '../../../deploy/supervisor/learning-children.ts';
import type { Parts } from '../../../deploy/supervisor/plan.ts';
import { scratchDirectory, scratchHome } from '../scratch.ts';

const home = resolveHome({ EVOLVE_HOME: '/tmp/somewhere' });
const parts: Parts = {
  temporal: { address: '127.0.0.1:7233', namespace: 'default', ui: 'http://127.0.0.1:8233', external: false },
  database: { uri: 'mongodb://127.0.0.1:27017/', kind: 'secantusdb', version: '0.7.0b3', external: false },
  docker: { host: 'unix:///var/run/docker.sock', kind: 'running', level: 'docker' },
  image: { id: 'sha256:1' },
};
const trainer = { url: 'http://127.0.0.1:8766/v1' };
const python = {
  python: '/venv/bin/python',
  interpreter: '/usr/bin/python3',
  version: '3.11',
  torch: '2.0',
  torchFile: '/torch',
  how: 'here',
};
const shell = {
  TINKER_API_KEY: 'secret',
  HOME: '/root',
  PATH: '/mine',
  OPENAI_API_KEY: 'secret',
  OPENAI_BASE_URL: 'http://x',
  DOCKER_HOST: 'unix:///x',
  TEMPORAL_API_KEY: 'secret',
  AWS_SECRET: 'secret',
  EVOLVE_DB_SLOTS: '4',
};

describe('environments of processes', () => {
  const main = mainWorkerEnvironment(home, parts, '/bundle.js', shell);
  const sandbox = sandboxWorkerEnvironment(home, parts, shell);
  const database = databaseEnvironment(home, parts, shell);
  const learning = (reference: boolean) =>
    learningChildren({ home, parts: { ...parts, trainer }, python, reference, env: shell });

  it('hold no key of the person who started them', () => {
    for (const environment of [main, sandbox, database, ...learning(true).map(({ env }) => env)])
      expect(JSON.stringify(environment)).not.toMatch(/secret|OPENAI|AWS/);
  });

  it('give the Docker engine and the image to the sandbox worker alone', () => {
    expect(sandbox).toMatchObject({
      DOCKER_HOST: 'unix:///var/run/docker.sock',
      EVOLVE_IMAGE: 'sha256:1',
      EVOLVE_SANDBOX: 'docker',
    });
    for (const environment of [main, database]) expect(Object.keys(environment)).not.toContain('DOCKER_HOST');
    for (const environment of [main, database]) expect(Object.keys(environment)).not.toContain('EVOLVE_IMAGE');
  });

  it('tell workers where everything is', () => {
    expect(main).toMatchObject({
      EVOLVE_HOME: home.root,
      MONGODB_URI: parts.database.uri,
      TEMPORAL_ADDRESS: '127.0.0.1:7233',
      EVOLVE_BUNDLE: '/bundle.js',
      EVOLVE_DB_SLOTS: '4',
    });
  });

  it('know the same authorities as the shell, wherever a server or an endpoint is asked', () => {
    const authorities = { NODE_EXTRA_CA_CERTS: '/ca.pem', SSL_CERT_FILE: '/ca.pem', NODE_USE_SYSTEM_CA: '1' };
    const env = { ...shell, ...authorities, HTTPS_PROXY: 'http://user:word@proxy' };
    expect(mainWorkerEnvironment(home, parts, '/bundle.js', env)).toMatchObject(authorities);
    expect(sandboxWorkerEnvironment(home, parts, env)).toMatchObject(authorities);
    expect(Object.keys(sandboxWorkerEnvironment(home, parts, env))).not.toContain('HTTPS_PROXY');
  });

  it('give the trainer and its worker policies and one thread, and no engine of containers', () => {
    expect(learning(true).map(({ name }) => name)).toEqual(['trainer', 'learner']);
    // Trainers elsewhere need the worker alone.
    expect(learning(false).map(({ name }) => name)).toEqual(['learner']);
    for (const { env, file, role } of learning(true)) {
      expect(file).toBe('/venv/bin/python');
      expect(env).toMatchObject({
        EVOLVE_TRAINER_URL: trainer.url,
        EVOLVE_POLICIES: `${home.root}/policies`,
        MONGODB_URI: parts.database.uri,
        OMP_NUM_THREADS: '1',
      });
      expect(Object.keys(env)).not.toContain('DOCKER_HOST');
      expect(role).toMatch(/^[0-9a-f]{16}$/);
    }
  });

  it('give the learner what is asked of its metrics and its log', () => {
    const env = { ...shell, EVOLVE_LOG: 'json', EVOLVE_METRICS: 'off', EVOLVE_TRACES: 'on' };
    const [, learner] = learningChildren({ home, parts: { ...parts, trainer }, python, reference: true, env });
    expect(learner!.env).toMatchObject({ EVOLVE_LOG: 'json', EVOLVE_METRICS: 'off' });
  });

  it('do not depend on the PATH of the shell', () => {
    expect(mainWorkerEnvironment(home, parts, '/bundle.js', { ...shell, PATH: '/other' })).toEqual(main);
  });

  it('pass the profile of an external server on', () => {
    const external = { ...parts, temporal: { ...parts.temporal, external: true } };
    const environment = mainWorkerEnvironment(home, external, '/bundle.js', {
      ...shell,
      TEMPORAL_ADDRESS: 'cloud:7233',
      TEMPORAL_CLI_PATH: '/cli',
    });
    expect(environment).toMatchObject({ TEMPORAL_ADDRESS: 'cloud:7233', TEMPORAL_API_KEY: 'secret' });
    expect(Object.keys(environment)).not.toContain('TEMPORAL_CLI_PATH');
  });
});

it('a file of payload keys that is new or was changed starts those again that read it', () => {
  const own = scratchHome();
  const roles = (env: NodeJS.ProcessEnv = shell) =>
    Object.fromEntries(
      [
        ...stackChildren({
          home: own,
          parts,
          ports: { temporal: 1, ui: 2, metrics: 3, mongo: 4, trainer: 5, page: 6 },
          cli: null,
          database: { kind: 'external', version: null, how: 'MONGODB_URI', uri: parts.database.uri },
          bundle: { path: '/bundle.js', hash: '1' },
          env,
        }),
        ...learningChildren({ home: own, parts: { ...parts, trainer }, python, reference: true, env }),
      ].map(({ name, role }) => [name, role]),
    );
  const before = roles();
  expect(Object.keys(before)).toEqual(['worker', 'sandbox', 'trainer', 'learner']);
  writeFileSync(join(own.root, 'payload-keys'), 'first:1');
  const after = roles();
  const changed = (one: Record<string, string>, other: Record<string, string>) =>
    Object.keys(one).filter((name) => one[name] !== other[name]);
  expect(changed(before, after)).toEqual(['worker', 'sandbox', 'learner']);
  expect(roles()).toEqual(after);

  const EVOLVE_PAYLOAD_KEYS_FILE = join(scratchDirectory(), 'keys');
  writeFileSync(EVOLVE_PAYLOAD_KEYS_FILE, 'first:1');
  const named = roles({ ...shell, EVOLVE_PAYLOAD_KEYS_FILE });
  writeFileSync(EVOLVE_PAYLOAD_KEYS_FILE, 'second:2\nfirst:1');
  expect(changed(named, roles({ ...shell, EVOLVE_PAYLOAD_KEYS_FILE }))).toEqual(['worker', 'sandbox', 'learner']);
});
