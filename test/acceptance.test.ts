// Every acceptance property of the four methods and of learning has a test that is named after it.
import { describe, expect, it } from 'vitest';
import { namedTests } from './support/pages/acceptance.ts';
import { METHODS, NOT_YET, PROPERTIES } from './support/pages/properties.ts';

const named = namedTests();

describe.each(METHODS)('%s', (method) => {
  it('has a test for every property, or a reason why not yet', () => {
    const have = new Set(named.filter((one) => one.method === method).map(({ number }) => number));
    const without = PROPERTIES[method].map((_, index) => index + 1).filter((number) => !have.has(number));
    expect(without.map((number) => `${method} ${number}`)).toEqual(
      Object.keys(NOT_YET).filter((property) => property.startsWith(method)),
    );
  });
  it('has no test named after a property that there is not', () => {
    expect(
      named.filter((one) => one.method === method && (one.number < 1 || one.number > PROPERTIES[method].length)),
    ).toEqual([]);
  });
});

it('has as many properties as were given', () => {
  expect(METHODS.map((method) => PROPERTIES[method].length)).toEqual([25, 20, 19, 25, 10]);
});
