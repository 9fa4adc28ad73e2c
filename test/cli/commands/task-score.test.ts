// A solution in a file is read as strictly as a program's, and before anything starts; a process that was started for it
// never outlives an error.
import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { carryOut } from '../../../cli/program.ts';
import { answersOf } from '../../../deploy/stack/trial.ts';

const child = (script: string) => spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'pipe'] });

test('an error while answers are read ends the process that gives them', async () => {
  const waiting = child('console.log("{}"); setInterval(() => {}, 1000)');
  await expect(
    answersOf(waiting, '{}', () => {
      throw new Error('nobody listens');
    }),
  ).rejects.toThrow('nobody listens');
  expect(waiting.exitCode ?? waiting.signalCode).toBe('SIGKILL');
});

test('an answer that is no JSON ends it too, and one that names an error is thrown', async () => {
  await expect(answersOf(child('console.log("{"); setInterval(() => {}, 1000)'), '{}', () => {})).rejects.toThrow();
  await expect(answersOf(child('console.log(JSON.stringify({ error: "no task" }))'), '{}', () => {})).rejects.toThrow(
    'no task',
  );
  await expect(answersOf(child('console.error("why"); process.exit(3)'), '{}', () => {})).rejects.toThrow(
    /exit code 3: why/,
  );
});

test.each([
  ['nested without end', `${'['.repeat(200_000)}${']'.repeat(200_000)}`, /at most 4 levels of nesting/],
  ['a key twice', '{"circles": [], "circles": []}', /every key once/],
  ['no number of 64 bits', '{"circles": [[1e400, 0, 0]]}', /finite numbers, got 1e400/],
  [
    'an integer that would be rounded',
    '{"circles": [[9007199254740993, 0, 0]]}',
    /at most 2\^53.*got 9007199254740993/,
  ],
  ['longer than an answer may be', JSON.stringify('x'.repeat(5 * 1024 * 1024)), /at most 4194304 bytes, got 5242882/],
])('a file with %s is refused before anything starts', async (_, text, message) => {
  const file = join(mkdtempSync(join(tmpdir(), 'evolve-score-')), 'solution.json');
  writeFileSync(file, text);
  const refused = carryOut(['task', 'score', 'circle-packing-square-26', file]);
  await expect(refused).rejects.toThrow(file);
  await expect(carryOut(['task', 'score', 'circle-packing-square-26', file])).rejects.toThrow(message);
});
