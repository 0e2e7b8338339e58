"""Runs an agent's code: one process watches over another one, the interpreter, whose state lasts.

The watcher talks with the program on its standard streams, which the interpreter does not have: a request is a block of
code, a reply is a kind and three blocks: what was printed, what went wrong, and a digest of the variables. A block is four bytes
of length, the highest first, and so many bytes of UTF-8. Before the first request it says HELLO. It ends, and all processes with it, when its input
does, and after a reply by which the interpreter's state is lost.

Between the two a request is handed over in memory and a reply through a socket: a thread of the code that reads all descriptors,
even opened again through /proc, takes neither. A reply counts only where it begins with the request's token, so that what the
code writes to descriptors is not taken for one. Between two requests the interpreter is stopped, and what it had started is dead.
"""

import ast
import binascii
import fcntl
import io
import linecache
import mmap
import os
import re
import resource
import select
import signal
import socket
import struct
import sys
import time
import traceback
import types
from collections import deque, namedtuple
from functools import partial
from hashlib import sha256

HELLO = b"rlm-python 1\n"
DONE, RAISED, LATE, OVER_LIMIT, DIED = range(5)
TICKS = os.sysconf("SC_CLK_TCK")  # of processors' time in a second
TICK, SLOW_TICK = 0.025, 0.2  # outside a sandbox there are many processes to look at
POLL = 0.0001
PATIENCE = 1.0
MAX_CODE = 1 << 24
FOLDERS = ("/tmp", "/dev/shm")  # of the sandbox
FIRST_DESCRIPTOR = 512  # of the interpreter's own: beyond those that code closes by the dozen
MAX_DESCRIPTORS = 1024
TOKEN_LENGTH = 16
MAX_STATE = 1 << 22  # bytes of values that a digest covers; some 30 ms
COST_OF_A_VALUE = 64  # in such bytes, since each takes time
MAX_DEPTH = 100
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36


def prctl(option, value):
    """Sets a property of this process; whether that could be done."""
    try:
        import ctypes

        return ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0
    except (ImportError, OSError, AttributeError):
        return False


def read_exactly(descriptor, length):
    data = bytearray()
    while len(data) < length:
        part = os.read(descriptor, min(length - len(data), 1 << 16))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


def read_block(descriptor):
    return read_exactly(descriptor, struct.unpack(">I", read_exactly(descriptor, 4))[0])


def block(data):
    return struct.pack(">I", len(data)) + data


def write(descriptor, data):
    while data:
        data = data[os.write(descriptor, data) :]


class BothEnds:
    """Bytes of which the first and the last ones are kept, so many in all."""

    def __init__(self, limit):
        self.half = limit // 2
        self.head = bytearray()
        self.tail = bytearray()
        self.cut = 0

    def add(self, data):
        room = self.half - len(self.head)
        self.head += data[:room]
        self.tail += data[room:]
        excess = len(self.tail) - self.half
        if excess > 0:
            del self.tail[:excess]
            self.cut += excess

    def text(self):
        if self.cut == 0:
            return (self.head + self.tail).decode("utf-8", "replace")
        note = "\n[... %d bytes left out ...]\n" % self.cut
        return self.head.decode("utf-8", "replace") + note + self.tail.decode("utf-8", "replace")


def bounded(text, limit):
    ends = BothEnds(limit)
    ends.add(text.encode("utf-8", "backslashreplace"))
    return ends.text().encode("utf-8", "backslashreplace")


class Request:
    """Memory that two processes share, with a token and a code."""

    HEAD = struct.Struct(">%dsII" % TOKEN_LENGTH)

    def __init__(self):
        self.memory = mmap.mmap(-1, self.HEAD.size + MAX_CODE)

    def put(self, token, code):
        self.memory[self.HEAD.size : self.HEAD.size + len(code)] = code
        self.HEAD.pack_into(self.memory, 0, token, len(code), binascii.crc32(token + code))

    def take(self):
        """Token and code, once; None before all of it is there, since some processors write in another order."""
        token, length, check = self.HEAD.unpack_from(self.memory)
        code = self.memory[self.HEAD.size : self.HEAD.size + length]
        if binascii.crc32(token + code) != check:
            return None
        self.memory[: self.HEAD.size] = bytes(self.HEAD.size)
        return token, code


