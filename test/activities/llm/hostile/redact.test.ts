// Keys are taken out of what endpoints say, and nothing else is: programs stay as they are, and no text takes long.
// Attempts: endpoints and keys.
import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKeyRing } from '../../../../activities/llm/transport/key-ring.ts';
import { createRedactor, KEY_REMOVED } from '../../../../activities/llm/transport/redact.ts';
import { leaks } from '../../../support/hostile/leaks.ts';

const KEY = 'Zq7xW2pLm9-RtK4vB8nYc3_HdF6gJs1QaE0uTi5wX';

const keyLike = fc
  .string({
    unit: fc.constantFrom(...'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789-_'),
    minLength: 24,
    maxLength: 80,
  })
  .filter((key) => /[a-z]/i.test(key) && /\d/.test(key) && key.replace(/[^a-z0-9]/gi, '').length >= 20);

describe('an answer', () => {
  it('is left as it is where no key is in it, whatever words the keys of this machine are', () => {
    const program = 'def placeholder(x):\n    # lm-studio is not-needed, none at all\n    return x["sk"] + 10000000\n';
    for (const keys of [[], ['none'], ['lm-studio'], ['not-needed'], ['placeholder'], [KEY]])
      expect(createRedactor(keys).answer(program)).toBe(program);
  });

  it('keeps its numbers and alphabets where a server without keys was given one of them as its key', () => {
    const program = `x = 1.${'0'.repeat(20)}1\nALL = "abcdefghijklmnopqrstuvwxyz"\nHEX = "0123456789abcdef"\nn = 12345678901234567\n`;
    const keys = ['0'.repeat(16), 'abcdefghijklmnopqrstuvwxyz', '0123456789abcdef', '1234567890123456', '1'.repeat(40)];
    for (const key of keys) expect(createRedactor([key]).answer(program)).toBe(program);
  });

  it('loses the key, however it is written, and keeps what stands around it', () => {
    const { answer } = createRedactor([KEY]);
    expect(answer(`KEY = "${KEY}"\nreturn 1`)).toBe(`KEY = "${KEY_REMOVED}"\nreturn 1`);
    expect(answer(`a ${[...KEY].join(', ')} b`)).toBe(`a ${KEY_REMOVED} b`);
    expect(answer(`a ${Buffer.from(KEY).toString('hex')} b`)).toBe(`a ${KEY_REMOVED} b`);
    const twice = answer(`${KEY} and ${[...KEY].reverse().join('')}.`);
    expect(twice).toBe(`${KEY_REMOVED} and ${KEY_REMOVED}.`);
  });

  it('of any text with any key in any of these forms gives no whole key away (property)', () => {
    const forms: readonly ((key: string) => string)[] = [
      (key) => key,
      (key) => key.toUpperCase(),
      (key) => [...key].reverse().join(''),
      (key) => [...key].join('\u200b'),
      (key) => Buffer.from(key).toString('hex'),
      (key) => Buffer.from(`ab${key}c`).toString('base64'),
      encodeURIComponent,
    ];
    fc.assert(
      fc.property(keyLike, fc.constantFrom(...forms), fc.string(), fc.string(), (key, form, before, after) => {
        expect(leaks(createRedactor([key]).answer(`${before} ${form(key)} ${after}`), key, 20)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('an error', () => {
  it('loses every key that it knows, short ones too, parts of long ones, and what looks like a key', () => {
    const { error } = createRedactor([KEY, 'none', 'short1']);
    expect(error('wrong key none')).toBe(`wrong key ${KEY_REMOVED}`);
    expect(error(`from ${KEY.slice(0, 14)} to ${KEY.slice(-14)}`)).toBe(`from ${KEY_REMOVED} to ${KEY_REMOVED}`);
    expect(error(`Authorization: Bearer ${'ab12'.repeat(8)}`)).not.toContain('ab12');
    expect(error(`the api key provided: ${'0a1b'.repeat(8)}`)).not.toContain('0a1b');
  });

  it('loses a key in full width, in octal, in UTF-16, and percent-encoded twice', () => {
    const { error } = createRedactor([KEY]);
    const each = (form: (code: number) => string): string => [...Buffer.from(KEY)].map(form).join('');
    for (const written of [
      each((code) => String.fromCharCode(code + 0xfee0)),
      each((code) => `\\${code.toString(8)}`),
      Buffer.from(KEY, 'utf16le').toString('base64'),
      each((code) => `%25${code.toString(16)}`),
      each((code) => `0x${code.toString(16)}, `),
      each((code) => `\\u{${code.toString(16)}}`),
    ]) {
      const said = error(`wrong key ${written}`);
      expect([written, said.startsWith('wrong key '), said.includes(KEY_REMOVED)]).toEqual([written, true, true]);
      expect(said.length).toBeLessThan('wrong key '.length + KEY_REMOVED.length + 8);
    }
    // A text of another language stays as it came.
    expect(error('错误：模型不存在，请检查！')).toBe('错误：模型不存在，请检查！');
  });

  it('keeps the words by which a person, and the client, know what is wrong', () => {
    const { error } = createRedactor([KEY]);
    for (const words of [
      "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
      "This model's maximum context length is 128000 tokens, however you requested 130000 tokens",
      'The model `gpt-4.1-mini-2025-04-14` does not exist or you do not have access to it.',
      'Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys.',
      'Rate limit reached for org-abc on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000.',
    ])
      expect(error(words)).toBe(words);
  });

  it('is one line of bounded length, and says how much was left out', () => {
    const { error } = createRedactor([]);
    expect(error('a\u0000b\n\u001b[2Jc\u202ed\u2028e')).toBe('a b [2Jc d e');
    const long = error('x '.repeat(50_000));
    expect(long.length).toBeLessThan(1_100);
    expect(long).toMatch(/characters more\)$/);
  });
});

/** CPU milliseconds of the thread: the least of several, since whatever disturbs only adds. */
const cpuMs = (work: () => unknown): number =>
  Math.min(
    ...Array.from({ length: 3 }, () => {
      const before = process.threadCpuUsage();
      work();
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / 1000;
    }),
  );

it('takes time that grows with the length alone, for texts made of pieces of keys too', () => {
  const { answer, error } = createRedactor([KEY, `${KEY.slice(1)}9`, 'aaaaaaaaaaaaaaaaaaa1', 'acacacacacacacacacac1']);
  const pieces = [
    'a',
    'ac',
    KEY.slice(0, 20),
    `${KEY} `,
    'Bearer ',
    ...'eyJ -eyJaaaaaaaa token= // sk-'.split(' '),
    '\u202e',
    '? ',
  ];
  for (const piece of pieces) {
    const text = (chars: number): string => piece.repeat(Math.ceil(chars / piece.length));
    // Below this, what is measured is the machine.
    const floorMs = 20;
    const grows = (): boolean => {
      const [once, twice] = [cpuMs(() => answer(text(500_000))), cpuMs(() => answer(text(1_000_000)))];
      return twice > floorMs && twice > 2.5 * once;
    };
    expect([piece, [0, 1, 2, 3].every(grows)]).toEqual([piece, false]);
    // An error is read to a limit, so that a megabyte of it costs as much as that.
    expect([piece, cpuMs(() => error(text(1_000_000))) < 3_000]).toEqual([piece, true]);
  }
});

describe('the key ring', () => {
  const home = (keys: string): string => {
    const folder = mkdtempSync(join(tmpdir(), 'evolve-ring-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'keys.json'), keys);
    return folder;
  };

  it('reads the file that EVOLVE_KEYS_FILE names too, which goes before the data directory, and says where it is gone', () => {
    const [folder, other] = [home('{"http://a/v1":"Aa1Aa1","http://b/v1":"Bb2Bb2"}'), home('{"http://b/v1":"Cc3Cc3"}')];
    const env = { EVOLVE_KEYS_FILE: join(other, 'keys.json') };
    const ring = createKeyRing({ home: folder, env });
    expect(['http://a/v1', 'http://b/v1'].map((url) => ring.keyOf(url))).toEqual(['Aa1Aa1', 'Cc3Cc3']);
    rmSync(env.EVOLVE_KEYS_FILE);
    expect(() => ring.keyOf('http://b/v1')).toThrow(/^EVOLVE_KEYS_FILE: expected a file with a JSON object/);
    expect(ring.error('Aa1Aa1 Cc3Cc3')).not.toMatch(/Aa1|Cc3/);
  });

  it('knows the keys of all endpoints, those that were replaced, and those of the environment', () => {
    const folder = home(JSON.stringify({ 'http://a/v1': 'Aa1'.repeat(9), 'http://b/v1': ' Bb2Bb2Bb2Bb2Bb2Bb2\n' }));
    const env = {
      SOME_API_KEY: 'Cc3'.repeat(9),
      HTTPS_PROXY: 'http://me:p%40ss-Dd4Dd4Dd4@proxy:3128',
      OPENAI_CUSTOM_HEADERS: 'x-key: Ee5Ee5Ee5Ee5Ee5Ee5',
      MONGODB_URI: 'mongodb://u:Ff6Ff6Ff6Ff6Ff6@host/db',
      KEY_FILE_TOKEN: '/run/secrets/token',
      EVOLVE_SECRETS_KEY: `/Hh8Hh8${'Hh8'.repeat(12)}=`,
      TEMPORAL_TLS_CLIENT_KEY_DATA: '-----BEGIN KEY-----\nIi9Ii9Ii9Ii9Ii9Ii9Ii9Ii9\n-----END KEY-----',
    };
    const ring = createKeyRing({ home: folder, env });
    expect(ring.keyOf('http://b/v1')).toBe('Bb2Bb2Bb2Bb2Bb2Bb2');
    expect(ring.keyOf('http://c/v1')).toBeNull();
    expect(ring.keyOf('constructor')).toBeNull();
    writeFileSync(join(folder, 'keys.json'), JSON.stringify({ 'http://a/v1': 'Gg7Gg7Gg7Gg7Gg7Gg7Gg7' }));
    expect(ring.keyOf('http://a/v1')).toBe('Gg7Gg7Gg7Gg7Gg7Gg7Gg7');
    const all = ring.error(
      `Aa1Aa1Aa1Aa1Aa1Aa1 Bb2Bb2Bb2Bb2 Cc3Cc3Cc3Cc3 p%40ss-Dd4Dd4Dd4 Ee5Ee5Ee5Ee5 Ff6Ff6Ff6Ff6Ff6 Gg7Gg7Gg7 /Hh8Hh8Hh8Hh8Hh8 Ii9Ii9Ii9Ii9`,
    );
    expect(all).not.toMatch(/Aa1|Bb2|Cc3|Dd4|Ee5|Ff6|Gg7|Hh8|Ii9/);
    expect(ring.error('/run/secrets/token is missing')).toBe('/run/secrets/token is missing');
  });

  it('does not quote a file that cannot be read', () => {
    const ring = createKeyRing({ home: home(`{"http://a/v1": ${KEY}}`) });
    const said = (): string => {
      try {
        return String(ring.keyOf('http://a/v1'));
      } catch (error) {
        return String(error);
      }
    };
    expect(said()).toMatch(/keys\.json: expected a JSON object/);
    expect(leaks(said(), KEY)).toEqual([]);
    expect(ring.error('still works')).toBe('still works');
  });
});
