// Imports that an answer adds outside the open block are put into it, where they can do no harm (docs/prompts.md, What
// an answer may be).
import { describe, expect, it } from 'vitest';
import type { DiffSettings } from '../../../evolution/config/run-config.ts';
import { applyResponse } from '../../../evolution/edits/early-checks.ts';
import { normalise } from '../../../evolution/edits/equivalence.ts';
import { thetaDefaults } from '../../../evolution/methods/theta.ts';

const PARENT = `"""Packs circles."""
import math
import scipy

# EVOLVE-BLOCK-START
def pack(n):
    return [math.pi] * n
# EVOLVE-BLOCK-END


def construct(instance):
    size = instance["n"]
    return {"circles": pack(size)}
`;
const block = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE\n`;
const fence = (code: string): string => `\`\`\`python\n${code}\`\`\`\n`;
const check = (response: string, settings: Partial<DiffSettings> = {}, parentCode = PARENT) =>
  applyResponse({
    response,
    parentCode,
    parentNorm: normalise(parentCode),
    settings: { ...thetaDefaults.diff, ...settings },
    entry: 'construct',
  });
const withInside = (...lines: readonly string[]): string =>
  PARENT.replace('# EVOLVE-BLOCK-START\n', `# EVOLVE-BLOCK-START\n${lines.map((line) => `${line}\n`).join('')}`);

describe('imports outside the open block', () => {
  it.each([
    ['beside those that stand there', block('import math', 'import math\nimport numpy as np')],
    ['in place of one', block('import math\nimport scipy', 'import numpy as np')],
    ['at the head of the file', block('"""Packs circles."""', '"""Packs circles."""\n\n# Arrays.\nimport numpy as np')],
    ['below the block', block('def construct(instance):', 'import numpy as np\n\ndef construct(instance):')],
  ])('%s are put at the start of the block, with a note; closed code stays', (_, first) => {
    const { outcome, code, unmatched, ambiguous } = check(
      first + block('    return [math.pi] * n', '    return np.full(n, 1)'),
    );
    expect({ outcome, unmatched }).toEqual({ outcome: null, unmatched: [] });
    expect(code).toBe(withInside('import numpy as np').replace('[math.pi] * n', 'np.full(n, 1)'));
    expect(ambiguous).toEqual([{ block: 1, reason: expect.stringContaining('start of the EVOLVE-BLOCK') }]);
  });

  it('over several lines, of the same package, or twice are taken as they are meant', () => {
    expect(check(block('import math', 'import math\nfrom numpy import (\n    full,\n    zeros,\n)')).code).toBe(
      withInside('from numpy import (', '    full,', '    zeros,', ')'),
    );
    expect(check(block('import scipy', 'import scipy\nimport scipy.optimize')).code).toBe(
      withInside('import scipy.optimize'),
    );
    const twice = block('import math', 'import math\nimport random');
    expect(check(twice + twice).code).toBe(withInside('import random'));
    expect(check(block('import scipy', 'import math\nimport scipy')).outcome).toBe('no_change');
  });

  it.each([
    ['from numpy import *', 'does not say which names it brings'],
    ['from __future__ import annotations', 'only at the head of the file'],
    ['import numpy as construct', 'would take the name construct'],
    ['from numpy import pi as math', 'would take the name math'],
  ])('%s is refused with words', (line, why) => {
    const { outcome, unmatched } = check(block('import math', `import math\n${line}`));
    expect(outcome).toBe('no_change');
    expect(unmatched[0]!.reason).toMatch(/^outside the EVOLVE-BLOCK: /);
    expect(unmatched[0]!.reason).toContain(why);
  });

  it.each([
    ['other code beside the import', block('import math', 'import math\nimport numpy\nx = 1')],
    ['a statement behind the import', block('import math', 'import math\nimport numpy; x = 1')],
    ['a closed line that goes', block('    size = instance["n"]', '    import numpy')],
    ['an import that is only taken away', block('import math\nimport scipy', 'import math')],
    ['an import within a function', block('    size = instance["n"]', '    import numpy\n    size = instance["n"]')],
    ['what is no Python', block('import math', 'import math\nimport (')],
  ])('%s is outside, as ever', (_, answer) => {
    expect(check(answer)).toMatchObject({
      outcome: 'no_change',
      code: PARENT,
      unmatched: [{ block: 1, reason: 'outside the EVOLVE-BLOCK' }],
    });
  });

  it('are refused with moveImports off, as runs of earlier versions have it', () => {
    expect(check(block('import math', 'import math\nimport numpy'), { moveImports: false })).toMatchObject({
      outcome: 'no_change',
      unmatched: [{ reason: 'outside the EVOLVE-BLOCK' }],
    });
  });

  it('go into the block of their own file', () => {
    const files =
      '# === FILE: main.py ===\nimport other\n\n# === FILE: other.py ===\nimport math\n# EVOLVE-BLOCK-START\nx = 1\n# EVOLVE-BLOCK-END\n';
    expect(check(block('import math', 'import math\nimport random'), {}, files).code).toBe(
      files.replace('START\n', 'START\nimport random\n'),
    );
    // A file without a block may change as a whole.
    expect(check(block('import other', 'import other\nimport random'), {}, files).code).toBe(
      files.replace('import other\n', 'import other\nimport random\n'),
    );
  });

  it('are wanted in each file, whatever the others import', () => {
    const files =
      '# === FILE: main.py ===\n# EVOLVE-BLOCK-START\nimport numpy as np\nx = np.pi\n# EVOLVE-BLOCK-END\n# === FILE: other.py ===\nimport math\n# EVOLVE-BLOCK-START\ny = 1\n# EVOLVE-BLOCK-END\n';
    const answer = block('import math', 'import math\nimport numpy as np') + block('y = 1', 'y = np.e');
    expect(check(answer, {}, files).code).toBe(files.replace('y = 1', 'import numpy as np\ny = np.e'));
  });

  it('of a whole program go in too', () => {
    const program = PARENT.replace('import math', 'import math\nimport numpy as np').replace('math.pi', 'np.pi');
    expect(check(fence(program))).toMatchObject({
      outcome: null,
      code: withInside('import numpy as np').replace('math.pi', 'np.pi'),
      ambiguous: [{ block: 1, reason: expect.stringContaining('start of the EVOLVE-BLOCK') }],
    });
  });
});

