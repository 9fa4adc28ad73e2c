// A run as it is steered: by a message where its workflow is open, and by the same change through the store where it is
// closed. Each method means the same as the command, signal or update of its name (docs/steering.md).
import { withUnanswered } from '../../activities/store/steps/bookings.ts';
import type { SettingsChange, SettingsChanged } from '../../activities/interface/run.ts';
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { Limits, RunConfig } from '../../evolution/config/run-config.ts';
import { KEEPS_STEP_0 } from '../../evolution/first-step.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import { hasEnded, isParked } from '../../evolution/run-states.ts';
import { extend } from '../../evolution/steering/extend.ts';
import { type Body, doneText, type Result, type RunVerb, verbOf } from '../../evolution/steering/verbs.ts';
import type { RunId } from '../../evolution/types.ts';
import type {
  AddModelRequest,
  ExtendRequest,
  InStep,
  PauseRequest,
  RetryRequest,
  RewindRequest,
  RunProgress,
  StopRequest,
} from '../../workflows/messages/messages.ts';
import { checkPatch, directionOf, extended } from './check-change.ts';
import { type Parts } from '../connect/connection.ts';
import { confirmed, runHelp } from '../temporal/confirmed.ts';
import { MissingError, UsageError } from '../connect/errors.ts';
import { refreshKeys } from '../connect/keys.ts';
import { asTheyStand } from '../temporal/run-state.ts';
import { recorded, soon } from '../connect/recorded.ts';
import { notOpenYet } from '../temporal/unopened.ts';
import { extendCommand } from '../read/usage.ts';
import { closedMessage, isNotFound, isOpen, progressOf, startRunWorkflow, update } from '../temporal/workflow.ts';
import { changedConfig, taskLoader } from '../connect/loaded-late.ts';

/** The most time for a workflow's word. */
const ANSWER_MS = 10_000;

/** The result of a verb, and one sentence on it. */
export type Acted<V extends RunVerb> = { readonly result: Result<V>; readonly text: string };

/** `opened` is true when the workflow was closed and is started again. */
type Opened = { readonly opened: boolean };

export class SteeredRun {
  readonly id: RunId;
  protected readonly parts: Parts;

  /** @internal Handles come from DurableEvolve. */
  constructor(parts: Parts, id: RunId) {
    this.parts = parts;
    this.id = id;
  }

  /**
   * The run as stored. While its workflow is open, the workflow's own word on how it stands (`status`) counts, and only
   * that has the counters of the open step.
   */
  async document(): Promise<RunDocument> {
    const store = await this.parts.store();
    const document = await store.readRun(this.id);
    if (document !== null) return (await withUnanswered(store, [document]))[0]!;
    throw new UsageError(
      (await this.#isOpen()) ? notOpenYet(this.id) : `there is no run "${this.id}": \`npx evolve list\` shows all`,
    );
  }

  /**
   * The workflow's own word and the counters of the open step; null where the workflow is closed. Throws MissingError
   * where no worker answers.
   */
  async status(): Promise<(RunProgress & { readonly inStep: InStep | null }) | null> {
    const engine = await this.parts.engine();
    if (!(await isOpen(engine, runWorkflowId(this.id)))) return null;
    try {
      return await progressOf(engine, this.id, ANSWER_MS);
    } catch (error) {
      if (isNotFound(error)) return null;
      throw new MissingError(
        `no worker answers for run ${this.id} (${error instanceof Error ? error.message : String(error)}); \`npx evolve doctor\` says what is running`,
      );
    }
  }

  /** True for a stream, whose steps do not wait for each other. False where the run is not open yet. */
  async streams(): Promise<boolean> {
    return (await (await this.parts.store()).readRun(this.id))?.config.schedule === 'continuous';
  }

  /** Pauses after the current step, or at once with `mode: 'now'`. Resolves when the run has confirmed it. */
  async pause(request: PauseRequest = {}): Promise<void> {
    await this.send('pause', request);
  }

  /** Continues a paused run. A stopped run, or one that was closed in the workflow engine, is opened again. */
  resume(): Promise<Opened> {
    return this.send('resume', {});
  }

  async #resume(): Promise<Result<'resume'>> {
    const run = await this.document();
    const open = await this.#isOpen();
    if (!open && run.status === 'finished')
      throw new UsageError(
        `run ${run.run} is finished (${run.stopReason}): give it a new limit, e.g. \`npx evolve ${extendCommand(run, await directionOf(await this.parts.store(), run), new Date())}\``,
      );
    if (!open && run.status === 'queued') throw new UsageError(closedMessage(run, 'resume'));
    this.#refreshKey(run.config);
    if (open) await this.#signal('resume', {});
    else await this.#startAgain(run.config);
    return { opened: !open, step: Math.max(0, (await this.document()).committedStep) };
  }

