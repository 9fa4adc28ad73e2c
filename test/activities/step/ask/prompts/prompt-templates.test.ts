// The shipped templates say byte for byte what the prompts said when code put them together, and a task's own
// template is what its runs are asked by (docs/prompts.md, Templates).
import { createHash } from 'node:crypto';
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
import {
  conversationInput,
  deltaInput,
  ideaInput,
  judgeInput,
  metaInput,
  openEvolveInput,
  proposalInput,
  repairInput,
  taskOnlyInput,
  thetaInput,
} from '../../../../support/models/prompt-inputs.ts';
import {
  buildConversation,
  buildDeltaPrompt,
  buildIdeaProgramPrompt,
  buildIdeaPrompt,
  buildJudgePrompt,
  buildMetaPrompt,
  buildMissingDeltaRepair,
  buildOpenEvolvePrompt,
  buildTaskOnlyPrompt,
  buildThetaPrompt,
} from '../../../../support/models/prompts.ts';
import { codeWorld, isMeta, messagesOf, plansOf, SMALL } from '../../../../support/worlds/code-world.ts';
import { research } from '../../../../support/worlds/research-world.ts';
import { run, world } from '../../../../support/worlds/world.ts';

const ID = 'circle-packing-square-26';

describe('byte identity: a hundred prompts of each kind are those that code built before there were templates', () => {
  type Built = { readonly system: string; readonly user: string };
  const two = ({ system, user }: Built): readonly string[] => [system, user];
  const edits = <T extends { readonly settings?: object | undefined }>(input: T): T => ({
    ...input,
    settings: { ...input.settings, accept: 'edits' },
  });
  // Digests of the prompts of commits ae80a29 (first five) and 675b58b. They follow every word of a prompt: where one
  // is changed on purpose, say so in the changelog and pin anew. `delta`, `proposal` and `conversation`: where edits
  // are asked for; their words fit `diff.accept` now, which they did not then.
  it.each<readonly [string, (index: number) => readonly string[], string]>([
    [
      'theta',
      (index) => two(buildThetaPrompt(thetaInput(index))),
      'a20642fab4889dc6660f248b2b568ee67b88227b5e281c6e3e0441ee73bbe1da',
    ],
    [
      'openevolve',
      (index) => two(buildOpenEvolvePrompt(openEvolveInput(index))),
      '55ab01ececee05eadc94c276669d5ec6747bd652666c1360ca8224fee0b9f6ff',
    ],
    [
      'delta',
      (index) => two(buildDeltaPrompt(edits(deltaInput(index)))),
      'b1b975c62e55a56b54c0b85fe957b26d2785c5977167b11eb00701f060222c38',
    ],
    [
      'proposal',
      (index) => two(buildIdeaProgramPrompt(edits(proposalInput(index)))),
      '23ad2d6babfbb8e0c73c8ee1b5cc7600e03c583be142243d6f5b7de6ef9ba5b2',
    ],
    [
      'conversation',
      (index) => buildConversation(edits(conversationInput(index))).messages.map(({ content }) => content),
      'a2246be6a95ab4ae137fc4f6aab0c8f8b09f6aaa0a8bf9c12ed92701934285cb',
    ],
    [
      'task-only',
      (index) => two(buildTaskOnlyPrompt(taskOnlyInput(index))),
      '4b77346485580b7a06863956494533dbac9e27990e9c1956c15e88b16d26d9c9',
    ],
    [
      'idea',
      (index) => two(buildIdeaPrompt(ideaInput(index))),
      'fa5aa69fd7efcd0160db93fd261ff900d23991c835e4474aefdfe7ec3b9c7dc4',
    ],
    [
      'judge',
      (index) => [buildJudgePrompt(judgeInput(index))],
      '0900a5aa86d5824c3b0606186985f41c55ac5c6c0d3fe854d7a6f3d1bc825178',
    ],
    [
      'meta',
      (index) => two(buildMetaPrompt(metaInput(index))),
      '9fd24fd2e5e8af68951ea1ebcb8f7648e67e013843c6bd6d8b3d7c7d9487e7b2',
    ],
    [
      'repair',
      (index) => two(buildMissingDeltaRepair(repairInput(index))),
      '03cd458a0f427f74a10c5c9216717114176139b1d41a473c0718e58d746bb19e',
    ],
  ])('%s', (_name, build, digest) => {
    const prompts = Array.from({ length: 100 }, (_, index) => build(index));
    expect(createHash('sha256').update(JSON.stringify(prompts)).digest('hex')).toBe(digest);
  });
});

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

it('the requests of styles ask for what diff.accept takes, and for nothing else', () => {
  const of = (accept: 'edits' | 'either' | 'program') =>
    Array.from({ length: 40 }, (_, index) => {
      const as = <T extends { readonly settings?: object | undefined }>(input: T): T => ({
        ...input,
        settings: { ...input.settings, accept },
      });
      const plain = {
        ...as(conversationInput(index)),
        prompt: 'P',
        target: 'T',
        ancestors: [],
        inspirations: [],
        failure: null,
        reintroduced: [],
        idea: null,
        hints: [],
      };
      const asText = ({ system, user }: { readonly system: string; readonly user: string }): string =>
        `${system}\n${user}`;
      const delta = deltaInput(index);
      const bare = {
        stated: { problem: 'P', advice: '' },
        parent: { ...delta.parent, code: 'x = 1', feedback: { values: {}, error: null } },
        history: [],
        reintroduced: [],
        idea: null,
        hints: [],
      };
      return [
        buildConversation(plain)
          .messages.map(({ content }) => content)
          .join('\n'),
        asText(buildDeltaPrompt({ ...as(delta), ...bare })),
        asText(
          buildIdeaProgramPrompt({
            ...as(proposalInput(index)),
            promptText: 'W',
            evolvedPrompt: null,
            proposal: 'I',
            previous: { proposal: 'O', code: 'x = 1', metrics: {} },
            hints: [],
          }),
        ),
        asText(
          buildTaskOnlyPrompt({
            ...as(taskOnlyInput(index)),
            stated: { problem: 'W', advice: '' },
            idea: null,
            hints: [],
            task: { initialProgram: 'x = 1', scoreName: 's', direction: 'maximise' },
          }),
        ),
      ];
    }).flat();
  for (const text of of('program')) {
    expect(text).not.toMatch(/SEARCH|REPLACE|\bblocks?\b|all edits|precise edits|no block is taken/);
    expect(text).toMatch(/whole (?:new )?program|new version/);
  }
  for (const text of of('edits')) expect(text).not.toMatch(/whole new program/);
  for (const text of of('either')) {
    expect(text).toMatch(/SEARCH\/REPLACE/);
    expect(text).toMatch(/whole new program/);
  }
});
