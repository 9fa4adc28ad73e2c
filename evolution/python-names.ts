// Where a Python identifier begins and ends (Language Reference 2.3: XID_Start, XID_Continue). Called by the lexer.
const START = /[\p{XIDS}_]/u;
const CONTINUE = /[\p{XIDC}]/u;

/** Bit 1: may begin an identifier; bit 2: may continue one. */
const ASCII = new Uint8Array(128);
for (let char = 0; char < 128; char++) {
  const text = String.fromCharCode(char);
  ASCII[char] = (/[A-Za-z_]/.test(text) ? 1 : 0) | (/[A-Za-z0-9_]/.test(text) ? 2 : 0);
}

export const isIdentifierStart = (text: string, at: number): boolean => {
  const char = text.charCodeAt(at);
  return char < 128 ? (ASCII[char]! & 1) !== 0 : char >= 128 && START.test(String.fromCodePoint(text.codePointAt(at)!));
};

export const identifierEnd = (text: string, start: number): number => {
  let at = start;
  for (;;) {
    const char = text.charCodeAt(at);
    if (char < 128) {
      if ((ASCII[char]! & 2) === 0) return at;
      at++;
    } else {
      const point = text.codePointAt(at);
      if (point === undefined || !CONTINUE.test(String.fromCodePoint(point))) return at;
      at += point > 0xffff ? 2 : 1;
    }
  }
};
