// EVOLVE-BLOCK-START
// A Golomb ruler: marks whose differences are all distinct. The greedy one takes each time the first mark that fits.
const greedy = (count) => {
  const marks = [0];
  const differences = new Set();
  let next = 1;
  while (marks.length < count) {
    const fresh = marks.map((mark) => next - mark);
    if (fresh.every((difference) => !differences.has(difference))) {
      for (const difference of fresh) differences.add(difference);
      marks.push(next);
    }
    next += 1;
  }
  return marks;
};
// EVOLVE-BLOCK-END

/** instance holds marks, seed and time_limit_s; the ruler is handed back as {marks: [0, ...]}. */
const construct = (instance) => ({ marks: greedy(instance.marks) });

// Lines of JSON in and out (docs/tasks.md, Other languages).
import { createInterface } from 'node:readline';

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify({ value: await construct(...JSON.parse(line).args) }));
}
