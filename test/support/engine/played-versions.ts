// Answers of a made-up Temporal server about the versions of the workflows.
import { defaultPayloadConverter } from '@temporalio/common';
import proto from '@temporalio/proto';

const { temporal } = proto;
const { v1: service } = temporal.api.workflowservice;
const { RoutingConfigUpdateState: State } = temporal.api.enums.v1;
const versionOf = (buildId: string) => ({ deploymentName: 'durable-evolve', buildId });

export type PlayedVersions = {
  readonly builds: readonly string[];
  readonly current: string;
  /** Whether all queues of the server know the current one. */
  readonly routed: boolean;
};

/** The answer to DescribeWorkerDeployment. */
export const deploymentAnswer = ({ builds, current, routed }: PlayedVersions): Uint8Array =>
  service.DescribeWorkerDeploymentResponse.encode({
    workerDeploymentInfo: {
      versionSummaries: builds.map((build) => ({ deploymentVersion: versionOf(build) })),
      routingConfig: { currentDeploymentVersion: versionOf(current) },
      routingConfigUpdateState: routed
        ? State.ROUTING_CONFIG_UPDATE_STATE_COMPLETED
        : State.ROUTING_CONFIG_UPDATE_STATE_IN_PROGRESS,
    },
  }).finish();

/** The answer to DescribeWorkerDeploymentVersion. */
export const releaseAnswer = (release: string, sinceMs: number): Uint8Array =>
  service.DescribeWorkerDeploymentVersionResponse.encode({
    workerDeploymentVersionInfo: {
      metadata: {
        entries: {
          release: defaultPayloadConverter.toPayload(release),
          since: defaultPayloadConverter.toPayload(sinceMs),
        },
      },
    },
  }).finish();
