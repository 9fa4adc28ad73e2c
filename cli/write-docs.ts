// Writes the tables of settings, verbs, views and tasks into docs: npx node cli/write-docs.ts. Tests fail while these
// parts of docs are not current.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listTasks, loadTask } from '../activities/task/load-task.ts';
import { LANGUAGE_NAMES, LANGUAGES } from '../evolution/task/languages.ts';
import type { Task } from '../evolution/task/task.ts';
import { paperItems } from '../client/papers/experiments.ts';
import { viewsTable } from '../client/temporal/ui-views.ts';
import { PROJECT_ROOT } from '../deploy/host/home.ts';
import { registerOutsideLevels } from '../deploy/host/outside-levels.ts';
import { jsonSchema, offlineSentence, settingsTable } from '../evolution/methods/reference.ts';
import { allTools, takes } from './mcp/tools.ts';
import { routesTable } from '../page/server/product/openapi.ts';
import { bestOf, initialText, SCORE_ARROW } from './commands/tasks/task-list.ts';
import { score } from './terminal/output.ts';
import { commandsTable, messagesTable, steeringTable } from './terminal/verbs-table.ts';

registerOutsideLevels({});

const DOCS = join(PROJECT_ROOT, 'docs');
const SCHEMA_FILE = join(PROJECT_ROOT, 'evolution', 'config', 'run-config.schema.json');

const WRITTEN = 'written by `npx node cli/write-docs.ts`';

/** The document with the generated part of that name replaced. */
const replaced = (file: string, document: string, name: string, text: string): string => {
  const [start, end] = [`<!-- ${name}: ${WRITTEN} -->`, `<!-- /${name} -->`];
  const [from, to] = [document.indexOf(start), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file}: expected the lines ${start} and ${end}`);
  return `${document.slice(0, from)}${start}\n\n${text}\n\n${document.slice(to)}`;
};

const languagesTable = (): string =>
  [
    '| `language` | initial program | markers | toolchain | Debian packages |',
    '| --- | --- | --- | --- | --- |',
    ...LANGUAGE_NAMES.filter((name) => name !== 'python').map((name) => {
      const { extension, comment, toolchain } = LANGUAGES[name];
      const markers = name === 'text' ? 'none' : `\`${comment}\``;
      const packages =
        toolchain === undefined ? '' : (toolchain.packages?.join(', ') ?? 'none: name an `image:` that has it');
      return `| \`${name}\` | \`initial.${extension}\` | ${markers} | ${toolchain?.told ?? 'no program at all'} | ${packages} |`;
    }),
  ].join('\n');

const PAPER_TITLES = {
  thetaevolve: 'ThetaEvolve',
  deltaevolve: 'DeltaEvolve',
  alpharesearch: 'AlphaResearch',
  codeevolve: 'CodeEvolve',
} as const;

/** A table for each paper, a row for all items of which the same is told, with what differs in all experiments above it. */
const itemsTable = (): string =>
  [...Map.groupBy(paperItems(), ({ paper }) => paper)]
    .map(([paper, items]) => {
      const made = items.filter(({ file }) => file !== null);
      const [first] = made;
      const shared = first!.differs.filter((text) => made.every(({ differs }) => differs.includes(text)));
      const told = Map.groupBy(
        items,
        ({ why, differs, incomparable }) =>
          why ??
          ([
            ...differs.filter((text) => !shared.includes(text)),
            ...(incomparable === null ? [] : [`Not comparable: ${incomparable}.`]),
          ].join(' ') ||
            '-'),
      );
      const rows = [...told].map(([text, some]) => [
        some.map(({ item }) => item).join(', '),
        some
          .flatMap(({ file }) => file ?? [])
          .map((file) => `[${file}](../experiments/${paper}/${file}.yaml)`)
          .join(', ') || '-',
        text,
      ]);
      const head = ['item', 'experiment', 'why there is none, or what differs'];
      return `**${PAPER_TITLES[paper]}.** In all of its experiments: ${shared.join(' ')}\n\n${markdown(head, rows)}`;
    })
    .join('\n\n');

const markdown = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

type Cell = { readonly cell_type: 'code' | 'markdown'; readonly source: string };

/** The cells of docs/notebook.ipynb, without its title. */
const cellsPage = (): string => {
  const file = join(DOCS, 'notebook.ipynb');
  const { cells } = JSON.parse(readFileSync(file, 'utf8')) as { readonly cells: readonly Cell[] };
  return cells
    .slice(1)
    .map(({ cell_type, source }) => (cell_type === 'code' ? `\`\`\`python\n${source}\n\`\`\`` : source))
    .join('\n\n');
};

const LETTERS: { readonly [paper: string]: string } = { theta: 'T', delta: 'D', research: 'A', code: 'C' };

const papersOf = ({ papers = [], references }: Task): string => {
  const values = new Map(references.map(({ paper, value }) => [paper, score(value)]));
  const texts = papers.map((paper) => [LETTERS[paper] ?? paper, values.get(paper as 'theta') ?? ''].join(' ').trim());
  return texts.join(', ') || '-';
};

const tasksTable = async (): Promise<string> => {
  const tasks = await Promise.all((await listTasks()).map((id) => loadTask(id)));
  const head = ['task', 'what', 'kind', 'score', 'initial', 'best known', 'papers', 'CPU, memory'];
  const rows = tasks.map((task) => [
    `[${task.id}](../tasks/${task.id}/README.md)`,
    task.title.replaceAll('|', '\\|'),
    `${task.kind}${task.timed ? ', timed' : ''}`,
    `\`${task.scoreName}\` ${SCORE_ARROW[task.direction]}`,
    initialText(task),
    score(bestOf(task)?.value).replace('none', '-'),
    papersOf(task),
    `${task.limits.cpuSeconds} s, ${Math.round(task.limits.memoryBytes / 2 ** 20)} MiB`,
  ]);
  return markdown(head, rows);
};

const toolsTable = async (): Promise<string> =>
  markdown(
    ['tool', 'takes', '`--allow`', 'what it does'],
    (await allTools()).map((tool) => [`\`${tool.name}\``, takes(tool), tool.allow ?? '', tool.brief]),
  );

type Part = readonly [page: string, part: string, text: () => string | Promise<string>];
const PARTS: readonly Part[] = [
  ['configuration.md', 'settings', () => `${offlineSentence()}\n\n${settingsTable()}`],
  ['http.md', 'routes', routesTable],
  ['cli.md', 'verbs', commandsTable],
  ['steering.md', 'verbs', steeringTable],
  ['temporal-ui.md', 'views', viewsTable],
  ['temporal-ui.md', 'messages', messagesTable],
  ['experiments.md', 'items', itemsTable],
  ['agents.md', 'tools', toolsTable],
  ['from-a-notebook.md', 'cells', cellsPage],
  ['tasks.md', 'languages', languagesTable],
  ['tasks.md', 'tasks', tasksTable],
];

/** The text of each file, by its path. */
export const written = async (): Promise<ReadonlyMap<string, string>> => {
  const texts = new Map([[SCHEMA_FILE, `${JSON.stringify(jsonSchema(), null, 2)}\n`]]);
  for (const [page, part, text] of PARTS) {
    const file = join(DOCS, page);
    texts.set(file, replaced(`docs/${page}`, texts.get(file) ?? readFileSync(file, 'utf8'), part, await text()));
  }
  return texts;
};

if (import.meta.main) for (const [file, text] of await written()) writeFileSync(file, text);
