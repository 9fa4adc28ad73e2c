// The shipped templates are whole, and a task's own template is what its runs are asked by (docs/prompts.md, Templates).
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shippedTemplate, templateFor } from '../../../../../activities/step/ask/prompts/templates.ts';
import { loadTask } from '../../../../../activities/task/load-task.ts';
import { promptId } from '../../../../../evolution/ids.ts';
import {
  renderSection,
  sectionsOf,
  type Template,
  TEMPLATE_NAMES,
} from '../../../../../evolution/prompts/parts/template.ts';
import { codeWorld, isMeta, messagesOf, plansOf, SMALL } from '../../../../support/worlds/code-world.ts';
import { research } from '../../../../support/worlds/research-world.ts';
import { run, world } from '../../../../support/worlds/world.ts';

const ID = 'circle-packing-square-26';

it('every shipped template parses, and names what its model cannot do without', () => {
  const needed: { readonly [name in (typeof TEMPLATE_NAMES)[number]]?: readonly string[] } = {
    openevolve: ['code'],
    delta: ['code', 'delta_rules'],
    proposal: ['code', 'previous_idea'],
    conversation: ['prompt', 'parent', 'back'],
    'task-only': ['task', 'code'],
    idea: ['previous_idea', 'code', 'metrics', 'hints'],
    judge: ['proposal'],
    'judge-published': ['proposal'],
    meta: ['prompt', 'parent', 'edit_rules'],
    repair: ['patch', 'wanted', 'delta_rules'],
  };
  for (const name of TEMPLATE_NAMES) {
    const template = shippedTemplate(name) as Template<string>;
    const text = Object.entries(sectionsOf(name))
      .map(([section, known]) =>
        renderSection(template, section, Object.fromEntries(known.map((one) => [one, `<${one}>`]))),
      )
      .join('\n');
    const style = !['idea', 'judge', 'judge-published', 'meta', 'repair'].includes(name);
    for (const one of [...(needed[name] ?? ['parent']), ...(style ? ['edit_rules', 'goal', 'hints', 'idea'] : [])])
      expect(text, name).toContain(`<${one}>`);
  }
});

describe("a task's own template", () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tasks-'));
    for (const folder of [ID, 'library'])
      await cp(join(import.meta.dirname, '..', '..', '..', '..', '..', 'tasks', folder), join(root, folder), {
        recursive: true,
      });
    await writeFile(
      join(root, ID, 'prompts', 'theta.md'),
      [
        '<!-- section: system -->',
        'You pack circles.',
        '',
        '<!-- section: user -->',
        'Now: {{metrics}}',
        '',
        '{{ancestors}}',
        '',
        '{{code}}',
        '',
        'Make {{score_name}} better ({{direction}}).',
        '',
        '{{edit_rules}}',
        '',
      ].join('\n'),
    );
  });
  afterAll(() => rm(root, { recursive: true }));
  const asked = async (load: typeof loadTask) => {
    const { store, step, open } = world(undefined, (id) => load(id));
    await open();
    await step(0, false);
    await step(1, false);
    const { system, user } = (await store.getPrompts([promptId(run, 1, 0, 0)])).get(promptId(run, 1, 0, 0))!;
    const texts = await store.getTexts([system, user]);
    return { system: texts.get(system)!, user: texts.get(user)! };
  };

  it("is what a run of the task is asked by, and no part of the task's prompt text", async () => {
    const task = await loadTask(ID, root);
    expect(task.prompts.map(({ name }) => name)).toEqual(['constructor', 'plateau']);
    const { system, user } = await asked((id) => loadTask(id, root));
    expect(system).toBe('You pack circles.');
    const program = task.initialProgram.trimEnd();
    expect(user).toMatch(/^Now: Metrics: sum_radii_strict = /);
    expect(user).toContain(
      `\n\n\`\`\`python\n${program}\n\`\`\`\n\nMake sum_radii_strict better (maximise).\n\n# How to edit\n`,
    );
    expect(user).not.toContain('# Task');
  });

  it('of one style leaves the others, and other tasks, their own', async () => {
    const task = await loadTask(ID, root);
    expect(Object.keys(task.templates!)).toEqual(['theta']);
    expect(templateFor('delta', task)).toBe(shippedTemplate('delta'));
    expect((await asked((id) => loadTask(id))).user).toContain('# Task');
  });
});

