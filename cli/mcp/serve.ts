// The server of `evolve mcp`, over standard input and output.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { packageVersion } from '../../deploy/host/home.ts';
import { type Allow, ALLOWS, type Input, marked, moreText, type Tool } from './answer.ts';
import { docsTool } from './docs.ts';

const instructions = (allowed: ReadonlySet<Allow>): string => {
  const missing = ALLOWS.filter((one) => !allowed.has(one));
  return [
    'Evolutionary search for programs. Each tool is the command of `evolve` with its name; `docs` explains the rest: begin with its pages skills/make-a-task, skills/watch-a-run and skills/explain-a-result.',
    ...(missing.length === 0
      ? []
      : [
          `Not allowed: ${missing.join(', ')}. Only a person can allow more, by starting \`evolve mcp --allow ${ALLOWS.join(',')}\`.`,
        ]),
  ].join('\n');
};

export const serve = (tools: readonly Tool[], allowed: ReadonlySet<Allow>): void => {
  serveStdio(() => {
    const server = new McpServer(
      { name: 'durable-evolve', version: packageVersion() },
      { instructions: instructions(allowed) },
    );
    for (const { name, brief, allow, isGrave, input, answer } of tools) {
      const registered = server.registerTool(
        name,
        {
          description: brief,
          inputSchema: input,
          annotations: { readOnlyHint: allow === null, destructiveHint: isGrave },
        },
        async (given, { mcpReq: { signal } }) => {
          const told = await answer(given as Input, signal);
          const text = name === docsTool.name ? `${told.text}${moreText(told.next)}` : marked(told);
          return { content: [{ type: 'text', text }], isError: told.isError };
        },
      );
      if (allow !== null && !allowed.has(allow)) registered.disable();
    }
    return server;
  });
};
