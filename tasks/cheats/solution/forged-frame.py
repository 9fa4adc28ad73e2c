# Writes the solution's frame itself and ends before the runner can speak: other bytes than the runner would let through.
# variant honest: text -> honest
# variant duplicate-keys: text[:-1] + b"," + text[1:] -> no_solution invalid_output
# variant escaped-duplicate-key: text[:-1] + b',"\\u00' + b"%02x" % text[2] + text[3:] -> no_solution invalid_output
# variant nan: NUMBER.sub(b"NaN", text) -> no_solution invalid_output
# variant infinity: NUMBER.sub(b"-Infinity", text) -> no_solution invalid_output
# variant overflow: NUMBER.sub(b"1e999", text) -> no_solution invalid_output
# variant minus-overflow: NUMBER.sub(b"-1e999", text) -> no_solution invalid_output
# variant underflow: NUMBER.sub(b"1e-999", text)
# variant octal: NUMBER.sub(b"01", text) -> no_solution invalid_output
# variant hexadecimal: NUMBER.sub(b"0x1", text) -> no_solution invalid_output
# variant a-plus-sign: NUMBER.sub(b"+1", text) -> no_solution invalid_output
# variant trailing-bytes: text + b"x" -> no_solution invalid_output
# variant trailing-object: text + text -> no_solution invalid_output
# variant a-byte-order-mark: b"\xef\xbb\xbf" + text -> no_solution invalid_output
# variant not-utf-8: text[:-1] + b',"\xff":1}' -> no_solution invalid_output
# variant comments: b"/* */" + text -> no_solution invalid_output
# variant nothing: b"" -> no_solution invalid_output
# variant half: text[:len(text) // 2] -> no_solution invalid_output
# variant a-hundred-thousand-levels: b"[" * 100000 + b"]" * 100000 -> no_solution invalid_output
# variant a-million-digits: NUMBER.sub(b"9" * 1000, text)
# variant a-pickle: b"\x80\x04cos\nsystem\n(S'true'\ntR." -> no_solution invalid_output
# variant claimed: b'{"valid": true, "score": 1e9, "metrics": {}, "reasons": []}' -> invalid
# variant a-verdict-and-the-solution: text[:-1] + b', "valid": true, "score": 1e9}'
import json, os, re, struct

NUMBER = re.compile(rb"-?\d+(\.\d+)?(e[+-]?\d+)?")


def __ENTRY__(instance):
    text = json.dumps(__HONEST__).encode()
    payload = __VARIANT__
    for fd in range(3, 16):
        try:
            os.write(fd, b"S" + struct.pack(">I", len(payload)) + payload)
        except OSError:
            pass
    os._exit(0)
