// The server of `evolve mcp`, over standard input and output.
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { packageVersion } from '../../deploy/host/home.ts';
import { schemaProblems } from '../../evolution/config/problems.ts';
import { type Allow, ALLOWS, type Input, marked, moreText, type Tool } from './answer.ts';
import { docsTool } from './docs.ts';

const byPerson = (allows: readonly Allow[]): string =>
  `Only a person can allow more, by starting \`evolve mcp --allow ${allows.join(',')}\`.`;

const instructions = (allowed: ReadonlySet<Allow>): string => {
  const missing = ALLOWS.filter((one) => !allowed.has(one));
  return [
    'Evolutionary search for programs. Each tool is the command of `evolve` with its name; `docs` explains the rest: begin with its pages skills/make-a-task, skills/watch-a-run and skills/explain-a-result.',
    ...(missing.length === 0 ? [] : [`Not allowed: ${missing.join(', ')}. ${byPerson(ALLOWS)}`]),
  ].join('\n');
};

/** `text` is what the agent reads. */
type Said = { readonly text: string; readonly isError: boolean };
const refused = (text: string): Said => ({ text, isError: true });

export const serve = (tools: readonly Tool[], allowed: ReadonlySet<Allow>): void => {
  const isAllowed = ({ allow }: Tool): boolean => allow === null || allowed.has(allow);
  const said = async (name: string, given: Input, signal: AbortSignal): Promise<Said> => {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) return refused(`there is no tool ${name}: the tool docs lists all in its page agents`);
    if (!isAllowed(tool)) return refused(`${name} is not allowed. ${byPerson([...allowed, tool.allow!])}`);
    const { data, error } = tool.input.safeParse(given);
    if (data === undefined) return refused(schemaProblems(error.issues, given, () => name, tool.input).join('\n'));
    const told = await tool.answer(data, signal);
    return { text: tool === docsTool ? `${told.text}${moreText(told.next)}` : marked(told), isError: told.isError };
  };
  serveStdio(() => {
    const server = new Server(
      { name: 'durable-evolve', version: packageVersion() },
      { instructions: instructions(allowed), capabilities: { tools: {} } },
    );
    server.setRequestHandler('tools/list', () => ({
      tools: tools.filter(isAllowed).map(({ name, brief, allow, isGrave, input }) => ({
        ...{ name, description: brief },
        inputSchema: z.toJSONSchema(input, { io: 'input' }) as { readonly type: 'object' },
        annotations: { readOnlyHint: allow === null, destructiveHint: isGrave },
      })),
    }));
    server.setRequestHandler(
      'tools/call',
      async ({ params: { name, arguments: given = {} } }, { mcpReq: { signal } }) => {
        const { text, isError } = await said(name, given, signal);
        return { content: [{ type: 'text', text }], isError };
      },
    );
    return server;
  });
};