  /**
   * Stops after the current step, or at once with `mode: 'now'`; one that is not open yet ends at once. Resolves when
   * the run has confirmed it. A run that was closed in the workflow engine is marked
   * as stopped.
   */
  async stop(request: StopRequest = {}): Promise<void> {
    await this.send('stop', request);
  }

  async #stop(request: StopRequest): Promise<void> {
    const run = await (await this.parts.store()).readRun(this.id);
    if (run === null) return this.#signal('stop', request);
    const ended = hasEnded(run) || run.status === 'queued';
    if (ended || (await this.#isOpen())) return this.#signal('stop', request);
    const stopReason = `stopped by a person${request.reason === undefined ? '' : `: ${request.reason}`}`;
    await (await this.parts.store()).setStatus(this.id, 'stopped', { reason: null, stopReason, endedAt: new Date() });
  }

  /**
   * Lets a parked run try again now. With `resample` the model is asked afresh for the parked step. Throws UsageError
   * where no step is parked.
   */
  retry(request: RetryRequest = {}): Promise<{ readonly keyRefreshed: boolean }> {
    return this.send('retry', request);
  }

  async #retry(request: RetryRequest): Promise<Result<'retry'>> {
    if ((await (await this.parts.store()).readRun(this.id)) === null) {
      await this.#signal('retry', request);
      return { keyRefreshed: false };
    }
    const { config, status } = await this.asItStands();
    if (request.resample && !isParked(status))
      throw new UsageError(
        `run ${this.id} has no parked step to ask the model afresh for; \`npx evolve rewind ${this.id} --to-step n --resample\` does so for committed steps`,
      );
    const keyRefreshed = this.#refreshKey(config);
    await this.#signal('retry', request);
    return { keyRefreshed };
  }

  /**
   * Sets new limits. With `add` the numbers are added to the present ones, and null removes a limit. A finished run
   * goes on.
   */
  extend(request: ExtendRequest): Promise<Opened & { readonly limits: Limits }> {
    return this.send('extend', request);
  }

  async #extend(request: ExtendRequest, action: string): Promise<Result<'extend'>> {
    const run = await this.document();
    this.#refreshKey(await extended(await this.parts.store(), run, request));
    if (await this.#isOpen()) return { limits: await this.#update<Limits>('extend', request, action), opened: false };
    const changed = await this.#store(extend.change(request), action);
    if (run.status === 'queued') return { limits: changed.config.limits, opened: false };
    await this.#startAgain(changed.config);
    return { limits: changed.config.limits, opened: true };
  }

  /** Throws what `extend` or `set` would be refused with, and changes nothing. */
  async check<V extends RunVerb>(name: V, body: Body<V>): Promise<void> {
    if (name === 'extend') await extended(await this.parts.store(), await this.document(), body as ExtendRequest);
    if (name === 'set') await checkPatch(await this.parts.store(), await this.document(), (body as Body<'set'>).patch);
  }

  /** As `act`, with the result alone. */
  async send<V extends RunVerb>(name: V, body: Body<V>): Promise<Result<V>> {
    return (await this.act(name, body)).result;
  }

