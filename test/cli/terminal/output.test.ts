import { join } from 'node:path';
import { expect, test } from 'vitest';
import { typedIn } from '../../../cli/terminal/output.ts';
import { PROJECT_ROOT } from '../../../deploy/host/home.ts';

test('commands in a text can be typed where they are read: npx finds the command of this clone in the clone alone', () => {
  const said = 'npx evolve extend a --steps 2, npx evolve down';
  expect(typedIn(join(PROJECT_ROOT, 'tasks'), said)).toBe(said);
  const own = join(PROJECT_ROOT, 'node_modules', '.bin', 'evolve');
  for (const outside of ['/', `${PROJECT_ROOT}-of-somebody`])
    expect(typedIn(outside, said)).toBe(`${own} extend a --steps 2, ${own} down`);
});
