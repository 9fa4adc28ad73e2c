// A vitest reporter that ends the output with one line, `N passed, N failed`, for tools. Named in vitest.config.ts.
import type { Reporter, TestModule } from 'vitest/node';

const count = (modules: readonly TestModule[], state: 'passed' | 'failed'): number =>
  modules.reduce((sum, module) => sum + [...module.children.allTests(state)].length, 0);

// A module that cannot be loaded, or a hook that fails, has no failed test of its own.
const brokenModules = (modules: readonly TestModule[]): number =>
  modules.filter((module) => module.state() === 'failed' && count([module], 'failed') === 0).length;

class OneLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const failed = count(modules, 'failed') + brokenModules(modules) + errors.length;
    // After the default reporter's summary, whichever comes first.
    process.on('exit', () => process.stdout.write(`\n${count(modules, 'passed')} passed, ${failed} failed\n`));
  }
}

// Vitest loads a reporter by its default export only.
export default OneLine;
