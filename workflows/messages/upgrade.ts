// A run, a sweep, or the start of a sweep goes over to the newest version of the workflows. Every execution is
// pinned to the version that began it, so that code that was changed never replays its history. At a boundary, where an
// execution may continue as new anyway, it does so when another version has become the current one, and the next
// execution begins with that.
import { type ContinueAsNewOptions, setHandler, setWorkflowOptions, workflowInfo } from '@temporalio/workflow';
import { INTERNAL } from './descriptions.ts';
import { versionChanged } from './messages.ts';
import { AT_REST } from './run-input.ts';

export class Upgrade {
  /** The version of the execution before, where that one went on for another version. */
  readonly #from: string | null;

  constructor(from: string | undefined) {
    this.#from = from ?? null;
    // A resting execution is not woken by a new version, and learns of it only with its next task. The signal is that task.
    setHandler(versionChanged, () => undefined, { description: INTERNAL });
  }

  /**
   * True where the execution is to continue as new for another version. One that tried and came out where it was (a person pinned
   * it there) does not try again, because it would do so for ever.
   */
  get due(): boolean {
    const { targetWorkerDeploymentVersionChanged: changed } = workflowInfo();
    return changed && present() !== this.#from;
  }

  /** Options for `makeContinueAsNewFunc`, and what the next execution has to know of this one. */
  get onward(): { readonly options: ContinueAsNewOptions; readonly carry: { readonly from?: string } } {
    const from = present();
    return this.due && from !== null
      ? { options: { initialVersioningBehavior: 'AUTO_UPGRADE' }, carry: { from } }
      : { options: {}, carry: {} };
  }
}

/** Null where the worker has no version. Such a worker names a build, but no deployment. */
const present = (): string | null => {
  const version = workflowInfo().currentDeploymentVersion;
  return version?.deploymentName ? version.buildId : null;
};

/**
 * Workers pin what they begin. The last execution of a run or a sweep follows the current version instead: it is over at
 * once, and its page is asked for long after the version that made it is gone. A worker without a version may not say
 * how its executions go over.
 */
export const pinnedUntilRest = <Input extends unknown[], Result>(
  workflow: (...input: Input) => Promise<Result>,
): void =>
  setWorkflowOptions(
    () => (workflowInfo().memo?.[AT_REST] === true && present() !== null ? { versioningBehavior: 'AUTO_UPGRADE' } : {}),
    workflow,
  );
