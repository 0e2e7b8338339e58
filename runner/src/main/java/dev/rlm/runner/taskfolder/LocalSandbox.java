package dev.rlm.runner.taskfolder;

import dev.rlm.runner.sandbox.Interpreter;
import dev.rlm.runner.sandbox.Mount;
import dev.rlm.runner.sandbox.Sandbox;
import dev.rlm.runner.sandbox.SandboxReply;
import dev.rlm.runner.sandbox.SandboxedPython;
import dev.rlm.runner.sandbox.WorkFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Sandbox of this machine's programs, by bubblewrap or, with limits alone, by nothing. The harness of code agents keeps its limits. */
final class LocalSandbox implements TaskSandbox {
    private static final String MARK = "('exit code', ";
    /** Names a command in hexadecimal digits: quoting cannot go wrong. The work folder is no place for modules of ours. */
    private static final String RUN = """
            import sys
            sys.path[:] = [place for place in sys.path if place]
            import subprocess
            command, folder = (bytes.fromhex(text) for text in ("%s", "%s"))
            "exit code", subprocess.run([b"bash", b"-c", command], stdin=subprocess.DEVNULL, cwd=folder).returncode
            """;

    private static final Set<String> OF_THE_IMAGE = Set.of("Dockerfile", "docker-compose.yaml", "docker-compose.yml");
    private static final Path ALTERNATIVES = Path.of("/etc/alternatives"); // by which many programs of Debian are found

    private final TaskFolder task;
    private final SandboxedPython python;
    private final WorkFolder folder;
    private final Path files;
    private final boolean bare;
    private @Nullable Interpreter interpreter;

    private LocalSandbox(TaskFolder task, SandboxedPython python, WorkFolder folder) {
        this.task = task;
        this.python = python;
        this.folder = folder;
        this.files = folder.path().resolve("work");
        this.bare = python.sandbox() == Sandbox.NONE;
    }

    /** Creates the work folder, with the files that the task starts from. */
    static LocalSandbox open(TaskFolder task, SandboxedPython python) throws IOException {
        LocalSandbox opened = new LocalSandbox(task, python, WorkFolder.create("rlm-task-"));
        try {
            copy(task.environment(), opened.files);
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
        return opened;
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectory(to);
        if (!Files.isDirectory(from)) {
            return;
        }
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : (Iterable<Path>) all::iterator) {
                Path place = from.relativize(each);
                if (!each.equals(from) && !OF_THE_IMAGE.contains(place.toString())) {
                    Files.copy(each, to.resolve(place), LinkOption.NOFOLLOW_LINKS, StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
    }

    @Override
    public String workdir() {
        return bare ? files.toString() : task.workdir() == null ? "/app" : task.workdir();
    }

    @Override
    public CommandResult run(String command) throws IOException, InterruptedException {
        Interpreter running = interpreter;
        if (running == null) {
            running = python.start(python.options().timeout(), mounts());
            interpreter = running;
        }
        CommandResult result = run(running, command);
        if (result.ended() != null) {
            end();
        }
        return result;
    }

    private List<Mount> mounts() {
        List<Mount> mounts = new ArrayList<>(List.of(new Mount(files, workdir(), true)));
        if (Files.isDirectory(ALTERNATIVES)) {
            mounts.add(new Mount(ALTERNATIVES, ALTERNATIVES.toString(), false));
        }
        return mounts;
    }

    /** Runs the verifier in another sandbox, so that nothing that the agent has started or mounted is there. */
    @Override
    public CommandResult verify(Path logs) throws IOException, InterruptedException {
        end();
        List<Mount> mounts = mounts();
        mounts.add(new Mount(task.tests(), "/tests", false));
        mounts.add(new Mount(logs, "/logs/verifier", true));
        try (Interpreter verifier = python.start(task.verifierTime(), mounts)) {
            return run(
                    verifier,
                    "bash '" + (bare ? task.tests().toString().replace("'", "'\\''") : "/tests") + "/test.sh'");
        }
    }

    private CommandResult run(Interpreter interpreter, String command) throws IOException, InterruptedException {
        SandboxReply reply = interpreter.run(RUN.formatted(hexadecimal(command), hexadecimal(workdir())));
        String output = reply.output();
        String error = reply.error();
        if (reply.kind().isLoss()) {
            return new CommandResult(output, 0, error, reply.kind().status());
        }
        int mark = output.lastIndexOf(MARK);
        if (error != null || mark < 0) {
            String reason = error == null ? output : error.substring(error.lastIndexOf('\n') + 1);
            return new CommandResult(
                    output, 0, "could not be started: " + reason, reply.kind().status());
        }
        int code = Integer.parseInt(output.substring(mark + MARK.length()).replaceAll("[^-\\d]", ""));
        return CommandResult.exited(output.substring(0, mark), code);
    }

    private static String hexadecimal(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }

    private void end() {
        Interpreter running = interpreter;
        interpreter = null;
        if (running != null) {
            running.close();
        }
    }

    @Override
    public void close() {
        end();
        folder.close();
    }
}
