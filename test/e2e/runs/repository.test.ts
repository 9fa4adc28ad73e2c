// A repository of six files, of which two may change, from the command line to a patch: its tests are the gate, and the
// winner's patch applies to the repository, whose tests pass then.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { sharedHome } from '../../support/machine/live.ts';
import { CHANGE, writeRepository } from '../../support/worlds/repository.ts';

const live = sharedHome();
const root = mkdtempSync(join(tmpdir(), 'evolve-repository-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

it('searches a repository, and its winner is a patch', async () => {
  const folder = writeRepository(join(root, 'line'));
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
  git('init', '-q');
  git('add', '-A');
  const size = '--run repository --seed 5 --steps 3 --batch 2 --responses 3 --seconds 20 --yes'.split(' ');
  const flags = CHANGE.flatMap((glob) => ['--change', glob]);
  const run = await live.home.evolve(['run', folder, ...flags, ...size]);
  expect(run.code, run.stdout + run.stderr).toBe(0);
  expect(run.stderr).toContain('May change: kit/constants.py, kit/line.py, and pytest -q is run before it is scored.');
  expect(run.stderr).toMatch(/The initial program has score \d/);

  const { best, results } = await live.engine.document('repository');
  expect(best!.step).toBeGreaterThan(0);
  const { stages } = await live.home.json(['show', best!.program]);
  expect(stages).toMatchObject([{ name: 'tests', passed: true }, { name: 'whole' }]);
  expect(existsSync(join(results!.directory, 'best', 'kit', 'line.py'))).toBe(true);

  const { stdout: patch } = await live.home.evolve(['best', 'repository', '--patch']);
  expect(readFileSync(join(results!.directory, 'best.patch'), 'utf8')).toBe(patch);
  expect(await live.home.json(['best', 'repository', '--patch'])).toMatchObject({ program: best!.program, patch });
  execFileSync('git', ['apply', '-'], { cwd: folder, input: patch });
  expect(
    git('diff', '--name-only')
      .trim()
      .split('\n')
      .every((path) => CHANGE.includes(path)),
  ).toBe(true);
  for (const path of git('diff', '--name-only').trim().split('\n'))
    expect(readFileSync(join(folder, path), 'utf8')).toBe(readFileSync(join(results!.directory, 'best', path), 'utf8'));
  execFileSync('python3', ['-m', 'pytest', '-q'], { cwd: folder });
  expect(
    Number(execFileSync('python3', ['-c', 'import evaluator; print(evaluator.evaluate(""))'], { cwd: folder })),
  ).toBe(best!.score);

  // The files are the run's for good; the winner is the same after an export, an import and a step made again.
  const file = join(folder, 'task.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('  - kit/line.py', '  - kit/line.py\n  - kit/points.py'));
  const update = await live.home.evolve(['task', 'update', 'repository']);
  expect(update.code, update.stdout).toBe(2);
  expect(update.stderr).toContain(
    'expected files as before (kit/constants.py, kit/line.py), got kit/constants.py, kit/line.py, kit/points.py',
  );
  await live.must('export', 'repository', '--to', join(root, 'export'));
  await live.must('prune', 'repository', '--yes');
  await live.must('import', join(root, 'export'));
  await live.must('rewind', 'repository', '--to-step', '3');
  expect(await live.engine.ended('repository')).toMatchObject({ committedStep: 3, best });
  expect(await live.must('best', 'repository', '--patch')).toBe(patch);

  const check = await live.home.json(['task', 'check', folder]);
  expect(check.findings).toContainEqual(
    expect.objectContaining({ check: 'stages: the tests need the program', ok: true }),
  );
}, 600_000);
