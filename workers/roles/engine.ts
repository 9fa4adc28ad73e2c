// The role `engine`: workflows, the store, sweeps, and the caretaker of runs that nobody looks after. It has no Docker
// socket. It writes the files of results, on the host on which it runs.
import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { availableParallelism } from 'node:os';
import { createCommitPolicy } from '../../activities/learning/commit-policy.ts';
import { createPlanUpdate } from '../../activities/learning/plan-update.ts';
import { createPlanTraining } from '../../activities/learning/training.ts';
import { offlineAnswers } from '../../activities/learning/warm-up.ts';
import { createResults } from '../../activities/results/write-results.ts';
import { createRunActivities } from '../../activities/run/open-run.ts';
import { createAdvance } from '../../activities/step/ask/advance.ts';
import { createApplyResponses } from '../../activities/step/apply/apply-responses.ts';
import { createCommitStep } from '../../activities/step/commit/commit-step.ts';
import { createRequireHost } from '../../activities/step/plan/hosts.ts';
import { createInitialIdea } from '../../activities/step/ask/stages/initial-idea.ts';
import { createPlanIsland } from '../../activities/step/plan/plan-island.ts';
import { createTurnStream } from '../../activities/step/plan/plan-stream.ts';
import { createPlanStep } from '../../activities/step/plan/plan-step.ts';
import { createSweepActivities } from '../../activities/sweep/index.ts';
import { usableTask } from '../../activities/task/usable-task.ts';
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { Links } from '../../activities/interface/run.ts';
import { temporalUi } from '../../client/connect/connection.ts';
import { servedPage } from '../../client/connect/page-address.ts';
import { runReport } from '../../client/read/report.ts';
import { workflowsUrl } from '../../client/temporal/ui-views.ts';
import { resolveHome } from '../../deploy/host/home.ts';
import { installationModel } from '../../deploy/stack/installation-model.ts';
import { environmentLayer } from '../../evolution/config/sources.ts';
import { QUEUES } from '../../workflows/engine/queues.ts';
import { Caretaker, keptRuns, keptSweeps } from './caretaker.ts';
import { registerSearchAttributes } from '../process/connect.ts';
import type { Context, Role } from '../process/context.ts';
import type { EngineEnvironment } from '../process/environment.ts';
import type { Models } from '../models/model-clients.ts';
import { failingRuns, startNotifier } from '../notices/notifier.ts';
import { startTracking } from '../tracking/tracking.ts';
import { standingIn } from '../process/process.ts';
import { seldom } from '../telemetry/metrics-server.ts';
import { runGauges, versionGauges } from '../telemetry/gauges.ts';
import { activitySlots } from '../process/tuning.ts';
import { checkedIn } from './checked.ts';
import { Versions, workflowWorkers } from './versions.ts';

/** Versions are looked up for metrics at most so often, however often somebody asks. */
const VERSIONS_MS = 30_000;

type At = Parameters<typeof servedPage>[0];

const linksOf = (at: At): Links => {
  const [page, ui] = [servedPage(at), temporalUi(at)];
  return { ...(page && { page: page.url }), ...(ui && { workflows: workflowsUrl(ui) }) };
};

export const engineRole = async (
  { engine, store, loadTask, payloads, shared, telemetry }: Context,
  environment: EngineEnvironment,
  { clientFor }: Models,
): Promise<Role> => {
  await registerSearchAttributes(engine.connection, engine.namespace);
  telemetry.sampling(runGauges(store, environment.home));
  const { connection, namespace } = engine;
  const client = new Client({ connection, namespace, dataConverter: payloads.ofClient });
  telemetry.sampling(seldom(versionGauges(client), VERSIONS_MS));
  /** Read anew each time, because `evolve up` may name another model while this process runs. */
  const modelLayer = () => environmentLayer(installationModel(environment.home, process.env));
  const place = { home: resolveHome(process.env) };
  const ui = () => temporalUi(place);
  const links = () => linksOf(place);
  const checked = checkedIn(environment.home);
  const beginning = { store, loadTask, links, takeTask: usableTask, installationModel: modelLayer, checked };
  const leaving = { store, loadTask, report: (run: RunDocument) => runReport(run, new Date(), ui()) };
  const results = createResults({ ...leaving, directory: environment.runs });
  const make = workflowWorkers(shared, environment.heartbeatSeconds);
  const workers = await Promise.all([
    make(environment.bundle),
    Worker.create({
      ...shared,
      taskQueue: QUEUES.db,
      ...activitySlots(environment.dbSlots),
      activities: {
        ...createRunActivities(beginning),
        ...results,
        ...createRequireHost({ store }),
        ...createPlanStep({ store, loadTask, takeTask: usableTask }),
        ...createPlanIsland({ store, loadTask }),
        ...createAdvance({ store, loadTask }),
        ...createInitialIdea({ store, loadTask }),
        ...createApplyResponses({ store, loadTask }),
        ...createCommitStep({ store, loadTask }),
        ...createTurnStream({ store, loadTask }),
        ...createPlanTraining(store, createPlanUpdate({ store, loadTask, answers: offlineAnswers(clientFor) })),
        ...createCommitPolicy({ store, policies: environment.policies }),
      },
    }),
    Worker.create({
      ...shared,
      taskQueue: QUEUES.sweep,
      // They wait for runs most of the time, and are asked for seldom.
      ...activitySlots(50, 2),
      activities: createSweepActivities({ ...beginning, standing: standingIn(engine, payloads) }),
    }),
  ]);
  const { home, bundle } = environment;
  const versions = new Versions({ engine, home, bundle, make, payloads, log: (line) => console.log(line) });
  const versioning = versions.run();
  const caretaker = new Caretaker(engine, [keptRuns(store), keptSweeps(store)], payloads);
  const caring = caretaker.run((line) => console.error(line));
  const told = { home: environment.home, env: process.env, log: (line: string) => console.error(line) };
  const notifier = startNotifier({ store, ui, failing: failingRuns(client), ...told });
  const tracking = startTracking({ ...leaving, ...told });
  return {
    about: { role: 'engine', slots: environment.dbSlots, cores: availableParallelism(), gpus: 0, labels: [] },
    workers,
    async close() {
      caretaker.stop();
      await Promise.all([notifier.stop(), tracking.stop(), versions.stop(), versioning, caring]);
    },
  };
};
