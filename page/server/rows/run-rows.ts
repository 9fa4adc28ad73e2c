// The programs of one run as columns: read from the database once, brought up to date after each commit, and cut where a
// rewind set steps aside.
import type { RunDocument } from '../../../activities/store/documents.ts';
import { eraOf, erasOf } from '../../../activities/store/lineage.ts';
import type { ProgramDocument } from '../../../activities/store/step-documents.ts';
import type { CommittedPrograms, Store } from '../../../activities/store/store.ts';
import type { Era } from '../../../activities/store/stored.ts';
import { axesOf, isMeasured } from '../../../evolution/archives/cell-space.ts';
import { programId } from '../../../evolution/ids.ts';
import { type Columns, COLUMN_SETS, type ColumnSet, type ColumnsHeader } from '../../data/columns.ts';
import { baseRow, betterOf, featuresRow, OUTCOMES, partsOf } from './base-row.ts';
import { Keys } from './keys.ts';
import { type RowFiles, rowFiles } from './row-files.ts';
import { Stretches } from './stretches.ts';

const PROGRAMS_PER_READ = 250;

/** Rises when rows are set aside, and never otherwise. */
export const lineageOf = ({ createdAt, view }: Pick<RunDocument, 'createdAt' | 'view'>): string =>
  `${createdAt.getTime().toString(36)}.${view}`;

/** The first step that is of another commit in the two. */
const apartFrom = (a: readonly Era[], b: readonly Era[]): number => {
  const bounds = [...a, ...b].map(({ step }) => step).sort((x, y) => x - y);
  const differs = (step: number): boolean => {
    const [one, other] = [eraOf({ lineage: a }, step), eraOf({ lineage: b }, step)];
    return one.run !== other.run || one.generation !== other.generation;
  };
  return bounds.find(differs) ?? Infinity;
};

export class RunRows {
  /** Asked for each time, because the database may move. */
  readonly #store: () => Promise<Store>;
  readonly #keys = new Keys();
  readonly #base: Stretches;
  readonly #features: Stretches;
  readonly #paid: Stretches;
  /** Positions of the measured features among all of the run. */
  readonly #measured: readonly number[];
  readonly #names: readonly string[];
  #run: RunDocument;
  /** The step to read next. Those before it are read as a whole. */
  #next = 0;
  #owners: string[] = [];
  #models: string[] = [''];
  #better: ColumnsHeader['better'] = null;
  #best = Number.NaN;