  /**
   * Carries a verb out, and writes down who did it. A change of settings is checked before it is sent, and made in the
   * store where the workflow is closed.
   */
  async act<V extends RunVerb>(name: V, body: Body<V>): Promise<Acted<V>> {
    if (name === 'mark') return this.#mark(body as Body<'mark'>) as Promise<Acted<V>>;
    return recorded(this.parts, this.id, name, async (action) => {
      const result = await this.#carryOut(name, body, action);
      // It only words what was sent, so a database that is away fails nothing.
      const stream = verbOf(name).halts === true && (await soon(this.streams(), false));
      return { result, text: doneText(name, { run: this.id, stream }, body, result) };
    });
  }

  /** The verbs of which more is known than their message; every other one is sent as it is. */
  async #carryOut<V extends RunVerb>(name: V, body: Body<V>, action: string): Promise<Result<V>> {
    const known: { readonly [verb in RunVerb]?: () => Promise<unknown> } = {
      resume: () => this.#resume(),
      stop: async () => (await this.#stop(body as StopRequest), {}),
      extend: () => this.#extend(body as ExtendRequest, action),
      inject: () => this.#inject(body as Body<'inject'>),
      retry: () => this.#retry(body as RetryRequest),
      rewind: () => this.#rewind(body as RewindRequest),
      'task-update': () => this.#updateTask(body as Body<'task-update'>),
    };
    const work = known[name];
    if (work !== undefined) return (await work()) as Result<V>;
    const { message, change } = verbOf(name);
    if (change !== undefined) return (await this.#change(name, body, change(body as never), action)) as Result<V>;
    if (message?.kind === 'update') return this.#update<Result<V>>(name, body, action);
    await this.#signal(name, body);
    return {} as Result<V>;
  }

  /** A mark on a program belongs to the run that made the program, so that forks show it too. */
  async #mark(body: Body<'mark'>): Promise<Acted<'mark'>> {
    const { program = null, star = false, label = null, note = null, remove = false } = body;
    const found = program === null ? null : (await (await this.parts.store()).getPrograms([program])).get(program);
    if (found === undefined)
      throw new UsageError(`there is no program "${program}": \`npx evolve programs ${this.id}\` lists them`);
    const run = found?.run ?? (await this.document()).run;
    const marked = { program, mark: remove ? null : { star, label, note } };
    return recorded(
      this.parts,
      run,
      'mark',
      async () => ({ result: {}, text: doneText('mark', { run }, body, {}) }),
      marked,
    );
  }

  /** Changes settings, written as in a configuration file, from the next step on. */
  set(patch: Body<'set'>['patch']): Promise<SettingsChanged> {
    return this.send('set', { patch });
  }

  /**
   * Puts a program into an island (0 when left out) as a candidate of the next step. The same program for the same
   * island is injected once.
   */
  inject(request: Body<'inject'>): Promise<Result<'inject'>> {
    return this.send('inject', request);
  }

  async #inject(request: Body<'inject'>): Promise<{ readonly injected: string }> {
    if (await this.#isOpen()) return this.#update('inject', request);
    const { injectProgram } = await import('../../activities/run/steering.ts');
    const store = await this.parts.store();
    return injectProgram({ store, loadTask: taskLoader(store) }, this.id, request.island ?? 0, request.program);
  }

  /**
   * Gives the run a new version of its task (left out: its folder as it is now), by which a step of its own scores the
   * run's programs again.
   */
  updateTask(request: Body<'task-update'> = {}): Promise<Result<'task-update'>> {
    return this.send('task-update', request);
  }

  /** The folder is read here, because another machine may not have it. */
  async #updateTask({ task }: Body<'task-update'>): Promise<Result<'task-update'>> {
    const store = await this.parts.store();
    const [{ keepTask, keptRef }, { usableTask }, { updateTask }] = await Promise.all([
      import('../../activities/task/kept-task.ts'),
      import('../../activities/task/usable-task.ts'),
      import('../../activities/run/task-update.ts'),
    ]);
    const named = task ?? (await this.document()).config.task;
    const kept = named.startsWith('sha256:') ? named : keptRef(await keepTask(store, await usableTask(named)));
    if (await this.#isOpen()) return this.#update('task-update', { task: kept });
    return updateTask({ store, loadTask: taskLoader(store) }, this.id, kept);
  }

