"""Keys of payloads: which are taken, and what a worker says that has not those of its installation.

That both sides read each other is in worker.test.ts, where this worker and TypeScript talk in encrypted payloads.
"""

from __future__ import annotations

import asyncio
import base64
import tempfile
import unittest
from pathlib import Path

from evolve_trainer.payloads import Codec, PayloadKeyError, agree, check_of, parse_keys, read_keys
from temporalio.api.common.v1 import Payload

KEY = bytes(range(32))
TEXT = base64.b64encode(KEY).decode()
OTHER = base64.b64encode(bytes(32)).decode()
PAYLOAD = Payload(metadata={"encoding": b"json/plain"}, data=b'"a secret"')


class Checks:
    def __init__(self, **checks: str) -> None:
        self.checks = checks

    def payload_keys(self) -> dict[str, str]:
        return dict(self.checks)

    def keep_payload_key(self, name: str, check: str) -> dict[str, str]:
        return {name: check} | self.checks


def coded(keys: str, payload: Payload, *, back: bool, in_use: bool = True) -> Payload:
    codec = Codec(parse_keys(keys, "the keys"), lambda _: in_use)
    return asyncio.run((codec.decode if back else codec.encode)([payload]))[0]


class Payloads(unittest.TestCase):
    def test_every_key_decrypts_and_the_first_one_encrypts(self) -> None:
        sealed = coded(f"k1:{TEXT}", PAYLOAD, back=False)
        self.assertNotIn(b"secret", sealed.SerializeToString())
        self.assertEqual(sealed.metadata["encryption-key-id"], b"k1")
        self.assertEqual(coded(f"k2:{OTHER}\nk1:{TEXT}", sealed, back=True), PAYLOAD)
        self.assertEqual(coded(f"plain,k1:{TEXT}", PAYLOAD, back=False), PAYLOAD)
        self.assertEqual(coded(f"plain,k1:{TEXT}", sealed, back=True), PAYLOAD)

    def test_a_missing_key_is_an_error_only_where_the_installation_has_it(self) -> None:
        sealed = coded(f"k1:{TEXT}", PAYLOAD, back=False)
        with self.assertRaisesRegex(PayloadKeyError, "encrypted with the key k1"):
            coded(f"k2:{OTHER}", sealed, back=True)
        self.assertEqual(coded(f"k2:{OTHER}", sealed, back=True, in_use=False), sealed)
        self.assertEqual(coded(f"k1:{OTHER}", sealed, back=True), sealed)
        self.assertEqual(coded(f"k2:{OTHER},k1:retired", sealed, back=True), sealed)

    def test_keys_that_are_not_those_of_the_installation_are_refused(self) -> None:
        # As the TypeScript processes compute it (activities/payloads/keys.ts).
        self.assertEqual(check_of(KEY), CHECK)
        agree(parse_keys(f"k1:{TEXT}", "here"), Checks(k1=CHECK))
        agree(parse_keys("plain,k1:retired", "here"), Checks(k1=CHECK))
        for keys, expected in [
            (f"k1:{OTHER}", "the key k1 in here is not the one"),
            (f"k2:{OTHER}", "expected it in here, got k2"),
            ("plain", "got no key"),
        ]:
            with self.subTest(expected), self.assertRaisesRegex(PayloadKeyError, expected):
                agree(parse_keys(keys, "here"), Checks(k1=CHECK))

    def test_what_is_no_key_is_refused_without_showing_it(self) -> None:
        for text in ["k1", "K1:" + TEXT, "k1:short", f"k1:{TEXT},k1:{OTHER}", "k1:retired", "", f"k1:{TEXT}!"]:
            with self.subTest(text), self.assertRaises(PayloadKeyError) as refused:
                parse_keys(text, "here")
            self.assertNotIn(TEXT, str(refused.exception))

    def test_keys_come_from_the_environment_or_a_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            self.assertIsNone(read_keys({}, home).writes)
            (home / "payload-keys").write_text(f"# mine\nk1:{TEXT}\n")
            self.assertEqual(read_keys({}, home).writes, ("k1", KEY))
            self.assertEqual(read_keys({"EVOLVE_PAYLOAD_KEYS": f"k2:{OTHER}"}, home).writes, ("k2", bytes(32)))
            with self.assertRaisesRegex(PayloadKeyError, "cannot be read as payload keys"):
                read_keys({"EVOLVE_PAYLOAD_KEYS_FILE": folder}, home)


CHECK = "d89dcdb1095e21c9cc6cfc256c0f7692"

if __name__ == "__main__":
    unittest.main()
