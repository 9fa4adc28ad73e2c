// `npm run audit` says what was asked and what was not, and its exit code tells the three cases apart. The registries
// are a server and a stand-in for npm, whose answers were recorded with npm 11.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const AUDIT = join(import.meta.dirname, '..', '..', '..', 'deploy', 'audit.mjs');

type Answers = {
  readonly npm: object;
  readonly osv: (asked: number) => readonly [number, unknown];
};

const audited = async (answers: Answers): Promise<{ readonly code: number; readonly said: string }> => {
  const server = createServer((request, response) => {
    const body: Buffer[] = [];
    request.on('data', (chunk: Buffer) => body.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(body).toString();
      const [status, answer] = answers.osv((JSON.parse(text) as { queries: unknown[] }).queries.length);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const folder = mkdtempSync(join(tmpdir(), 'evolve-audit-'));
  const npm = join(folder, 'npm-cli.js');
  writeFileSync(npm, `console.log(${JSON.stringify(JSON.stringify(answers.npm))})`);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const env = {
    PATH: process.env['PATH'],
    npm_execpath: npm,
    EVOLVE_OSV_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  };
  return new Promise((done) => {
    execFile(process.execPath, [AUDIT], { env }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }),
    );
  });
};

const SILENT = { message: '405 Method Not Allowed - POST https://registry.example/-/npm/v1/security/advisories/bulk' };
const NOTHING: Answers = {
  npm: { vulnerabilities: {}, metadata: { vulnerabilities: { total: 0 }, dependencies: { total: 461 } } },
  osv: (asked) => [200, { results: Array.from({ length: asked }, () => ({})) }],
};

test('nothing known is 0', async () => {
  const { code, said } = await audited(NOTHING);
  expect(said).toMatch(/npm packages: no known vulnerability in 461 packages/);
  expect(said).toMatch(/Python packages: no known vulnerability in \d+ packages/);
  expect(code).toBe(0);
});

test('a registry that does not answer is said, and is 3', async () => {
  const { code, said } = await audited({ npm: SILENT, osv: () => [500, {}] });
  expect(said).toMatch(/npm packages: not asked: 405/);
  expect(said).toMatch(/Python packages: not asked: osv\.dev answered 500/);
  expect(code).toBe(3);
});

test('something found is 1 and named, even where the other registry does not answer', async () => {
  const { code, said } = await audited({
    npm: SILENT,
    osv: (asked) => [
      200,
      {
        results: Array.from({ length: asked }, (_, index) =>
          index === 0 ? { vulns: [{ id: 'GHSA-\x1b[31mx' }] } : {},
        ),
      },
    ],
  });
  expect(said).toMatch(/Python packages: \S+ \S+: GHSA-\?\[31mx/);
  expect(code).toBe(1);
});

test('a vulnerable npm package is named, and is 1', async () => {
  const npm = {
    vulnerabilities: { lodash: { name: 'lodash', severity: 'high', range: '<4.17.21' } },
    metadata: { vulnerabilities: { total: 1 } },
  };
  const { code, said } = await audited({ ...NOTHING, npm });
  expect(said).toContain('npm packages: lodash <4.17.21: high');
  expect(code).toBe(1);
});
