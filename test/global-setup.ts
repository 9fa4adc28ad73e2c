// Once for all end-to-end files (vitest.config.ts): names the stack that they share (support/live.ts) and ends it. The
// first file that needs it starts it.
import type { TestProject } from 'vitest/node';
import { testHome, type TestHome } from './support/machine/home.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly sharedStack: string;
  }
}

let home: TestHome;

export const setup = (project: TestProject): void => {
  home = testHome('shared');
  project.provide('sharedStack', home.dir);
};

export const teardown = (): Promise<void> => home.remove();
