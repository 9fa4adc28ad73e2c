// The entries in the fields of an action: the body that they make, and none while something is missing or wrong.
import { describe, expect, test } from 'vitest';
import type { Fields } from '../../../evolution/steering/base/fields.ts';
import { bodyFrom } from '../../../page/view/actions/entries.ts';

const FIELDS: Fields = {
  step: { type: 'whole', needed: true, meaning: 'a step' },
  limit: { type: 'number', orNull: true, meaning: 'a limit' },
  way: { type: 'choice', options: { soon: 'soon', now: 'at once' }, meaning: 'when' },
  all: { type: 'flag', meaning: 'everything' },
  text: { type: 'long-text', meaning: 'a program' },
};

describe('the body of an action', () => {
  test.each([
    ['has numbers, and the first choice', { step: ' 3 ' }, { step: 3, way: 'soon' }],
    ['has null for no limit', { step: '3', limit: 'none' }, { step: 3, limit: null, way: 'soon' }],
    ['has a flag only where it is set', { step: '3', all: false, way: 'now' }, { step: 3, way: 'now' }],
    ['keeps the spaces of a long text', { step: '0', text: ' a\n' }, { step: 0, way: 'soon', text: ' a\n' }],
  ])('%s', (_, entries, body) => {
    expect(bodyFrom(FIELDS, entries)).toEqual(body);
  });

  test.each([
    ['what is needed is missing', {}],
    ['a field is empty again', { step: '  ' }],
    ['a number cannot be read', { step: '3', limit: 'many' }],
  ])('is not there while %s', (_, entries) => {
    expect(bodyFrom(FIELDS, entries)).toBeNull();
  });
});