class State:
    """A digest of values, wherever in memory they are: the same in each process. Code that defines them is not run for it."""

    PLAIN = (type(None), type(...), type(NotImplemented), bool, float, complex, range)
    BY_TEXT = {"datetime": ("date", "time", "datetime", "timedelta", "timezone"), "decimal": ("Decimal",), "re": ("Pattern",)}
    PARTS = {
        types.FunctionType: ("__name__", "__code__", "__defaults__", "__kwdefaults__", "__closure__", "__dict__"),
        types.CodeType: ("co_code", "co_consts", "co_names", "co_varnames"),
        types.MethodType: ("__func__", "__self__"),
        types.CellType: ("cell_contents",),
        types.BuiltinFunctionType: ("__qualname__", "__self__"),
        partial: ("func", "args", "keywords"),
        property: ("fget", "fset", "fdel"),
        staticmethod: ("__func__",),
        classmethod: ("__func__",),
        slice: ("start", "stop", "step"),
    }
    IMMUTABLE = (int, float, complex, str, bytes)
    OF_NO_CLASS_BODY = ("__dict__", "__weakref__", "__static_attributes__", "__firstlineno__")

    def __init__(self, known, room):
        self.hash = sha256()
        self.known = known
        self.room = room

    @classmethod
    def of(cls, variables):
        """Hexadecimal digits; none where there is too much to look at, or something that cannot be looked at."""
        try:
            state = cls({}, MAX_STATE)
            for name in sorted(variables):
                if not (name.startswith("__") and name.endswith("__")):
                    state.add(name, 0)
                    state.add(variables[name], 0)
            return state.hash.hexdigest().encode()
        except BaseException:  # such as a thread's that adds a variable meanwhile
            return b""

    def put(self, kind, data=b""):
        self.hash.update(b"%s %d:" % (kind.encode(), len(data)))
        self.hash.update(data)

    def charge(self, size):
        self.room -= size + COST_OF_A_VALUE
        if self.room < 0:
            raise OverflowError

    def add(self, value, depth):
        kind = type(value)
        name = "%s.%s" % (kind.__module__, kind.__qualname__)
        self.charge(0)
        if kind in self.PLAIN or kind.__name__ in self.BY_TEXT.get(kind.__module__, ()):
            self.put(name, repr(value).encode())
        elif kind is int:
            self.charge(value.bit_length() >> 2)
            self.put(name, b"%x" % value)
        elif kind is str:
            self.charge(len(value))
            self.put(name, value.encode("utf-8", "surrogatepass"))
        elif kind is bytes:
            self.charge(len(value))
            self.put(name, value)
        elif id(value) in self.known:
            self.put("same", b"%d" % self.known[id(value)][0])
        elif depth > MAX_DEPTH:
            raise RecursionError
        else:
            self.known[id(value)] = len(self.known), value  # kept, so that no other one gets its id
            self.put(name)
            self.add_parts(value, kind, depth + 1)

    def add_parts(self, value, kind, depth):
        if kind in self.PARTS:
            for part in self.PARTS[kind]:
                self.add_attribute(value, part, depth)
        elif issubclass(kind, type):
            self.add_class(value, depth)
        elif issubclass(kind, types.ModuleType):
            self.add_attribute(value, "__name__", depth)
        else:
            if not self.add_elements(value, kind, depth):
                self.add_buffer(value, kind)
            for each in kind.__mro__:
                slots = type.__getattribute__(each, "__dict__").get("__slots__", ())
                for slot in (slots,) if type(slots) is str else tuple(slots):
                    self.add_attribute(value, slot, depth)
            self.add_attribute(value, "__dict__", depth)

    def add_attribute(self, value, name, depth):
        try:
            part = object.__getattribute__(value, name)
        except (AttributeError, ValueError):  # an empty cell's
            return
        self.put(name)
        self.add(part, depth)

    def add_class(self, value, depth):
        self.add(type.__getattribute__(value, "__qualname__"), depth)
        if type.__getattribute__(value, "__module__") == "__main__":
            body = type.__getattribute__(value, "__dict__")
            for name in sorted(body):
                if name not in self.OF_NO_CLASS_BODY:
                    self.add(name, depth)
                    self.add(body[name], depth)
            self.add(type.__getattribute__(value, "__bases__"), depth)

    def add_elements(self, value, kind, depth):
        """Adds those of a collection; whether it is one."""
        for base in (list, tuple, deque):
            if issubclass(kind, base):
                for element in base.__iter__(value):
                    self.add(element, depth)
                return True
        if issubclass(kind, dict):
            for key, element in dict.items(value):
                self.add(key, depth)
                self.add(element, depth)
            return True
        for base in self.IMMUTABLE:
            if issubclass(kind, base):
                self.add(base.__getnewargs__(value), depth)
                return True
        for base in (set, frozenset):
            if issubclass(kind, base):
                self.put("elements", b"".join(sorted(self.apart(each, depth) for each in base.__iter__(value))))
                return True
        return False

    def apart(self, value, depth):
        state = State(self.known, self.room)
        state.add(value, depth)
        self.room = state.room
        return state.hash.digest()

    def add_buffer(self, value, kind):
        """Adds the bytes of an array, or of anything that has some."""
        if kind.__module__ != "__main__":
            try:
                view = memoryview(value)
            except TypeError:
                return
            self.charge(view.nbytes)
            if "O" in view.format:
                raise ValueError  # references and no values
            self.put("%s %s" % (view.format, view.shape), view.tobytes())


