"""Starts SecantusDB with a user of this installation: python -I secantusd.py <user> <password file> <flags...>.

The server's own way is to listen without a password until somebody has made a user. Here the user is written before
the server listens, into new and old data alike, so that nobody is ever let in without the password. The password is
read from a file, because other users of the machine can read command lines.
"""

import sys
from pathlib import Path

from secantus import cli
from secantus.auth import SCRAM_SHA_256, derive_credentials

user, password_file, *flags = sys.argv[1:]
password = Path(password_file).read_text(encoding="ascii").strip()
# Repeated hashing makes guessing slow. A password of 256 random bits cannot be guessed, so that the least number that
# drivers accept is enough, and every command connects faster.
ITERATIONS = 4096


class ServerWithUser(cli.SecantusDBServer):
    def __init__(self, **options):
        super().__init__(**options)
        credentials = derive_credentials(password, iterations=ITERATIONS)
        self.storage.add_user(
            "admin",
            user,
            {
                "_id": f"admin.{user}",
                "user": user,
                "db": "admin",
                "credentials": credentials.to_doc(),
                "roles": [{"role": "root", "db": "admin"}],
                "mechanisms": [SCRAM_SHA_256],
            },
            replace=True,
        )


cli.SecantusDBServer = ServerWithUser
sys.exit(cli.main([*flags, "--auth"]))
