// The rules of insertion once more, written plainly from docs/methods with full scans and sorts: what insertion.ts is
// compared with.
import {
  ARCHIVE,
  type Cell,
  type Child,
  type Member,
  type Membership,
  type PopulationState,
  type Tally,
} from '../../../evolution/types.ts';
import type { WorldSettings } from '../worlds/populations.ts';

type Range = [number, number];
const OUTCOME_FIT = {
  rejected: -1.4e308,
  unparsed: -1.4e308,
  idea_failed: -1.4e308,
  rm_failed: -1.4e308,
  no_diff: -1.4e308,
  no_change: -1.3e308,
  duplicate: -1.3e308,
  no_solution: -1.2e308,
  invalid: -1.1e308,
} as const;

export class PlainPopulation {
  settings: WorldSettings;
  members: Member[] = [];
  islands: string[][];
  cells: Map<string, string>[];
  archive: string[] = [];
  bounds: Record<string, Range> | null = null;
  generations: number[];
  last = 0;
  best: { id: string; fit: number } | null = null;

  constructor(settings: WorldSettings) {
    this.settings = settings;
    const { islands, grid } = settings.population;
    this.islands = Array.from({ length: islands }, () => []);
    this.cells = Array.from({ length: grid === 'global' ? 1 : islands }, () => new Map());
    this.generations = Array.from({ length: islands }, () => 0);
  }

  step(children: readonly Child[], settings = this.settings): void {
    this.settings = settings;
    this.archive = this.sorted(this.archive)
      .slice(-settings.population.archive)
      .map((member) => member.id);
    while (this.members.length > settings.population.cap) this.evict(null);
    const before = JSON.stringify(this.bounds);
    for (const child of children) this.insert(child);
    const moved = before !== JSON.stringify(this.bounds);
    for (const [index, old] of this.cells.entries()) {
      const of = this.cells.length === 1 ? this.members.map(({ id }) => id) : this.islands[index]!;
      const all = moved && settings.population.rebin === 'members' ? of : [];
      const competing = [...new Set([...old.values(), ...all])]
        .map((id) => this.member(id))
        .filter(({ id, fit }) => [...old.values()].includes(id) || fit > OUTCOME_FIT.invalid)
        .sort((a, b) => a.bornSeq - b.bornSeq);
      this.cells[index] = new Map();
      for (const member of competing) this.compete(index, member);
    }
    if (children.some((child) => child.bornSeq > 0)) this.migrate();
  }

  insert(child: Child): void {
    const { population } = this.settings;
    const total = this.generations.reduce((a, b) => a + b, 0);
    const island = population.childIsland === 'current' ? Math.floor(total / 100) % population.islands : child.island;
    const fit =
      child.outcome === 'valid' ? child.fit! + 0 : population.admitFailures ? OUTCOME_FIT[child.outcome] : null;
    if (fit !== null && child.sameAs === undefined) {
      const member: Member = { id: child.id, fit, bornSeq: child.bornSeq, length: child.length, home: island };
      this.members.push(member);
      if (child.outcome === 'valid') {
        const values: Record<string, number> = { score: fit, length: child.length };
        this.bounds = Object.fromEntries(
          (population.features as readonly ('score' | 'length')[]).map((name): [string, Range] => {
            const [min, max] = this.bounds?.[name] ?? [values[name]!, values[name]!];
            return [name, [Math.min(min, values[name]!), Math.max(max, values[name]!)]];
          }),
        );
        if (!this.best || fit > this.best.fit) this.best = { id: member.id, fit };
      }
      let displaced: string | null = null;
      for (const index of child.bornSeq === 0 ? this.islands.keys() : [island])
        displaced = this.enter(index, member) ?? displaced;
      if (displaced !== null && this.archive.includes(displaced))
        this.archive = this.archive.map((id) => (id === displaced ? member.id : id));
      else if (this.archive.length < population.archive) this.archive.push(member.id);
      else {
        const worst = this.archive
          .map((id) => this.member(id))
          .reduce((last, member) => (isBetter(member, last) ? last : member));
        if (isBetter(member, worst)) this.archive = this.archive.map((id) => (id === worst.id ? member.id : id));
      }
      while (this.members.length > population.cap) this.evict(member);
    }
    if (child.bornSeq > 0) this.generations[island]!++;
  }

