# Tries to make a socket of every family, AF_VSOCK included; connects to nothing.
# expects: honest
import socket

__PROGRAM__

for family in range(0, 46):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
        try:
            socket.socket(family, kind)
            print(f"breach: a socket of family {family}", flush=True)
        except OSError:
            pass
