# A pod must refuse all of this before any program runs in it. Arguments: host and port of the cluster's API, which every
# pod would reach if nothing kept it from the network. Nothing is sent there.
import os, socket, sys


def fail(text):
    print(text)
    raise SystemExit(3)


try:
    # Leads out of a virtual machine, and no network policy covers it.
    socket.socket(40, socket.SOCK_STREAM)
    fail("a socket of AF_VSOCK was made: set seccompProfile to RuntimeDefault, or use gVisor")
except OSError:
    pass
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=3)
    fail("a pod reached the API of the cluster: its network plug-in does not enforce the NetworkPolicy of the template")
except OSError:
    pass
try:
    with open("/box/test", "w") as file:
        file.write("x")
    os.remove("/box/test")
except OSError as error:
    fail(f"expected a folder /box that uid {os.getuid()} can write to, got {error}: mount an emptyDir there")
if os.getuid() == 0:
    fail("expected a uid other than 0")
