# Last part of the parent of the level `fork` (docs/security.md). It imports once, then forks one candidate after
# another into namespaces of their own. It reads nothing of a candidate but bounded frames. Where anything differs after
# a candidate it exits, and its container ends with it.
MAX_ORDER_BYTES = MAX_PENDING_BYTES = 64 << 20
# Pieces of output that go out in one write; the kernel takes 1,024 parts.
MOST_PIECES = 256


class Runner:
    """What a candidate runs: its definitions are made here, once for all children, and its last statement in each."""

    def __init__(self, source):
        self.main, tree = types.ModuleType("__main__"), ast.parse(source)
        self.last = compile(ast.Module(tree.body[-1:], []), "<string>", "exec")
        exec(compile(ast.Module(tree.body[:-1], []), "<string>", "exec"), self.main.__dict__)

    def start(self):
        sys.modules["__main__"] = self.main
        exec(self.last, self.main.__dict__)


class Parent:
    def __init__(self, program, modules):
        self.filter, self.runner = Filter(program), None
        try:
            own_user_namespace()
            self.spaces = Spaces()
        except OSError as error:
            fail(f"the kernel gives this container no namespaces: {error}", NO_NAMESPACES)
        self.import_all(modules)
        self.oom, self.whole, self.memory = OomCounter(), CpuCounter(), MemoryCounter()
        self.child, self.last_uid = None, 0
        # What the candidate said and the host was not told: pieces (kind, end) of the buffer, which is full up to `filled`.
        self.buffer, self.filled, self.pieces = bytearray(CHUNK), 0, []
        self.try_namespaces()
        self.settle()

    def try_namespaces(self):
        """One child that ends at once, so that a kernel which refuses is told before any candidate."""
        try:
            pid = self.spaces.fork()
            if pid == 0:
                try:
                    self.spaces.enter()
                    give_up(UIDS - 1)
                    self.filter.lay_on()
                    os._exit(0)
                except OSError as error:
                    os.write(2, f"{error}\n".encode())
                finally:
                    os._exit(1)
            if os.waitpid(pid, 0)[1] != 0:
                raise OSError("the first child could not enter them")
            self.spaces.end()
            self.spaces.order()
            self.spaces.arrive()
        except OSError as error:
            fail(f"the kernel gives this container no namespaces: {error}", NO_NAMESPACES)

    def import_all(self, modules):
        for name in modules:
            try:
                importlib.import_module(name)
            except ImportError:
                pass
        threads = len(os.listdir("/proc/self/task"))
        if threads > 1:
            fail(f"expected imports that start no thread, got {threads} threads after {', '.join(modules)}")

    def settle(self):
        """Everything in memory now is shared with every child. The collector stays away from it, so that its pages need no copies."""
        gc.collect()
        gc.freeze()
        gc.disable()
        self.mapped, self.held = mapped(), self.memory.read()
        self.baseline = standing(self.spaces.pid)

    def launch(self, order):
        if self.child is not None or order["uid"] <= self.last_uid:
            fail("expected one candidate at a time, under a uid of its own")
        self.last_uid = order["uid"]
        if "source" in order:
            self.runner = Runner(order["source"])
            self.settle()
        self.oom_before = self.oom.read()
        self.child = Child(order, self)

    def obey(self):
        """One frame from the host: L launch, I input, E end of input, K kill."""
        head = bytearray(5)
        read_into(memoryview(head))
        kind, size = head[:1], struct.unpack(">I", head[1:])[0]
        if size > MAX_ORDER_BYTES:
            fail(f"expected at most {MAX_ORDER_BYTES} bytes in a frame, got {size}")
        payload = bytearray(size)
        read_into(memoryview(payload))
        if kind == b"L":
            self.launch(json.loads(bytes(payload)))
        elif self.child is None:
            clear(payload)
        elif kind == b"I":
            if self.child.stdin is None:
                return clear(payload)
            self.child.pending.append((payload, 0))
            if sum(len(array) for array, _ in self.child.pending) > MAX_PENDING_BYTES:
                # It reads nothing of what it is sent.
                self.child.close_input()
                return self.spaces.kill()
            self.child.feed()
        elif kind == b"E":
            self.child.closing = True
            self.child.feed()
        elif kind == b"K":
            self.spaces.kill()
        else:
            fail(f"expected a frame of kind L, I, E or K, got {bytes(kind)!r}")

    def forward(self, fd, kind):
        """True when something was read, false when nothing is there now, None at the end."""
        if self.filled == CHUNK or len(self.pieces) == MOST_PIECES:
            self.tell()
        try:
            count = os.readv(fd, [memoryview(self.buffer)[self.filled:]])
        except BlockingIOError:
            return False
        if count == 0:
            return None
        self.filled += count
        self.pieces.append((kind, self.filled))
        if kind == b"O" and not self.child.begun:
            self.child.begin()
        elif self.child.stdin is not None:
            # Its input is open: the host may wait for what it says.
            self.tell()
        return True

    def tell(self, *more):
        """Tells the host what the candidate said, and more, in one write: each write costs the engine more than this process."""
        parts, start = [], 0
        for kind, end in self.pieces:
            parts += frame(kind, memoryview(self.buffer)[start:end])
            start = end
        write_all(1, *parts, *more)
        self.buffer[:self.filled] = bytes(self.filled)
        self.filled, self.pieces = 0, []

    def turn(self):
        child = self.child
        poll = select.poll()
        poll.register(0, select.POLLIN)
        outputs = child.outputs if child else {}
        if child:
            poll.register(child.end, select.POLLIN)
        for fd in outputs:
            poll.register(fd, select.POLLIN)
        if child and child.pending and child.begun:
            poll.register(child.stdin, select.POLLOUT)
        for fd, _ in poll.poll(TELL_SECONDS * 1000 if child and child.begun else None):
            if fd == 0:
                self.obey()
            elif fd == child.end:
                child.collect()
            elif fd in outputs:
                if fd == child.stdout:
                    # What it had printed before it said something reaches the host before that.
                    self.forward(child.stderr, b"X")
                if self.forward(fd, outputs[fd]) is None:
                    del outputs[fd]
            else:
                child.feed()
        if child and child.status is not None:
            self.finish(child)
        elif child and child.is_due():
            # Now and then, so that the host can end it at its limit.
            self.tell(*frame(b"U", json.dumps(child.used()).encode()))

    def finish(self, child):
        self.spaces.end()
        # Nobody is left who could write, so what is in the pipes is all.
        for fd, kind in child.outputs.items():
            while self.forward(fd, kind):
                pass
        used, kills = child.used(), self.oom.read() - self.oom_before
        child.close()
        self.child = None
        left = self.left()
        if left is None:
            self.spaces.order()
        code = os.waitstatus_to_exitcode(child.status)
        self.tell(*frame(b"Q", json.dumps({
            **used, "status": code if code >= 0 else 128 - code, "peakBytes": child.peak, "oomKills": kills,
            "begun": child.begun, "left": left,
        }).encode()))
        if left is not None:
            fail(left)
        self.spaces.arrive()

    def left(self):
        """What differs from before the first candidate, or None. The next one has all of its memory, or another container."""
        now = standing(self.spaces.pid)
        if now != self.baseline:
            return f"expected {self.baseline} after a candidate, got {now}"
        deadline = time.monotonic() + FREE_SECONDS
        while (held := self.memory.read()) > self.held + MOST_LEFT and time.monotonic() < deadline:
            time.sleep(0.005)
        grown = mapped() - self.mapped
        return None if grown <= MOST_GROWTH and held <= self.held + MOST_LEFT else f"{grown} bytes more are mapped, {held - self.held} more are held"


parent = Parent(bytes.fromhex(sys.argv[1]), sys.argv[2:])
write_all(1, *frame(b"H"))
while True:
    parent.turn()
