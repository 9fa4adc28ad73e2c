// Views of the whole page, and views of one run, in the order in which they are shown. A new view is a line here.
import type { RunView, View } from './base/view.ts';
import { Events } from './events/events.tsx';
import { Overview } from './run/overview.tsx';
import { Runs } from './runs/runs.tsx';

export const VIEWS: readonly View[] = [{ name: 'runs', title: 'Runs', View: Runs }];

export const RUN_VIEWS: readonly RunView[] = [
  { name: 'overview', title: 'Overview', View: Overview },
  { name: 'events', title: 'Events', View: Events },
];