  /** Sets a hint to the model in the prompts of one island, or of all, until it is removed (null). */
  hint(request: Body<'hint'>): Promise<SettingsChanged> {
    return this.send('hint', request);
  }

  /**
   * Adds a model. What is left out is as in the run's first model. Each request goes to one model, drawn by `weight`.
   */
  addModel(model: AddModelRequest): Promise<SettingsChanged> {
    return this.send('add-model', model as Body<'add-model'>);
  }

  removeModel(name: string): Promise<SettingsChanged> {
    return this.send('remove-model', { name });
  }

  /**
   * Rewinds step `toStep` and all later ones, so that they are done again. The old ones are superseded, never deleted.
   * With `resample` the model is asked afresh for them.
   */
  async rewind(request: RewindRequest): Promise<Opened & { readonly toStep: number }> {
    return { toStep: request.toStep, ...(await this.send('rewind', request)) };
  }

  async #rewind(request: RewindRequest): Promise<Opened & { readonly toStep: number }> {
    const run = await this.document();
    const { toStep } = request;
    const first = run.best === null ? 0 : 1;
    if (!Number.isInteger(toStep) || toStep < first || toStep > run.committedStep) {
      throw new UsageError(
        run.committedStep < first
          ? `cannot rewind run ${run.run}: it has committed no step yet`
          : `toStep: expected ${first} to ${run.committedStep}, the last committed step of run ${run.run}, got ${toStep}${toStep === 0 ? `. ${KEEPS_STEP_0}` : ''}`,
      );
    }
    this.#refreshKey(run.config);
    if (await this.#isOpen())
      return { ...(await this.#update<{ readonly toStep: number }>('rewind', request)), opened: false };
    await startRunWorkflow(await this.parts.engine(), { run: this.id, rewind: request }, run.config, { again: true });
    return { toStep, opened: true };
  }

  protected async asItStands(): Promise<RunDocument> {
    const document = await this.document();
    return (await asTheyStand(this.parts, [document]))[0] ?? document;
  }

  async #isOpen(): Promise<boolean> {
    return isOpen(await this.parts.engine(), runWorkflowId(this.id));
  }

  async #signal(message: string, body: object): Promise<void> {
    const workflowId = runWorkflowId(this.id);
    const engine = await this.parts.engine();
    const closed = async () => new UsageError(closedMessage(await this.document(), message));
    if (!(await this.#isOpen())) throw await closed();
    try {
      await engine.client.workflow.getHandle(workflowId).signal(message, body);
    } catch (error) {
      throw isNotFound(error) ? await closed() : error;
    }
    await confirmed(engine, { workflowId, query: 'status', message, what: `run ${this.id}`, help: runHelp(this.id) });
  }

  /** The update has the id of the action, by which a version of the settings knows who asked for it. */
  async #update<T>(name: string, body: object, action?: string): Promise<T> {
    return update<T>(await this.parts.engine(), runWorkflowId(this.id), name, body, action);
  }

  /** The change is checked before it is sent, and the key of an endpoint that it names is remembered. */
  async #change(name: string, body: object, change: SettingsChange, action: string): Promise<SettingsChanged> {
    this.#refreshKey(await changedConfig((await this.document()).config, change));
    if (await this.#isOpen()) return this.#update<SettingsChanged>(name, body, action);
    const { version, changed } = await this.#store(change, action);
    return { version, changed };
  }

  /**
   * Stores the change as a new version of the settings. The code for it is loaded here, because most commands need none
   * of it.
   */
  async #store(change: SettingsChange, action: string): Promise<SettingsChanged & { readonly config: RunConfig }> {
    const { changeSettings } = await import('../../activities/run/steering.ts');
    const store = await this.parts.store();
    return changeSettings({ store, loadTask: taskLoader(store) }, this.id, change, action);
  }

  async #startAgain(config: RunConfig): Promise<void> {
    await startRunWorkflow(await this.parts.engine(), { run: this.id }, config, { again: true });
  }

  #refreshKey(config: RunConfig): boolean {
    const { home, env } = this.parts.place;
    return refreshKeys(home.root, config, env);
  }
}
