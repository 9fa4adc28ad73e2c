// A client of the Model Context Protocol, by the official SDK, on a process of `evolve mcp`.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..');

export class Agent {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async start(env: NodeJS.ProcessEnv, ...flags: readonly string[]): Promise<Agent> {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: join(ROOT, 'node_modules', '.bin', 'node'),
        args: [join(ROOT, 'cli', 'main.ts'), 'mcp', ...flags],
        env: env as Record<string, string>,
      }),
    );
    return new Agent(client);
  }

  get instructions(): string {
    return this.#client.getInstructions() ?? '';
  }

  async tools() {
    return (await this.#client.listTools()).tools;
  }

  async call(name: string, input: object): Promise<{ readonly isError: boolean; readonly text: string }> {
    const { content, isError = false } = await this.#client.callTool(
      { name, arguments: { ...input } },
      { timeout: 600_000 },
    );
    const [first] = content as readonly { readonly text: string }[];
    return { isError, text: first!.text };
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