describe('a whole program where blocks are accepted too', () => {
  const better = PARENT.replace('math.pi', '2.0');
  it.each([
    ['the file', better],
    ['the block with its markers', better.slice(better.indexOf('# EVOLVE'), better.indexOf('\n\n\ndef') + 1)],
    ['the file with other comments and docstrings outside', better.replace('    size', '    """Entry."""\n    size')],
  ])('is taken: %s', (_, code) => {
    expect(check(`I rewrite it.\n\n${fence(code)}`)).toMatchObject({ outcome: null, code: better });
  });
  it('stands behind a short example', () => {
    expect(check(`For example:\n${fence('radius *= 0.99\n')}\nAll of it:\n${fence(better)}`).code).toBe(better);
  });
  it.each([
    ['a short example', 'radius *= 0.99\n', 'does not define pack, which the code outside the EVOLVE-BLOCK uses'],
    [
      'one that changes what is closed',
      better.replace('["n"]', '["n"] + 1'),
      'changes construct, which stands outside',
    ],
    ['what does not parse', 'radius *= (\n', 'what the fence holds is no program: line 1: '],
  ])('is not: %s', (_, code, why) => {
    expect(check(fence(code))).toMatchObject({ outcome: 'no_diff', code: null, reason: expect.stringContaining(why) });
  });
  it('that is meant and does not compile is told the line', () => {
    expect(check(fence(better.replace('[2.0] * n', '[2.0 * n')))).toMatchObject({
      outcome: 'no_solution',
      reason: expect.stringMatching(/^does not compile: line \d+/),
    });
  });
  it('without a closed part must define the entry function', () => {
    expect(check(fence('radius *= 0.99\n'), { enforceBlock: false }).reason).toContain(
      'does not define construct, which the task asks for',
    );
    expect(check(fence(better), { enforceBlock: false }).code).toBe(better);
  });
});
