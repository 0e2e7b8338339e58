package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Verbs about journals as processes: their locale, terminal and input, and the signals that end them. */
@Timeout(180)
class JournalProcessTest {
    @TempDir
    private Path folder;

    private Path journal;
    private Map<String, String> variables;

    @BeforeEach
    void chooseJournal() {
        journal = folder.resolve("journal");
        variables = Map.of("RLM_JSONL_DIR", journal.toString(), "RLM_JOURNAL_INDEX", "none");
    }

    private Sinks open() {
        return Sinks.builder()
                .add(
                        "jsonl",
                        JsonlSink.builder().directory(journal).compress(false).build())
                .build();
    }

    /** Starts one whose streams go to a folder of its own. */
    private RlmProcess start(String... arguments) throws IOException {
        return start(Map.of(), arguments);
    }

    private RlmProcess start(Map<String, String> more, String... arguments) throws IOException {
        Map<String, String> all = new HashMap<>(variables);
        all.putAll(more);
        return RlmProcess.start(Files.createTempDirectory(folder, "process"), all, arguments);
    }

    private static RunSpec of(String sample, String model) {
        return RunSpec.builder("calc")
                .model(model)
                .correlation(Correlation.builder().sample(sample).build())
                .build();
    }

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource({"C.UTF-8, ✓✗✓!, ✓", "C, +-+!, +"})
    void samples_haveALineEach_withAMarkARun_thatTheLocaleCanShow(String locale, String all, String solved)
            throws Exception {
        recordSamples();
        try (RlmProcess list = start(Map.of("LC_ALL", locale), "list", "--by", "sample")) {
            assertThat(list.awaitSuccess().out().lines().map(line -> line.replaceAll(" {2,}", "|")))
                    .startsWith(
                            "sample|model|runs|results|solved rate|mean reward|mean steps",
                            "s-10|a-model|4|" + all + "|0.500|0.800|1.0",
                            "s-9|other|1|" + solved + "|1.000|0.900|4.0")
                    .endsWith("2 of 2 samples, 6 of 6 runs; runs without a sample: 1");
        }
    }

    /** Records two samples: one with every kind of end, one solved. */
    private void recordSamples() {
        try (Sinks sinks = open()) {
            solve(sinks.startRun(of("s-10", "a-model")));
            try (Run run = sinks.startRun(of("s-10", "a-model"))) {
                run.reward(0.5);
                run.complete("no");
            }
            RunSpec late = of("s-10", "a-model");
            sinks.startRun(late).complete("later");
            assertThat(sinks.reward(late.runId(), "person", 1, List.of())).isTrue();
            sinks.startRun(of("s-10", "a-model")).fail(new IllegalStateException("x"));
            solve(sinks.startRun(of("s-9", "other")));
            sinks.startRun(RunSpec.builder("calc").model("a-model").build()).complete("");
        }
    }

    private static void solve(Run run) {
        for (double reward : new double[] {-0.1, 0, 0, 1}) {
            try (Step step = run.startStep()) {
                if (reward != 0) {
                    step.reward(reward);
                }
                step.complete("");
            }
        }
        run.complete("7");
    }

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource({"true, , ██▁▁", "true, 1, ##__", "false, , ##__"})
    void curve_isDrawnWithBlocks_onATerminalAlone(boolean terminal, String noColor, String drawn) throws Exception {
        try (Sinks sinks = open()) {
            sinks.metrics("trainer", Map.of("global_step", 0, "loss", 1));
            sinks.metrics("trainer", Map.of("global_step", 1, "loss", 0));
        }
        Map<String, String> more = new HashMap<>(Map.of("LC_ALL", "C.UTF-8"));
        if (terminal) {
            more.put("JAVA_TOOL_OPTIONS", "-Dpicocli.ansi=" + (noColor == null));
        }
        try (RlmProcess report = start(more, "report", "--metrics").awaitSuccess()) {
            assertThat(report.out()).contains(drawn);
        }
    }

