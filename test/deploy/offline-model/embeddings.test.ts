// The offline model's embeddings as numbers: hashed token n-grams, no language model.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { embed, embeddingsBody } from '../../../deploy/offline-model/embeddings.ts';
import { PARENTS } from './programs.ts';

const cosine = (a: Float64Array, b: Float64Array): number =>
  a.reduce((sum, value, index) => sum + value * b[index]!, 0);

describe('an embedding', () => {
  it('has unit length, or is zero where the text has no token', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 300 }), (text, dimensions) => {
        const vector = embed(text, dimensions);
        expect(vector).toHaveLength(dimensions);
        const length = Math.sqrt(cosine(vector, vector));
        expect(length === 0 || Math.abs(length - 1) < 1e-9).toBe(true);
      }),
    );
    expect(embed(' \n', 4)).toEqual(new Float64Array(4));
  });

  it('depends on the order of the tokens, not on white space', () => {
    expect(embed('a = b', 64)).toEqual(embed('a=b\n', 64));
    expect(embed('a = b', 64)).not.toEqual(embed('b = a', 64));
  });

  it('of a program with one number changed is nearer to it than that of any other program', () => {
    const programs = ['packing', 'small', 'awkward', 'repeated', 'notPython'].map((name) => PARENTS[name]!);
    for (const program of programs) {
      const changed = program.replace(/\d(?!.*\d)/s, (digit) => String((Number(digit) + 1) % 10));
      const near = cosine(embed(program, 256), embed(changed, 256));
      expect(near).toBeGreaterThan(0.9);
      for (const other of programs)
        if (other !== program) expect(cosine(embed(program, 256), embed(other, 256))).toBeLessThan(near);
    }
  });

  it('is the same in base64, in single precision', () => {
    const request = { texts: ['x = 1'], dimensions: 8 } as const;
    const [floats] = (
      JSON.parse(embeddingsBody({ ...request, format: 'float' }, false)) as { data: { embedding: number[] }[] }
    ).data;
    const [base64] = (
      JSON.parse(embeddingsBody({ ...request, format: 'base64' }, false)) as { data: { embedding: string }[] }
    ).data;
    const bytes = Buffer.from(base64!.embedding, 'base64');
    expect(Array.from({ length: 8 }, (_, index) => bytes.readFloatLE(4 * index))).toEqual(
      floats!.embedding.map(Math.fround),
    );
  });
});
