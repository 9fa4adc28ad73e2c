// A task whose evaluator or initial program is broken, started as the Temporal UI starts it: the run waits at step 0 and
// says why in the evaluator's own words; mended in its folder, it goes on by the signal `retry`.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startEndpoint } from '../../support/models/endpoint.ts';
import { sharedHome } from '../../support/machine/live.ts';
import { FULL } from '../../support/sizes.ts';
import { expectWhole } from '../../support/machine/whole.ts';

const BLOCK = ['# EVOLVE-BLOCK-START', '# EVOLVE-BLOCK-END'] as const;
const initial = (body: string): string => `${BLOCK[0]}\n${body}\n${BLOCK[1]}\n`;
const evaluate = (body: string): string => `def evaluate(instance, solution):\n${body}\n`;

type Case = { readonly file: 'evaluator.py' | 'initial.py'; readonly text: string; readonly says: RegExp };
const CASES: { readonly [name: string]: Case } = {
  raises: {
    file: 'evaluator.py',
    text: evaluate('    raise ValueError("half a word")'),
    says: /ValueError: half a word/,
  },
  'does-not-parse': {
    file: 'initial.py',
    text: initial('def construct(instance:\n    return 1'),
    says: /never closed|syntax/i,
  },
};
const RARE: { readonly [name: string]: Case } = {
  'does-not-compile': { file: 'evaluator.py', text: 'def evaluate(:\n', says: /SyntaxError/ },
  exits: { file: 'evaluator.py', text: evaluate('    import sys\n    sys.exit("no licence")'), says: /no licence/ },
  nonsense: { file: 'evaluator.py', text: evaluate('    print("{{{")\n    return "nonsense"'), says: /TypeError/ },
  'program-raises': {
    file: 'initial.py',
    text: initial('def construct(instance):\n    raise KeyError("mine")'),
    says: /KeyError: 'mine'/,
  },
  'is-refused': {
    file: 'initial.py',
    text: initial('def construct(instance):\n    return "nonsense"'),
    says: /expected/,
  },
};

describe('a task that is broken', () => {
  const live = sharedHome();
  const root = mkdtempSync(join(tmpdir(), 'evolve-broken-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it.each(Object.entries(FULL ? { ...CASES, ...RARE } : CASES))(
    '%s: the run waits at step 0 with the words, and goes on once it is mended',
    async (name, { file, text, says }) => {
      const endpoint = await startEndpoint();
      const [run, task] = [`broken-${name}`, `broken-${name}`];
      await live.must('task', 'new', task, '--into', root);
      const path = join(root, task, file);
      const whole = readFileSync(path, 'utf8');
      writeFileSync(path, text);
      await live.engine.start(run, {
        task: join(root, task),
        ...{ seed: 2, batch: 1, responses: 2, limits: { steps: 1 } },
        model: { name: 'small', baseUrl: endpoint.url },
      });
      const parked = await live.engine.seen(
        run,
        'in need of attention',
        ({ status }) => status === 'needs attention',
        240_000,
      );
      expect(parked.statusReason).toMatch(says);
      expect(parked.statusReason).toContain(`Mend the task in ${join(root, task)}`);
      expect(parked.statusReason).not.toMatch(/[\u0000-\u001f]/);
      expect(parked).toMatchObject({ committedStep: -1, best: null });
      expect(endpoint.arrived()).toBe(0);
      writeFileSync(path, whole);
      await live.engine.signal(run, 'retry', {});
      const ended = await live.engine.ended(run);
      expect(ended).toMatchObject({
        status: 'finished',
        stopReason: 'steps',
        committedStep: 1,
        best: { step: expect.any(Number) },
      });
      expect(ended.taskSnapshot).not.toBe(parked.taskSnapshot);
      await expectWhole(live.engine.store, run, { steps: 1, perStep: 2 });
      await live.must('rebuild', run);
      await endpoint.stop();
    },
    300_000,
  );
});
