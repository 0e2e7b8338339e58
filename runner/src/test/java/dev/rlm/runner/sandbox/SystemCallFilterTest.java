package dev.rlm.runner.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.episodes.SetupException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What the filter says of calls, on both kinds of machine. It is run here by a machine as the kernel's. */
class SystemCallFilterTest {
    private static final int ALLOWED = 0x7fff0000;
    private static final int KILLED = 0x80000000;
    private static final int EPERM = 0x50001;
    private static final int ENOSYS = 0x50026;

    private static int architecture(SystemCallFilter filter) {
        return filter == SystemCallFilter.X86_64 ? 0xc000003e : 0xc00000b7;
    }

    private static int decide(SystemCallFilter filter, long number, long... arguments) {
        return run(filter, architecture(filter), number, arguments);
    }

    /** Runs the program: loads, jumps if equal, from a number on or if bits are set, and returns. */
    private static int run(SystemCallFilter filter, int architecture, long number, long... arguments) {
        ByteBuffer call = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
        call.putInt((int) number).putInt(architecture).putLong(0x7f00_0000_1000L);
        for (long argument : arguments) {
            call.putLong(argument);
        }
        ByteBuffer program = ByteBuffer.wrap(filter.program()).order(ByteOrder.LITTLE_ENDIAN);
        int register = 0;
        while (true) {
            int operation = program.getShort();
            int ifTrue = Byte.toUnsignedInt(program.get());
            int ifFalse = Byte.toUnsignedInt(program.get());
            int operand = program.getInt();
            if (operation == 0x06) {
                return operand;
            }
            if (operation == 0x20) {
                register = call.getInt(operand);
                continue;
            }
            boolean jump = switch (operation) {
                case 0x15 -> register == operand;
                case 0x35 -> Integer.compareUnsigned(register, operand) >= 0;
                case 0x45 -> (register & operand) != 0;
                default -> throw new AssertionError("unknown operation " + operation);
            };
            program.position(program.position() + 8 * (jump ? ifTrue : ifFalse));
        }
    }

