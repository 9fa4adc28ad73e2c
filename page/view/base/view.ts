// A view is a component that the address names.
import type { ComponentType } from 'preact';
import type { Traits } from '../../api/run/traits.ts';

export type View = {
  /** The first part of the address. */
  readonly name: string;
  readonly title: string;
  /** A page of several runs that was exported to a file has it. */
  readonly inFile?: true;
  readonly View: ComponentType<{ readonly path: readonly string[] }>;
};

/** `path` is what the address has after the name of the view. */
export type RunViewProps = { readonly run: string; readonly path: readonly string[] };
export type RunView = {
  /** The part of the address after the run. */
  readonly name: string;
  readonly title: string;
  /** It has no tab; other views link to it. */
  readonly hidden?: true;
  /** The name of the view whose tab is marked while this one is shown. */
  readonly tab?: string;
  /** Left out: every run has it. Until it is known what kind of run it is, the view is not named. */
  readonly when?: (traits: Traits) => boolean;
  readonly View: ComponentType<RunViewProps>;
};
