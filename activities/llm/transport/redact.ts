// Takes keys out of texts that come from an endpoint: a key that is known, however it is written, and in errors what
// looks like a key. An endpoint that repeats the key would else put it into history, database and logs.

export const KEY_REMOVED = '[key removed]';

/** Both take time that grows with the length of the text alone. */
export type Redactor = {
  /** For an answer, which may be a program: only whole keys are taken out, and only those that no program can hold. */
  readonly answer: (text: string) => string;
  /** For an error: one line of bounded length, without keys, parts of them and what looks like one. */
  readonly error: (text: string) => string;
  /** For a text that leaves the installation: as an error, but whole and with its lines. */
  readonly report: (text: string) => string;
};

/** A part of a key that is at least this long is taken out of errors: so many letters and digits. */
const PART = 8;
/** Shorter ones are words such as `none`, which servers without keys are given. */
const SHORTEST_KEY = 4;
const LONGEST_ERROR = 1_000;
/** Characters of an error beyond this number are not read. */
const READ_OF_ERROR = 20_000;

/** A way to write a key: its letters and digits in small, and how long a part of it betrays eight of the key's. */
type Form = { readonly letters: string; readonly part: number };

export const createRedactor = (keys: readonly string[]): Redactor => {
  const known = [...new Set(keys)].filter((key) => key.length >= SHORTEST_KEY).sort((a, b) => b.length - a.length);
  const secret = known.filter(isSecret);
  const forms = [...new Map(secret.flatMap(formsOf).map((form) => [form.letters, form])).values()];
  const parts = partsOf(forms);
  const cleaned = (text: string): string => {
    const literally = known.reduce((left, key) => left.replaceAll(key, KEY_REMOVED), plainly(text, parts));
    const withoutParts = without(literally, (letters) => partsIn(letters, parts));
    return LOOKS.reduce((left, [looks, put]) => left.replace(looks, put), withoutParts);
  };
  return {
    answer(text) {
      const literally = secret.reduce((left, key) => left.replaceAll(key, KEY_REMOVED), text);
      const written = forms.filter(({ letters }) => letters.length >= 2 * PART);
      return written.length === 0 ? literally : without(literally, (letters) => wholeIn(letters, written));
    },
    error(text) {
      const line = cleaned(text.slice(0, READ_OF_ERROR).toWellFormed())
        .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
        .trim();
      const more = Math.max(0, text.length - READ_OF_ERROR) + Math.max(0, line.length - LONGEST_ERROR);
      return more === 0 ? line : `${line.slice(0, LONGEST_ERROR).toWellFormed()}... (${more} characters more)`;
    },
    report: (text) => cleaned(text.toWellFormed()),
  };
};

/** The text in plain letters where these show a part of a key, for example in full width; else as it came. */
const plainly = (text: string, parts: ReadonlyMap<number, ReadonlySet<string>>): string => {
  const plain = text.normalize('NFKC');
  return plain !== text && partsIn(lettersOf(plain), parts).length > 0 ? plain : text;
};

/** Nothing but a key can be meant. `lm-studio`, `not-needed` and their like stand in programs too. */
const isSecret = (key: string): boolean => {
  const letters = lettersOf(key);
  if (isSequence(letters)) return false;
  return letters.length >= 2 * PART || (letters.length >= PART && /\d/.test(letters) && /[a-z]/.test(letters));
};

/** Zeros, `xxxx` and `123456789`, which servers without keys are given too, and which programs hold as numbers. */
const isSequence = (letters: string): boolean => {
  let near = 0;
  for (let at = 1; at < letters.length; at++)
    if (Math.abs(letters.charCodeAt(at) - letters.charCodeAt(at - 1)) <= 1) near++;
  return near >= 0.75 * (letters.length - 1);
};

const lettersOf = (text: string): string => text.replace(/[^A-Za-z0-9]/g, '').toLowerCase();