class Interpreter:
    """What runs the code, in a process of its own."""

    def __init__(self, request, results, out, limits):
        self.request = request
        null = os.open(os.devnull, os.O_RDONLY)
        self.results, self.out, self.null = (
            fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR) for descriptor in (results, out, null)
        )
        os.close(null)
        self.limits = limits
        self.pid = os.getpid()
        self.exit, self.getpid, self.sleep = os._exit, os.getpid, time.sleep  # the code may change those of the modules
        self.handle, self.handler = signal.signal, signal.getsignal  # and these
        self.interrupt = signal.default_int_handler  # while an action runs
        self.module = types.ModuleType("__main__")
        self.module.__builtins__ = __builtins__

    def prepare(self):
        os.setsid()
        prctl(PR_SET_DUMPABLE, 1)  # again, so that its memory can be measured
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.nice(10)  # the watcher goes first
        self.limits.apply()
        sys.modules["__main__"] = self.module
        sys.path.insert(0, "")
        self.renew_streams()
        sys.argv = [""]

    def serve(self):
        count = 0
        while True:
            token, code = self.await_request()
            count += 1
            self.renew_streams()
            shown, error = self.run(code.decode("utf-8", "replace"), "<action %d>" % count)
            if self.getpid() != self.pid:
                self.exit(0)  # a fork that the code has left behind
            shown = bounded(shown, self.limits.output)
            failed = b"\0" if error is None else b"\1"
            error = bounded(error or "", self.limits.output)
            write(self.results, token + failed + block(shown) + block(error) + block(State.of(self.module.__dict__)))

    def await_request(self):
        """Waits for a moment at most: the watcher stops the interpreter, and lets it go on when a request is there."""
        while True:
            request = self.request.take()
            if request is not None:
                return request
            self.sleep(POLL)

    def renew_streams(self):
        for descriptor, source in ((0, self.null), (1, self.out), (2, self.out)):
            os.dup2(source, descriptor)
        sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", errors="replace", closefd=False)
        for descriptor, name in ((1, "stdout"), (2, "stderr")):
            stream = open(descriptor, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
            setattr(sys, name, stream)
            setattr(sys, "__%s__" % name, stream)

    def run(self, code, name):
        """The last expression's value as text, empty where there is none, and the error, if any."""
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        streams = (sys.stdout, sys.stderr)
        shown, error = "", None
        try:
            self.handle(signal.SIGINT, self.interrupt)
            tree = ast.parse(code, name)
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, name, "exec"), self.module.__dict__)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), name, "eval"), self.module.__dict__)
                shown = "" if value is None else repr(value) + "\n"
            self.ignore_interrupts()
        except BaseException as e:  # SystemExit and KeyboardInterrupt, too, end the action and not the interpreter
            error = self.describe(e, name)
            try:
                self.ignore_interrupts()
            except BaseException:
                pass  # one more of what the error tells
        for stream in (sys.stdout, sys.stderr) + streams:
            try:
                stream.flush()
            except BaseException:
                pass
        return shown, error

    def ignore_interrupts(self):
        """Until the next action; one that has come and was not heard yet is raised here, since it is this action's."""
        handler = self.handler(signal.SIGINT)
        self.handle(signal.SIGINT, signal.SIG_IGN)
        self.interrupt = handler or signal.default_int_handler

    @staticmethod
    def describe(error, name):
        try:
            trace = error.__traceback__
            while trace and trace.tb_frame.f_code.co_filename != name:
                trace = trace.tb_next  # without the harness
            return "".join(traceback.format_exception(type(error), error, trace)).rstrip("\n")
        except BaseException:
            return type(error).__name__


