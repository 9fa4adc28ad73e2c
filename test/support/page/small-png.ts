// A picture of a screen as a PNG of at most 256 colours, which is a third of the size and looks the same: a page has few
// colours, and the rest are the edges of letters.
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const MOST = 256;
/** So many are those that most pixels have; the others are at least so far from all before them. */
const COMMON = 160;
const APART = 24;
const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

type Pixels = { readonly width: number; readonly height: number; readonly rgb: Uint8Array };

const paeth = (a: number, b: number, c: number): number => {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
};

/** Of 8 bits a channel, with or without alpha, as Chromium writes them. */
const decoded = (png: Buffer): Pixels => {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const channels = png[25] === 6 ? 4 : 3;
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const rgb = new Uint8Array(width * height * 3);
  let above = new Uint8Array(stride);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)]!;
    const line = Uint8Array.from(raw.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
    for (let x = 0; x < stride; x += 1) {
      const [left, up, corner] = [line[x - channels] ?? 0, above[x]!, above[x - channels] ?? 0];
      line[x]! += [0, left, up, (left + up) >> 1, filter === 4 ? paeth(left, up, corner) : 0][filter]!;
    }
    for (let x = 0; x < width; x += 1) rgb.set(line.subarray(x * channels, x * channels + 3), (y * width + x) * 3);
    above = line;
  }
  return { width, height, rgb };
};

const chunk = (name: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};

/** The colours that most pixels have, and rare ones that are like none of them; any other one becomes the nearest. */
const paletteOf = (
  colours: Uint32Array,
): { readonly palette: readonly number[]; readonly placeOf: Map<number, number> } => {
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const far = (a: number, b: number): number =>
    [16, 8, 0].reduce((sum, shift) => sum + (((a >> shift) & 255) - ((b >> shift) & 255)) ** 2, 0);
  const common = [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour);
  const palette = common.slice(0, COMMON);
  // A few words in a colour of their own would become grey, were the rest chosen by their number alone.
  for (const colour of common.slice(COMMON)) {
    if (palette.length === MOST) break;
    if (palette.every((other) => far(colour, other) > APART ** 2)) palette.push(colour);
  }
  const placeOf = new Map(palette.map((colour, place) => [colour, place]));
  for (const colour of counts.keys()) {
    if (placeOf.has(colour)) continue;
    let best = 0;
    for (let place = 1; place < palette.length; place += 1)
      if (far(colour, palette[place]!) < far(colour, palette[best]!)) best = place;
    placeOf.set(colour, best);
  }
  return { palette, placeOf };
};

export const smallPng = (png: Buffer): Buffer => {
  const { width, height, rgb } = decoded(png);
  const colours = Uint32Array.from(
    { length: width * height },
    (_, at) => (rgb[3 * at]! << 16) | (rgb[3 * at + 1]! << 8) | rgb[3 * at + 2]!,
  );
  const { palette, placeOf } = paletteOf(colours);
  const lines = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) lines[y * (width + 1) + 1 + x] = placeOf.get(colours[y * width + x]!)!;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};
