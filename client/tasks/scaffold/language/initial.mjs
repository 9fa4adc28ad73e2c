// EVOLVE-BLOCK-START
// The smallest distance of two numbers: all pairs are compared.
const smallestGap = (x) => {
  let best = Infinity;
  for (let i = 0; i < x.length; i++) {
    for (let j = i + 1; j < x.length; j++) best = Math.min(best, Math.abs(x[i] - x[j]));
  }
  return best;
};
// EVOLVE-BLOCK-END

// Lines of JSON in and out: {"call": "smallest_gap", "args": [{"$array": "float64", "shape": [n]}]}, behind it the n numbers.
import { readSync } from 'node:fs';

const read = (count) => {
  const bytes = new Uint8Array(count);
  for (let at = 0; at < count;) {
    const got = readSync(0, bytes, at, count - at);
    if (got === 0) process.exit(0);
    at += got;
  }
  return bytes;
};

for (;;) {
  let line = '';
  for (let c = ''; c !== '\n'; c = String.fromCharCode(read(1)[0])) line += c;
  const [{ shape }] = JSON.parse(line).args;
  const x = new Float64Array(read(8 * shape[0]).buffer);
  console.log(JSON.stringify({ value: smallestGap(x) }));
}
