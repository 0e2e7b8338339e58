package dev.rlm.runner.sandbox;

import dev.rlm.episodes.SetupException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** Wall between an agent's code and the rest of the machine. */
public enum Sandbox {
    /**
     * Namespaces of its own, made by bubblewrap, and a filter of system calls. All in them dies with bubblewrap's process, and
     * that with ours.
     */
    BUBBLEWRAP {
        @Override
        List<String> enter(String environment, Python python, List<Mount> mounts) throws IOException {
            SystemCallFilter filter = SystemCallFilter.of(environment, System.getProperty("os.arch"));
            List<String> command = new ArrayList<>(
                    List.of(python.executable().toString(), "-I", "-S", "-c", LAUNCHER, String.valueOf(filter.keyctl)));
            command.addAll(List.of(HexFormat.of().formatHex(filter.program()), bubblewrap()));
            command.addAll(
                    words("--unshare-all --unshare-user --disable-userns --die-with-parent --new-session --as-pid-1"));
            command.addAll(words("--cap-drop ALL --uid 1000 --gid 1000 --hostname sandbox --ro-bind /usr /usr"));
            for (String folder : words("/bin /lib /lib32 /lib64 /etc/ld.so.cache")) {
                command.addAll(List.of("--ro-bind-try", folder, folder));
            }
            python.folders().forEach(at -> command.addAll(List.of("--ro-bind", at.toString(), at.toString())));
            // The system's own switches lie in /proc/sys, and root is their owner still, whatever it is called in here.
            command.addAll(words("--proc /proc"));
            for (String name : words(HIDDEN)) {
                command.addAll(hide(Path.of("/proc", name)));
            }
            command.addAll(
                    words("--remount-ro /proc --dev /dev --size " + SIZE + " --tmpfs /dev/shm --remount-ro /dev"));
            command.addAll(words("--size " + SIZE + " --tmpfs /tmp"));
            for (Mount mount : mounts) {
                String how = mount.writable() ? "--bind" : "--ro-bind";
                command.addAll(List.of(how, mount.source().toString(), mount.target()));
            }
            command.addAll(words("--remount-ro / --chdir /tmp"));
            return command;
        }
    },

    /** Nothing but limits. */
    NONE {
        @Override
        List<String> enter(String environment, Python python, List<Mount> mounts) {
            return List.of();
        }
    };

    private static final String SIZE = String.valueOf(ExecutionOptions.FILE_BYTES);

    // Of /proc: what tells of keys, hardware, other programs and the kernel. Some files are root's, and so is the code,
    // to the kernel, where root has started it.
    private static final String HIDDEN =
            "acpi asound cmdline interrupts iomem ioports kallsyms kcore key-users keys kmsg"
                    + " kpagecgroup kpagecount kpageflags latency_stats mtrr pagetypeinfo sched_debug scsi slabinfo softirqs"
                    + " timer_list vmallocinfo";

    /**
     * Starts bubblewrap with what Java cannot hand to a process: another session keyring, so that no keys are shared even where
     * the filter fails to hold, and a descriptor with the filter. Kernels without keyrings refuse the first, which costs nothing.
     */
    private static final String LAUNCHER = """
            import os, sys
            try:
                import ctypes
            except ImportError:
                sys.exit("this Python has no working ctypes")
            keyctl, program, *command = sys.argv[1:]
            KEYCTL_JOIN_SESSION_KEYRING = 1
            ctypes.CDLL(None).syscall(int(keyctl), KEYCTL_JOIN_SESSION_KEYRING, None)
            source, sink = os.pipe()
            os.write(sink, bytes.fromhex(program))
            os.close(sink)
            os.set_inheritable(source, True)
            os.execv(command[0], [command[0], "--seccomp", str(source)] + command[1:])
            """;

    /**
     * Returns what a command begins with that is to be run in it.
     *
     * @param environment whose code it is, for messages
     * @param mounts what it shows besides
     * @throws IOException if it is not installed
     * @throws SetupException if there is none for this kind of machine
     */
    abstract List<String> enter(String environment, Python python, List<Mount> mounts) throws IOException;

    /** The program's path, since the code's variables lead to another {@code PATH}. */
    private static String bubblewrap() throws IOException {
        return Arrays.stream(
                        Objects.requireNonNullElse(System.getenv("PATH"), "").split(":", -1))
                .map(folder -> Path.of(folder, "bwrap").toAbsolutePath())
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IOException("there is no bwrap on the PATH"))
                .toString();
    }

    private static List<String> hide(Path place) {
        if (!Files.exists(place)) {
            return List.of();
        }
        return Files.isDirectory(place)
                ? List.of("--tmpfs", place.toString(), "--remount-ro", place.toString())
                : List.of("--ro-bind", "/dev/null", place.toString());
    }

    private static List<String> words(String text) {
        return List.of(text.split(" ", -1));
    }

    /** Returns its name in the record of runs. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