describe("a task's own templates of other requests", () => {
  const SYSTEM = '<!-- section: system -->';
  const USER = '<!-- section: user -->';

  it('idea and judge: what these are asked by', async () => {
    const { play, asked, text, programs } = research({
      templates: {
        idea: [
          SYSTEM,
          'You dream of {{score_name}}.',
          USER,
          '{{task}}',
          '',
          'Idea so far: {{previous_idea}}',
          '',
          '{{programs}}',
          '',
          '{{code}}',
          '',
          '({{metrics}})',
        ].join('\n'),
        judge: [USER, 'Rate in \\boxed{} this: {{idea}}'].join('\n'),
      },
    });
    await play(2);
    const [first, second] = asked.filter(({ role }) => role === 'idea');
    expect(first!.system).toBe('You dream of sum_radii.');
    expect(first!.user).toMatch(/^[^]+\n\nIdea so far: [^]+\n\n```python\n[^]+```\n\n\(sum_radii=[^]+\)$/);
    expect(first!.user).not.toMatch(/# Current|# Your task/);
    expect(second).toBeDefined();
    const judged = asked.filter(({ role }) => role === 'judge');
    expect(judged.map(({ system, user }) => [system, user])).toEqual(
      [0, 1].map((k) => ['', `Rate in \\boxed{} this: Idea ${k}`]),
    );
    const made = (await programs()).filter(({ step }) => step > 0);
    expect(await Promise.all(made.map(({ idea }) => text(idea!.text)))).toEqual(['Idea 0', 'Idea 1']);
  });

  it('conversation and edited prompts: every turn by its own section', async () => {
    const { asked, store, play } = codeWorld(SMALL, {
      templates: {
        conversation: [
          SYSTEM,
          '{{prompt}}',
          '',
          '{{cpu_seconds}} s, {{memory}}',
          '<!-- section: ancestor -->',
          'Before ({{back}}):',
          '{{parent}}',
          USER,
          '# Current program',
          '',
          '{{parent}}',
          '',
          '{{goal}}',
          '<!-- section: exploit -->',
          'REFINE so that it {{improves}}: {{answer_form}}',
          '<!-- section: explore -->',
          'EXPLORE so that it {{improves}}',
        ].join('\n'),
        meta: [
          SYSTEM,
          'You write the instructions, differently.',
          USER,
          '{{parent}}',
          '',
          '{{prompt}}',
          '',
          '{{edit_rules}}',
        ].join('\n'),
      },
    });
    await play(10);
    const plans = await plansOf(store, 10, SMALL.batch);
    for (const plan of plans) {
      const messages = await messagesOf(store, plan);
      expect(messages[0]!.content).toMatch(/\n\n70 s, 1 GiB$/);
      expect(messages[0]!.content).not.toContain('PROMPT-BLOCK');
      expect(messages.at(-1)!.content).toMatch(
        plan.operator === 'explore' || plan.mode === 'initial'
          ? /EXPLORE so that it raises sum_radii_strict(?: beyond the best)?$/
          : /REFINE so that it raises sum_radii_strict(?: beyond the best)?: the SEARCH\/REPLACE blocks or the whole new program$/,
      );
      const turns = messages.slice(1, -1).filter(({ role }) => role === 'user');
      for (const [index, { content }] of turns.entries()) {
        const back = turns.length - index;
        expect(content.startsWith(`Before (${back === 1 ? 'the one' : `${back} changes`}):\nMetrics: `)).toBe(true);
      }
    }
    expect(plans.some(({ messages }) => messages !== undefined)).toBe(true);
    const meta = asked.filter(isMeta);
    expect(meta.length).toBeGreaterThan(0);
    for (const { messages } of meta)
      expect(messages[1]!.content).toMatch(/^Metrics: [^]*```text\n# PROMPT-BLOCK-START\n/);
  });
});