const formsOf = (key: string): readonly Form[] => {
  const bytes = Buffer.from(key, 'utf8');
  const codes = [...bytes];
  const hex = (prefix: string): string => codes.map((code) => prefix + code.toString(16).padStart(2, '0')).join('');
  return [
    { letters: lettersOf(key), part: PART },
    { letters: lettersOf([...key].reverse().join('')), part: PART },
    ...[0, 1, 2].map((shift) => ({ letters: lettersOf(inBase64(bytes, shift)), part: 11 })),
    ...[0, 1, 2].map((shift) => ({ letters: lettersOf(inBase64(Buffer.from(key, 'utf16le'), shift)), part: 22 })),
    // Hexadecimal digits, percent-encoding once and twice, \xNN and &#xNN;, 0xNN, \u{NN}, \u00NN, and the numbers of
    // the characters.
    { letters: hex(''), part: 2 * PART },
    { letters: hex('x'), part: 3 * PART },
    { letters: hex('u'), part: 3 * PART },
    { letters: hex('25'), part: 4 * PART },
    { letters: hex('0x'), part: 4 * PART },
    { letters: hex('u00'), part: 5 * PART },
    { letters: codes.join(''), part: Math.ceil(2.5 * PART) },
    { letters: codes.map((code) => code.toString(8)).join(''), part: Math.ceil(2.5 * PART) },
  ].filter(({ letters, part }) => letters.length >= part);
};

/** The part of the base64 of a text with the key that is the same whatever stands around the key. */
const inBase64 = (bytes: Buffer, shift: number): string => {
  const before = Math.ceil((shift * 4) / 3);
  const text = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString('base64')
    .replace(/=+$/, '');
  const whole = Math.floor(((shift + bytes.length) * 4) / 3);
  return text.slice(before, whole);
};

const partsOf = (forms: readonly Form[]): ReadonlyMap<number, ReadonlySet<string>> => {
  const parts = new Map<number, Set<string>>();
  for (const { letters, part } of forms) {
    const known = parts.get(part) ?? new Set();
    for (let at = 0; at + part <= letters.length; at++) known.add(letters.slice(at, at + part));
    parts.set(part, known);
  }
  return parts;
};

/** Places in the letters and digits of a text: from, and up to. */
type Place = readonly [from: number, to: number];

/** Takes out of the text what `find` finds among its letters and digits, with all that stands between them. */
const without = (text: string, find: (letters: string) => readonly Place[]): string => {
  const places = new Uint32Array(text.length);
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)) places[count++] = at;
  }
  let left = '';
  let end = 0;
  for (const [from, to] of find(lettersOf(text))) {
    left += text.slice(end, Math.max(end, places[from]!)) + (places[from]! >= end ? KEY_REMOVED : '');
    end = Math.max(end, places[to - 1]! + 1);
  }
  return end === 0 ? text : left + text.slice(end);
};

const wholeIn = (letters: string, forms: readonly Form[]): readonly Place[] => {
  const found: Place[] = [];
  for (const { letters: wanted } of forms)
    for (let at = letters.indexOf(wanted); at >= 0; at = letters.indexOf(wanted, at + wanted.length))
      found.push([at, at + wanted.length]);
  return found.sort(([a], [b]) => a - b);
};

const partsIn = (letters: string, parts: ReadonlyMap<number, ReadonlySet<string>>): readonly Place[] => {
  const covered = new Uint8Array(letters.length + 1);
  for (const [length, known] of parts)
    for (let at = 0; at + length <= letters.length; at++)
      if (known.has(letters.slice(at, at + length))) covered.fill(1, at, at + length);
  const found: [number, number][] = [];
  for (let at = 0; at < letters.length; at++) {
    if (covered[at] === 0) continue;
    const last = found.at(-1);
    if (last?.[1] === at) last[1] = at + 1;
    else found.push([at, at + 1]);
  }
  return found;
};

/** The forms of common keys. Every repetition is bounded, so that the time grows with the length alone. */
const LOOKS: readonly (readonly [RegExp, string])[] = [
  [/(\/\/)[^/@\s"'<>]{1,300}@/g, `$1${KEY_REMOVED}@`],
  [/\b(Bearer|Basic)\s{1,5}[A-Za-z0-9+/=._~-]{8,8000}/gi, `$1 ${KEY_REMOVED}`],
  [
    /\b(?:sk|pk|rk|gsk|xai|hf|nvapi|pplx|ghp|gho|glpat|r8|tgp|fw|csk|AKIA|AIza)[-_A-Z0-9](?=[\w-]{0,40}\d)[\w-]{14,500}/g,
    KEY_REMOVED,
  ],
  [/\beyJ[\w-]{8,4000}\.[\w.-]{8,8000}/g, KEY_REMOVED],
  [
    /\b((?:api[-_ ]?key|access[-_ ]?key|token|authorization|secret|password|credential)s?["']?(?:\s(?:provided|given|used|sent|is|was))?\s{0,3}[:=]?\s{0,3}["']?)(?=[\w+/-]{0,60}\d)(?=[\w+/-]{0,60}[A-Za-z])[\w+/=-]{16,500}/gi,
    `$1${KEY_REMOVED}`,
  ],
];