  evict(newcomer: Member | null): void {
    const candidates = this.sorted(this.members.map((member) => member.id)).filter(
      (member) => member.id !== newcomer?.id && member.id !== this.best?.id,
    );
    const elites = new Set(this.cells.flatMap((grid) => [...grid.values()]));
    const free = this.settings.population.protectElites
      ? candidates.filter((member) => !elites.has(member.id))
      : candidates;
    const { id } = (free[0] ?? candidates[0])!;
    const left = this.islands.flatMap((island, index) => (island.includes(id) ? [index] : []));
    this.members = this.members.filter((member) => member.id !== id);
    this.archive = this.archive.filter((member) => member !== id);
    this.islands = this.islands.map((island) => island.filter((member) => member !== id));
    for (const grid of this.cells) for (const [cell, elite] of grid) if (elite === id) grid.delete(cell);
    for (const index of left)
      if (this.islands[index]!.length === 0 && this.best) this.enter(index, this.member(this.best.id));
  }

  migrate(): void {
    const generation = Math.max(...this.generations);
    if (generation - this.last < this.settings.migration.interval) return;
    this.last = generation;
    const count = this.islands.length;
    const migrants = this.islands.map((island) =>
      island
        .map((id) => this.member(id))
        .sort((a, b) => b.fit - a.fit || a.bornSeq - b.bornSeq)
        .slice(0, Math.max(1, Math.floor(this.settings.migration.rate * island.length + 1e-9))),
    );
    for (const [from, sent] of migrants.entries()) {
      for (const to of this.targets(from, count)) {
        for (const member of sent) if (!this.islands[to]!.includes(member.id)) this.enter(to, member);
      }
    }
  }

  targets(from: number, count: number): readonly number[] {
    const { topology } = this.settings.migration;
    if (topology === 'ring') return [...new Set([(from + 1) % count, (from + count - 1) % count])];
    return this.islands.flatMap((_, to) => {
      const served =
        topology === 'complete' ||
        (topology === 'directed-ring' && to === (from + 1) % count) ||
        (topology !== 'star-in' && topology.startsWith('star') && from === 0) ||
        (topology !== 'star-out' && topology.startsWith('star') && to === 0);
      return served && to !== from ? [to] : [];
    });
  }

  enter(island: number, member: Member): string | null {
    this.islands[island]!.push(member.id);
    return this.compete(this.cells.length === 1 ? 0 : island, member);
  }

  compete(index: number, member: Member): string | null {
    const grid = this.cells[index]!;
    if ([...grid.values()].includes(member.id)) return null;
    const cell = this.cellOf(member);
    const elite = grid.get(cell);
    if (elite !== undefined && !isBetter(member, this.member(elite))) return null;
    grid.set(cell, member.id);
    return elite ?? null;
  }

  cellOf(member: Member): string {
    const { features, bins } = this.settings.population;
    return (features as readonly ('score' | 'length')[])
      .map((feature) => {
        const [min, max] = this.bounds?.[feature] ?? [0, 0];
        const value = Math.min(max, Math.max(min, feature === 'score' ? member.fit : member.length));
        return max === min ? 0 : Math.min(bins - 1, Math.floor(bins * ((value - min) / (max - min))));
      })
      .join('-');
  }

  member(id: string): Member {
    return this.members.find((member) => member.id === id)!;
  }

  sorted(ids: readonly string[]): Member[] {
    return ids.map((id) => this.member(id)).sort((a, b) => a.fit - b.fit || a.bornSeq - b.bornSeq);
  }

  rows(): {
    readonly memberships: readonly Membership[];
    readonly cells: readonly Cell[];
    readonly tallies: readonly Tally[];
    readonly prompts: readonly never[];
    readonly state: PopulationState;
  } {
    const rowsOf = (ids: readonly string[], island: number): Membership[] =>
      ids.map((id) => ({ ...this.member(id), island })).sort((a, b) => a.bornSeq - b.bornSeq);
    return {
      memberships: [...rowsOf(this.archive, ARCHIVE), ...this.islands.flatMap(rowsOf)],
      cells: this.cells.flatMap((grid, island) =>
        [...grid]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([cell, program]) => ({ island, cell, program, fit: this.member(program).fit })),
      ),
      tallies: [],
      prompts: [],
      state: {
        bounds: this.bounds,
        generations: this.generations,
        lastMigration: this.last,
        size: this.members.length,
        best: this.best,
      },
    };
  }
}

/** Higher fit, of equals the earlier. */
const isBetter = (a: Member, b: Member): boolean => a.fit > b.fit || (a.fit === b.fit && a.bornSeq < b.bornSeq);
