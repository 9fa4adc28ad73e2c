// The programs of one run as columns: read from the database once, brought up to date after each commit, and cut where
// a rewind set steps aside.
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import { eraOf, erasOf, scoredFrom } from '../../../activities/store/documents/lineage.ts';
import type { ProgramDocument } from '../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import type { CommittedPrograms } from '../../../activities/store/steps/read-steps.ts';
import type { Era } from '../../../activities/store/documents/stored.ts';
import { axesOf, isMeasured } from '../../../evolution/archives/cell-space.ts';
import { programId } from '../../../evolution/ids.ts';
import { OUTCOMES } from '../../../evolution/types.ts';
import { type Columns, COLUMN_SETS, type ColumnSet, type ColumnsHeader } from '../../api/rows/columns.ts';
import { baseRow, betterOf, featuresRow, partsOf } from './base-row.ts';
import { Keys } from './keys.ts';
import { LATE_SETS, type LateSet, READ_ROWS } from './late-rows.ts';
import { type PackedColumns, type RowFiles, rowFiles } from './row-files.ts';
import { Chunks } from './chunks.ts';

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
  /** Null until a row is added or named: whoever only shows the rows of a run that has ended does without. */
  #known: Keys | null = null;
  readonly #sets: { readonly [set in ColumnSet]: Chunks };
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
  /** The last step that scored programs again, before which no score compares. */
  #scoredFrom = 0;

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
    const chunks = (set: ColumnSet, more = {}): Chunks =>
      new Chunks(set, { ...COLUMN_SETS[set], ...more }, files, said);
    this.#sets = {
      base: chunks('base'),
      features: chunks('features', values),
      paid: chunks('paid'),
      evaluated: chunks('evaluated'),
    };
    this.#load();
  }

  get rows(): number {
    return this.#sets.base.rows;
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
    for await (const step of (await this.#store()).eachStepPrograms(this.#run, this.#next)) {
      // The run was rewound meanwhile, which the next look at it shows.
      if (!this.#isPresent(step)) break;
      const known = step.step === this.#next ? this.#sets.base.rowsFrom('step', step.step) : 0;
      page.push(...step.programs.slice(known).map((id) => ({ step: step.step, id })));
      if (page.length >= PROGRAMS_PER_READ) await readPage();
      if (page.length === 0) this.#next = step.step + 1;
    }
    const last = page.at(-1)?.step;
    await readPage();
    if (last !== undefined) this.#next = last + 1;
    this.#sets.base.save();
    this.#sets.features.save();
  }

  /** Reads the rows of a late set up to this one, as far as they are not there yet. */
  async fillUntil(set: LateSet, row: number, read: () => void): Promise<void> {
    const chunks = this.#sets[set];
    while (chunks.rows < Math.min(row, this.rows)) {
      const [from, lineage] = [chunks.rows, this.lineage];
      const ids = Array.from({ length: Math.min(PROGRAMS_PER_READ, this.rows - from) }, (_, i) => this.#idOf(from + i));
      const rows = await READ_ROWS[set](await this.#store(), ids, (model) => indexIn(this.#models, model));
      if (lineage !== this.lineage || from !== chunks.rows) continue;
      for (const one of rows) chunks.add(one);
      read();
    }
    chunks.save();
  }

  rowsOf(set: ColumnSet): number {
    return this.#sets[set].rows;
  }

  columns(set: ColumnSet, from: number): Columns {
    const { column, rows } = this.#sets[set].from(from);
    return { header: this.#header(set, from, rows), column };
  }

  /** Null where these rows are no whole chunk that lies in a file. */
  packed(set: ColumnSet, from: number): PackedColumns | null {
    const found = this.#sets[set].packed(from);
    return found && { header: this.#header(set, from, found.header.rows), packed: found.packed };
  }

  #header(set: ColumnSet, from: number, rows: number): ColumnsHeader {
    const { lineage, total } = this;
    const [owners, better, models, features] = [this.#owners, this.#better, this.#models, this.#names];
    const form = { set, from, rows, total, columns: this.#sets[set].columns, outcomes: OUTCOMES };
    return { lineage, ...form, owners, better, models, features };
  }

  /** Keeps what was read in files. */
  save(): void {
    for (const chunks of Object.values(this.#sets)) chunks.save(1);
  }

  #load(): void {
    const { committedStep } = this.#run;
    this.#sets.base.load((header, column) => {
      const until = apartFrom(JSON.parse(header.lineage) as readonly Era[], erasOf(this.#run));
      this.#owners = [...header.owners];
      this.#better = header.better;
      // Steps of one lineage stay.
      if (until === Infinity) return header.rows;
      const least = Math.min(until, committedStep + 1);
      const after = column()
        ['step']!.subarray(0, header.rows)
        .findIndex((step) => step >= least);
      return after === -1 ? header.rows : after;
    });
    const { rows } = this;
    this.#sets.features.load((header) => Math.min(header.rows, Math.max(0, rows - header.from)));
    // The two are written one after the other, so after a kill one may have fewer.
    if (this.#sets.features.rows < rows) this.#cut(this.#sets.features.rows);
    for (const set of LATE_SETS)
      this.#sets[set].load((header) => {
        if (set === 'paid') this.#models = [...header.models];
        return Math.min(header.rows, Math.max(0, this.rows - header.from));
      });
    this.#findPlace();
  }

  #keys(): Keys {
    if (this.#known !== null) return this.#known;
    const keys = new Keys();
    const sign = this.#better === 'less' ? -1 : 1;
    const strict = this.#run.config.evaluation.scoring === 'strict';
    for (const { column, rows } of this.#sets.base.each()) {
      const [score, strictScore, outcome] = [column['score']!, column['strictScore']!, column['outcome']!];
      for (let row = 0; row < rows; row++) {
        const ranking = strict && !Number.isNaN(strictScore[row]!) ? strictScore[row]! : score[row]!;
        const fit = OUTCOMES[outcome[row]!] === 'valid' ? sign * ranking : Number.NaN;
        keys.add({
          owner: column['owner']![row]!,
          step: column['step']![row]!,
          named: column['named']![row]!,
          epoch: column['epoch']![row]!,
          slot: column['slot']![row]!,
          fit,
        });
      }
    }
    this.#known = keys;
    this.#findBest();
    return keys;
  }

  #see(fit: number): void {
    if (!(fit <= this.#best) && !Number.isNaN(fit)) this.#best = fit;
  }

  #findBest(): void {
    const keys = this.#keys();
    this.#best = Number.NaN;
    this.#scoredFrom = scoredFrom(this.#run);
    for (let row = 0; row < keys.rows; row++) if (keys.get(row).step >= this.#scoredFrom) this.#see(keys.fit(row));
  }

  /** Takes over what the run's document says now, and sets aside what a rewind did. */
  #follow(run: RunDocument): void {
    const { view, committedStep } = this.#run;
    // A caller that waited for long may come with an old document.
    if (run.view < view || (run.view === view && run.committedStep < committedStep)) return;
    const until = Math.min(apartFrom(erasOf(this.#run), erasOf(run)), run.committedStep + 1);
    this.#run = run;
    if (until >= this.#next) return;
    this.#cut(this.rows - this.#sets.base.rowsFrom('step', until));
    this.#findPlace();
  }

  #cut(rows: number): void {
    this.#known?.cut(rows);
    for (const chunks of Object.values(this.#sets)) chunks.cut(rows);
    if (this.#known !== null) this.#findBest();
  }

  /** The last step may be there in part only, so it is looked at again. */
  #findPlace(): void {
    this.#next = this.rows === 0 ? 0 : this.#sets.base.last('step');
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
    if (program.rescored !== undefined && this.#scoredFrom !== step) {
      this.#scoredFrom = step;
      this.#best = Number.NaN;
    }
    const keys = this.#keys();
    this.#better ??= betterOf(program);
    const [parentId] = program.parents;
    const parent = parentId === undefined ? -1 : this.#rowOf(parentId);
    const parentFit = parent === -1 ? Number.NaN : keys.fit(parent);
    const row = baseRow(program, { owner: this.#owner(program.run), step, parent, parentFit, bestFit: this.#best });
    this.#sets.base.add(row);
    this.#sets.features.add(featuresRow(program, this.#measured));
    const { fit = Number.NaN } = program;
    keys.add({ ...row, fit });
    this.#see(fit);
  }

  #rowOf(id: string): number {
    const { run, ...named } = partsOf(id);
    return this.#keys().rowOf({ ...named, owner: this.#owner(run) });
  }

  #idOf(row: number): string {
    const { owner, named, epoch, slot } = this.#keys().get(row);
    return programId(this.#owners[owner]!, named, epoch, slot);
  }

  #owner(run: string): number {
    return indexIn(this.#owners, run);
  }
}

const indexIn = (names: string[], name: string): number => {
  const index = names.indexOf(name);
  return index === -1 ? names.push(name) - 1 : index;
};
