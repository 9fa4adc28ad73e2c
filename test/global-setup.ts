// Once for all end-to-end files (vitest.config.ts): names the stack that they share (support/live.ts) and ends it. The
// first file that needs it starts it.
import type { TestProject } from 'vitest/node';
import { testHome } from './support/home.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly sharedStack: string;
  }
}

const setup = (project: TestProject): (() => Promise<void>) => {
  const home = testHome('shared');
  project.provide('sharedStack', home.dir);
  return () => home.remove();
};

// Vitest takes a default export only.
export default setup;
