// A vitest reporter that ends the output with the slowest files, the sum of all, and one line, `N passed, N failed`,
// for tools. Named in vitest.config.ts.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Reporter, TestModule } from 'vitest/node';
import type {} from './support/file-cpu.ts';

/** Where deploy/test.mjs wants to read how it went, as JSON; see there. */
const RESULT = process.env['EVOLVE_TEST_RESULT'];
const SHOWN = Number(process.env['EVOLVE_TEST_TIMES'] ?? 10);

const count = (modules: readonly TestModule[], state: 'passed' | 'failed'): number =>
  modules.reduce((sum, module) => sum + [...module.children.allTests(state)].length, 0);

// A module that cannot be loaded, or a hook that fails, has no failed test of its own.
const brokenModules = (modules: readonly TestModule[]): number =>
  modules.filter((module) => module.state() === 'failed' && count([module], 'failed') === 0).length;

type Time = { readonly file: string; readonly wall: number; readonly cpu: number };

const timeOf = (module: TestModule): Time => {
  const { duration, environmentSetupDuration, prepareDuration, collectDuration, setupDuration } = module.diagnostic();
  return {
    file: module.relativeModuleId,
    wall: (duration + environmentSetupDuration + prepareDuration + collectDuration + setupDuration) / 1000,
    cpu: module.meta().cpuSeconds ?? 0,
  };
};

/** What all cores of the machine have worked since its boot, whoever it was for. */
const machineSeconds = (): number => {
  const [, user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]!.split(/ +/);
  return [user, nice, system, irq, softirq].reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
};

const line = (wall: number, cpu: number, what: string): string =>
  `${wall.toFixed(1).padStart(8)} ${cpu.toFixed(1).padStart(8)}  ${what}`;

class SlowestAndOneLine implements Reporter {
  private readonly started = performance.now();
  private readonly busyBefore = machineSeconds();

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const failed = count(modules, 'failed') + brokenModules(modules) + errors.length;
    const times = modules.map(timeOf).sort((a, b) => b.wall - a.wall);
    const sum = (of: (time: Time) => number): number => times.reduce((total, time) => total + of(time), 0);
    const wall = (performance.now() - this.started) / 1000;
    const lines = [
      'Slowest files: seconds, CPU seconds of the tests themselves (not of stacks and containers)',
      ...times.slice(0, SHOWN).map((time) => line(time.wall, time.cpu, time.file)),
      line(
        sum((time) => time.wall),
        sum((time) => time.cpu),
        `sum of ${times.length} files`,
      ),
      line(wall, machineSeconds() - this.busyBefore, `the whole run; CPU of all that ran on ${cpus().length} cores`),
    ];
    if (RESULT !== undefined) {
      const broken = modules.filter((module) => module.state() === 'failed');
      const result = {
        passed: count(modules, 'passed'),
        failed,
        failedFiles: [...new Set(broken.map((module) => module.relativeModuleId))],
        passedInFailedFiles: count(broken, 'passed'),
      };
      writeFileSync(RESULT, JSON.stringify(result));
    }
    // After the default reporter's summary, whichever comes first.
    process.on('exit', () =>
      process.stdout.write(`\n${lines.join('\n')}\n\n${count(modules, 'passed')} passed, ${failed} failed\n`),
    );
  }
}

// Vitest loads a reporter by its default export only.
export default SlowestAndOneLine;