    /** The table's lines, by their numbers. */
    private static Map<Integer, List<String>> listed(SystemCallFilter filter) throws IOException {
        Map<Integer, List<String>> listed = new HashMap<>();
        try (var in = Objects.requireNonNull(SystemCallFilter.class.getResourceAsStream("system-calls.txt"))) {
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n", -1)) {
                List<String> words = List.of(line.split(" ", -1));
                if (!line.startsWith("#")
                        && words.size() > 2
                        && !words.get(column(filter)).equals("-")) {
                    listed.put(Integer.valueOf(words.get(column(filter))), words);
                }
            }
        }
        return listed;
    }

    private static int column(SystemCallFilter filter) {
        return filter == SystemCallFilter.X86_64 ? 1 : 2;
    }

    @ParameterizedTest
    @EnumSource
    void calls_thatAreListed_areAllowed_andNoOthers(SystemCallFilter filter) throws IOException {
        Map<Integer, List<String>> listed = listed(filter);
        assertThat(listed).hasSizeGreaterThan(200);

        for (int number = 0; number <= 449; number++) {
            List<String> words = listed.get(number);
            if (words == null) {
                assertThat(decide(filter, number, 0, 0, 0, 0, 0, 0))
                        .as("%d", number)
                        .isEqualTo(EPERM);
            } else if (words.size() == 3) {
                assertThat(decide(filter, number, -1, -1, -1, -1, -1, -1))
                        .as("%s", words)
                        .isEqualTo(ALLOWED);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void number_thatIsUnknown_isThatOfANewerKernel(SystemCallFilter filter) {
        for (long number : new long[] {450, 451, 462, 1000, 0x3fffffff}) {
            assertThat(decide(filter, number)).as("%d", number).isEqualTo(ENOSYS);
        }
    }

    @ParameterizedTest
    @EnumSource
    void callOfAnotherArchitecture_isRefused(SystemCallFilter filter) {
        SystemCallFilter other = filter == SystemCallFilter.X86_64 ? SystemCallFilter.ARM64 : SystemCallFilter.X86_64;
        for (int architecture : new int[] {0x40000003, 0x40000028, architecture(other), 0}) { // i386, 32-bit ARM, ...
            assertThat(run(filter, architecture, 0)).isEqualTo(KILLED);
        }
        for (long number : new long[] {0x40000000L, 0x40000001L, 0x40000208L, -1}) { // x32's
            assertThat(decide(filter, number)).isEqualTo(EPERM);
        }
    }

    @ParameterizedTest
    @CsvSource({
        // numbers on both, arguments from the first on: those that are allowed, those that are not
        "clone,             56, 220, 0x3d0f00 0x1200011, 0x10000000 0x20000 0x2000000 0x4000000 0x8000000 0x20000000 0x40000000",
        "socket,            41, 198, 1 2 10 0xffffffff00000002, 0 16 17 31 38 40 -1",
        "socket AF_INET,    41, 198, 2:1:0 2:1:6 2:2:17 10:2:0 1:1:0, 2:1:132 2:1:262 2:2:136 2:3:255 2:1:256",
        "socketpair,        53, 199, 1, 0 2 16",
        "ioctl,             16,  29, 0:0x5401 0:0x541b 0:0x5413, 0:0x5412 0:0x541c 0:0xffffffff00005412",
        "fcntl,             72,  25, 0:3 0:1030 0:1031, 0:1024 0:1026",
        "personality,      135,  92, 0 0xffffffff, 8 0x40000 0x400000",
        "prlimit64,        302, 261, 0, 1 2 0xffffffff00000001",
        "setpriority,      141, 140, 0:0:10 1:0:10, 0:1:10 2:0:10 1:1:10",
        "sched_setaffinity,203, 122, 0, 1",
    })
    void call_isRefusedByItsArguments(String name, int onX86, int onArm, String allowed, String refused) {
        for (SystemCallFilter filter : SystemCallFilter.values()) {
            int number = filter == SystemCallFilter.X86_64 ? onX86 : onArm;
            for (String arguments : allowed.split(" ", -1)) {
                assertThat(decide(filter, number, parse(arguments)))
                        .as("%s %s", name, arguments)
                        .isEqualTo(ALLOWED);
            }
            for (String arguments : refused.split(" ", -1)) {
                assertThat(decide(filter, number, parse(arguments)))
                        .as("%s %s", name, arguments)
                        .isEqualTo(EPERM);
            }
        }
    }

    private static long[] parse(String arguments) {
        return Pattern.compile(":")
                .splitAsStream(arguments)
                .mapToLong(text -> text.startsWith("0x")
                        ? Long.parseUnsignedLong(text, 2, text.length(), 16)
                        : Long.parseLong(text))
                .toArray();
    }

    @ParameterizedTest
    @CsvSource({
        "add_key, 248, 217",
        "request_key, 249, 218",
        "keyctl, 250, 219",
        "io_uring_setup, 425, 425",
        "io_uring_enter, 426, 426",
        "io_uring_register, 427, 427",
        "ptrace, 101, 117",
        "process_vm_readv, 310, 270",
        "process_vm_writev, 311, 271",
        "bpf, 321, 280",
        "userfaultfd, 323, 282",
        "perf_event_open, 298, 241",
        "kexec_load, 246, 104",
        "kexec_file_load, 320, 294",
        "mount, 165, 40",
        "umount2, 166, 39",
        "pivot_root, 155, 41",
        "move_mount, 429, 429",
        "open_tree, 428, 428",
        "fsopen, 430, 430",
        "mount_setattr, 442, 442",
        "chroot, 161, 51",
        "setns, 308, 268",
        "unshare, 272, 97",
        "shmget, 29, 194",
        "shmat, 30, 196",
        "msgget, 68, 186",
        "semget, 64, 190",
        "mq_open, 240, 180",
        "memfd_create, 319, 279",
        "memfd_secret, 447, 447",
        "name_to_handle_at, 303, 264",
        "open_by_handle_at, 304, 265",
        "kcmp, 312, 272",
        "pidfd_getfd, 438, 438",
        "syslog, 103, 116",
        "io_setup, 206, 0",
        "init_module, 175, 105",
        "inotify_init1, 294, 26",
        "fanotify_init, 300, 262",
        "quotactl, 179, 60",
        "process_madvise, 440, 440",
        "mbind, 237, 235",
        "sync, 162, 81",
        "settimeofday, 170, 170",
        "swapon, 167, 224",
    })
    void call_thatAContainerRefuses_isRefused(String name, int onX86, int onArm) {
        assertThat(decide(SystemCallFilter.X86_64, onX86, 0, 0, 0)).as(name).isEqualTo(EPERM);
        assertThat(decide(SystemCallFilter.ARM64, onArm, 0, 0, 0)).as(name).isEqualTo(EPERM);
    }

    @Test
    void clone3_isThatOfANewerKernel_sinceItsFlagsAreOutOfSight() {
        assertThat(decide(SystemCallFilter.X86_64, 435)).isEqualTo(ENOSYS);
        assertThat(decide(SystemCallFilter.ARM64, 435)).isEqualTo(ENOSYS);
    }

    @ParameterizedTest
    @CsvSource({"X86_64, /usr/include/x86_64-linux-gnu/asm/unistd_64.h", "ARM64, /usr/include/asm-generic/unistd.h"})
    void numbers_areThoseOfTheKernelsHeaders(SystemCallFilter filter, Path header) throws IOException {
        Assumptions.assumeTrue(Files.exists(header), "no " + header + " here: linux-libc-dev brings it");
        Map<String, String> numbers = new HashMap<>();
        Pattern define = Pattern.compile("#define __NR(?:3264)?_(\\w+)\\s+(?:__NR3264_)?(\\w+)");
        for (String line : Files.readAllLines(header)) {
            Matcher matcher = define.matcher(line);
            if (matcher.lookingAt()) {
                numbers.putIfAbsent(matcher.group(1), numbers.getOrDefault(matcher.group(2), matcher.group(2)));
            }
        }

        assertThat(listed(filter))
                .allSatisfy((number, words) -> assertThat(numbers).containsEntry(words.get(0), String.valueOf(number)));
        assertThat(numbers).containsEntry("keyctl", String.valueOf(filter.keyctl));
    }

    @Test
    void machineOfAnotherKind_isRefused() {
        assertThat(SystemCallFilter.of("python", "amd64")).isEqualTo(SystemCallFilter.X86_64);
        assertThatThrownBy(() -> SystemCallFilter.of("python", "riscv64"))
                .isInstanceOf(SetupException.class)
                .hasMessage(
                        "--env python has no sandbox for riscv64, only for amd64 and aarch64: use such a machine, or run"
                                + " the code without a sandbox by --unsafe-exec");
    }
}
