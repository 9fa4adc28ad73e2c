// What a program's process tells of its time and saved, beside its result: claims, which are bounded and read strictly,
// and which decide nothing.
import type { Profile } from '../../../evolution/scoring/evaluation.ts';
import type { Json } from '../../../evolution/types.ts';
import { parseStrictJson } from './strict-json.ts';

/** A frame of facts is not larger; one that is counts as malformed. */
export const MOST_FACTS_BYTES = 512;
/** One for each checkpoint that the runner lets through, and those that it tells by itself. */
export const MOST_FACTS = 12_000;
const FUNCTIONS = 3;
/** Names that Python gives functions. Others are left out, so that no words of a program stand among ours. */
const NAME = /^(?:[A-Za-z_]\w*\.)*(?:[A-Za-z_]\w*|<[a-z]+>)$/;
const LONGEST_NAME = 40;

/** Null where the facts are not in the form of profile.py. */
const profileOf = (facts: Buffer | undefined): Profile | null => {
  const { seconds, functions } = objectIn(facts);
  if (typeof seconds !== 'number' || !(seconds >= 0) || !Array.isArray(functions)) return null;
  return {
    seconds,
    functions: functions.slice(0, FUNCTIONS).flatMap((one) => {
      const [name, percent] = Array.isArray(one) ? one : [];
      return typeof name === 'string' && name.length <= LONGEST_NAME && NAME.test(name) && isShare(percent)
        ? [{ name, percent }]
        : [];
    }),
  };
};

const isShare = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) <= 100;

const objectIn = (bytes: Buffer | undefined): { readonly [key: string]: unknown } => {
  try {
    return Object(bytes === undefined ? null : parseStrictJson(bytes)) as { readonly [key: string]: unknown };
  } catch {
    return {};
  }
};

/** A saved solution, with the program's CPU seconds by then; null where these are not known. */
export type Save = { readonly seconds: number | null; readonly solution: Json };

/** So many of the checkpoints are kept besides the last, evenly over their order, where they are small. */
const MOST_KEPT = 16;
const LARGEST_KEPT = 256 * 1024;

export class Claims {
  #facts: Buffer | undefined;
  #last: { readonly payload: Buffer; readonly facts: Buffer | undefined } | undefined;
  #count = 0;
  /** Of the checkpoints, counted from 0, those whose number the stride divides. */
  #kept: { readonly payload: Buffer; readonly facts: Buffer | undefined }[] = [];
  #stride = 1;

  onFacts(facts: Buffer): void {
    this.#facts = facts;
  }

  onCheckpoint(payload: Buffer): void {
    this.#last = { payload, facts: this.#facts };
    if (this.#count % this.#stride === 0 && payload.length <= LARGEST_KEPT) {
      this.#kept.push(this.#last);
      if (this.#kept.length > MOST_KEPT) {
        this.#kept = this.#kept.filter((_, index) => index % 2 === 0);
        this.#stride *= 2;
      }
    }
    this.#count += 1;
  }

  profile(): Profile | null {
    return profileOf(this.#facts);
  }

  /** The number of checkpoints, and those that are kept, the last among them, in their order. */
  saves(): { readonly count: number; readonly kept: readonly Save[] } {
    const all = this.#last === undefined || this.#kept.at(-1) === this.#last ? this.#kept : [...this.#kept, this.#last];
    return {
      count: this.#count,
      kept: all.flatMap(({ payload, facts }) => {
        try {
          const seconds = profileOf(facts)?.seconds ?? null;
          return payload.length > LARGEST_KEPT ? [] : [{ seconds, solution: parseStrictJson(payload) }];
        } catch {
          return [];
        }
      }),
    };
  }

  /** The last complete checkpoint. */
  last(): Buffer | undefined {
    return this.#last?.payload;
  }
}
