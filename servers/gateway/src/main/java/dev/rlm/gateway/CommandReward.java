package dev.rlm.gateway;

import dev.rlm.cli.process.Subprocess;
import dev.rlm.json.Json;
import dev.rlm.sinks.Run;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;

/** Options that say what gives the reward of a command. What cannot be read is an absent reward, with the reason. */
final class CommandReward {
    private static final Duration TIME = Duration.ofMinutes(10);
    private static final int MAX_FILE = 1 << 16;

    @Option(names = "--reward-exit-code", required = true, description = "Reward 1 where the exit code is 0, else 0.")
    private boolean exitCode;

    @Option(
            names = "--reward-command",
            required = true,
            paramLabel = "CMD",
            description = "A shell command that is run afterwards; the last line of its output is the reward.")
    private @Nullable String command;

    @Option(
            names = "--reward-file",
            required = true,
            paramLabel = "FILE",
            description = "A file that the command writes: a number, or a JSON object with a \"reward\".")
    private @Nullable Path file;

    private @Nullable FileTime written; // before the command

    /** Looks at what is there before the command starts. */
    void prepare() {
        written = modified();
    }

    private @Nullable FileTime modified() {
        try {
            return file == null ? null : Files.getLastModifiedTime(file);
        } catch (IOException e) {
            return null; // there is none
        }
    }

    /** Returns whether an exit code other than 0 is a bad result, and no failure. */
    boolean judgesExitCode() {
        return exitCode;
    }

    /**
     * Gives the run its reward.
     *
     * @param code the command's exit code
     * @param variables what the command was given of the environment
     */
    void give(Run run, int code, Map<String, String> variables) throws InterruptedException {
        String source = exitCode ? "exit_code" : command == null ? "reward_file" : "reward_command";
        try {
            run.reward(source, exitCode ? (code == 0 ? 1 : 0) : number(said(code, variables)), List.of());
        } catch (AbsentException e) {
            run.rewardAbsent(source, String.valueOf(e.getMessage()));
        }
    }

    private String said(int code, Map<String, String> variables) throws AbsentException, InterruptedException {
        try {
            return command == null ? written() : output(command, code, variables);
        } catch (IOException e) {
            throw new AbsentException("it cannot be read: " + e);
        }
    }

    private String written() throws IOException, AbsentException {
        FileTime now = modified();
        if (file == null || now == null || now.equals(written)) {
            throw new AbsentException("the command has not written " + file);
        }
        if (!Files.isRegularFile(file)) {
            throw new AbsentException(file + " is no file"); // a pipe may never end
        }
        try (InputStream in = Files.newInputStream(file)) {
            return new String(in.readNBytes(MAX_FILE), StandardCharsets.UTF_8).strip();
        }
    }

    private static String output(String command, int code, Map<String, String> variables)
            throws IOException, AbsentException, InterruptedException {
        Map<String, String> all = new HashMap<>(variables);
        all.put("RLM_WRAP_EXIT_CODE", Integer.toString(code));
        Subprocess judge = Subprocess.start(List.of("/bin/sh", "-c", command), all, Subprocess.Output.KEPT);
        try {
            int ended = judge.await(TIME);
            if (ended != 0) {
                throw new AbsentException("the reward command ended with exit code " + ended);
            }
        } catch (TimeoutException e) {
            throw new AbsentException("the reward command ran longer than " + TIME.toMinutes() + " minutes");
        } finally {
            judge.end();
        }
        String said = judge.output().strip();
        return said.substring(said.lastIndexOf('\n') + 1);
    }

    private static double number(String said) throws AbsentException {
        try {
            double value = said.startsWith("{")
                    ? Json.REPLY.object(said).path("reward").doubleValue(Double.NaN)
                    : Double.parseDouble(said);
            if (Double.isFinite(value)) {
                return value;
            }
        } catch (NumberFormatException | JacksonException e) {
            // said below
        }
        throw new AbsentException("no finite number was given");
    }

    /** Tells why there is no reward. */
    private static final class AbsentException extends Exception {
        private static final long serialVersionUID = 1;

        AbsentException(String message) {
            super(message);
        }
    }
}
