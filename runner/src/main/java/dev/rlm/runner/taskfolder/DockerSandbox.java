package dev.rlm.runner.taskfolder;

import dev.rlm.cli.process.OutputTail;
import dev.rlm.runner.sandbox.ExecutionOptions;
import dev.rlm.sinks.event.RunStatus;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Container of the image that the task's Dockerfile describes. The container lasts for one run. */
final class DockerSandbox implements TaskSandbox {
    private static final Duration START_TIME = Duration.ofMinutes(30); // a build may download a system
    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final int KILLED = 137; // by timeout(1), which kills the command

    private final TaskFolder task;
    private final ExecutionOptions options;
    private final String container;

    private DockerSandbox(TaskFolder task, ExecutionOptions options, String container) {
        this.task = task;
        this.options = options;
        this.container = container;
    }

    /** Returns whether there is a Docker that answers. */
    static boolean answers() {
        try {
            checked(GRACE, List.of("version"));
            return true;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Builds the image, unless Docker has it, and starts a container without a network. */
    static DockerSandbox open(TaskFolder task, ExecutionOptions options) throws IOException, InterruptedException {
        String image = lastLine(checked(
                START_TIME, List.of("build", "--quiet", task.environment().toString())));
        DockerSandbox opened = new DockerSandbox(task, options, "rlm-" + UUID.randomUUID());
        try {
            checked(
                    START_TIME,
                    List.of(
                            "run",
                            "--detach",
                            "--name",
                            opened.container,
                            "--network",
                            "none",
                            "--memory",
                            options.memory() + "m",
                            "--pids-limit",
                            "" + options.processes(),
                            "--entrypoint",
                            "sleep",
                            image,
                            "infinity"));
        } catch (IOException | InterruptedException e) {
            opened.close();
            throw e;
        }
        return opened;
    }

    private static String lastLine(String text) {
        String stripped = text.strip();
        return stripped.substring(stripped.lastIndexOf('\n') + 1);
    }

    @Override
    public String workdir() {
        return task.workdir() == null ? "in which commands begin" : task.workdir();
    }

    @Override
    public CommandResult run(String command) throws IOException, InterruptedException {
        return exec(options.timeout(), List.of("bash", "-c", command));
    }

    private CommandResult exec(Duration time, List<String> command) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("exec"));
        if (task.workdir() != null) {
            arguments.addAll(List.of("--workdir", task.workdir()));
        }
        String seconds = String.valueOf(Math.max(1, time.toSeconds()));
        arguments.addAll(List.of(container, "timeout", "-s", "KILL", seconds));
        arguments.addAll(command);
        long start = System.nanoTime();
        CommandResult result = docker(time.plus(GRACE), options.maxOutput(), arguments);
        boolean late = result.exitCode() == KILLED && System.nanoTime() - start >= time.toNanos();
        return late
                ? new CommandResult(
                        result.output(), 0, "ran longer than " + seconds + " s", RunStatus.DEADLINE_EXCEEDED)
                : result;
    }

    @Override
    public CommandResult verify(Path logs) throws IOException, InterruptedException {
        checked(
                GRACE,
                List.of("exec", container, "sh", "-c", "rm -rf /tests /logs/verifier && mkdir -p /logs/verifier"));
        checked(START_TIME, List.of("cp", task.tests().toString(), container + ":/tests"));
        CommandResult result = exec(task.verifierTime(), List.of("bash", "/tests/test.sh"));
        checked(START_TIME, List.of("cp", container + ":/logs/verifier/.", logs.toString()));
        return result;
    }

    @Override
    public void close() {
        boolean interrupted = Thread.interrupted(); // which is no reason to leave it behind
        try {
            docker(GRACE, 1 << 10, List.of("rm", "--force", "--volumes", container));
        } catch (IOException e) {
            // Docker has gone
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static String checked(Duration time, List<String> arguments) throws IOException, InterruptedException {
        CommandResult result = docker(time, 1 << 14, arguments);
        if (result.ended() != null || result.exitCode() != 0) {
            throw new IOException("docker " + arguments.get(0) + ": "
                    + (result.ended() == null ? lastLine(result.output()) : result.ended()));
        }
        return result.output();
    }

    private static CommandResult docker(Duration time, int maxOutput, List<String> arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("docker"));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        OutputTail output = new OutputTail(maxOutput);
        Thread reader = new Thread(() -> read(process, output), "rlm-docker");
        reader.setDaemon(true);
        reader.start();
        try {
            if (!process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS)) {
                String reason = "ran longer than " + time.toSeconds() + " s";
                return new CommandResult(output.text(), 0, reason, RunStatus.DEADLINE_EXCEEDED);
            }
            reader.join(GRACE.toMillis());
            return CommandResult.exited(output.text(), process.exitValue());
        } finally {
            process.destroyForcibly();
        }
    }

    private static void read(Process process, OutputTail output) {
        try (InputStream in = process.getInputStream()) {
            byte[] piece = new byte[1 << 13];
            for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                output.add(piece, count);
            }
        } catch (IOException e) {
            // it has ended
        }
    }
}
