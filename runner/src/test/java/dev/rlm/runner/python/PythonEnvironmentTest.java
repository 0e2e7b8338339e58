package dev.rlm.runner.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.testkit.Programs;
import dev.rlm.episodes.Answer;
import dev.rlm.runner.sandbox.LivePython;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The interpreter with and without its sandbox, whatever its code does to it. */
@Tag("thorough")
class PythonEnvironmentTest {
    private static final String LOST = "its state is lost";

    private final Set<Long> before =
            ProcessHandle.current().children().map(ProcessHandle::pid).collect(Collectors.toSet());

    @BeforeEach
    void requirePrograms() throws InterruptedException {
        Programs.require("python3", "bwrap");
    }

    @AfterEach
    void nothingIsLeft() {
        await().untilAsserted(() -> assertThat(started()).isEmpty());
    }

    private List<ProcessHandle> started() {
        return ProcessHandle.current()
                .descendants()
                .filter(handle -> !before.contains(handle.pid()))
                .toList();
    }

    /** Those that have not died: the dead that nobody has asked after have no program any more. */
    private List<ProcessHandle> running() {
        return started().stream()
                .filter(handle -> handle.info().command().isPresent())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--unsafe-exec"})
    void state_lastsOverTheRun(String option) throws Exception {
        try (LivePython python = live(option)) {
            python.does("import math\nx = 6\ndef twice(n):\n    return 2 * n\nopen('notes', 'w').write('seen')");
            Answer answer = python.does("print('out')\ntwice(x) + math.floor(0.5), open('notes').read()");

            assertThat(answer.error()).isNull();
            assertThat(answer.output()).isEqualTo("out\n(12, 'seen')\n");
        }
    }

    @Test
    void digestOfTheState_changesWithTheVariables_andWithNothingElse() throws Exception {
        String defined = """
                import collections, decimal, fractions, re
                class Account:
                    def __init__(self):
                        self.owner, self.entries = 'me', [1.5, {'a', 'b'}, (None, True), b'x']
                    def __repr__(self):
                        raise ValueError('not for digests')
                def twice(n):
                    return 2 * n
                account = Account()
                """;
        try (LivePython python = LivePython.with();
                LivePython other = LivePython.with()) {
            String empty = python.state();
            python.does("print('says', 1 + 1)");
            assertThat(python.state()).isEqualTo(empty).isNotNull();
            python.does(defined);
            String state = python.state();
            assertThat(state).isNotNull().isNotEqualTo(empty);

            other.does("x = [{'b', 'a'}]");
            other.does("del x\n" + defined + "\n1 / 0");
            assertThat(other.state()).as("another process").isEqualTo(state);

            for (String change : List.of(
                    "account.entries[1].add('c')",
                    "account.owner = 'you'",
                    "twice = lambda n: 3 * n",
                    "Account.rate = 2",
                    "d = decimal.Decimal('1.1')",
                    "d = decimal.Decimal('1.2')",
                    "f = fractions.Fraction(1, 3)",
                    "f = fractions.Fraction(2, 3)",
                    "q = collections.deque([1])",
                    "q.append(q)",
                    "n = 10 ** 5000",
                    "n += 1",
                    "import enum\nclass Color(enum.IntEnum):\n    RED = 1\n    BLUE = 2\ncolor = Color.RED",
                    "color = Color.BLUE",
                    "s = bytearray(1 << 20)",
                    "s[77777] = 1")) {
                String before = python.state();
                assertThat(python.does(change).error()).isNull();
                assertThat(python.state()).as(change).isNotNull().isNotEqualTo(before);
                python.does("print(account.owner)");
            }
            python.does("import os; os._exit(0)");
            assertThat(python.state()).isEqualTo(empty);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x = list(range(1_000_000))",
                "x = 's' * (1 << 26)",
                "x = [0]\nfor i in range(1000): x = [x, x]",
                "globals()[1] = 2"
            })
    void stateThatIsTooMuchToLookAt_hasNoDigest_andCostsNothingElse(String code) throws Exception {
        try (LivePython python = LivePython.with()) {
            assertThat(python.does(code).error()).isNull();
            assertThat(python.state()).isNull();
            assertThat(python.does("x = 1; globals().pop(1, None); print('on')").output())
                    .isEqualTo("on\n");
            assertThat(python.state()).isNotNull();
        }
    }

    private static LivePython live(String option, String... more) throws Exception {
        return LivePython.with(Stream.concat(Stream.of(option).filter(text -> !text.isEmpty()), Arrays.stream(more))
                .toArray(String[]::new));
    }

    @Test
    void exception_isAnErrorWithItsLine_andChangesNothingElse() throws Exception {
        try (LivePython python = LivePython.with()) {
            Answer answer = python.does("x = 5\nprint('before')\nx / 0");

            assertThat(answer.output()).isEqualTo("before\n");
            assertThat(answer.error())
                    .startsWith(
                            "Traceback (most recent call last):\n  File \"<action 1>\", line 3, in <module>\n    x / 0")
                    .endsWith("ZeroDivisionError: division by zero");
            assertThat(answer.done()).isFalse();
            assertThat(python.does("x ===").error())
                    .startsWith("  File \"<action 2>\", line 1")
                    .endsWith("invalid syntax");
            assertThat(python.does("raise SystemExit(3)").error()).endsWith("SystemExit: 3");
            assertThat(python.does("import os, signal; os.kill(os.getpid(), signal.SIGINT)")
                            .error())
                    .contains("KeyboardInterrupt");
            assertThat(python.does("input()").error()).endsWith("EOFError: EOF when reading a line");
            assertThat(python.does("x").output()).isEqualTo("5\n");
        }
    }

    @Test
    void interrupt_thatComesBetweenActions_costsNoState() throws Exception {
        try (LivePython python = LivePython.with()) {
            python.does("""
                    import os, signal, threading
                    x = 5
                    sent = threading.Event()
                    def send():
                        os.kill(os.getpid(), signal.SIGINT)
                        sent.set()
                    threading.Timer(0.1, send).start()""");

            await().until(() -> python.does("sent.is_set()").output().equals("True\n"));
            assertThat(python.does("x").output()).isEqualTo("5\n");
        }
    }

    @Test
    void descriptors_thatAreClosedOrWrittenTo_areThereAgain() throws Exception {
        try (LivePython python = LivePython.with()) {
            python.does("import os, sys\nx = 1\nos.closerange(0, 256)");
            assertThat(python.does("print('still'); x").output()).isEqualTo("still\n1\n");
            python.does("sys.stdout = sys.stderr = None\nfor i in range(3, 256):\n    os.dup2(1, i)");
            python.does("[os.write(i, b'\\x00\\x00\\x00\\x00') for i in range(3, 256)]");
            assertThat(python.does("x").output()).isEqualTo("1\n");
            assertThat(python.does("_ = os.write(1, b'\\xff\\xfe')").output()).isEqualTo("\ufffd\ufffd");
            assertThat(python.does("print('\\ud800')").output()).isEqualTo("\\ud800\n");
        }
    }

    @Test
    void result_thatIsForged_endsTheInterpreter() throws Exception {
        try (LivePython python = LivePython.with()) {
            Answer answer = python.does("""
                    import os
                    for i in range(3, 1024):
                        try:
                            os.write(i, bytes(16) + b'\\0' + b'\\0\\0\\0\\7forged\\n' + bytes(4))
                        except OSError:
                            pass
                    """);

            assertThat(answer.error())
                    .startsWith("The code wrote to a descriptor of the harness. ")
                    .contains(LOST);
            assertThat(answer.output()).doesNotContain("\nforged");
            assertThat(python.does("1").output()).isEqualTo("1\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--unsafe-exec"})
    void thread_thatReadsAllDescriptors_takesNothingFromLaterActions(String option) throws Exception {
        try (LivePython python = live(option)) {
            python.does("""
                    import os, threading
                    x = 1
                    def take(descriptor):
                        try:
                            while os.read(descriptor, 1 << 16):
                                pass
                        except OSError:
                            pass
                    for name in os.listdir('/proc/self/fd'):
                        found = [int(name)] if int(name) > 2 else []
                        for mode in (os.O_RDONLY, os.O_RDWR):
                            try:
                                found.append(os.open('/proc/self/fd/' + name, mode))
                            except OSError:
                                pass
                        for descriptor in found:
                            threading.Thread(target=take, args=(descriptor,), daemon=True).start()
                    """);

            for (int i = 2; i < 8; i++) {
                assertThat(python.does("x += 1\nx").output()).isEqualTo(i + "\n");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--unsafe-exec"})
    void descriptorOfTheHarness_thatIsReplaced_endsTheInterpreter(String option) throws Exception {
        try (LivePython python = live(option)) {
            assertThat(python.does("import os\nfor i in range(512, 600): os.dup2(1, i)")
                            .error())
                    .startsWith("The code closed a descriptor of the harness. ")
                    .contains(LOST);
            assertThat(python.does("1").output()).isEqualTo("1\n");
        }
    }

    @Test
    void code_thatIsVeryLong_isRefusedAndCostsNoState() throws Exception {
        try (LivePython python = LivePython.with()) {
            assertThat(python.does("x = '" + "a".repeat(1 << 20) + "'; len(x)").output())
                    .isEqualTo("1048576\n");
            assertThat(python.does("#" + "a".repeat(1 << 24)).error()).isEqualTo("The code is longer than 16 MiB.");
            assertThat(python.does("len(x)").output()).isEqualTo("1048576\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--unsafe-exec"})
    void interpreterThatDies_isReplaced(String option) throws Exception {
        try (LivePython python = live(option)) {
            python.does("x = 1");
            assertThat(python.does("import os; os._exit(3)").error())
                    .startsWith("The code ended its interpreter: exit status 3. ")
                    .contains(LOST);
            assertThat(python.does("x").error()).contains("NameError");
            assertThat(python.does("import os; os.kill(os.getpid(), 9)").error())
                    .contains("killed by signal 9");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--unsafe-exec"})
    void codeThatTakesTooLong_isEndedWithAllThatItStarted(String option) throws Exception {
        try (LivePython python = live(option, "--exec-timeout", "1s", "--max-output", "1000")) {
            Answer answer = python.does("""
                    import os, signal, sys
                    signal.signal(signal.SIGTERM, signal.SIG_IGN)
                    print('begin')
                    if os.fork() == 0:
                        os.setsid()
                        if os.fork() == 0:
                            signal.signal(signal.SIGHUP, signal.SIG_IGN)
                            signal.pause()
                        os._exit(0)
                    while True:
                        print('endless')
                    """);

            assertThat(answer.error())
                    .startsWith("The code ran longer than 1 s. ")
                    .contains(LOST);
            assertThat(answer.output()).startsWith("begin\nendless\n").contains(" bytes left out ...]");
            assertThat(answer.output().length()).isLessThan(1100);
            await().untilAsserted(() -> assertThat(started()).isEmpty());
        }
    }

    @Test
    void output_thatIsLong_keepsBothEnds() throws Exception {
        try (LivePython python = LivePython.with("--max-output", "100")) {
            assertThat(python.does("print('a' * 60 + 'b' * 60)").output())
                    .isEqualTo("a".repeat(50) + "\n[... 21 bytes left out ...]\n" + "b".repeat(49) + "\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--unsafe-exec"})
    void whatAStepHasStarted_diesWithIt(String option) throws Exception {
        try (LivePython python = live(option)) {
            python.does("x = 1");
            await().untilAsserted(() -> assertThat(started()).isNotEmpty());
            int alone = running().size();
            Answer answer = python.does("""
                    import os, signal, subprocess, threading, time
                    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
                    subprocess.Popen(['sleep', '1000'], start_new_session=True)
                    if os.fork() == 0:
                        os.setsid()
                        if os.fork() == 0:
                            signal.pause()
                        os._exit(0)
                    _ = os.wait()
                    """);

            assertThat(answer.error()).isNull();
            await().untilAsserted(() -> assertThat(running()).hasSize(alone));
            assertThat(python.does("x").output()).isEqualTo("1\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--unsafe-exec"})
    void interrupt_endsTheCodeAtOnce(String option) throws Exception {
        FutureTask<Boolean> run = new FutureTask<>(() -> {
            try (LivePython python = live(option)) {
                python.does("import time; time.sleep(1)\nwhile True: pass");
                return false;
            } catch (InterruptedException e) {
                return true;
            }
        });
        Thread thread = new Thread(run);
        thread.start();
        await().until(() -> started().stream().anyMatch(PythonEnvironmentTest::isBusy));

        thread.interrupt();

        assertThat(run.get()).isTrue();
    }

    private static boolean isBusy(ProcessHandle handle) {
        return handle.info()
                .totalCpuDuration()
                .filter(time -> time.toMillis() > 200)
                .isPresent();
    }

    @Test
    void folder_withoutASandbox_isGoneWithTheRun() throws Exception {
        Path folder;
        try (LivePython python = LivePython.with("--unsafe-exec")) {
            folder = Path.of(
                    python.does("import os; print(os.getcwd())").output().strip());
            assertThat(folder).isDirectory();
        }
        assertThat(Files.exists(folder)).isFalse();
    }

    @Test
    void submit_isJudgedAsInCalc() throws Exception {
        try (LivePython python = LivePython.with()) {
            Answer answer = python.submits("none");

            assertThat(answer.done()).isTrue();
            assertThat(answer.reward()).isZero();
        }
    }
}
