// The tool that reads the docs, for agents that have no files of the project before them.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { z } from 'zod';
import { PROJECT_ROOT } from '../../deploy/host/home.ts';
import { type Input, Page, type Told, type Tool } from './answer.ts';

const DOCS = join(PROJECT_ROOT, 'docs');

/** The pages by their names, such as `tasks` or `methods/controls`, with their titles. */
const pagesOf = (): ReadonlyMap<string, string> =>
  new Map(
    (existsSync(DOCS) ? readdirSync(DOCS, { recursive: true, encoding: 'utf8' }) : [])
      .filter((file) => file.endsWith('.md'))
      .sort()
      .map((file) => [
        file.slice(0, -'.md'.length).replaceAll(sep, '/'),
        /^# (.*)$/m.exec(readFileSync(join(DOCS, file), 'utf8'))?.[1] ?? '',
      ]),
  );

const read = ({ page, cursor }: Input): Told => {
  const pages = pagesOf();
  const told = new Page(cursor as number | undefined);
  if (page !== undefined && !pages.has(String(page)))
    return {
      text: `page: expected one of ${[...pages.keys()].join(', ')}, got "${String(page)}"`,
      next: null,
      isError: true,
    };
  told.add(
    page === undefined
      ? [...pages].map(([name, title]) => `${name}: ${title}\n`).join('')
      : readFileSync(join(DOCS, `${String(page)}.md`), 'utf8'),
  );
  return { text: told.text, next: told.next, isError: false };
};

export const docsTool: Tool = {
  name: 'docs',
  brief: 'list the pages of the docs, or read one',
  allow: null,
  isGrave: false,
  input: z.strictObject({
    page: z.string().optional().describe('name of a page; without it all are listed'),
    cursor: z.int().min(0).optional().describe('where the answer before ended, to read on'),
  }),
  answer: async (input) => read(input),
};
