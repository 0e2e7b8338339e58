package dev.rlm.runner.python;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What keeps an agent's code from the rest of the machine. */
enum Sandbox {
    /** Namespaces of its own, made by bubblewrap. All in them dies with bubblewrap's process, and that with ours. */
    BUBBLEWRAP {
        @Override
        List<String> enter(Python python) {
            List<String> command =
                    new ArrayList<>(List.of("bwrap", "--unshare-all", "--unshare-user", "--disable-userns"));
            command.addAll(List.of("--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL"));
            command.addAll(List.of("--uid", ID, "--gid", ID, "--hostname", "sandbox"));
            command.addAll(List.of("--ro-bind", "/usr", "/usr"));
            for (String folder : List.of("/bin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache")) {
                command.addAll(List.of("--ro-bind-try", folder, folder));
            }
            python.folders().forEach(at -> command.addAll(List.of("--ro-bind", at.toString(), at.toString())));
            // The system's own switches lie in /proc/sys, and root is their owner still, whatever it is called in here.
            command.addAll(List.of("--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"));
            command.addAll(List.of("--size", SIZE, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"));
            command.addAll(List.of("--size", SIZE, "--tmpfs", "/tmp", "--remount-ro", "/", "--chdir", "/tmp"));
            return command;
        }
    },

    /** Nothing but limits. */
    NONE {
        @Override
        List<String> enter(Python python) {
            return List.of();
        }
    };

    private static final String ID = "1000";
    private static final String SIZE = String.valueOf(Limits.FILE_BYTES);

    /** What a command begins with that is to be run in it. */
    abstract List<String> enter(Python python);

    /** As runs say it. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
