// A server that speaks the part of MLflow's REST interface that we use, as its file store does it: a metric that comes
// twice is kept twice. Requests fail as the test says.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type Metric = { readonly key: string; readonly value: number; readonly step: number; readonly timestamp: number };
type Kept = {
  readonly name: string;
  readonly tag: string;
  /** Those that came later. */
  readonly tags: Map<string, string>;
  readonly metrics: Metric[];
  readonly params: Map<string, string>;
  status: string;
};
/** What requests hold, all of them together. */
type Body = {
  readonly name: string;
  readonly run_name: string;
  readonly run_id: string;
  readonly tags: readonly { readonly key: string; readonly value: string }[];
  readonly metrics: readonly Metric[];
  readonly params: readonly { readonly key: string; readonly value: string }[];
  readonly status: string;
  readonly filter: string;
};
type Failure = { readonly status: number; readonly body: string };

const textOf = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
};

export class MlflowServer {
  readonly experiments: string[] = [];
  readonly runs: Kept[] = [];
  readonly files = new Map<string, string>();
  readonly authorizations = new Set<string | undefined>();
  /** The answer to a request, instead of what the server would do. */
  failing: ((path: string, body: string) => Failure | null) | null = null;
  /** So many answers are given. The request after them is carried out, and its connection breaks. */
  answers = Infinity;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      void textOf(request).then((body) => {
        const path = decodeURIComponent(request.url!.replace('/api/2.0/', ''));
        this.authorizations.add(request.headers.authorization);
        const answer = this.failing?.(path, body) ?? this.#answer(request.method!, path, body);
        this.answers -= 1;
        if (this.answers < 0) return request.socket.destroy();
        response.statusCode = typeof answer === 'string' ? 200 : answer.status;
        return response.end(typeof answer === 'string' ? answer : answer.body);
      });
    });
  }

  static async start(): Promise<MlflowServer> {
    const double = new MlflowServer();
    await new Promise<void>((resolve) => double.#server.listen(0, '127.0.0.1', resolve));
    return double;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The steps of a metric of a run, as they came. */
  steps(run: string, metric: string): readonly number[] {
    const kept = this.runs.find(({ name }) => name === run);
    return kept?.metrics.filter(({ key }) => key === metric).map(({ step }) => step) ?? [];
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(method: string, path: string, text: string): string | Failure {
    if (path.startsWith('mlflow-artifacts/')) {
      this.files.set(path.replace('mlflow-artifacts/artifacts/', ''), text);
      return '';
    }
    const body = (text === '' ? {} : JSON.parse(text)) as Partial<Body>;
    if (path.startsWith('mlflow/experiments/create'))
      return JSON.stringify({ experiment_id: String(this.experiments.push(body.name!) - 1) });
    if (path.startsWith('mlflow/runs/create'))
      this.runs.push({
        name: body.run_name!,
        tag: body.tags![0]!.value,
        tags: new Map(),
        metrics: [],
        params: new Map(),
        status: 'RUNNING',
      });
    const run = this.runs[Number(body.run_id)];
    if (path === 'mlflow/runs/log-batch') {
      run!.metrics.push(...(body.metrics ?? []));
      for (const { key, value } of body.tags ?? []) run!.tags.set(key, value);
      for (const { key, value } of body.params ?? [])
        if ((run!.params.get(key) ?? value) === value) run!.params.set(key, value);
        else return refusal(400, 'INVALID_PARAMETER_VALUE', `Changing param values is not allowed: ${key}`);
    }
    if (path === 'mlflow/runs/update') run!.status = body.status!;
    const told = this.runs.map(({ tag, metrics, params, status }, id) => ({
      tag,
      info: { run_id: String(id), artifact_uri: `mlflow-artifacts:/0/${id}/artifacts`, status },
      data: {
        metrics: [...new Map(metrics.map((one) => [one.key, one])).values()],
        params: Array.from(params, ([key, value]) => ({ key, value })),
      },
    }));
    if (path === 'mlflow/runs/create') return JSON.stringify({ run: told.at(-1) });
    if (path === 'mlflow/runs/search')
      return JSON.stringify({ runs: told.filter(({ tag }) => body.filter!.endsWith(`'${tag}'`)) });
    return JSON.stringify(method === 'GET' ? { experiment: { experiment_id: '0' } } : {});
  }
}

/** As MLflow writes it. */
export const refusal = (status: number, code: string, message: string): Failure => ({
  status,
  body: JSON.stringify({ error_code: code, message }),
});
