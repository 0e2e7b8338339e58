package dev.rlm.runner.python;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.episodes.Answer;
import dev.rlm.runner.Cli;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
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
            strings = {"/etc/passwd", "/etc/shadow", "/etc/hostname", "/proc/1/environ", "/proc/1/mem", "/proc/kcore"})
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
        assertThat(sandboxed("import socket; [name for _, name in socket.if_nameindex()]")
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
    void parent_canNeitherBeKilledNorTraced() throws Exception {
        try (LivePython python = LivePython.with()) {
            Answer answer = python.does("""
                    import ctypes, os, signal
                    x = 1
                    libc = ctypes.CDLL(None, use_errno=True)
                    os.kill(1, signal.SIGKILL)
                    os.kill(1, signal.SIGSTOP)
                    os.kill(1, signal.SIGINT)
                    print('traced', libc.ptrace(16, 1, 0, 0))
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
