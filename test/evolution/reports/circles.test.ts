// The picture of a packing.
import { describe, expect, test } from 'vitest';
import { circlesOf, circlesSvg } from '../../../evolution/reports/circles.ts';

describe('the picture', () => {
  test('keeps every circle inside the drawn square and says what it is worth', () => {
    const svg = circlesSvg([[0.25, 0.25, 0.25]], { title: 'a<b', score: 0.25, strictScore: 0.25, detail: 'run "x"' });
    expect(svg).toContain('sum of radii 0.25, strict 0.25, 1 circles');
    expect(svg).toContain('<circle cx="180.00" cy="480.00" r="150.00"');
    expect(svg).toContain('a&lt;b');
    expect(svg).toContain('run &quot;x&quot;');
  });
  test.each([[null], [{}], [{ circles: [] }], [{ circles: [[1, 2]] }], [{ circles: [[1, 2, 'x']] }]])(
    'is not drawn from %j',
    (solution) => {
      expect(circlesOf(solution)).toBeNull();
    },
  );
});
