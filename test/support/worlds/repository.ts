// A repository of six files, of which two may change, with its tests: the line that fits some points.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const REPOSITORY: { readonly [path: string]: string } = {
  'kit/__init__.py': '',
  // Without a newline at its end.
  'kit/constants.py': 'SLOPE = 1.25\nOFFSET = 0.5',
  'kit/line.py': 'from kit.constants import OFFSET, SLOPE\n\n\ndef predict(x):\n    return SLOPE * x + OFFSET\n',
  'kit/points.py': 'POINTS = [(x, 3 * x + 2) for x in range(8)]\n',
  'tests/test_line.py':
    'from kit.line import predict\n\n\ndef test_grows():\n    assert predict(2) > predict(1)\n\n\ndef test_finite():\n    assert abs(predict(5)) < 1000\n',
  'evaluator.py':
    '# direction: minimise\n"""Fit a line to points."""\n\n\ndef evaluate(path):\n    from kit.line import predict\n    from kit.points import POINTS\n\n    return sum((predict(x) - y) ** 2 for x, y in POINTS)\n',
};

export const CHANGE = ['kit/constants.py', 'kit/line.py'];

export const REPOSITORY_TASK = `kind: script
direction: minimise
change: [kit/constants.py, kit/line.py]
stages: [{name: tests, command: pytest -q}]
packages: [pytest]
`;

export const writeRepository = (folder: string, more: { readonly [path: string]: string } = {}): string => {
  for (const [path, text] of Object.entries({ ...REPOSITORY, ...more })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
};
