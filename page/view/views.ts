// Views of the whole page, and views of one run, in the order in which they are shown. A new view is a line here.
import type { RunView, View } from './base/view.ts';
import { Deltas } from './run/deltas.tsx';
import { Lineage } from './lineage/lineage.tsx';
import { ArchiveMap } from './map/map.tsx';
import { Prompts } from './run/prompts.tsx';
import { Compare } from './runs/compare.tsx';
import { Events } from './run/events.tsx';
import { Papers } from './runs/papers.tsx';
import { Policies } from './run/policies.tsx';
import { Sweeps } from './runs/sweeps.tsx';
import { Models } from './run/models.tsx';
import { Time } from './run/time.tsx';
import { Overview } from './run/overview.tsx';
import { Runs } from './runs/runs.tsx';
import { ProgramView } from './program/program-view.tsx';
import { Settings } from './settings/settings.tsx';
import { Start } from './settings/start.tsx';
import { TableView } from './table/table-view.tsx';

export const VIEWS: readonly View[] = [
  { name: 'runs', title: 'Runs', View: Runs },
  { name: 'compare', title: 'Compare', View: Compare, inFile: true },
  { name: 'papers', title: 'Papers', View: Papers, inFile: true },
  { name: 'sweeps', title: 'Sweeps', View: Sweeps },
  { name: 'start', title: 'New run', View: Start },
];

export const RUN_VIEWS: readonly RunView[] = [
  { name: 'overview', title: 'Overview', View: Overview },
  { name: 'programs', title: 'Programs', View: TableView },
  { name: 'program', title: 'Program', hidden: true, tab: 'programs', View: ProgramView },
  { name: 'lineage', title: 'Lineage', View: Lineage },
  { name: 'map', title: 'Map', View: ArchiveMap },
  { name: 'deltas', title: 'Deltas', View: Deltas, when: ({ has }) => has.deltas },
  { name: 'prompts', title: 'Prompts and ideas', View: Prompts, when: ({ has }) => has.prompts || has.ideas },
  { name: 'models', title: 'Models', View: Models },
  { name: 'time', title: 'Time', View: Time },
  { name: 'policies', title: 'Policies', View: Policies, when: ({ has }) => has.policies },
  { name: 'events', title: 'Events', View: Events },
  { name: 'settings', title: 'Settings', View: Settings },
];
