// What a container costs under each OCI runtime, from its creation to its removal, with the options of candidates: one
// that does nothing, and two that import what programs import.
import { createDockerLauncher } from '../../../activities/sandbox/launchers/docker-launcher.ts';
import { connectDocker } from '../../../activities/sandbox/launchers/docker-connection.ts';
import { dockerHost, testHome, testImage } from '../../activities/sandbox/levels/docker.ts';
import { noGvisor, startGvisorEngine } from '../../support/machine/gvisor.ts';
import type { OperationsSuite } from '../operations.ts';

const ROUNDS = 15;
const ROUNDS_FULL = 60;
const WARM_UPS = 2;
const MIB = 2 ** 20;
const SOURCES = {
  pass: 'pass',
  numpy: 'import numpy',
  numpyScipy: 'import numpy, scipy.optimize',
} as const;
type Name = keyof typeof SOURCES;
const NAMES = Object.keys(SOURCES) as readonly Name[];
type Figures = { readonly p50Ms: number; readonly p95Ms: number; readonly cpuMs: number | null };
type Sample = { readonly ms: number; readonly cpuMs: number | null };

const quantile = (values: readonly number[], at: number): number =>
  Math.round([...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * at))]!);

const figuresOf = (samples: readonly Sample[]): Figures => {
  const cpu = samples.flatMap(({ cpuMs }) => (cpuMs === null ? [] : [cpuMs]));
  const times = samples.map(({ ms }) => ms);
  return {
    p50Ms: quantile(times, 0.5),
    p95Ms: quantile(times, 0.95),
    cpuMs: cpu.length === 0 ? null : quantile(cpu, 0.5),
  };
};

type Runtime = 'runc' | 'runsc';

const containersUnder = async (host: string | undefined, runtime: Runtime) => {
  const launcher = createDockerLauncher({
    docker: connectDocker(host),
    image: await testImage(host),
    home: testHome(),
    log: () => undefined,
    runtime,
  });
  return {
    once: async (name: Name): Promise<Sample> => {
      const begin = performance.now();
      let said = '';
      const confined = await launcher.launch({
        source: SOURCES[name],
        args: [],
        limits: { cpuSeconds: 30, memoryBytes: 512 * MIB, pids: 64 },
        run: 'bench',
        activity: 'runtime',
        deadline: new Date(Date.now() + 600_000),
        onStdout: () => undefined,
        onStderr: (chunk) => {
          said += chunk.toString();
        },
      });
      const { exitCode, lost } = await confined.ended;
      const { cpuMs } = confined.use();
      await confined.remove();
      if (exitCode !== 0) throw new Error(`${runtime}, ${name}: expected exit code 0, got ${lost ?? exitCode} ${said}`);
      return { ms: performance.now() - begin, cpuMs };
    },
    close: () => launcher.close(),
  };
};

/** The runtimes take turns, so that what else the machine does touches both alike. */
export const sandboxSuite: OperationsSuite<'sandbox'> = async (_home, say, _judge, { full }) => {
  const none = await noGvisor();
  const engine = none === null ? await startGvisorEngine() : null;
  const runtimes: readonly Runtime[] = engine === null ? ['runc'] : ['runc', 'runsc'];
  if (none !== null) say(`    runsc is left out: ${none}`);
  try {
    const ways = await Promise.all(
      runtimes.map(async (runtime) => ({
        runtime,
        samples: Object.fromEntries(NAMES.map((name) => [name, [] as Sample[]])) as Record<Name, Sample[]>,
        ...(await containersUnder(engine?.dockerHost ?? dockerHost, runtime)),
      })),
    );
    for (let round = -WARM_UPS; round < (full ? ROUNDS_FULL : ROUNDS); round += 1)
      for (const name of NAMES)
        for (const { once, samples } of ways) {
          const sample = await once(name);
          if (round >= 0) samples[name].push(sample);
        }
    await Promise.all(ways.map(({ close }) => close()));
    const figures = Object.fromEntries(
      ways.map(({ runtime, samples }) => [
        runtime,
        Object.fromEntries(NAMES.map((name) => [name, figuresOf(samples[name])])) as Record<Name, Figures>,
      ]),
    ) as { readonly runc: Record<Name, Figures> } & Partial<Record<Runtime, Record<Name, Figures>>>;
    const sandbox = { runc: figures.runc, runsc: figures.runsc ?? null };
    for (const name of NAMES) {
      const told = runtimes.map((runtime) => {
        const { p50Ms, p95Ms, cpuMs } = figures[runtime]![name];
        return `${runtime} ${p50Ms} / ${p95Ms} ms, CPU ${cpuMs ?? '?'} ms`;
      });
      const [plain, gvisor] = [sandbox.runc[name], sandbox.runsc?.[name]];
      const more = gvisor === undefined ? '' : `   gVisor: ${gvisor.p50Ms - plain.p50Ms} ms more`;
      say(`    ${name.padEnd(11)} p50 / p95: ${told.join('   ')}${more}`);
    }
    return { sandbox };
  } finally {
    await engine?.close();
  }
};
