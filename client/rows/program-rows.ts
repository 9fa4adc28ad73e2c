// The programs of a run as rows: `evolve programs` and GET runs/<run>/programs.
import { judgedIdea } from '../../activities/results/program-texts.ts';
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { ProgramDocument } from '../../activities/store/documents/step-documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { inventsScores } from '../../evolution/config/noop.ts';
import { type NumberName, numberNames } from '../../evolution/reports/program-numbers.ts';
import { QUARANTINED } from '../../evolution/scoring/quarantine.ts';
import type { SetMark } from '../../evolution/steering/base/people.ts';
import { type ProgramFacts, readFacts } from '../read/program-numbers.ts';
import { type ProgramLine, programLine } from '../read/report.ts';
import { uncommittedOf } from '../read/uncommitted.ts';
import { eliteCells, isAsked, programsOf, type ProgramsQuery, StepTimes } from '../read/views.ts';

export type RowsQuery = ProgramsQuery & {
  /** Also the text of each. */
  readonly code?: boolean;
  /** Only those whose score was held back. */
  readonly quarantined?: boolean;
  /** Only those that hold a cell now. */
  readonly elites?: boolean;
};

/** What the rows of a run have in common. */
export type Known = {
  readonly marks: ReadonlyMap<string, SetMark>;
  /** Cells by program; null where they were not asked for. */
  readonly cells: ReadonlyMap<string, readonly string[]> | null;
  /** Programs of steps that are not committed. */
  readonly open: ReadonlySet<string>;
};

export type Read = {
  readonly program: ProgramDocument;
  readonly facts: ProgramFacts & { readonly at: string | null };
  /** Undefined where the text was not asked for, null where the program has none. */
  readonly code: string | null | undefined;
  /** Null where it was not asked for, too. */
  readonly idea: ReturnType<typeof judgedIdea>;
};

/** What is read of each; null for all of it. */
type Wanted = { readonly numbers: readonly NumberName[]; readonly metrics: boolean };

const PAGE = 200;

export class ProgramRows {
  readonly known: Known;
  readonly #store: Store;
  readonly #run: RunDocument;
  readonly #query: RowsQuery;
  readonly #open = new Set<string>();

  private constructor(store: Store, run: RunDocument, query: RowsQuery, known: Omit<Known, 'open'>) {
    this.#store = store;
    this.#run = run;
    this.#query = query;
    this.known = { ...known, open: this.#open };
  }

  static async of(store: Store, run: RunDocument, query: RowsQuery): Promise<ProgramRows> {
    const cells = query.elites ? eliteCells(await store.population(run)) : null;
    return new ProgramRows(store, run, query, { marks: await store.programMarks(run.run), cells });
  }

  /** Some programs at a time. */
  async *pages(wanted: Wanted | null): AsyncGenerator<readonly Read[]> {
    const times = new StepTimes(this.#store, this.#run.run, this.#query.step ?? 0);
    const { cells } = this.known;
    let page: ProgramDocument[] = [];
    for await (const program of this.#found()) {
      if (cells?.has(program._id) === false) continue;
      if (this.#query.quarantined && !program.reasons[0]?.startsWith(QUARANTINED)) continue;
      page.push(program);
      if (page.length < PAGE) continue;
      yield await this.#read(page, wanted, times);
      page = [];
    }
    if (page.length > 0) yield await this.#read(page, wanted, times);
  }

  /** With all that is known of each. */
  async *[Symbol.asyncIterator](): AsyncGenerator<ProgramLine> {
    const { marks, cells, open } = this.known;
    const invented = inventsScores(this.#run.config);
    for await (const page of this.pages(null))
      for (const {
        program,
        facts: { numbers, ...facts },
        ...beside
      } of page) {
        const told = { ...beside, numbers, facts, invented, mark: marks.get(program._id) };
        const line = programLine(program, { ...told, committed: !open.has(program._id) });
        yield cells === null ? line : { ...line, cells: cells.get(program._id)! };
      }
  }

  async *#found(): AsyncGenerator<ProgramDocument> {
    yield* programsOf(this.#store, this.#run.run, this.#query);
    for (const program of this.#query.elites ? [] : await uncommittedOf(this.#store, this.#run))
      if (isAsked(program, this.#query)) {
        this.#open.add(program._id);
        yield program;
      }
  }

  async #read(programs: readonly ProgramDocument[], wanted: Wanted | null, times: StepTimes): Promise<readonly Read[]> {
    const { code: withCode = false } = this.#query;
    const refs = programs.flatMap(({ code, idea }) => [
      ...(withCode && code !== null ? [code] : []),
      ...(wanted === null && idea !== undefined ? [idea.text] : []),
    ]);
    const texts = await this.#store.getTexts([...new Set(refs)]);
    const { numbers, metrics } = wanted ?? { numbers: numberNames, metrics: true };
    const facts = await readFacts(this.#store, programs, numbers, { metrics });
    const at = wanted === null ? await times.of(programs) : [];
    return programs.map((program, index) => ({
      program,
      facts: { ...facts[index]!, at: at[index] ?? null },
      code: !withCode ? undefined : program.code === null ? null : (texts.get(program.code) ?? null),
      idea: wanted === null ? judgedIdea(program, texts) : null,
    }));
  }
}
