package dev.rlm.runs.search;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.format.segment.Compression;
import dev.rlm.journal.format.segment.Disk;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.jsonl.JsonlSink;
import io.airlift.compress.zstd.ZstdCompressor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SearchCommandTest {
    @TempDir
    Path directory;

    private Sinks open() {
        return Sinks.builder()
                .add(
                        "jsonl",
                        JsonlSink.builder()
                                .directory(directory.resolve("journal"))
                                .compress(false)
                                .build())
                .build();
    }

    private void record(RunSpec spec, Consumer<Run> running) {
        try (Sinks sinks = open();
                Run run = sinks.startRun(spec)) {
            running.accept(run);
        }
    }

    private static RunSpec.Builder spec(String runId) {
        return RunSpec.builder("calc").runId(runId);
    }

    private static void steps(Run run, String... outputs) {
        for (String output : outputs) {
            try (Step step = run.startStep()) {
                step.complete(output);
            }
        }
    }

    private Cli search(String... arguments) {
        return rlm("search", arguments);
    }

    private Cli rlm(String verb, String... arguments) {
        String[] all = Stream.concat(
                        Stream.of(
                                verb, "--journal", directory.resolve("journal").toString()),
                        Stream.of(arguments))
                .toArray(String[]::new);
        return Cli.with(Map.of(), all);
    }

    private Segment segment() throws IOException {
        try (Stream<Path> entries = Files.list(directory.resolve("journal"))) {
            return new Segment(entries.filter(Files::isDirectory).findAny().orElseThrow(), 1);
        }
    }

    private void recordAllKinds() {
        record(
                spec("all")
                        .task("needle-task")
                        .expectedAnswer("needle-expected")
                        .agent("needle-agent", "1")
                        .param("model", Map.of("deep", List.of("none", "needle-param")))
                        .tag("team", "needle-tag")
                        .build(),
                run -> {
                    try (Step step = run.startStep("needle-observation")) {
                        step.action("needle-action", "needle-code");
                        try (ModelCall call = step.startModelCall("needle-provider", "needle-model")) {
                            call.message("user", "needle-message").toolRequest("id", "tool", "needle-request");
                            call.systemInstructions("needle-system");
                            call.fail("needle-model-error");
                        }
                        try (ToolCall tool = step.startToolCall("needle-tool")) {
                            tool.arguments("{\"a\":\"needle-argument\"}").attribute("k", "needle-attribute");
                            tool.result("needle-result");
                        }
                        step.tag("x", "needle-step-tag");
                        step.fail("needle-output", "needle-step-error");
                    }
                    run.rewardAbsent("needle-source", "needle-absence");
                    run.complete("needle-answer");
                });
    }

    @ParameterizedTest
    @CsvSource({
        "task, run, run_started task",
        "expected, run, run_started expected_answer",
        "agent, run, run_started agent",
        "param, run, run_started params.model.deep[1]",
        "tag, run, run_started tags.team",
        "observation, step 1, step_started observation",
        "action, step 1, step_ended action_type",
        "code, step 1, step_ended code",
        "provider, step 1, model_called provider",
        "message, step 1, model_called messages[0].content",
        "request, step 1, model_called reply.tool_calls[0].arguments",
        "system, step 1, model_called system_instructions",
        "model-error, step 1, model_called error",
        "tool, step 1, tool_called tool",
        "argument, step 1, tool_called arguments",
        "attribute, step 1, tool_called attributes.k",
        "result, step 1, tool_called result",
        "step-tag, step 1, step_ended tags.x",
        "output, step 1, step_ended output",
        "step-error, step 1, step_ended error",
        "source, run, reward_given source",
        "absence, run, reward_given absence",
        "answer, run, run_ended final_answer"
    })
    void everyKindOfText_isFound(String what, String place, String field) {
        recordAllKinds();
        Cli found = search("needle-" + what);
        assertThat(found.exitCode()).as(found.err()).isZero();
        assertThat(found.out().lines().filter(line -> line.contains("  " + field + "  ")))
                .singleElement()
                .asString()
                .contains("  all  " + place + "  " + field + "  ")
                .contains("needle-" + what);
        assertThat(found.out()).contains(" in 1 run\n");
        assertThat(found.err()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"run_id", "final_answer", "\\n", "completed", "team", "calc", "all-of-it"})
    void namesIdsAndEscapes_areNotSearched(String text) {
        record(spec("all-of-it").tag("team", "red").task("two\nlines").build(), run -> run.complete("yes"));
        assertThat(search(text).out()).isEqualTo("0 hits in 0 runs\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "say \"hi\"",
                "C:\\temp",
                "one\ntwo",
                "tab\there",
                "中文",
                "caf\u00e9",
                "\uD83D\uDE00",
                "bell\u0007",
                "\u001b[31m",
                "del\u007f",
                "zero\u200bwidth",
                "line\u2028break",
                "a/b",
                "$(x)"
            })
    void textsThatAreEscapedInJson_areFound(String text) {
        record(spec("run").build(), run -> steps(run, "before " + text + " after"));
        Cli found = search("--json", text);
        assertThat(found.out().lines()).singleElement().asString().contains("\"before\":\"before \"");
        Cli shown = search(text);
        assertThat(shown.out().lines()).hasSize(2);
        assertThat(shown.out()).doesNotContain("\u001b", "\u0007", "\u2028");
    }

    @Test
    void hits_comeNewestFirst_alsoAcrossWriters() {
        record(spec("first").build(), run -> steps(run, "needle 1", "none", "needle 2"));
        record(spec("second").build(), run -> steps(run, "needle 3"));
        assertThat(search("needle").out().lines().map(line -> line.substring(line.length() - 8)))
                .startsWith("needle 3", "needle 2", "needle 1");
        assertThat(search("needle", "--limit", "2").out())
                .contains("needle 3", "needle 2")
                .doesNotContain("needle 1")
                .endsWith("the latest 2 hits in 2 runs; --limit shows more\n");
        assertThat(search("needle", "--limit", "3").out()).endsWith("\n3 hits in 2 runs\n");
    }

    @Test
    void textThatCallsAreShownAgain_isOneHit_whereItCameUp() {
        record(spec("run").build(), run -> {
            for (int i = 1; i <= 3; i++) {
                try (ModelCall call = run.startModelCall("p", "m")) {
                    call.message("system", "find the needle");
                    for (int before = 1; before < i; before++) {
                        call.message("assistant", "needle " + before).message("user", "go on");
                    }
                    call.reply("needle " + i);
                }
            }
        });

        assertThat(search("needle").out().lines().map(line -> line.replaceFirst("^.*run  run  ", "")))
                .containsExactly(
                        "model_called reply.content  needle 3",
                        "model_called reply.content  needle 2",
                        "model_called messages[0].content  find the needle",
                        "model_called reply.content  needle 1",
                        "4 hits in 1 run");
        assertThat(search("find the", "--json").out().lines())
                .singleElement()
                .asString()
                .contains("\"seq\":2,");
    }

    @Test
    void withoutALimit_aHundredHitsAreShown_andItIsSaid() {
        record(spec("run").build(), run -> {
            for (int i = 0; i < 101; i++) {
                steps(run, "needle");
            }
        });
        assertThat(search("needle").out().lines())
                .hasSize(101)
                .last()
                .isEqualTo("the latest 100 hits in 1 run; --limit shows more");
        assertThat(search("needle", "--limit=1000").out()).endsWith("101 hits in 1 run\n");
    }

    @Test
    void caseIsIgnored_whereThatIsAsked() {
        record(spec("run").build(), run -> steps(run, "The ÄPFEL are \u212Aold"));
        assertThat(search("äpfel ARE").out()).startsWith("0 hits");
        assertThat(search("-i", "äpfel ARE").out()).contains("ÄPFEL are").endsWith("1 hit in 1 run\n");
        assertThat(search("--ignore-case", "kold").out()).endsWith("1 hit in 1 run\n");
        assertThat(search("/(?i)THE .* are/").out()).endsWith("1 hit in 1 run\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/err(or|ing) \\d+/", "/^error/", "/ \\d{2}$/", "/中.*7/", "/x*g 7/"})
    void expressions_areFound(String regex) {
        record(spec("run").build(), run -> steps(run, "中 warning 7\nerror 42\nmore"));
        assertThat(search(regex).out()).contains("step_ended output").endsWith("1 hit in 1 run\n");
    }

    /** An expression for which engines that go back and forth take for ever. */
    @Test
    void costlyExpression_ends() {
        record(spec("run").build(), run -> steps(run, "a".repeat(100_000)));
        assertThat(search("/(a*)*(a|aa)*#/").out()).startsWith("0 hits");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/(a{0,1000}){0,1000}/", "/((x{40}){40}){2}/", "/([({]b{2,}|c){999}/", "/(a{1000}|b){2}/"})
    void repetitionsThatGrowTogether_areRefused(String regex) {
        record(spec("run").build(), run -> {});
        Cli large = search(regex);
        assertThat(large.exitCode()).isEqualTo(2);
        assertThat(large.err())
                .isEqualTo("rlm: '" + regex
                        + "' is too large: repetitions in each other may make at most 1000 of a part\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/a{1000}|b{1000}/",
                "/(a{30}){30}/",
                "/[{]2{3}[}]{4}/",
                "/\\{9{99}\\{9{99}/",
                "/\\Qa{999}{999}\\E/"
            })
    void repetitionsBesideEachOther_areNot(String regex) {
        record(spec("run").build(), run -> {});
        assertThat(search(regex).err()).doesNotContain("too large");
    }

    @Test
    void badTexts_areErrorsOfUsage() {
        record(spec("run").build(), run -> {});
        Cli bad = search("/a(/");
        assertThat(bad.exitCode()).isEqualTo(2);
        assertThat(bad.err()).isEqualTo("rlm: '/a(/' is no regular expression of RE2: missing closing )\n");
        for (String empty : List.of("", "//")) {
            assertThat(search(empty).exitCode()).isEqualTo(2);
            assertThat(search(empty).err()).contains("the text to search for is empty");
        }
        assertThat(search("a", "--limit=-1").err()).contains("--limit must be at least 0");
        assertThat(Cli.with(
                                Map.of(),
                                "search",
                                "a",
                                "--journal",
                                directory.resolve("none").toString())
                        .err())
                .contains("there is no journal at");
    }

    @Test
    void filtersOfList_chooseRuns() {
        record(
                spec("one")
                        .correlation(Correlation.builder().sample("s-1").build())
                        .build(),
                run -> steps(run, "needle"));
        record(spec("two").tag("team", "red").build(), run -> steps(run, "needle"));
        assertThat(search("needle", "--sample", "s-1").out())
                .contains("  one  ")
                .doesNotContain("  two  ");
        assertThat(search("needle", "--tag", "team=red").out())
                .contains("  two  ")
                .doesNotContain("  one  ");
        assertThat(search("needle", "--env", "calc").out()).endsWith("2 hits in 2 runs\n");
    }

    @Test
    void list_showsTheRunsInWhichItIsFound() {
        record(spec("one").build(), run -> steps(run, "needle", "needle"));
        record(spec("two").build(), run -> steps(run, "hay"));
        assertThat(rlm("list", "--grep", "needle").out()).contains("one ").endsWith("1 of 2 runs\n");
        assertThat(rlm("list", "--grep", "/(?i)HA./").out()).contains("two ").endsWith("1 of 2 runs\n");
        assertThat(rlm("list", "--grep", "").exitCode()).isEqualTo(2);
    }

    @Test
    void json_isAnObjectAHit() {
        record(spec("run").build(), run -> steps(run, "say \"needle\"\n"));
        Cli found = search("--json", "needle");
        assertThat(found.out().lines())
                .singleElement()
                .asString()
                .matches(
                        "\\{\"run_id\":\"run\",\"seq\":3,\"time\":\"[^\"]*Z\",\"type\":\"step_ended\",\"step\":1,"
                                + "\"field\":\"output\",\"before\":\"say \\\\\"\",\"match\":\"needle\",\"after\":\"\\\\\"\\\\n\"}");
        assertThat(found.err()).isEqualTo("1 hit in 1 run\n");
    }

    @Test
    void excerpts_areCutAroundTheMatch() {
        record(spec("run").build(), run -> steps(run, "\uD83D\uDE00".repeat(500) + "needle" + "y".repeat(500)));
        String line = search("needle").out().lines().findFirst().orElseThrow();
        assertThat(line).matches(".*  …(\uD83D\uDE00)+needley+…").hasSizeLessThan(260);
    }

    private void recordMegabytes() {
        Random random = new Random(7);
        record(spec("run").build(), run -> {
            for (int i = 0; i < 60; i++) {
                StringBuilder text = new StringBuilder("needle-" + i + "-");
                while (text.length() < 100_000) {
                    text.append(Long.toString(random.nextLong(), 36)).append(' ');
                }
                steps(run, text.toString());
            }
        });
    }

    private void assertAllAreFound() {
        List<String> found =
                search("--json", "needle", "--limit=1000").out().lines().toList();
        assertThat(found).hasSize(60);
        for (int i = 0; i < 60; i++) {
            assertThat(found.get(i)).contains("\"after\":\"-" + (59 - i) + "-");
            assertThat(search("needle-" + i + "-").out()).endsWith("1 hit in 1 run\n");
        }
    }

    @Test
    void linesThatLieInSeveralPieces_areFound() {
        recordMegabytes();
        assertAllAreFound();
    }

    @Tag("thorough")
    @Test
    void segmentsOfFrames_areSearched() throws IOException {
        recordMegabytes();
        new Compression(Disk.LOCAL, () -> false).compress(segment());
        assertThat(segment().plain()).doesNotExist();
        assertAllAreFound();
    }

    @Tag("thorough")
    @Test
    void segmentsOfOneFrame_areSearched() throws IOException {
        recordMegabytes();
        byte[] text = Files.readAllBytes(segment().plain());
        ZstdCompressor compressor = new ZstdCompressor();
        byte[] packed = new byte[compressor.maxCompressedLength(text.length)];
        int length = compressor.compress(text, 0, text.length, packed, 0, packed.length);
        Files.write(segment().compressed(), Arrays.copyOf(packed, length));
        Files.delete(segment().plain());
        assertAllAreFound();
    }

    @Test
    void aLineOfSeveralPieces_isFound() {
        record(spec("run").build(), run -> steps(run, "\u0001".repeat(1_000_000) + "needle"));
        assertThat(search("\u0001needle").out()).endsWith("1 hit in 1 run\n");
    }

    @Test
    void damagedLines_arePassedOverAndCounted() throws IOException {
        record(spec("run").build(), run -> steps(run, "needle"));
        Files.writeString(
                segment().plain(),
                "{\"type\":\"step_ended\",\"output\":\"needle\n{\"type\":\"step_ended\",\"output\":\"needle\"}\nhay{",
                UTF_8,
                StandardOpenOption.APPEND);
        assertThat(search("needle").out()).endsWith("1 hit in 1 run; 1 damaged line was passed over\n");
        assertThat(search("hay").out()).endsWith("0 hits in 0 runs; 1 damaged line was passed over\n");
    }

    @Test
    void damagedFrames_hideNoOthers() throws IOException {
        recordMegabytes();
        new Compression(Disk.LOCAL, () -> false).compress(segment());
        byte[] file = Files.readAllBytes(segment().compressed());
        Arrays.fill(file, file.length / 2, file.length / 2 + 1000, (byte) 0x55);
        Files.write(segment().compressed(), file);
        Cli found = search("needle", "--limit=1000");
        assertThat(found.out())
                .contains("needle-0-", "needle-59-")
                .endsWith(" hits in 1 run; 1 damaged line was passed over\n");
        assertThat(found.out().lines().count()).isBetween(40L, 55L);
    }

    @Test
    void livingWriter_isSearched_andItsUnfinishedLineIsNoDamage() throws IOException {
        try (Sinks sinks = open();
                Run run = sinks.startRun(spec("run").build())) {
            steps(run, "needle");
            assertThat(sinks.flush(Duration.ofSeconds(60)).isComplete()).isTrue();
            assertThat(sinks.flush(Duration.ofSeconds(60)).isComplete())
                    .as("what the first one came to, behind which the writer is at rest")
                    .isTrue();
            assertThat(search("needle").out()).endsWith("1 hit in 1 run\n");
            Files.writeString(segment().plain(), "{\"type\":\"x\",\"a\":\"needle", UTF_8, StandardOpenOption.APPEND);
            assertThat(search("needle").out()).endsWith("1 hit in 1 run\n");
        }
    }

    @Test
    void lineThatWasWrittenTwice_isOneHit() throws IOException {
        record(spec("run").build(), run -> steps(run, "needle"));
        String text = Files.readString(segment().plain());
        String line =
                text.lines().filter(each -> each.contains("needle")).findAny().orElseThrow();
        Files.writeString(segment().plain(), line + "\n", UTF_8, StandardOpenOption.APPEND);
        assertThat(search("needle").out()).endsWith("1 hit in 1 run\n");
    }

    @Test
    void newerVersion_isRefused() throws IOException {
        record(spec("run").build(), run -> steps(run, "needle"));
        String text = Files.readString(segment().plain());
        Files.writeString(segment().plain(), text.replaceFirst("\"version\":\\d+", "\"version\":999"));
        assertThat(search("needle").exitCode()).isEqualTo(2);
        assertThat(search("needle").err()).contains("was written by a newer version");
    }
}
