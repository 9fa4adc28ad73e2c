// A step tells its run, and people in the UI, what of it is parked.
import { CancellationScope, getExternalWorkflowHandle, upsertSearchAttributes } from '@temporalio/workflow';
import { runWorkflowId } from '../../evolution/ids.ts';
import { ATTRIBUTES } from '../engine/attributes.ts';
import { type Park, tellsParking } from '../engine/park.ts';
import { stepReport, type StepReport } from '../messages/messages.ts';
import type { StepInput } from '../messages/step-input.ts';

export class Reports {
  readonly #input: StepInput;
  #told = '';
  #needsAttention = false;
  #sending: Promise<void> | null = null;

  constructor(input: StepInput) {
    this.#input = input;
  }

  /** One report goes after the other, each with what holds when it is sent, so that the last one is true. */
  tell(park: Park): Promise<void> {
    if (!tellsParking()) return this.#tellOnce(park);
    this.#sending ??= this.#tellAll(park).finally(() => {
      this.#sending = null;
    });
    return this.#sending;
  }

  async #tellAll(park: Park): Promise<void> {
    for (;;) {
      const { attention, parked } = park;
      const told = JSON.stringify([attention, parked]);
      if (told === this.#told) return;
      this.#told = told;
      if (this.#needsAttention !== (attention !== null)) this.#attend(attention !== null);
      await this.#signal({ step: this.#input.step, attention, parked });
    }
  }

  /** Steps of earlier versions told an error, and that it is gone, each time on its own. */
  async #tellOnce({ attention }: Park): Promise<void> {
    this.#attend(attention !== null);
    await this.#signal({ step: this.#input.step, attention });
  }

  #attend(needsAttention: boolean): void {
    this.#needsAttention = needsAttention;
    upsertSearchAttributes([{ key: ATTRIBUTES.needsAttention, value: needsAttention }]);
  }

  async #signal(report: StepReport): Promise<void> {
    try {
      await CancellationScope.nonCancellable(() =>
        getExternalWorkflowHandle(runWorkflowId(this.#input.run)).signal(stepReport, report),
      );
    } catch {
      /* The run is gone: there is nobody to tell, and the step shows it itself. */
    }
  }
}
