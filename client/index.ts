// The library's public names: `import { DurableEvolve } from 'durable-evolve'`.

export type { RebuildReport } from '../activities/rebuild/rebuild.ts';
export type { Manifest } from '../activities/store/export-format.ts';
export type { RunDocument, SweepDocument } from '../activities/store/documents.ts';
export type { ProgramDocument } from '../activities/store/step-documents.ts';
export type { SettingsChanged } from '../activities/interface/run.ts';
export type { Limits, RunConfig } from '../evolution/config/run-config.ts';
export type { RunSettings } from '../evolution/config/settings.ts';
export type {
  AddModelRequest,
  ExtendRequest,
  InStep,
  PauseRequest,
  RetryRequest,
  RewindRequest,
  RunProgress,
  StopRequest,
  SweepProgress,
} from '../workflows/messages/messages.ts';
export type { RunFinding } from './state-findings.ts';
export { DurableEvolve, type ConnectOptions } from './durable-evolve.ts';
export { ConfigError } from '../evolution/config/config-error.ts';
export { BadEndError, MissingError, UsageError } from './errors.ts';
export type { ForkRequest } from './fork-run.ts';
export type { ImportReport } from './import-run.ts';
export type { PruneOrder, PrunePlan, PruneReport } from './prune.ts';
export type { RunReport } from './report.ts';
export type { ResultFiles } from './results.ts';
export { RunHandle } from './run-handle.ts';
export { Schedules, type BackfillPlan, type BackfillRange, type NewSchedule } from './schedules.ts';
export type { Selection } from './select-runs.ts';
export type { ScheduleDetails, ScheduleReport } from './schedule-report.ts';
export type { Overlap, ScheduleSettings } from './schedule-settings.ts';
export type { IslandLine, IslandsReport } from './views.ts';
export type { StepLine } from './views.ts';
export { SweepHandle } from './sweep-handle.ts';
export type { SweepReport } from './sweep-report.ts';
export type { UsageReport, UsageSum } from './usage.ts';
