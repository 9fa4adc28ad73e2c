// The dynamic configuration of the development server.

/** Settings other than the defaults. deploy/compose.yaml has the same. */
export const DYNAMIC_CONFIG: readonly string[] = [
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  'matching.enableFairness=true',
  // The server looks for what a workflow has to do next at most so many times a second. By default that is 20, so that
  // with several runs or a stream each activity and each task of a workflow waited for up to 50 ms.
  'history.transferProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxPollRPS=2000',
  // Timers are not rounded up to a second.
  'history.timerProcessorMaxTimeShift="10ms"',
  'history.workflowTaskRetryMaxInterval="10s"',
  // A workflow gives back each update, taken or refused, and the server ends a workflow that gives back more than 4 MiB
  // at a time: two large ones together would have ended a run. The server now takes one at a time, and clients try again.
  'history.maxInFlightUpdatePayloads=2100000',
  // The server deletes an execution once it has noted that all that came of its end is done, by default every half minute:
  // so long a run that goes on would have two rows.
  'history.transferProcessorUpdateAckInterval="1s"',
  'history.visibilityProcessorUpdateAckInterval="1s"',
];

/** What the development server does by itself, and does seldom here, so that a stack without work costs little. */
export const SELDOM: readonly string[] = [
  // Requests for work of the server's own workflows. The server does not start with fewer than two.
  'worker.ScannerMaxConcurrentActivityTaskPollers=2',
  'worker.ScannerMaxConcurrentWorkflowTaskPollers=2',
  'worker.ParentCloseMaxConcurrentActivityTaskPollers=2',
  'worker.ParentCloseMaxConcurrentWorkflowTaskPollers=2',
  'worker.perNamespaceWorkerOptions={"MaxConcurrentWorkflowTaskPollers":2,"MaxConcurrentActivityTaskPollers":2}',
  // By default each of its four services reads all namespaces every two seconds. One that it does not know it reads at once.
  'system.namespaceCacheRefreshInterval="10s"',
  'matching.ephemeralDataUpdateInterval="60s"',
  // Metrics of each queue, which it computes every second. Those of the workers tell the queues apart.
  'metrics.breakdownByTaskQueue=false',
  'metrics.breakdownByPartition=false',
];
