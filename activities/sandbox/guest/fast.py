# Last part of the fast level's trusted parent (docs/security.md). It imports once, then forks one candidate after
# another, each with a uid, limits, pipes and a directory of its own. After each it kills, wipes and checks; where
# anything is left it exits, and its container ends with it.
MAX_ORDER_BYTES = MAX_PENDING_BYTES = 64 << 20
GONE_SECONDS = 10
PR_SET_CHILD_SUBREAPER = 36


class Parent:
    def __init__(self, modules):
        self.import_all(modules)
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.wakeup, wake = os.pipe()
        os.set_blocking(self.wakeup, False)
        os.set_blocking(wake, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        self.oom, self.whole = OomCounter(), CpuCounter()
        self.codes = {}
        self.child, self.last_uid = None, 0
        self.buffer = bytearray(CHUNK)
        only_known_places_are_writable()
        self.baseline = levels()
        if any(os.listdir(place) for place in PLACES):
            fail(f"expected empty places at the start, got {self.baseline}")
        self.settle()

    def import_all(self, modules):
        for name in modules:
            try:
                importlib.import_module(name)
            except ImportError:
                pass

    def settle(self):
        """Everything in memory now is shared with every child. The collector stays away from it, so that its pages need no copies."""
        gc.collect()
        gc.freeze()
        gc.disable()
        with open("/proc/self/statm") as file:
            self.mapped = int(file.read().split()[0]) * resource.getpagesize()

    def code_of(self, source):
        """The runner, compiled once; what it imports first is imported here, once for all children."""
        if source not in self.codes:
            tree = ast.parse(source)
            self.import_all([name.name for statement in tree.body if isinstance(statement, ast.Import) for name in statement.names])
            self.codes[source] = compile(tree, "<string>", "exec")
            self.settle()
        return self.codes[source]

    def launch(self, order):
        if self.child is not None or order["uid"] <= self.last_uid:
            fail("expected one candidate at a time, under a uid of its own")
        self.last_uid = order["uid"]
        code = self.code_of(order["source"])
        # The limit lies beyond what this process has mapped. The container's memory ends what is touched, as it does for single-use
        # containers; this ends what is only reserved.
        order["address"] = self.mapped + order["memory"] + order["memory"] // 8
        self.oom_before = self.oom.read()
        self.child = Child(order, code, self.whole)

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
            self.child.note_dispatch()
            if self.child.stdin is None:
                return clear(payload)
            self.child.pending.append((payload, 0))
            if sum(len(array) for array, _ in self.child.pending) > MAX_PENDING_BYTES:
                fail("too much input is waiting for a candidate")
            self.child.feed()
        elif kind == b"E":
            self.child.closing = True
            self.child.feed()
        elif kind == b"K":
            self.kill()
        else:
            fail(f"expected a frame of kind L, I, E or K, got {bytes(kind)!r}")

    def kill(self):
        """Kills every process but this one and PID 1; true while there was one. The kernel lets no fork slip through."""
        try:
            os.kill(-1, signal.SIGKILL)
            return True
        except ProcessLookupError:
            return False

    def forward(self, fd, kind):
        """True when something was read, false when nothing is there now, None at the end."""
        try:
            count = os.readv(fd, [self.buffer])
        except BlockingIOError:
            return False
        if count == 0:
            return None
        write_all(1, kind + struct.pack(">I", count), memoryview(self.buffer)[:count])
        return True

    def turn(self):
        child = self.child
        poll = select.poll()
        poll.register(0, select.POLLIN)
        poll.register(self.wakeup, select.POLLIN)
        outputs = child.outputs if child else {}
        for fd in outputs:
            poll.register(fd, select.POLLIN)
        if child and child.pending:
            poll.register(child.stdin, select.POLLOUT)
        for fd, _ in poll.poll(TELL_SECONDS * 1000 if child and child.dispatched is not None else None):
            if fd == 0:
                self.obey()
            elif fd == self.wakeup:
                os.readv(self.wakeup, [self.buffer])
                if child:
                    child.reap()
            elif fd in outputs:
                if self.forward(fd, outputs[fd]) is None:
                    del outputs[fd]
            elif child:
                child.feed()
        if child and child.status is not None:
            self.finish(child)
        elif child:
            child.tell_use()

    def finish(self, child):
        deadline = time.monotonic() + GONE_SECONDS
        while self.kill():
            child.reap()
            if time.monotonic() > deadline:
                fail(f"processes of uid {self.last_uid} could not be killed")
            time.sleep(0.0002)
        child.reap()
        for fd, kind in child.outputs.items():
            while (more := self.forward(fd, kind)) is not None:
                if time.monotonic() > deadline:
                    fail("an output stayed open after everything was killed")
                if not more:
                    time.sleep(0.001)
        status = os.waitstatus_to_exitcode(child.status)
        tell(b"Q", json.dumps({
            **child.used(), "status": status if status >= 0 else 128 - status, "peakBytes": child.peak, "oomKills": self.oom.read() - self.oom_before,
        }).encode())
        child.close()
        clear(self.buffer)
        try:
            for place in PLACES:
                wipe(place)
        except OSError as error:
            fail(f"what a candidate left could not be wiped: {error}")
        wait_for_baseline(self.baseline)
        left = [name for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid())]
        if left:
            fail(f"expected no process after a candidate, got {left}")
        self.child = None
        tell(b"W")


parent = Parent(sys.argv[1:])
tell(b"H")
while True:
    parent.turn()
