package dev.rlm.runner.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.Programs;
import dev.rlm.episodes.Answer;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What code tries that is to stay inside. What would work elsewhere is tried without a sandbox, too, and works there. */
class SandboxTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    @TempDir
    private Path folder;

    private static @Nullable LivePython sandbox;

    @BeforeAll
    static void open() throws Exception {
        Programs.require("python3", "bwrap");
        sandbox = LivePython.with();
    }

    @AfterAll
    static void close() {
        if (sandbox != null) {
            sandbox.close();
        }
    }

    private static Answer sandboxed(String code) throws Exception {
        return Objects.requireNonNull(sandbox).does(code);
    }

    private static Answer bare(String code) throws Exception {
        try (LivePython python = LivePython.with("--unsafe-exec")) {
            return python.does(code);
        }
    }

    @Test
    void file_ofTheUser_cannotBeRead() throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), "planted");
        String code = "open('" + secret + "').read()";

        assertThat(bare(code).output()).contains("planted");
        assertThat(sandboxed(code).error()).contains("FileNotFoundError");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/etc/passwd",
                "/etc/shadow",
                "/etc/hostname",
                "/proc/1/environ",
                "/proc/1/mem",
                "/proc/cmdline",
                "/proc/kallsyms",
                "/proc/kcore",
                "/proc/key-users",
                "/proc/keys",
                "/proc/kmsg",
                "/proc/timer_list",
                "/dev/kmsg",
                "/sys/kernel"
            })
    void file_ofTheSystem_cannotBeRead(String file) throws Exception {
        assertThat(sandboxed("open('" + file + "', 'rb').read(1)").error())
                .containsAnyOf("FileNotFoundError", "PermissionError");
    }

    @Test
    void folders_showNothingOfTheUser() throws Exception {
        String home = System.getProperty("user.home");

        assertThat(sandboxed("""
                import os
                def all(folder):
                    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []
                print([f for f in all('%s') if f != '.pyenv'], all('/home'), all('/var'), all('/sys'), all('/run'), all('/etc'))
                """.formatted(home)).output())
                .isIn("[] [] [] [] [] ['ld.so.cache']\n", "[] [] [] [] [] []\n");
    }

    @Test
    void variables_areNotHandedDown() throws Exception {
        String seen = "import os; sorted(os.environ)";

        assertThat(sandboxed(seen).output()).matches("\\['HOME', 'LANG', 'PATH', ('PWD', )?'TMPDIR'\\]\n");
        assertThat(bare(seen).output()).isEqualTo("['HOME', 'LANG', 'PATH', 'TMPDIR']\n");
    }

    @Test
    void network_cannotBeReached() throws Exception {
        try (ServerSocket tcp = new ServerSocket(0, 50, LOOPBACK);
                DatagramChannel udp = DatagramChannel.open().bind(new InetSocketAddress(LOOPBACK, 0))) {
            udp.configureBlocking(false);
            int port = ((InetSocketAddress) udp.getLocalAddress()).getPort();
            String connect = "import socket; socket.create_connection(('127.0.0.1', " + tcp.getLocalPort() + "), 5)";
            String send = "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', " + port + "))";

            assertThat(bare(connect + "\n" + send).error()).isNull();
            assertThat(udp.receive(ByteBuffer.allocate(10))).isNotNull();
            assertThat(sandboxed(connect).error()).contains("ConnectionRefusedError");
            sandboxed("import socket; " + send);
            assertThat(udp.receive(ByteBuffer.allocate(10))).isNull();
        }
        assertThat(sandboxed("import socket; socket.getaddrinfo('example.com', 80)")
                        .error())
                .contains("gaierror");
        assertThat(sandboxed("[line.split(':')[0].strip() for line in open('/proc/net/dev') if ':' in line]")
                        .output())
                .isEqualTo("['lo']\n");
    }

    @Test
    void sockets_ofTheMachine_cannotBeReached() throws Exception {
        Path socket = folder.resolve("socket");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            String code = "import socket; socket.socket(socket.AF_UNIX).connect('" + socket + "')";
            assertThat(bare(code).error()).isNull();
            assertThat(sandboxed(code).error()).contains("FileNotFoundError");
        }
        String name = "rlm-test-" + ProcessHandle.current().pid();
        try (LivePython listener = LivePython.with("--unsafe-exec")) {
            listener.does("import socket\ns = socket.socket(socket.AF_UNIX)\ns.bind('\\0" + name + "')\ns.listen()");
            String code = "import socket; socket.socket(socket.AF_UNIX).connect('\\0" + name + "')";
            assertThat(bare(code).error()).isNull();
            assertThat(sandboxed(code).error()).contains("ConnectionRefusedError");
        }
    }

    @Test
    void processes_ofTheMachine_areNotSeen() throws Exception {
        String code = "import os; len([p for p in os.listdir('/proc') if p.isdigit()])";

        assertThat(sandboxed(code).output()).isEqualTo("2\n");
        assertThat(sandboxed("import os; os.kill(" + ProcessHandle.current().pid() + ", 0)")
                        .error())
                .contains("ProcessLookupError");
    }

    @Test
    void parent_canNeitherBeKilledNorTracedNorLimited() throws Exception {
        try (LivePython python = LivePython.with()) {
            Answer answer = python.does("""
                    import ctypes, os, resource, signal
                    x = 1
                    libc = ctypes.CDLL(None, use_errno=True)
                    os.kill(1, signal.SIGKILL)
                    os.kill(1, signal.SIGSTOP)
                    os.kill(1, signal.SIGINT)
                    print('traced', libc.ptrace(16, 1, 0, 0))
                    for change in (
                        lambda: resource.prlimit(1, resource.RLIMIT_NOFILE, (3, 3)),
                        lambda: os.setpriority(os.PRIO_PROCESS, 1, 19),
                        lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)),
                        lambda: os.sched_setaffinity(1, os.sched_getaffinity(1)),
                    ):
                        try:
                            change()
                            print('changed')
                        except PermissionError:
                            pass
                    for i in range(3):
                        try:
                            os.open('/proc/1/fd/%d' % i, os.O_RDWR)
                            print('opened', i)
                        except PermissionError:
                            pass
                    """);

            assertThat(answer.output()).isEqualTo("traced -1\n");
            assertThat(answer.error()).isNull();
            assertThat(python.does("x").output()).isEqualTo("1\n");
        }
    }

    @Test
    void privileges_cannotBeHad() throws Exception {
        assertThat(sandboxed("""
                import ctypes, os
                libc = ctypes.CDLL(None, use_errno=True)
                print(os.getuid(), [line.split()[1] for line in open('/proc/self/status') if line.startswith(('CapEff', 'NoNewPrivs'))])
                for flags in (0x10000000, 0x00020000, 0x40000000):  # user, mount and network namespaces
                    print(libc.unshare(flags))
                print(libc.mount(b'none', b'/tmp', b'tmpfs', 0, None), libc.setuid(0))
                """).output()).isEqualTo("1000 ['0000000000000000', '1']\n-1\n-1\n-1\n-1 -1\n");
    }

    @Test
    void systemCalls_thatCodeHasNoUseFor_areRefused() throws Exception {
        // With arguments by which they change nothing where they are not refused.
        assertThat(sandboxed("""
                import ctypes, errno, os
                libc = ctypes.CDLL(None, use_errno=True)
                for name, *numbers in (
                    ('add_key', 248, 217), ('request_key', 249, 218), ('keyctl', 250, 219), ('io_uring_setup', 425, 425),
                    ('ptrace', 101, 117), ('process_vm_readv', 310, 270), ('bpf', 321, 280), ('userfaultfd', 323, 282),
                    ('perf_event_open', 298, 241), ('setns', 308, 268), ('unshare', 272, 97), ('open_tree', 428, 428),
                    ('shmget', 29, 194), ('msgget', 68, 186), ('semget', 64, 190), ('mq_open', 240, 180),
                    ('memfd_create', 319, 279), ('inotify_init1', 294, 26), ('kcmp', 312, 272), ('syslog', 103, 116),
                    ('clone3', 435, 435), ('of a newer kernel', 1000, 1000), ('x32', 0x40000027, 0x40000027),
                ):
                    done = libc.syscall(numbers[os.uname().machine == 'aarch64'], 0, 0, 0, 0, 0, 0)
                    failure = errno.errorcode.get(ctypes.get_errno()) if done == -1 else 'done'
                    if failure != 'EPERM':
                        print(name, failure)
                """).output()).isEqualTo("clone3 ENOSYS\nof a newer kernel ENOSYS\n");
    }

    @Test
    void sockets_ofTheKernel_areRefused() throws Exception {
        assertThat(sandboxed("""
                import errno, socket
                for family, kind in ((16, 2), (17, 2), (21, 5), (31, 1), (38, 5), (40, 1), (44, 3)):
                    try:
                        print(family, socket.socket(family, kind))
                    except OSError as e:
                        print(family, errno.errorcode[e.errno])
                """).output().lines()).hasSize(7).allMatch(line -> line.endsWith(" EPERM"));
    }

    @Test
    void callOfAnotherArchitecture_endsTheInterpreter() throws Exception {
        assumeTrue(System.getProperty("os.arch").equals("amd64"), "this machine has no other");
        assertThat(sandboxed("""
                import ctypes, mmap
                memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
                memory.write(bytes.fromhex('b814000000cd80c3'))  # i386: getpid by its number and its interrupt
                ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))()
                """).error()).containsPattern("killed by signal (31|11)\\."); // 11: a kernel without i386
    }

    @Test
    void codeThatIsOrdinary_works() throws Exception {
        Answer answer;
        try (InputStream code = Objects.requireNonNull(SandboxTest.class.getResourceAsStream("ordinary.py"));
                LivePython python = LivePython.with()) {
            answer = python.does(new String(code.readAllBytes(), StandardCharsets.UTF_8));
        }

        assertThat(answer.error()).isNull();
        assertThat(answer.output().lines())
                .containsExactly(
                        "threads",
                        "subprocess",
                        "shell",
                        "fork",
                        "spawn",
                        "forkserver",
                        "queue",
                        "shared memory",
                        "anonymous memory",
                        "asyncio",
                        "socketpair",
                        "sqlite",
                        "ssl",
                        "files",
                        "folders",
                        "json",
                        "decimal",
                        "random",
                        "time",
                        "ctypes",
                        "signals",
                        "processors",
                        "numpy");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/x",
                "/usr/x",
                "/etc/x",
                "/dev/x",
                "/root/x",
                "/proc/sys/kernel/core_pattern",
                "/proc/sysrq-trigger",
                "/proc/self/oom_score_adj"
            })
    void place_outsideOfTmp_cannotBeWritten(String place) throws Exception {
        // Opened and not written to: where it fails to hold, the machine must not suffer from it.
        assertThat(sandboxed("import os; os.open('" + place + "', os.O_WRONLY | os.O_CREAT)")
                        .error())
                .containsAnyOf("Read-only file system", "FileNotFoundError", "PermissionError");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/tmp", "/dev/shm"})
    void disk_isLimited(String place) throws Exception {
        assertThat(sandboxed("""
                for i in range(10):
                    with open('%s/%%d' %% i, 'wb') as file:
                        for _ in range(32):
                            file.write(bytes(1 << 20))
                """.formatted(place)).error()).contains("No space left on device");
        sandboxed("import os, glob\nfor file in glob.glob('" + place + "/*'): os.remove(file)");
        assertThat(sandboxed("open('/tmp/x', 'wb').truncate(1 << 40)").error()).contains("File too large");
    }

    @ParameterizedTest
    @CsvSource({"/tmp, 600", "/dev/shm, 600", "/tmp, 1000000"})
    void number_ofFiles_isLimited(String place, int wanted) throws Exception {
        try (LivePython python = LivePython.with("--exec-files", "500")) {
            assertThat(python.does("x = 1\nfor i in range(400): open('%s/%d' % ('" + place + "', i), 'w').close()")
                            .error())
                    .isNull();
            Answer answer =
                    python.does("import os\nfor i in range(" + wanted + "): os.mkdir('" + place + "/folder%d' % i)");

            assertThat(answer.error())
                    .startsWith("The code made more than 500 files. ")
                    .contains("its state is lost");
            assertThat(python.does("x").error()).contains("NameError");
        }
    }

    @Test
    void memory_ofAProcess_isLimited() throws Exception {
        try (LivePython python = LivePython.with("--exec-memory", "256")) {
            assertThat(python.does("x = 1\nbytearray(1 << 30)").error()).endsWith("MemoryError");
            assertThat(python.does("x").output()).isEqualTo("1\n");
        }
    }

    @Test
    void memory_ofAllProcesses_isLimited() throws Exception {
        try (LivePython python = LivePython.with("--exec-memory", "256")) {
            assertThat(python.does("""
                    import os, signal
                    for _ in range(6):
                        if os.fork() == 0:
                            kept = bytearray(os.urandom(1 << 20) * 100)
                            signal.pause()
                    signal.pause()
                    """).error()).startsWith("The code used more than 256 MiB of memory. ");
        }
    }

    @Test
    void processorsTime_isLimited_whateverTheCodeSetsItself() throws Exception {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 2, "two processors give no more than what is allowed");
        try (LivePython python = LivePython.with("--exec-timeout", "3s")) {
            assertThat(python.does("""
                    import hashlib, resource, threading
                    resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
                    data = bytes(1 << 24)
                    def burn():
                        while True:
                            hashlib.sha256(data)
                    threads = [threading.Thread(target=burn) for _ in range(8)]
                    [thread.start() for thread in threads]
                    threads[0].join()
                    """).error()).startsWith("The code used more than 6 s of processors' time. ");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"os.fork()", "subprocess.Popen([sys.executable, '-c', 'while True: pass'])"})
    void processes_areLimited(String start) throws Exception {
        try (LivePython python = LivePython.with("--exec-processes", "16", "--exec-timeout", "20s")) {
            Answer answer =
                    python.does("import os, subprocess, sys\nkept = []\nwhile True:\n    kept.append(" + start + ")");

            // The kernel refuses where it counts them, which is not for root; else the harness does.
            assertThat(answer.error()).containsAnyOf("started more than 16 processes", "BlockingIOError");
            assertThat(python.does("1").output()).isEqualTo("1\n");
        }
    }

    @Test
    void descriptors_areLimited() throws Exception {
        assertThat(sandboxed("kept = [open('/dev/null') for _ in range(2000)]").error())
                .contains("Too many open files");
        assertThat(sandboxed("import os; sorted(map(int, os.listdir('/proc/self/fd')))")
                        .output())
                .isEqualTo("[0, 1, 2, 3, 512, 513, 514]\n"); // with the list's own
    }

    @Test
    void pythonThatIsMissing_isSaidInALine() {
        assertThat(Cli.run("run", "--env", "python", "--python", folder + "/none"))
                .satisfies(run -> assertThat(run.exitCode()).isEqualTo(2))
                .satisfies(run -> assertThat(run.err())
                        .isEqualTo("rlm: --env python cannot use '" + folder
                                + "/none' (it cannot be started): install Python 3.8 or newer, or name one with --python PATH"
                                + System.lineSeparator()));
    }
}
