// A step or an update reports its parked phase to its run, and to people in the UI.
import {
  CancellationScope,
  getExternalWorkflowHandle,
  type SignalDefinition,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { runWorkflowId } from '../../evolution/ids.ts';
import type { Parked } from '../../evolution/run-states.ts';
import { type Internal, internal } from './form.ts';
import { ATTRIBUTES } from './attributes.ts';
import type { Park } from './park.ts';

/** An error to attend to, or null when it is gone, and how its phase is parked. */
export type Report = {
  readonly step: number;
  readonly attention: string | null;
  readonly parked: Parked | null;
};

export class Reports {
  readonly #of: { readonly run: string; readonly step: number };
  readonly #signal: SignalDefinition<[Internal<Report>]>;
  #reported = '';
  #needsAttention = false;
  #sending: Promise<void> | null = null;

  constructor(of: { readonly run: string; readonly step: number }, signal: SignalDefinition<[Internal<Report>]>) {
    this.#of = of;
    this.#signal = signal;
  }

  /** One report goes after the other, each with what holds when it is sent, so that the last one is true. */
  report(park: Park): Promise<void> {
    this.#sending ??= this.#reportAll(park).finally(() => {
      this.#sending = null;
    });
    return this.#sending;
  }

  async #reportAll(park: Park): Promise<void> {
    for (;;) {
      const { attention, parked } = park;
      const report = JSON.stringify([attention, parked]);
      if (report === this.#reported) return;
      this.#reported = report;
      if (this.#needsAttention !== (attention !== null)) this.#attend(attention !== null);
      await this.#send({ step: this.#of.step, attention, parked });
    }
  }

  #attend(needsAttention: boolean): void {
    this.#needsAttention = needsAttention;
    upsertSearchAttributes([{ key: ATTRIBUTES.needsAttention, value: needsAttention }]);
  }

  async #send(report: Report): Promise<void> {
    try {
      await CancellationScope.nonCancellable(() =>
        getExternalWorkflowHandle(runWorkflowId(this.#of.run)).signal(this.#signal, internal(report)),
      );
    } catch {
      /* The run is gone: nobody hears it, and the page of what is parked shows it itself. */
    }
  }
}
