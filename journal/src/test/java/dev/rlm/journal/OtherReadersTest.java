package dev.rlm.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.line.Fields;
import dev.rlm.journal.line.StrictJson;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hostile lines as other programs read them: the same as here, but for digits of whole numbers that doubles do not hold. */
class OtherReadersTest {
    private static final String PYTHON = """
            import json, sys
            for line in sys.stdin.buffer.read().decode("utf-8").splitlines():
                print(json.dumps(json.loads(line), allow_nan=False))
            """;

    @TempDir
    Path directory;

    @Test
    void python_readsTheSame() throws Exception {
        assertReadsTheSame("python3", "-c", PYTHON);
    }

    @Test
    void jq_readsTheSame() throws Exception {
        assertReadsTheSame("jq", "--compact-output", "--ascii-output", ".");
    }

    private void assertReadsTheSame(String... command) throws Exception {
        assumeTrue(isHere(command[0]), "there is no " + command[0] + " here");
        try (JsonlSink sink = JsonlSink.builder().directory(directory).build()) {
            LongStream.range(0, 200)
                    .forEach(run -> HostileRun.events(run, 20, false).forEach(sink::onEvent));
        }
        Path writer = WriterFolders.existing(directory).iterator().next();
        for (String file : List.of("events-1.jsonl", JournalFolder.SUMMARIES)) {
            List<String> written = Files.readAllLines(writer.resolve(file));
            List<String> read = output(writer.resolve(file), command);
            assertThat(read).hasSameSizeAs(written);
            for (int i = 0; i < read.size(); i++) {
                byte[] line = written.get(i).getBytes(StandardCharsets.UTF_8);
                assertThat(StrictJson.rounded(StrictJson.parse(read.get(i))))
                        .isEqualTo(StrictJson.rounded(
                                Fields.parse(line, 0, line.length).values()));
            }
        }
    }

    private static boolean isHere(String program) {
        String path = System.getenv().getOrDefault("PATH", "");
        return Stream.of(path.split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    private List<String> output(Path input, String... command) throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(command)
                .redirectInput(input.toFile())
                .redirectOutput(output.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
        return Files.readAllLines(output, StandardCharsets.US_ASCII);
    }
}
