# The way of an evaluator to a language model. This process may open no socket of a network. So a connection to the one
# address is one end of a pair of sockets, whose other end is served here, and the host answers over the pipe of this
# process. What may be asked is the host's to say: the program could change all of this. This text stands before harness.py.
import json, os, queue, threading

MODEL_ADDRESS = ("127.0.0.1", 8000)


class Gateway:
    """Hands requests to the host: those that wait together go together."""

    def __init__(self, exchange):
        self.exchange, self.asked, self.turn = exchange, queue.SimpleQueue(), threading.Lock()

    def ask(self, text):
        answer = queue.SimpleQueue()
        self.asked.put((text, answer))
        return answer.get()

    def pass_on(self):
        while True:
            batch = [self.asked.get()]
            while not self.asked.empty():
                batch.append(self.asked.get())
            with self.turn:
                replies = json.loads(self.exchange(b"G", json.dumps([text for text, _ in batch]).encode()))
            for (_, answer), reply in zip(batch, replies):
                answer.put(reply)

    def close(self):
        """From now on nothing is asked, for the evaluator's own answer is next on the pipe."""
        self.turn.acquire()


def offer_model(exchange):
    import errno, http.server, socket

    gateway, plain = Gateway(exchange), socket.socket
    # A child that the evaluator forks hands its connections over as this process does.
    handed, arrived = socket.socketpair()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            text = self.rfile.read(int(self.headers.get("content-length") or 0)).decode("utf-8", "replace")
            known = self.path.endswith("/chat/completions")
            reply = gateway.ask(text) if known else {"status": 404, "body": {"error": {"message": f"{self.path}: expected /chat/completions"}}}
            body = json.dumps(reply["body"]).encode()
            # Clients name the status line in their errors, and seldom the body.
            why = reply["body"].get("error", {}).get("message", "")
            self.send_response(reply["status"], " ".join(why.encode("ascii", "replace").decode().split())[:LONGEST_REASON] or None)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    class Socket(plain):
        def __init__(self, family=-1, type=-1, proto=-1, fileno=None):
            self.far = None
            if fileno is None and family in (-1, socket.AF_INET):
                near, self.far = socket.socketpair()
                super().__init__(socket.AF_UNIX, socket.SOCK_STREAM, 0, near.detach())
            else:
                super().__init__(family, type, proto, fileno)

        def connect(self, address):
            if self.far is None:
                return super().connect(address)
            if tuple(address[:2]) != MODEL_ADDRESS:
                raise PermissionError(errno.EPERM, f"no network: expected OPENAI_BASE_URL, got {address}")
            socket.send_fds(handed, [b"c"], [self.far.fileno()])
            self.far.close()

        def connect_ex(self, address):
            self.connect(address)
            return 0

        def setsockopt(self, *_):
            pass

    def serve(connection):
        try:
            Handler(connection, MODEL_ADDRESS, None)
        except OSError:
            pass
        finally:
            connection.close()

    def listen():
        while True:
            for fd in socket.recv_fds(arrived, 1, 1)[1]:
                threading.Thread(target=serve, args=(plain(fileno=fd),), daemon=True).start()

    socket.socket = Socket
    for work in (listen, gateway.pass_on):
        threading.Thread(target=work, daemon=True).start()
    os.environ.update(OPENAI_BASE_URL="http://%s:%d/v1" % MODEL_ADDRESS, OPENAI_API_KEY="none")
    return gateway


