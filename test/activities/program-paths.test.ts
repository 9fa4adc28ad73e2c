// Which files a program may add to a repository.
import { expect, test } from 'vitest';
import { fileRules } from '../../activities/program-paths.ts';

const { mayAdd } = fileRules({ add: ['**', 'src', '.*', '**/.*/**'], taken: [] })!;

test.each(['src/new.py', 'src/deep/er/new.py', 'new.rs', 'src/git~.py', `src/${'x'.repeat(196)}`])(
  'a program may add %s',
  (path) => expect(mayAdd(path)).toBe(true),
);

test.each([
  ...['src/.git/config', 'src/.GIT/config', 'src/git~1/config', 'src/Git~2', '.envrc', 'src/.cargo/config.toml'],
  `src/${'x'.repeat(197)}`,
])('no program may add %s', (path) => expect(mayAdd(path)).toBe(false));
