// The tool that reads the docs, for agents that have no files of the project before them.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { z } from 'zod';
import { PROJECT_ROOT } from '../../deploy/host/home.ts';
import { type Input, Page, type Told, type Tool } from './answer.ts';

const DOCS = join(PROJECT_ROOT, 'docs');

/** The files of the pages by name, such as `tasks`, `methods/controls` or `skills/make-a-task`. */
const pagesOf = (): ReadonlyMap<string, string> =>
  new Map(
    (existsSync(DOCS) ? readdirSync(DOCS, { recursive: true, encoding: 'utf8' }) : [])
      .filter((file) => file.endsWith('.md'))
      .sort()
      .map((file) => [nameOf(file.replaceAll(sep, '/')), file]),
  );

/** The name for each way in which a link or an agent writes it. */
const nameOf = (page: string): string =>
  page
    .replace(/^(docs|\.)\//, '')
    .replace(/\.md$/, '')
    .replace(/\/SKILL$/, '');

const textOf = (file: string): string => readFileSync(join(DOCS, file), 'utf8');
const titleOf = (file: string): string => /^# (.*)$/m.exec(textOf(file))?.[1] ?? '';

const read = ({ page, cursor }: Input): Told => {
  const pages = pagesOf();
  const told = new Page(cursor as number | undefined);
  const file = page === undefined ? undefined : pages.get(nameOf(String(page)));
  if (page !== undefined && file === undefined)
    return {
      text: `page: expected one of ${[...pages.keys()].join(', ')}, got "${String(page)}"`,
      next: null,
      isError: true,
    };
  told.add(file === undefined ? [...pages].map(([name, one]) => `${name}: ${titleOf(one)}\n`).join('') : textOf(file));
  return { text: told.text, next: told.next, isError: false };
};

export const docsTool: Tool = {
  name: 'docs',
  brief: 'list the pages of the docs, or read one',
  allow: null,
  isGrave: false,
  input: z.strictObject({
    page: z.string().optional().describe('name of a page; without it all are listed'),
    cursor: z.coerce.number().int().min(0).optional().describe('where the answer before ended, to read on'),
  }),
  answer: async (input) => read(input),
};