class Limits:
    """What the code may use. Times in seconds, sizes in bytes."""

    def __init__(self, seconds, memory, processes, files, file_size, output, sandbox):
        self.seconds = float(seconds)
        self.memory, self.processes, self.files = map(int, (memory, processes, files))
        self.file_size, self.output = map(int, (file_size, output))
        self.sandboxed = sandbox != "none"

    def apply(self):
        self.limit(resource.RLIMIT_CORE, 0)
        self.limit(resource.RLIMIT_FSIZE, self.file_size)
        self.limit(resource.RLIMIT_NOFILE, MAX_DESCRIPTORS)
        self.limit(resource.RLIMIT_AS, self.memory + MAX_CODE)  # the request's room is not the code's
        if self.sandboxed and self.counts_by_namespace():
            self.limit(resource.RLIMIT_NPROC, self.processes + 1)

    @staticmethod
    def counts_by_namespace():
        """Whether the kernel counts the processes of a user in each user namespace by itself; else those outside count."""
        version = re.match(r"(\d+)\.(\d+)", os.uname().release)
        return bool(version) and tuple(map(int, version.groups())) >= (5, 14)

    @staticmethod
    def limit(kind, value):
        try:
            hard = resource.getrlimit(kind)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (value, value))
        except (OSError, ValueError):
            pass  # what this system cannot limit