    @Test
    void standardInput_isImported_andShown() throws Exception {
        String chat = "{\"run_id\":\"r-1\",\"messages\":[{\"role\":\"user\",\"content\":\"3 + 4?\"},"
                + "{\"role\":\"assistant\",\"content\":\"%s 7\"}]}".formatted("x".repeat(300_000));
        try (RlmProcess imports = start("import", "-")) {
            try (OutputStream stdin = imports.process().getOutputStream()) {
                stdin.write(chat.getBytes(StandardCharsets.UTF_8));
            }
            assertThat(imports.awaitSuccess().out()).startsWith("imported 1 run\n");
        }
        try (RlmProcess show = start("show", "last", "--messages")) {
            assertThat(show.awaitSuccess().out()).contains("3 + 4?").contains("x".repeat(80));
        }
    }

    /** Goes on for minutes unless it is told to end. */
    @Test
    @DisabledOnOs(OS.WINDOWS)
    void process_endsWhenItIsInterrupted() throws Exception {
        Random random = new Random(7);
        try (Sinks sinks = open();
                Run run = sinks.startRun(of("s-1", "m"))) {
            for (int i = 0; i < 60; i++) {
                StringBuilder text = new StringBuilder("needle-" + i + "-");
                while (text.length() < 100_000) {
                    text.append(Long.toString(random.nextLong(), 36)).append(' ');
                }
                try (Step step = run.startStep()) {
                    step.complete(text.toString());
                }
            }
        }
        Path segment = segment();
        for (int i = 2; i < 200; i++) {
            Files.createLink(segment.resolveSibling("events-" + i + ".jsonl"), segment);
        }
        try (RlmProcess process = start("search", "/(a|b)*[^a-z](c|d)*q{9}needle/")) {
            process.await(() -> process.isReading(journal));
            process.signal("INT");
            assertThat(process.process().waitFor()).isEqualTo(130);
        }
    }

    private Path segment() throws IOException {
        try (Stream<Path> files = Files.walk(journal)) {
            return files.filter(file -> file.endsWith("events-1.jsonl"))
                    .findAny()
                    .orElseThrow();
        }
    }

    @Tag("thorough")
    @Test
    @DisabledOnOs(OS.WINDOWS)
    void exportsThatWereKilled_leaveNothingBehindForLong_andThoseThatLiveAreLeftAlone() throws Exception {
        Cli job = Cli.with(variables, "run", "--samples", "500", "--rollouts", "20");
        assertThat(job.exitCode()).as(job.err()).isZero();
        Path others = Files.writeString(folder.resolve(".out.1a2b3c4d5e6f7081.tmp"), "not an export's");
        Files.createSymbolicLink(
                folder.resolve(".rlm-export-0000000000000000-0000000000000000.tmp"), folder.resolve("elsewhere"));
        try (RlmProcess killed = exportOf("otlp", "killed");
                RlmProcess living = exportOf("chat", "living")) {
            killed.process().destroyForcibly().waitFor();
            living.signal("STOP");
            List<Path> left = temporary();
            assertThat(left).as("two of others, two of exports").hasSize(4);

            String next = folder.resolve("next").toString();
            assertThat(Cli.with(variables, "export", "--format", "triplets", "--output", next, "--limit", "1")
                            .exitCode())
                    .isZero();

            assertThat(temporary()).as("the killed one's is gone").hasSize(3).isSubsetOf(left);
            assertThat(others).exists();
            living.signal("CONT");
            living.awaitSuccess();
            assertThat(folder.resolve("living")).isNotEmptyFile();
            assertThat(temporary()).as("those of others").hasSize(2);
        }
    }

    /** One that has begun to write. */
    private RlmProcess exportOf(String format, String name) throws IOException {
        int before = temporary().size();
        RlmProcess process = start(
                "export", "--format", format, "--output", folder.resolve(name).toString());
        process.await(() -> temporary().size() > before);
        return process;
    }

    private List<Path> temporary() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".tmp")).toList();
        }
    }
}
