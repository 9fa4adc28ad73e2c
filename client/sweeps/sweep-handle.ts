// A sweep as the library hands it out: its report, and the messages that pause, resume and stop it.
import type { SweepDocument } from '../../activities/store/documents/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { didYouMean } from '../../evolution/config/nearest.ts';
import type { PauseRequest, StopRequest, SweepProgress } from '../../workflows/messages/messages.ts';
import { confirmed } from '../temporal/confirmed.ts';
import { checkParts } from '../runs/check-parts.ts';
import { type Engine, type Parts, temporalUi } from '../connect/connection.ts';
import { BadEndError, UsageError } from '../connect/errors.ts';
import { refreshKeys } from '../connect/keys.ts';
import { workflowUrl } from '../read/report.ts';
import { RunHandle } from '../runs/run-handle.ts';
import { endOf } from '../runs/until-ended.ts';
import { askProgress, sweepsAsTheyStand, untilSweepEnded } from './sweep-facts.ts';
import { hasSweepEnded, sweepReport, type SweepReport } from '../read/sweep-report.ts';
import { openSweepWorkflow, startSweepWorkflow, sweepWorkflow } from './sweep-start.ts';

/** The sweep of this name; `latest` is the newest. Throws with the nearest name where there is none. */
export const findSweep = async (store: Store, name: string): Promise<SweepDocument> => {
  const stored = name === 'latest' ? null : await store.readSweep(name);
  if (stored !== null) return stored;
  const sweeps = await store.listSweeps();
  const newest = sweeps[0];
  if (newest === undefined) throw new UsageError('there are no sweeps yet: start one with `npx evolve sweep <file>`');
  if (name === 'latest') return newest;
  throw new UsageError(
    `there is no sweep "${name}".${didYouMean(
      name,
      sweeps.map(({ _id }) => _id),
    )} \`npx evolve sweep list\` shows all.`,
  );
};

export class SweepHandle {
  readonly name: string;
  readonly #parts: Parts;

  /** @internal Handles come from DurableEvolve. */
  constructor(parts: Parts, name: string) {
    this.#parts = parts;
    this.name = name;
  }

  async document(): Promise<SweepDocument> {
    return findSweep(await this.#parts.store(), this.name);
  }

  async report(): Promise<SweepReport> {
    const report = await sweepReport(await this.#parts.store(), await this.document());
    return (await sweepsAsTheyStand(this.#parts, [report]))[0]!;
  }

  /** The workflow's own word; null where it is closed or no worker answers. */
  async status(): Promise<SweepProgress | null> {
    const engine = await this.#parts.engine();
    const id = await openSweepWorkflow(engine, this.name);
    return id === null ? null : askProgress(engine, id);
  }

  /** Its workflow's address in the Temporal UI; null where no UI is known. */
  async temporalUrl(): Promise<string | null> {
    const ui = temporalUi(this.#parts.place);
    return ui === null ? null : workflowUrl(ui, await sweepWorkflow(await this.#parts.engine(), this.name));
  }

  /** Its runs, in the order in which they are started. */
  async runs(): Promise<readonly RunHandle[]> {
    return (await this.document()).runs.map(({ run }) => new RunHandle(this.#parts, run));
  }

  /** No further run is started, and those that are alive pause too. */
  pause(request: PauseRequest = {}): Promise<void> {
    return this.#signal('pause', request);
  }

  /** A paused sweep goes on. One that was stopped, or closed in the workflow engine, is started again. */
  async resume(): Promise<{ readonly opened: boolean }> {
    const engine = await this.#parts.engine();
    const id = await openSweepWorkflow(engine, this.name);
    const sweep = await this.document();
    if (id === null && sweep.status === 'finished')
      throw new UsageError(
        `sweep ${this.name} is finished: \`npx evolve sweep <file>\` with new combinations, seeds or a larger repeat adds runs to it`,
      );
    await this.#refreshKeys(sweep);
    if (id !== null) await this.#send(engine, id, 'resume', {});
    else
      await startSweepWorkflow(
        engine,
        this.name,
        { ...(sweep.spec as object), name: this.name },
        `${sweep.runs.length} runs of ${sweep.groups.length} configurations`,
      );
    return { opened: id === null };
  }

  /** No further run is started, and those that are alive stop after their current step, or at once. */
  stop(request: StopRequest = {}): Promise<void> {
    return this.#signal('stop', request);
  }

  /**
   * Waits until the sweep has ended, through restarts of any part. Throws BadEndError when its workflow is closed and
   * it has not ended.
   */
  async result({
    signal = new AbortController().signal,
  }: { readonly signal?: AbortSignal } = {}): Promise<SweepReport> {
    const ending = await endOf(untilSweepEnded(this.#parts.place, this.name, signal));
    if (ending.kind === 'ended') return ending.report;
    throw new BadEndError(
      ending.kind === 'interrupted'
        ? `waiting for sweep ${this.name} was ended by the caller; the sweep goes on`
        : sweepLostMessage(this.name),
    );
  }

  async #signal(name: 'pause' | 'stop', body: object): Promise<void> {
    const engine = await this.#parts.engine();
    const id = await openSweepWorkflow(engine, this.name);
    if (id === null) {
      const sweep = await this.document();
      throw new UsageError(
        `cannot ${name} sweep ${this.name}: it is ${hasSweepEnded(sweep) ? sweep.status : 'closed in the workflow engine'}; \`npx evolve sweep resume ${this.name}\` goes on`,
      );
    }
    await this.#send(engine, id, name, body);
  }

  async #send(engine: Engine, workflowId: string, message: 'pause' | 'resume' | 'stop', body: object): Promise<void> {
    const { name } = this;
    await engine.client.workflow.getHandle(workflowId).signal(message, body);
    const help = `\`npx evolve doctor\` says what is running, \`npx evolve sweep terminate ${name}\` ends it without its help`;
    await confirmed(engine, { workflowId, query: 'progress', message, what: `sweep ${name}`, help });
  }

  /** Checks the parts that the runs need and takes over today's key, before the sweep goes on. */
  async #refreshKeys({ runs }: SweepDocument): Promise<void> {
    const { place } = this.#parts;
    const store = await this.#parts.store();
    const configs = (await Promise.all(runs.map(({ run }) => store.readRun(run)))).flatMap((run) =>
      run === null ? [] : [run.config],
    );
    await checkParts(place, configs);
    for (const config of configs) refreshKeys(place.home.root, config, place.env);
  }
}

export const sweepLostMessage = (name: string): string =>
  `the workflow of sweep ${name} is closed though the sweep has not ended; its runs are kept. \`npx evolve sweep resume ${name}\` goes on`;
