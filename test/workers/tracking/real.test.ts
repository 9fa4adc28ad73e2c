// The trackers themselves read what they were sent: an MLflow server, TensorBoard's page and the SDK of Weights & Biases.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../../deploy/host/run-command.ts';
import { findFreePort } from '../../../deploy/parts/free-port.ts';
import type { Trackers } from '../../../deploy/servers/trackers.ts';
import { dying, TrackedRun } from '../../support/domain/tracked-run.ts';
import { until } from '../../support/machine/home.ts';
import { listedPython } from '../../support/listed-python.ts';
import { FULL } from '../../support/sizes.ts';

const STEPS = [0, 1, 2, 3, 4, 5, 6];

/** The file is a log of LevelDB. */
const READ_WANDB = `
import glob, json, struct, sys
from wandb.proto import wandb_internal_pb2 as pb
for path in glob.glob(sys.argv[1] + "/wandb/*/*.wandb"):
    data, at, part = open(path, "rb").read(), 7, b""
    while at + 7 <= len(data):
        if 32768 - at % 32768 < 7:
            at += 32768 - at % 32768
            continue
        _, length, kind = struct.unpack("<IHB", data[at : at + 7])
        part, at = part + data[at + 7 : at + 7 + length], at + 7 + length
        if kind in (1, 4):
            record, part = pb.Record.FromString(part), b""
            if record.WhichOneof("record_type") == "history":
                items = {(item.key or item.nested_key[0]): json.loads(item.value_json) for item in record.history.item}
                print(json.dumps([items["_step"], items["best"]]))
            if record.WhichOneof("record_type") == "files":
                print(json.dumps([one.path for one in record.files.files]))
`;

describe.runIf(FULL)('real trackers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'evolve-trackers-'));
  const children: ChildProcess[] = [];
  let bin: string | null = null;
  let named: Trackers = { tensorboard: join(folder, 'tb'), wandb: folder };
  let board = '';

  const server = async (name: string, args: readonly string[]): Promise<string> => {
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}`;
    const child = spawn(join(bin!, name), [...args, '--host', '127.0.0.1', '--port', String(port)], {
      ...{ cwd: folder, stdio: 'ignore', detached: true },
    });
    children.push(child);
    await until(`${name} to answer`, 300_000, async () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    return url;
  };
  const read = async (url: string, body?: object): Promise<unknown> =>
    (
      await fetch(
        url,
        body === undefined
          ? {}
          : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
      )
    ).json();

  beforeAll(async () => {
    bin = await listedPython('trackers', ['3.11']);
    if (bin === null) return;
    const stored = ['--backend-store-uri', `sqlite:///${folder}/db`, '--artifacts-destination', join(folder, 'files')];
    named = {
      ...named,
      python: join(bin, 'python3'),
      mlflow: await server('mlflow', ['server', '--workers', '1', ...stored]),
    };
    const run = await TrackedRun.of('demo', 4);
    await run.worker(named, {}, dying).look();
    run.later();
    await run.worker(named).look();
    await run.grow(5, 6);
    await run.end();
    await run.worker(named).look();
    expect((await run.store.listTracking()).map(({ tracker, step, error }) => [tracker, step, error])).toEqual(
      ['mlflow', 'tensorboard', 'wandb'].map((tracker) => [tracker, 6, null]),
    );
    board = await server('tensorboard', ['--logdir', named.tensorboard!]);
  });
  afterAll(() => {
    for (const { pid } of children) process.kill(-pid!, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  it('MLflow has each point once, settings, state and files', async (context) => {
    if (bin === null) return context.skip();
    const api = `${named.mlflow}/api/2.0`;
    const { runs } = (await read(`${api}/mlflow/runs/search`, { experiment_ids: ['1'] })) as {
      runs: { info: { run_id: string; status: string; artifact_uri: string }; data: { params: unknown[] } }[];
    };
    expect(runs).toMatchObject([{ info: { run_name: 'demo', status: 'FINISHED' } }]);
    const [{ info, data }] = runs as [(typeof runs)[0]];
    expect(data.params).toContainEqual({ key: 'limits.steps', value: '10' });
    const history = (await read(`${api}/mlflow/metrics/get-history?run_id=${info.run_id}&metric_key=best`)) as {
      metrics: { step: number; value: number }[];
    };
    expect(history.metrics.map(({ step, value }) => [step, value])).toEqual(STEPS.map((step) => [step, step + 1]));
    const best = await fetch(`${api}/${info.artifact_uri.replace(':/', '/artifacts/')}/best.py`);
    expect(await best.text()).toContain('return "ü"');
  });

  it('TensorBoard shows each point once, and the best program', async (context) => {
    if (bin === null) return context.skip();
    const scalars = `${board}/data/plugin/scalars/scalars?run=demo&tag=best`;
    const points = async () => (await read(scalars)) as readonly (readonly [number, number, number])[];
    await until('TensorBoard to read', 120_000, async () => (await points()).length >= STEPS.length);
    expect((await points()).map(([, step, value]) => [step, value])).toEqual(STEPS.map((step) => [step, step + 1]));
    const texts = (await read(`${board}/data/plugin/text/text?run=demo&tag=best.py`)) as { text: string }[];
    expect(texts.at(-1)!.text).toContain('return "ü"');
  });

  it('Weights & Biases has each point once, and the files', async (context) => {
    if (bin === null) return context.skip();
    const { stdout } = await runCommand(join(bin, 'python'), ['-c', READ_WANDB, folder], { timeoutMs: 120_000 });
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      ...['best.py', 'config.yaml', 'summary.json'].map((name) => [`run/${name}`]),
      ...STEPS.map((step) => [step, step + 1]),
    ]);
    const sync = await runCommand('sh', ['-c', `${bin}/wandb sync --dry-run 2>&1`], {
      cwd: folder,
      timeoutMs: 120_000,
    });
    expect(sync.stdout).toContain('Would sync 1 run(s)');
  });
});
