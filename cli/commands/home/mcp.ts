// evolve mcp: a server of the Model Context Protocol for coding agents, over standard input and output (docs/agents.md).
import { UsageError } from '../../../client/connect/errors.ts';
import { act, type Build } from '../../flags/command.ts';
import { answer } from '../../terminal/output.ts';
import { table } from '../../terminal/table.ts';

const HEAD = ['tool', '--allow', 'what it does'];

type Options = { readonly allow?: string; readonly list?: boolean };

export const build: Build = (command) =>
  command
    .option('--allow <what>', 'beside reading: start, steer, tasks, or several, separated by commas')
    .option('--list', 'print the tools and what each needs to be allowed')
    .action(
      act(async (context, { allow = '', list = false }: Options) => {
        const [{ ALLOWS }, { allTools, takes }] = await Promise.all([
          import('../../mcp/answer.ts'),
          import('../../mcp/tools.ts'),
        ]);
        const names = allow.split(',').filter((name) => name !== '');
        const allowed = new Set(ALLOWS.filter((one) => names.includes(one)));
        const wrong = names.find((name) => !ALLOWS.some((one) => one === name));
        if (wrong !== undefined) throw new UsageError(`--allow: expected some of ${ALLOWS.join(', ')}, got "${wrong}"`);
        const tools = await allTools();
        if (!list) return (await import('../../mcp/serve.ts')).serve(tools, allowed);
        answer(
          context,
          tools.map((tool) => ({ name: tool.name, brief: tool.brief, takes: takes(tool), allow: tool.allow })),
          (width) => table([HEAD, ...tools.map((tool) => [tool.name, tool.allow ?? '', tool.brief])], { width }),
        );
      }),
    );
