// The offline model behind a proxy that notes when its first request came and when its last answer was whole.
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startModel } from '../../support/machine/home.ts';
import { isFirstRequest } from '../../support/models/endpoint.ts';

export class ClockedModel {
  readonly url: string;
  private readonly server: Server;
  private readonly model: { stop(): Promise<void> };
  private first: number | null = null;
  private last: number | null = null;

  private constructor(url: string, server: Server, model: { stop(): Promise<void> }) {
    this.url = url;
    this.server = server;
    this.model = model;
  }

  static async start(...flags: string[]): Promise<ClockedModel> {
    const model = await startModel('--trivial', ...flags);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const clocked = new ClockedModel(`http://127.0.0.1:${port}/v1`, server, model);
    const origin = new URL(model.url).origin;
    server.on('request', (incoming, outgoing) => {
      const asks = incoming.method === 'POST' && !isFirstRequest(incoming);
      if (asks) clocked.first ??= Date.now();
      const { method, headers } = incoming;
      const onward = request(`${origin}${incoming.url}`, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
        if (asks) answer.once('end', () => (clocked.last = Date.now()));
      });
      onward.once('error', () => outgoing.destroy());
      outgoing.once('close', () => onward.destroy());
      incoming.pipe(onward);
    });
    return clocked;
  }

  /** Milliseconds since 1970; forgets them, so that the next run is clocked anew. */
  take(): { readonly firstRequest: number; readonly lastAnswer: number } {
    const [firstRequest, lastAnswer] = [this.first, this.last];
    if (firstRequest === null || lastAnswer === null) throw new Error('the model was not asked');
    this.first = this.last = null;
    return { firstRequest, lastAnswer };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await this.model.stop();
  }
}