  constructor(store: () => Promise<Store>, run: RunDocument, root: string, database: string) {
    this.#store = store;
    this.#run = run;
    const axes = axesOf(run.config.population).filter(isMeasured);
    this.#measured = axes.map(({ index }) => index);
    this.#names = axes.map(({ feature }) => feature);
    const files: RowFiles = rowFiles(root, [database, run.run, run.createdAt.toISOString()]);
    const said = () => ({
      lineage: JSON.stringify(erasOf(this.#run)),
      owners: this.#owners,
      better: this.#better,
      models: this.#models,
      features: this.#names,
    });
    const values = Object.fromEntries(axes.map((_, index) => [`f${index}`, 'f32' as const]));
    this.#base = new Stretches('base', COLUMN_SETS.base, files, said);
    this.#features = new Stretches('features', { ...COLUMN_SETS.features, ...values }, files, said);
    this.#paid = new Stretches('paid', COLUMN_SETS.paid, files, said);
    this.#load();
  }

  get rows(): number {
    return this.#keys.rows;
  }

  get lineage(): string {
    return lineageOf(this.#run);
  }

  /** Rows that are committed, as far as the run's document says. */
  get total(): number {
    const { committedStep, totals } = this.#run;
    return this.#next > committedStep ? this.rows : Math.max(this.rows, totals.programs + 1);
  }

  /** Reads what is committed by now. `read` is called after each part, so that others need not wait for all of it. */
  async bringForward(run: RunDocument, read: () => void): Promise<void> {
    this.#follow(run);
    if (this.#run.committedStep < this.#next) return;
    let page: { readonly step: number; readonly id: string }[] = [];
    const readPage = async (): Promise<void> => {
      await this.#addPrograms(page);
      page = [];
      read();
    };
    for await (const step of (await this.#store()).eachStepPrograms(run.run, this.#next)) {
      // The run was rewound meanwhile, which the next look at it shows.
      if (!this.#isPresent(step)) break;
      const known = step.step === this.#next ? this.rows - this.#keys.firstFrom(step.step) : 0;
      page.push(...step.programs.slice(known).map((id) => ({ step: step.step, id })));
      if (page.length >= PROGRAMS_PER_READ) await readPage();
      if (page.length === 0) this.#next = step.step + 1;
    }
    const last = page.at(-1)?.step;
    await readPage();
    if (last !== undefined) this.#next = last + 1;
    this.#base.save();
    this.#features.save();
  }

  /** What the models were paid for the rows up to this one, as far as that is not known yet. */
  async payUntil(row: number, read: () => void): Promise<void> {
    while (this.#paid.rows < Math.min(row, this.rows)) {
      const [from, lineage] = [this.#paid.rows, this.lineage];
      const ids = Array.from({ length: Math.min(PROGRAMS_PER_READ, this.rows - from) }, (_, i) => this.#idOf(from + i));
      const found = await (await this.#store()).getRollouts(ids);
      if (lineage !== this.lineage || from !== this.#paid.rows) continue;
      for (const id of ids) {
        // By the name in the settings, which tells two entries of one model apart.
        const { model = '', asked = model, usage, costUsd = 0 } = found.get(id) ?? {};
        this.#paid.add({
          model: this.#model(asked),
          tokensIn: usage?.in ?? 0,
          tokensOut: usage?.out ?? 0,
          cost: costUsd,
        });
      }
      read();
    }
    this.#paid.save();
  }

  rowsOf(set: ColumnSet): number {
    return set === 'paid' ? this.#paid.rows : this.rows;
  }

  columns(set: ColumnSet, from: number): Columns {
    const stretches = { base: this.#base, features: this.#features, paid: this.#paid }[set];
    const { column, rows } = stretches.from(from);
    const { lineage, total } = this;
    const [owners, better, models, features] = [this.#owners, this.#better, this.#models, this.#names];
    const form = { set, from, rows, total, columns: stretches.columns, outcomes: OUTCOMES };
    return { header: { lineage, ...form, owners, better, models, features }, column };
  }

  /** Keeps what was read in files. */
  save(): void {
    for (const set of [this.#base, this.#features, this.#paid]) set.save(1);
  }

  #load(): void {
    const { committedStep } = this.#run;
    this.#base.load(({ header, column }) => {
      const until = Math.min(
        apartFrom(JSON.parse(header.lineage) as readonly Era[], erasOf(this.#run)),
        committedStep + 1,
      );
      const after = column['step']!.subarray(0, header.rows).findIndex((step) => step >= until);
      const good = after === -1 ? header.rows : after;
      this.#owners = [...header.owners];
      this.#better = header.better;
      this.#addKeys(column, good);
      return good;
    });
    const { rows } = this;
    this.#features.load(({ header }) => Math.min(header.rows, Math.max(0, rows - header.from)));
    // The two are written one after the other, so after a kill one may have fewer.
    if (this.#features.rows < rows) this.#cut(this.#features.rows);
    this.#paid.load(({ header }) => {
      this.#models = [...header.models];
      return Math.min(header.rows, Math.max(0, this.rows - header.from));
    });
    this.#findPlace();
  }

  #addKeys(column: Columns['column'], rows: number): void {
    const sign = this.#better === 'less' ? -1 : 1;
    const strict = this.#run.config.evaluation.scoring === 'strict';
    const [score, strictScore, outcome] = [column['score']!, column['strict']!, column['outcome']!];
    for (let row = 0; row < rows; row++) {
      const ranking = strict && !Number.isNaN(strictScore[row]!) ? strictScore[row]! : score[row]!;
      const fit = OUTCOMES[outcome[row]!] === 'valid' ? sign * ranking : Number.NaN;
      this.#addKey({
        owner: column['owner']![row]!,
        step: column['step']![row]!,
        named: column['named']![row]!,
        epoch: column['epoch']![row]!,
        slot: column['slot']![row]!,
        fit,
      });
    }
  }

  #addKey(key: Parameters<Keys['add']>[0]): void {
    this.#keys.add(key);
    if (!(key.fit <= this.#best) && !Number.isNaN(key.fit)) this.#best = key.fit;
  }

  /** Takes over what the run's document says now, and sets aside what a rewind did. */
  #follow(run: RunDocument): void {
    const { view, committedStep } = this.#run;
    // Who waited for long may come with a document of before.
    if (run.view < view || (run.view === view && run.committedStep < committedStep)) return;
    const until = Math.min(apartFrom(erasOf(this.#run), erasOf(run)), run.committedStep + 1);
    this.#run = run;
    if (until >= this.#next) return;
    this.#cut(this.#keys.firstFrom(until));
    this.#findPlace();
  }

  #cut(rows: number): void {
    this.#keys.cut(rows);
    this.#base.cut(rows);
    this.#features.cut(rows);
    this.#paid.cut(rows);
    this.#best = Number.NaN;
    for (let row = 0; row < rows; row++)
      if (!(this.#keys.fit(row) <= this.#best) && !Number.isNaN(this.#keys.fit(row))) this.#best = this.#keys.fit(row);
  }

  /** The last step may be there in part only, so it is looked at again. */
  #findPlace(): void {
    this.#next = this.rows === 0 ? 0 : this.#keys.step(this.rows - 1);
  }

  #isPresent({ run, step, generation }: CommittedPrograms): boolean {
    const era = eraOf({ lineage: erasOf(this.#run) }, step);
    return era.run === run && era.generation === generation;
  }

  async #addPrograms(page: readonly { readonly step: number; readonly id: string }[]): Promise<void> {
    const found = await (await this.#store()).getPrograms(page.map(({ id }) => id));
    for (const { step, id } of page) {
      const program = found.get(id);
      if (program !== undefined) this.#addProgram(program, step);
    }
  }

  #addProgram(program: ProgramDocument, step: number): void {
    this.#better ??= betterOf(program);
    const [parentId] = program.parents;
    const parent = parentId === undefined ? -1 : this.#rowOf(parentId);
    const parentFit = parent === -1 ? Number.NaN : this.#keys.fit(parent);
    const row = baseRow(program, { owner: this.#owner(program.run), step, parent, parentFit, bestFit: this.#best });
    this.#base.add(row);
    this.#features.add(featuresRow(program, this.#measured));
    this.#addKey({ ...row, fit: program.fit ?? Number.NaN });
  }

  #rowOf(id: string): number {
    const { run, ...named } = partsOf(id);
    return this.#keys.rowOf({ ...named, owner: this.#owner(run) });
  }

  #idOf(row: number): string {
    const { owner, named, epoch, slot } = this.#keys.get(row);
    return programId(this.#owners[owner]!, named, epoch, slot);
  }

  #owner(run: string): number {
    return indexIn(this.#owners, run);
  }

  #model(model: string): number {
    return indexIn(this.#models, model);
  }
}

const indexIn = (names: string[], name: string): number => {
  const index = names.indexOf(name);
  return index === -1 ? names.push(name) - 1 : index;
};
