# Last part of the parent of the level `fork` (docs/security.md). It imports once, then forks one candidate after
# another into namespaces of their own. It reads nothing of a candidate but bounded frames. Where anything differs after
# a candidate it exits, and its container ends with it.
MAX_ORDER_BYTES = MAX_PENDING_BYTES = 64 << 20


class Parent:
    def __init__(self, program, modules):
        self.program = program
        try:
            own_user_namespace()
        except OSError as error:
            fail(f"the kernel gives this container no namespaces: {error}", NO_NAMESPACES)
        self.import_all(modules)
        self.wakeup, wake = os.pipe()
        os.set_blocking(self.wakeup, False)
        os.set_blocking(wake, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        self.oom, self.whole, self.memory = OomCounter(), CpuCounter(), MemoryCounter()
        self.codes = {}
        self.child, self.last_uid = None, 0
        self.buffer = bytearray(CHUNK)
        self.try_namespaces()
        self.settle()

    def try_namespaces(self):
        """One child that ends at once, so that a kernel which refuses is told before any candidate."""
        try:
            pid = fork_into_namespaces()
            if pid == 0:
                try:
                    lay_out(UIDS - 1)
                    give_up(UIDS - 1)
                    os._exit(0)
                except OSError as error:
                    os.write(2, f"{error}\n".encode())
                finally:
                    os._exit(1)
            if os.waitpid(pid, 0)[1] != 0:
                raise OSError("the first child could not make them")
        except OSError as error:
            fail(f"the kernel gives this container no namespaces: {error}", NO_NAMESPACES)

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
        self.mapped, self.held = mapped(), self.memory.read()
        self.baseline = standing()

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
        self.oom_before = self.oom.read()
        self.child = Child(order, code, self.whole, self.program)

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
                # It reads nothing of what it is sent.
                self.child.close_input()
                return self.child.kill()
            self.child.feed()
        elif kind == b"E":
            self.child.closing = True
            self.child.feed()
        elif kind == b"K":
            self.child.kill()
        else:
            fail(f"expected a frame of kind L, I, E or K, got {bytes(kind)!r}")

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
        for fd, _ in poll.poll(TELL_SECONDS * 1000 if child and child.dispatched else None):
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
        # Nobody is left who could write, so what is in the pipes is all.
        for fd, kind in child.outputs.items():
            while self.forward(fd, kind):
                pass
        tell(b"Q", json.dumps({
            **child.used(), "status": os.waitstatus_to_exitcode(child.status), "peakBytes": child.peak, "oomKills": self.oom.read() - self.oom_before,
        }).encode())
        child.close()
        clear(self.buffer)
        self.child = None
        now = standing()
        if now != self.baseline:
            fail(f"expected {self.baseline} after a candidate, got {now}")
        # The next candidate has all of its memory, or another container.
        deadline = time.monotonic() + FREE_SECONDS
        while self.memory.read() > self.held + MOST_LEFT and time.monotonic() < deadline:
            time.sleep(0.005)
        if mapped() > self.mapped + MOST_GROWTH or self.memory.read() > self.held + MOST_LEFT:
            os._exit(0)
        tell(b"W")


parent = Parent(bytes.fromhex(sys.argv[1]), sys.argv[2:])
tell(b"H")
while True:
    parent.turn()
