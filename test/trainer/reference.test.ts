// The reference trainer and its server, by Python's own tests, in the environment that `npm test` prepares.
import { expect, it } from 'vitest';
import { runCommand } from '../../deploy/host/run-command.ts';
import { TRAINER_ENV, TRAINER_PYTHON } from '../support/machine/trainer-python.ts';

it.skipIf(TRAINER_PYTHON === null)('Learning 1, 2, 5, 7: the reference trainer keeps its laws', async () => {
  const { ok, stdout, error } = await runCommand(
    TRAINER_PYTHON ?? '',
    ['-m', 'unittest', 'discover', '-s', import.meta.dirname, '-p', 'test_reference*.py'],
    { env: { ...TRAINER_ENV }, timeoutMs: 800_000 },
  );
  expect(ok, `${error}\n${stdout}`).toBe(true);
});
