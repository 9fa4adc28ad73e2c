// A terminal's window in memory: what a person sees, and what has scrolled away. Knows the sequences that the live
// block uses, and refuses others.
import { EventEmitter } from 'node:events';

export class Screen extends EventEmitter {
  readonly isTTY = true;
  columns: number;
  rows: number;
  /** Lines that have left the window at its top. */
  scrolledAway: string[] = [];
  #lines: string[] = [''];
  #row = 0;
  #column = 0;

  constructor(columns: number, rows: number) {
    super();
    this.columns = columns;
    this.rows = rows;
  }

  get text(): readonly string[] {
    return this.#lines.map((line) => line.trimEnd());
  }

  write(text: string): boolean {
    for (const [piece] of text.matchAll(/\x1b\[[?\d;]*[A-Za-z]|[^\x1b]/g)) this.#put(piece);
    return true;
  }

  /**
   * As terminals do that reflow: what is too wide goes on in the next row, and the window shows the rows around the
   * cursor.
   */
  resize(columns: number, rows: number): void {
    const above = this.#lines.slice(0, this.#row);
    const folded = above.flatMap((line) => line.match(new RegExp(`.{1,${columns}}`, 'g')) ?? ['']);
    this.columns = columns;
    this.rows = rows;
    this.#lines = [...folded, ''];
    this.#row = folded.length;
    this.#scroll();
    this.emit('resize');
  }

  #put(piece: string): void {
    if (piece === '\n') {
      this.#row += 1;
      this.#column = 0;
      this.#lines[this.#row] ??= '';
      this.#scroll();
      return;
    }
    if (piece === '\r') {
      this.#column = 0;
      return;
    }
    if (!piece.startsWith('\x1b')) {
      this.#letter(piece);
      return;
    }
    const [, count, kind] = /^\x1b\[\??([\d;]*)([A-Za-z])$/.exec(piece)!;
    const n = Number(count || 1);
    switch (kind) {
      case 'A':
        this.#row = Math.max(0, this.#row - n);
        return;
      case 'B':
        this.#row = Math.min(this.#lines.length - 1, this.#row + n);
        return;
      case 'G':
        this.#column = n - 1;
        return;
      case 'K':
        this.#lines[this.#row] = count === '2' ? '' : this.#lines[this.#row]!.slice(0, this.#column);
        return;
      case 'm':
      case 'h':
      case 'l':
        return;
      default:
        throw new Error(`the screen does not know ${JSON.stringify(piece)}`);
    }
  }

  #letter(letter: string): void {
    if (this.#column === this.columns) this.#put('\n');
    const line = this.#lines[this.#row]!.padEnd(this.#column);
    this.#lines[this.#row] = line.slice(0, this.#column) + letter + line.slice(this.#column + 1);
    this.#column += 1;
  }

  #scroll(): void {
    while (this.#lines.length > this.rows) {
      this.scrolledAway.push(this.#lines.shift()!.trimEnd());
      this.#row -= 1;
    }
  }
}
