// The shipped templates say byte for byte what the prompts said when code put them together, and a task's own template is what its runs are asked by
// (issue 6, Prompts: templates as files, overridable per task and method).
import { createHash } from 'node:crypto';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shippedTemplate, templateFor } from '../../activities/prompts/templates.ts';
import { loadTask } from '../../activities/task/load-task.ts';
import { promptId } from '../../evolution/ids.ts';
import { PLACEHOLDERS, TEMPLATE_STYLES } from '../../evolution/prompts/placeholders.ts';
import { render } from '../../evolution/prompts/template.ts';
import { deltaInput, openEvolveInput, proposalInput, thetaInput } from '../support/prompt-inputs.ts';
import { buildDeltaPrompt, buildIdeaProgramPrompt, buildOpenEvolvePrompt, buildThetaPrompt } from '../support/prompts.ts';
import { run, world } from './world.ts';

const ID = 'circle-packing-square-26';

describe('byte identity: a hundred prompts of each style are those that code built before there were templates', () => {
  // Digests of the prompts of commit ae80a29. They follow every word of a prompt: where one is changed on purpose, say so in the changelog and pin anew.
  it.each<readonly [string, (index: number) => { readonly system: string; readonly user: string }, string]>([
    ['theta', (index) => buildThetaPrompt(thetaInput(index)), '1156ba5580fbc509d339eb3e6a2827a15ab33de56d5a9733010b836cc5ffa4c5'],
    ['openevolve', (index) => buildOpenEvolvePrompt(openEvolveInput(index)), '536fdb32282611f1a889b39f44691bdbcc917ef7461bd7d9b0f625c6ca54d392'],
    ['delta', (index) => buildDeltaPrompt(deltaInput(index)), '61930e944607195054fbd7af781265fd78fd6eb614b1d4cfdcb3fa5f163dbb12'],
    ['proposal', (index) => buildIdeaProgramPrompt(proposalInput(index)), '0121414ad65e526089055a2b66f891787ce1586c7400c90b66960708424c887b'],
  ])('%s', (_style, build, digest) => {
    const prompts = Array.from({ length: 100 }, (_, index) => { const { system, user } = build(index); return [system, user]; });
    expect(createHash('sha256').update(JSON.stringify(prompts)).digest('hex')).toBe(digest);
  });
});

it('every shipped template parses, and tells the model its program and how to answer', () => {
  for (const style of TEMPLATE_STYLES) {
    const { system, user } = render(shippedTemplate(style), Object.fromEntries(PLACEHOLDERS[style].map((name) => [name, `<${name}>`])));
    expect(`${system}\n${user}`).toMatch(/<parent>|<code>/);
    for (const name of ['<edit_rules>', '<goal>', '<hints>', '<idea>']) expect(user).toContain(name);
  }
});

describe('a task\'s own template', () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tasks-'));
    for (const folder of [ID, 'library']) await cp(join(import.meta.dirname, '..', '..', 'tasks', folder), join(root, folder), { recursive: true });
    await writeFile(join(root, ID, 'prompts', 'theta.md'), [
      '<!-- section: system -->', 'You pack circles.', '', '<!-- section: user -->', 'Now: {{metrics}}', '', '{{ancestors}}', '', '{{code}}', '', 'Make {{score_name}} better ({{direction}}).', '', '{{edit_rules}}', '',
    ].join('\n'));
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

  it('is what a run of the task is asked by, and no part of the task\'s words', async () => {
    const task = await loadTask(ID, root);
    expect(task.prompts.map(({ name }) => name)).toEqual(['constructor', 'plateau']);
    const { system, user } = await asked((id) => loadTask(id, root));
    expect(system).toBe('You pack circles.');
    const program = task.initialProgram.trimEnd();
    expect(user).toMatch(/^Now: Metrics: sum_radii = /);
    expect(user).toContain(`\n\n\`\`\`python\n${program}\n\`\`\`\n\nMake sum_radii better (maximise).\n\n# How to edit\n`);
    expect(user).not.toContain('# Task');
  });

  it('of one style leaves the others, and other tasks, their own', async () => {
    const task = await loadTask(ID, root);
    expect(Object.keys(task.templates!)).toEqual(['theta']);
    expect(templateFor('delta', task)).toBe(shippedTemplate('delta'));
    expect((await asked((id) => loadTask(id))).user).toContain('# Task');
  });
});
