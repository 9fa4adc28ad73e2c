// Views of the whole page, and views of one run, in the order in which they are shown. A new view is a line here.
import type { ComponentType } from 'preact';
import { Events } from './events/events.tsx';
import { Overview } from './run/overview.tsx';
import { Runs } from './runs/runs.tsx';

type View = {
  /** The first part of the address. */
  readonly name: string;
  readonly title: string;
  readonly hidden?: true;
  readonly View: ComponentType<{ readonly path: readonly string[] }>;
};

export const VIEWS: readonly View[] = [{ name: 'runs', title: 'Runs', View: Runs }];

export type RunViewProps = { readonly run: string; readonly path: readonly string[] };
type RunView = {
  /** The part of the address after the run. */
  readonly name: string;
  readonly title: string;
  /** Is not named among the tabs; other views link to it. */
  readonly hidden?: true;
  readonly View: ComponentType<RunViewProps>;
};

export const RUN_VIEWS: readonly RunView[] = [
  { name: 'overview', title: 'Overview', View: Overview },
  { name: 'events', title: 'Events', View: Events },
];
