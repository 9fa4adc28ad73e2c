// A portable collection in a Map, for unit tests: the same answers as a server gives, one operation at a time.
import type {
  Condition,
  Guard,
  PortableCollection,
  Row,
  RunFilter,
  Update,
} from '../../activities/store/documents/collection.ts';

export class MemoryCollection<T extends Row> implements PortableCollection<T> {
  readonly name: string;
  readonly #documents = new Map<string, T>();

  constructor(name: string) {
    this.name = name;
  }

  async insertAll(documents: readonly T[], inOrder = false): Promise<readonly number[]> {
    const first = documents.findIndex(({ _id }) => this.#documents.has(_id));
    return documents.flatMap((document, position) => {
      if (inOrder && first !== -1 && position >= first) return position === first ? [first] : [];
      if (this.#documents.has(document._id)) return [position];
      this.#documents.set(document._id, copy(document));
      return [];
    });
  }

  async get(id: string): Promise<T | null> {
    const document = this.#documents.get(id);
    return document === undefined ? null : copy(document);
  }

  async getMany(ids: readonly string[]): Promise<readonly T[]> {
    return [...new Set(ids)].flatMap((id) => this.#documents.get(id) ?? []).map(copy);
  }

  async find<K extends keyof T = keyof T>(
    filter: RunFilter<T>,
    fields?: readonly K[],
  ): Promise<readonly Pick<T, K | '_id'>[]> {
    const found = [...this.#documents.values()].filter((document) => holds(document, filter));
    return found.map(
      (document) => copy(fields === undefined ? document : only(document, fields)) as Pick<T, K | '_id'>,
    );
  }

  async update(id: string, guard: Guard<T>, update: Update<T>): Promise<boolean> {
    const document = this.#documents.get(id);
    if (document === undefined || !holds(document, guard)) return false;
    this.#documents.set(id, updated(document, update));
    return true;
  }

  async upsert(id: string, guard: Guard<T>, document: Omit<T, '_id'>): Promise<boolean> {
    const stored = this.#documents.get(id);
    if (stored !== undefined && !holds(stored, guard)) return false;
    this.#documents.set(id, copy({ ...document, _id: id } as unknown as T));
    return true;
  }

  async replaceAll(documents: readonly T[], guard?: Guard<T>): Promise<void> {
    for (const document of documents) {
      const stored = this.#documents.get(document._id);
      if (guard !== undefined && (stored === undefined || !holds(stored, guard))) continue;
      this.#documents.set(document._id, copy(document));
    }
  }

  async deleteAll(ids: readonly string[], guard?: Guard<T>): Promise<void> {
    for (const id of ids) {
      const stored = this.#documents.get(id);
      if (stored !== undefined && (guard === undefined || holds(stored, guard))) this.#documents.delete(id);
    }
  }

  async *each<K extends keyof T = keyof T>(fields?: readonly K[]): AsyncGenerator<Pick<T, K | '_id'>> {
    for (const document of [...this.#documents.values()])
      yield copy(fields === undefined ? document : only(document, fields)) as Pick<T, K | '_id'>;
  }
}

/** As stored: without undefined fields, and shared with nobody. */
const copy = <V>(document: V): V => copied(document) as V;

// Tests in memory spend much of their CPU time here, and structuredClone() of a whole document takes five times as long.
const copied = (value: unknown): unknown => {
  if (value === null || typeof value !== 'object') return typeof value === 'function' ? structuredClone(value) : value;
  if (Array.isArray(value)) return value.map(copied);
  if (value instanceof Date || ArrayBuffer.isView(value)) return structuredClone(value);
  const fields: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const inner = (value as Record<string, unknown>)[key];
    if (inner === undefined) continue;
    if (key === '__proto__') Object.defineProperty(fields, key, { ...FIELD, value: copied(inner) });
    else fields[key] = copied(inner);
  }
  return fields;
};

/** A field with this name is data of a model, and no prototype. */
const FIELD = { configurable: true, enumerable: true, writable: true } as const;

const only = <T extends Row, K extends keyof T>(document: T, fields: readonly K[]): Partial<T> =>
  Object.fromEntries(
    ['_id', ...fields].filter((field) => field in document).map((field) => [field, document[field as K]]),
  ) as unknown as Partial<T>;

const holds = <T extends Row>(document: T, guard: Guard<T>): boolean =>
  Object.entries(guard).every(([field, condition]) =>
    meets(document[field as keyof T], condition as Condition<unknown>),
  );

const meets = (value: unknown, condition: Condition<unknown>): boolean => {
  if (!isOperators(condition)) return same(value, condition);
  return Object.entries(condition).every(([operator, operand]) => {
    if (operator === '$in') return (operand as readonly unknown[]).some((one) => same(value, one));
    if (operator === '$ne') return !same(value, operand);
    if (operator === '$exists') return (value !== undefined) === operand;
    if (typeof value !== typeof operand || value === null) return false;
    const order = compare(value, operand);
    return operator === '$gt'
      ? order > 0
      : operator === '$gte'
        ? order >= 0
        : operator === '$lt'
          ? order < 0
          : order <= 0;
  });
};

const isOperators = (condition: unknown): condition is Record<string, unknown> =>
  condition !== null && typeof condition === 'object' && Object.keys(condition).some((key) => key.startsWith('$'));

/** A missing field equals null, as in a server. */
const same = (a: unknown, b: unknown): boolean => compare(a ?? null, b ?? null) === 0;

/** Embedded documents compare field by field, in their order. */
const compare = (a: unknown, b: unknown): number => {
  if (a instanceof Date && b instanceof Date) return a.getTime() - b.getTime();
  if (a !== null && b !== null && typeof a === 'object' && typeof b === 'object') {
    const [left, right] = [Object.entries(a), Object.entries(b)];
    for (const [i, [key, value]] of left.entries()) {
      const other = right[i];
      if (other === undefined) return 1;
      const order = key === other[0] ? compare(value, other[1]) : key < other[0] ? -1 : 1;
      if (order !== 0) return order;
    }
    return left.length - right.length;
  }
  return a === b ? 0 : (a as number) < (b as number) ? -1 : 1;
};

const updated = <T extends Row>(document: T, { $set, $max }: Update<T>): T => {
  const next: Record<string, unknown> = { ...document, ...copy($set ?? {}) };
  for (const [field, value] of Object.entries($max ?? {}))
    if (next[field] === undefined || compare(value, next[field]) > 0) next[field] = value;
  return next as T;
};