class Watcher:
    """Starts the interpreter, hands it the code, and keeps it within its limits."""

    def __init__(self, limits):
        self.limits = limits
        self.tick = TICK if limits.sandboxed else SLOW_TICK
        self.request = Request()
        self.results, results = (end.detach() for end in socket.socketpair())
        self.out, out = os.pipe()
        self.interpreter = os.fork()
        if self.interpreter == 0:
            try:
                interpreter = Interpreter(self.request, results, out, limits)
                interpreter.prepare()
                for descriptor in (results, out, self.results, self.out):
                    os.close(descriptor)
                interpreter.serve()
            finally:
                os._exit(1)
        for descriptor in (results, out):
            os.close(descriptor)
        os.set_blocking(self.out, False)
        self.status = None
        self.used = 0  # by the interpreter before the action, in seconds of processors' time

    def serve(self):
        kind = DONE
        while kind in (DONE, RAISED):
            code = read_block(0)
            output = BothEnds(self.limits.output)
            kind, shown, error, state = self.attempt(code, output)
            self.drain(output)
            output.add(shown)
            write(1, bytes([kind]) + block(output.text().encode()) + block(error) + block(state))

    def attempt(self, code, output):
        """What became of it: kind, value, error and the digest of the variables."""
        if len(code) > MAX_CODE:
            return RAISED, b"", b"The code is longer than %d MiB." % (MAX_CODE >> 20), b""
        token = os.urandom(TOKEN_LENGTH)
        result = bytearray()
        sources = [0, self.out, self.results]
        silent = float("inf")
        check = time.monotonic() + self.tick
        end = time.monotonic() + self.limits.seconds
        self.used = Process.of(self.interpreter).seconds
        try:
            self.request.put(token, code)
            os.kill(self.interpreter, signal.SIGCONT)
        except OSError:
            pass  # it is dead, as will be seen
        while True:
            ready = select.select(sources, [], [], self.tick)[0]
            if self.out in ready:
                self.read_output(output)
            if 0 in ready:
                raise EOFError  # the runner has gone: it sends one request at a time
            if self.results in ready:
                data = os.read(self.results, 1 << 16)
                if not data:
                    sources.remove(self.results)  # it is dead, as will be seen, or will not be heard of again
                    silent = time.monotonic() + PATIENCE
                result += data
                answer = self.parse(result, token)
                if answer is not None:
                    return answer if answer[0] == DIED else self.rest(answer)
            if time.monotonic() >= check:
                reason = self.trespass(end)
                if reason is None and time.monotonic() > silent:
                    reason = DIED, "closed a descriptor of the harness"
                if reason is not None:
                    return self.lost(*reason)
                check = time.monotonic() + self.tick

    def parse(self, result, token):
        if not token.startswith(result[:TOKEN_LENGTH]) or len(result) > 4 * self.limits.output + 1024:
            return self.lost(DIED, "wrote to a descriptor of the harness")
        stream = io.BytesIO(result[TOKEN_LENGTH:])
        try:
            failed = self.take(stream, 1) == b"\1"
            blocks = [self.take(stream, struct.unpack(">I", self.take(stream, 4))[0]) for _ in range(3)]
        except EOFError:
            return None
        return (RAISED if failed else DONE, *blocks)

    @staticmethod
    def take(stream, length):
        data = stream.read(length)
        if len(data) < length:
            raise EOFError
        return data

    def read_output(self, output):
        """Reads what is there; whether there was anything."""
        try:
            data = os.read(self.out, 1 << 16)
        except BlockingIOError:
            return False
        output.add(data)
        return bool(data)

    def drain(self, output):
        for _ in range(64):  # a pipe holds no more than that
            if not self.read_output(output):
                return

    def trespass(self, end):
        """Why the code cannot go on; None where it can."""
        if time.monotonic() > end:
            return LATE, "ran longer than %g s" % self.limits.seconds
        self.reap()
        if self.status is not None:
            return DIED, "ended its interpreter: " + self.ending(self.status)
        processes = descendants()
        if len(processes) > self.limits.processes:
            return OVER_LIMIT, "started more than %d processes" % self.limits.processes
        allowed = 2 * self.limits.seconds  # two processors' time, in case many threads are at work
        for pid, process in processes.items():
            if process.seconds - (self.used if pid == self.interpreter else 0) > allowed:
                return OVER_LIMIT, "used more than %g s of processors' time" % allowed
        if memory(processes, self.limits.memory) > self.limits.memory:
            return OVER_LIMIT, "used more than %d MiB of memory" % (self.limits.memory >> 20)
        return self.excess_of_files()

    def excess_of_files(self):
        """The reason where there are too many; None without a sandbox, where the folders are not the code's alone."""
        folders = map(os.statvfs, FOLDERS if self.limits.sandboxed else ())
        if sum(folder.f_files - folder.f_ffree - 1 for folder in folders) > self.limits.files:
            return OVER_LIMIT, "made more than %d files" % self.limits.files
        return None

    @staticmethod
    def ending(status):
        if os.WIFSIGNALED(status):
            return "killed by signal %d" % os.WTERMSIG(status)
        return "exit status %d" % os.WEXITSTATUS(status)

    def lost(self, kind, reason):
        self.kill_all()
        return kind, b"", reason.encode(), b""

    def rest(self, answer):
        """Stops the interpreter and ends all that it has started. Where that cannot be done the answer is another one."""
        os.kill(self.interpreter, signal.SIGSTOP)
        if not self.kill_descendants({self.interpreter}):
            return self.lost(OVER_LIMIT, "started processes faster than they could be killed")
        excess = self.excess_of_files()
        return self.lost(*excess) if excess else answer

    def kill_all(self):
        if os.getpid() == 1:
            try:
                os.kill(-1, signal.SIGKILL)  # all at once, so that none can start another one
            except ProcessLookupError:
                pass
        else:
            try:
                os.kill(self.interpreter, signal.SIGSTOP)
                self.kill_descendants(set())
                os.kill(self.interpreter, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def kill_descendants(self, spared):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            self.reap()
            alive = [pid for pid, process in descendants().items() if process.state != "Z" and pid not in spared]
            if not alive:
                self.reap()
                return True
            for pid in alive:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        return False

    def reap(self):
        """Buries the dead: the interpreter, and those whose parents have died."""
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                if pid == self.interpreter:
                    self.status = status
        except ChildProcessError:
            pass


class Process(namedtuple("Process", "parent state seconds")):
    """A process, with the processors' time that it has used."""

    @classmethod
    def of(cls, pid):
        fields = process_file(pid, "stat").rpartition(b")")[2].split()
        if not fields:
            return cls(0, "Z", 0)
        return cls(int(fields[1]), fields[0].decode(), (int(fields[11]) + int(fields[12])) / TICKS)


def descendants():
    """All processes that descend from this one, by id. None where the system does not tell."""
    found = {}
    try:
        for name in os.listdir("/proc"):
            if name.isdigit():
                found[int(name)] = Process.of(name)
    except OSError:
        pass
    family = {os.getpid()}
    grown = True
    while grown:
        more = {pid for pid, process in found.items() if process.parent in family and pid not in family}
        family |= more
        grown = bool(more)
    return {pid: found[pid] for pid in family if pid != os.getpid()}


def process_file(pid, name):
    """What a file of a process says; nothing where the process has gone."""
    try:
        with open("/proc/%s/%s" % (pid, name), "rb") as file:
            return file.read()
    except OSError:
        return b""


def memory(processes, limit):
    """The bytes that they hold in memory. What several share is counted once, which takes longer, where it matters."""
    total = sum(resident(pid) for pid in processes)
    return total if total <= limit else sum(share(pid) for pid in processes)


def resident(pid):
    fields = process_file(pid, "statm").split()
    return int(fields[1]) * resource.getpagesize() if fields else 0


def share(pid):
    line = re.search(rb"^Pss: +(\d+) kB", process_file(pid, "smaps_rollup"), re.MULTILINE)
    return int(line.group(1)) << 10 if line else resident(pid)


def end(signum, frame):
    raise EOFError


def main():
    limits = Limits(*sys.argv[1:])
    hardened = prctl(PR_SET_DUMPABLE, 0)  # the code can neither trace the watcher nor open its descriptors
    if limits.sandboxed and not hardened:
        sys.exit("this Python has no working ctypes")
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the code may send it; the interpreter hears it while an action runs
    if not limits.sandboxed:
        os.setsid()
    watcher = Watcher(limits)
    try:
        if not limits.sandboxed:
            signal.signal(signal.SIGTERM, end)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        write(1, HELLO)
        watcher.serve()
    except (EOFError, OSError):
        pass  # the runner has gone
    finally:
        watcher.kill_all()
        os._exit(0)


main()
