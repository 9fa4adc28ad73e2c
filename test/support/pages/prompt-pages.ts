// Requests of a short run, whole, for people who review what models read: pages of the site of the docs. `node
// test/support/pages/prompt-pages.ts <folder>` writes them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { usableTask } from '../../../activities/task/usable-task.ts';
import { fenceAround } from '../../../evolution/prompts/parts/sections.ts';
import { taskChoice } from '../../../evolution/task/task-choice.ts';
import { configFrom } from '../domain/asked-run.ts';
import { promptRun, type SentRequest } from '../worlds/prompt-world.ts';

const TASK = 'circle-packing-square-26';
const STEPS = 6;

const METHODS = {
  theta: { batch: 2, responses: 2, population: { islands: 1 } },
  delta: { batch: 2, population: { islands: 1 } },
  research: { batch: 1, population: { islands: 1 } },
  code: { batch: 1, population: { islands: 1, initialisation: 2 } },
} as const;
const CONTROLS = {
  openevolve: { batch: 1, population: { islands: 1 } },
  'parallel-sampling': { batch: 1 },
  'greedy-refine': {},
  naive: { batch: 1, population: { islands: 1, initialisation: 2 } },
  shinkaevolve: { batch: 1, population: { islands: 1 } },
} as const;

/** What the experiments of the papers set beside their methods. */
const PAPER_FORM = {
  prompt: { frame: 'paper', parts: 'paper' },
  diff: { accept: 'edits', moveImports: false },
  evaluation: { scoring: 'tolerant', acceptSavedOnTimeout: false },
} as const;

/** The settings of each page by its name: a method or a control by its defaults, and in the form of its paper. */
const PAGES: ReadonlyMap<string, object> = new Map(
  Object.entries({ ...METHODS, ...CONTROLS }).flatMap(([method, settings]) => [
    [method, { method, ...settings }] as const,
    [`${method}-paper`, { method, ...settings, ...PAPER_FORM }] as const,
  ]),
);
export const PAGE_NAMES: readonly string[] = [...PAGES.keys()];

const WHAT: { readonly [stage in SentRequest['stage']]: string } = {
  program: 'Request for a program',
  idea: 'Request for an idea',
  judge: 'Request for a judgement of an idea',
  meta: 'Request for an edited prompt',
  notes: 'Request for notes on the run',
  delta: 'Request for a change log that was left out',
  repair: 'Request to mend an answer',
};

/** The first and the last request of each stage, exploring and exploiting apart, in the order in which they were sent. */
const chosen = (requests: readonly SentRequest[]): readonly SentRequest[] => {
  const first = new Map<string, SentRequest>();
  const last = new Map<string, SentRequest>();
  for (const request of requests) {
    const kind = `${request.stage} ${request.operator}`;
    if (!first.has(kind)) first.set(kind, request);
    last.set(kind, request);
  }
  const shown = new Set([...first.values(), ...last.values()]);
  return requests.filter((request) => shown.has(request));
};

const section = ({ step, stage, operator, founding, parent, messages }: SentRequest): string => {
  const situation = [
    `step ${step}`,
    ...(operator === null ? [] : [operator === 'explore' ? 'exploring' : 'exploiting']),
    ...(founding ? ['of the initial phase'] : []),
    parent.step === 0
      ? 'of the initial program'
      : `of a program that is ${parent.outcome === 'valid' ? 'valid' : 'not valid'}`,
  ];
  return [
    `## ${WHAT[stage]}: ${situation.join(', ')}`,
    ...messages.map(({ role, content }) => {
      const fence = fenceAround(content);
      return `**${role}**\n\n${fence}text\n${content.replace(/\n+$/, '')}\n${fence}`;
    }),
  ].join('\n\n');
};

/** With the offline model programs have less time. */
const MODEL = {
  kind: 'openai',
  baseUrl: 'http://127.0.0.1:1/v1',
  name: 'm',
  roles: ['exploit', 'explore', 'meta', 'idea', 'judge'],
};

/** The chosen requests of a page as sections, the same each time. */
export const promptSections = async (page: string): Promise<readonly string[]> => {
  const settings = { seed: 42, limits: { steps: STEPS }, ...PAGES.get(page)! };
  const choice = taskChoice(configFrom({ task: TASK, model: MODEL, ...settings }));
  const chosenTask = async () => (await usableTask(TASK, () => null, choice)).task;
  const { requests } = await promptRun({ task: TASK, settings, steps: STEPS }, chosenTask);
  return chosen(requests).map(section);
};

const promptPage = async (page: string): Promise<string> =>
  [
    `# What models read: method \`${page.replace(/-paper$/, '')}\`${page.endsWith('-paper') ? ' in the form of its paper' : ''}`,
    '',
    `Requests of a run on \`${TASK}\` with seed 42, as they are sent: for each kind the first and the last of ${STEPS} steps.`,
    'A scripted model answered them and a scripted evaluator judged the programs, so programs and scores mean nothing.',
    'What the parts are: [prompts.md](../prompts.md).',
    '',
    (await promptSections(page)).join('\n\n'),
    '',
  ].join('\n');

if (import.meta.main) {
  const folder = process.argv[2]!;
  mkdirSync(folder, { recursive: true });
  for (const page of PAGE_NAMES) writeFileSync(join(folder, `prompts-${page}.md`), await promptPage(page));
}
