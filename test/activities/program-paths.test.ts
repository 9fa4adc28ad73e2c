// Which files a program may add to a repository.
import { expect, test } from 'vitest';
import { fileRules } from '../../activities/program-paths.ts';

const { mayAdd } = fileRules({
  add: ['**', 'src', '.*', '**/.*/**'],
  taken: [
    'helpers.py',
    'kit/points.py',
    'kit/sub/a.rs',
    'order.rs',
    'order/fast.rs',
    'pack/__init__.py',
    'data',
    'LICENSE',
  ],
})!;

test.each([
  'src/new.py',
  'src/deep/er/new.py',
  'new.rs',
  'src/git~.py',
  'kit/more.py',
  'kit/__init__.py',
  'kit/setup.py',
  'order/new.rs',
  'helpers/deep.py',
  'src/helpers.py',
  'mytests.py',
  `src/${'x'.repeat(196)}`,
])('a program may add %s', (path) => expect(mayAdd(path)).toBe(true));

test.each([
  ...['src/.git/config', 'src/.GIT/config', 'src/git~1/config', 'src/Git~2', '.envrc', 'src/.cargo/config.toml'],
  `src/${'x'.repeat(197)}`,
  // What decides how tests, Python and builds begin.
  ...[
    'conftest.py',
    'kit/conftest/__init__.py',
    'sitecustomize.py',
    'sitecustomize/__init__.py',
    'kit/usercustomize.pyc',
  ],
  ...['pytest.py', 'pytest/__init__.py', '_pytest/runner.py', 'pytest.ini', 'kit/pytest.toml', 'a.pth', 'kit/_fast.so'],
  ...[
    'setup.py',
    'setup.cfg',
    'tox.ini',
    'pyproject.toml',
    'Makefile',
    'sub/GNUmakefile',
    'sub/build.rs',
    'tests/x.py',
    ...['kit-1.dist-info/entry_points.txt', 'src/kit.egg-info/x', 'sub/Cargo.toml', 'go.work', 'CMakeLists.txt'],
    ...['sub/package.json', 'vitest.config.ts', 'src/jest.config.cjs'],
  ],
  // What would stand in place of a file that stays, or be imported before it.
  ...['helpers.py', 'helpers/__init__.py', 'helpers.pyi', 'helpers', 'kit/points/__init__.py', 'kit.py', 'kit/sub.rs'],
  ...[
    'pack.py',
    'pack/__init__.pyc',
    'order/__init__.py',
    'helpers.py/x',
    'data/x.csv',
    'LICENSE/x',
    'LICENSE.py',
    'kit',
  ],
])('no program may add %s', (path) => expect(mayAdd(path)).toBe(false));
