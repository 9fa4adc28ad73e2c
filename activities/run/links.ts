// The addresses that people find in the details of runs and sweeps.
import type { Links } from '../interface/run.ts';

export type LinkDeps = {
  /** Read anew each time, because ports may change while a process runs. When left out, there are no links. */
  readonly links?: () => Links;
};

/** What an activity gives to a workflow, with the addresses that are known. */
export const linked = <Body extends object>({ links }: LinkDeps, body: Body): Body & { readonly links?: Links } => {
  const known = links?.() ?? {};
  return Object.keys(known).length === 0 ? body : { ...body, links: known };
};
