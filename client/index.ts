// The library's public names: `import { DurableEvolve } from 'durable-evolve'`.

export type { RebuildReport } from '../activities/rebuild/rebuild.ts';
export type { Manifest } from '../activities/store/exchange/export-format.ts';
export type { RunDocument, SweepDocument } from '../activities/store/documents/documents.ts';
export type { ProgramDocument } from '../activities/store/documents/step-documents.ts';
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
export type { RunFinding } from './read/state-findings.ts';
export { DurableEvolve, type ConnectOptions } from './durable-evolve.ts';
export { ConfigError } from '../evolution/config/config-error.ts';
export { BadEndError, MissingError, UsageError } from './connect/errors.ts';
export type { ForkRequest } from './runs/fork-run.ts';
export type { ImportReport } from './runs/import-run.ts';
export type { PruneOrder, PrunePlan, PruneReport } from './upkeep/prune.ts';
export type { RunReport, StepLine } from './read/shapes.ts';
export type { ResultFiles } from './read/results.ts';
export { RunHandle } from './runs/run-handle.ts';
export { Schedules, type BackfillPlan, type BackfillRange, type NewSchedule } from './sweeps/schedules.ts';
export type { Selection } from './runs/select-runs.ts';
export type { ScheduleDetails, ScheduleReport } from './sweeps/schedule-report.ts';
export type { Overlap, ScheduleSettings } from './sweeps/schedule-settings.ts';
export type { IslandLine, IslandsReport } from './read/views.ts';
export { SweepHandle } from './sweeps/sweep-handle.ts';
export type { SweepReport } from './read/sweep-report.ts';
export type { UsageReport, UsageSum } from './read/usage.ts';
