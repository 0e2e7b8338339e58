package dev.rlm.engine.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.testkit.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Process of the program or of Spark, with its output in a file. */
final class Started implements AutoCloseable {
    static final Duration LONGEST = Duration.ofMinutes(8); // of a job

    private final Process process;
    private final Path out;
    private final Path err;

    private Started(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    static Started start(Path folder, Map<String, String> variables, List<String> command) throws IOException {
        Path out = Files.createTempFile(folder, "out", ".txt");
        Path err = Files.createTempFile(folder, "err", ".txt");
        List<String> heedful = new ArrayList<>(List.of("env", "--default-signal=INT")); // which builds ignore
        heedful.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(heedful)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("RLM_") || name.startsWith("OTEL_"));
        builder.environment().putAll(SparkFolders.environment());
        builder.environment().putAll(variables);
        return new Started(builder.start(), out, err);
    }

    ProcessHandle handle() {
        return process.toHandle();
    }

    String out() throws IOException {
        return Files.readString(out);
    }

    String err() throws IOException {
        return Files.readString(err);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Waits until standard error has that text. */
    void awaitText(String text) throws Exception {
        Waiting.await()
                .untilAsserted(() -> assertThat(process.isAlive() && !err().contains(text))
                        .as("whether it goes on without '%s': %s", text, err())
                        .isFalse());
        assertThat(err()).contains(text);
    }

    int awaitEnd() throws Exception {
        assertThat(process.waitFor(LONGEST.toMinutes(), TimeUnit.MINUTES))
                .as(err())
                .isTrue();
        return process.exitValue();
    }

    void signal(String name) throws Exception {
        signal(process.toHandle(), name);
    }

    static void signal(ProcessHandle target, String name) throws Exception {
        new ProcessBuilder("kill", "-" + name, String.valueOf(target.pid()))
                .start()
                .waitFor();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
