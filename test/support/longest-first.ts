// The order of the test files: project by project, of each the longest first, so that no core is idle while a last long
// file runs alone. Not by what vitest remembers of an earlier run: a fresh clone has none.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest of each project, by measurement. What is not here is short. */
const LONG = [
  ...['workflows/versions', 'workflows/run/rows', 'workflows/stream/stream', 'workflows/run/reset-points'],
  ...['workflows/sweep/stopped-runs', 'workflows/step/evolution-step', 'client/connect/connection'],
  ...['client/upkeep/terminate', 'workflows/messages/hostile', 'workflows/learning/policy-update'],
  ...['workflows/run/start-object', 'workflows/run/run-page', 'workflows/step/island-window', 'workflows/sweep/page'],
  ...['client/connect/silent-engine', 'workflows/run/run-states', 'workflows/sweep/scheduled'],

  ...['activities/sandbox/levels/fork', 'trainer/worker', 'tasks/golden', 'deploy/parts/task-image', 'tasks/cheats'],
  ...['tasks/cheats-fork', 'activities/sandbox/levels/bubblewrap', 'activities/store/mongo'],
  ...['activities/sandbox/levels/levels', 'activities/sandbox/levels/docker', 'tasks/initial'],

  ...['e2e/accidents/outages', 'e2e/steering/sweeps', 'page/browser/looking', 'e2e/runs/determinism'],
  ...['e2e/runs/learning', 'e2e/accidents/namespace', 'e2e/accidents/releases', 'e2e/steering/windows'],
  ...['e2e/people/own-files', 'e2e/steering/steering', 'e2e/accidents/hosts', 'e2e/runs/bookings'],
  ...['e2e/steering/resets', 'e2e/runs/task-folder', 'page/browser/recorded', 'e2e/people/examples'],
  ...['page/browser/actions', 'e2e/people/python', 'e2e/people/import-peer', 'e2e/runs/methods', 'e2e/people/replay'],
  ...['e2e/people/poisoned', 'page/browser/texts', 'page/browser/dialogs', 'e2e/runs/function-task', 'e2e/tiny'],
  ...['e2e/runs/main-job', 'e2e/runs/population'],
];

const rank = ({ moduleId }: TestSpecification): number => {
  const at = LONG.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return at < 0 ? LONG.length : at;
};

/**
 * Files of a project come together, because a process runs those of one project only. The stack that end-to-end files
 * share is up until the end, so they come last.
 */
const PROJECTS = ['unit', 'integration', 'e2e'];
const place = ({ project }: TestSpecification): number => PROJECTS.indexOf(project.name);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => place(a) - place(b) || rank(a) - rank(b));
  }
}
