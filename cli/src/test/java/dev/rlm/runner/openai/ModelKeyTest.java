package dev.rlm.runner.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.launcher.Cli;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.testkit.chat.ChatAnswer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where the key goes, and where it does not; and what is wrong with options. */
class ModelKeyTest extends ModelTest {
    private static final String KEY = "wholly-plain-words-7f3a";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void key_isSentToTheServer_theProgramsOwnVariableFirst() throws Exception {
        server.answers(request -> ChatAnswer.text("42"));

        asking.with(Map.of("OPENAI_API_KEY", KEY));
        asking.with(Map.of("OPENAI_API_KEY", "another", "RLM_OPENAI_API_KEY", KEY));
        asking.run();

        assertThat(server.requests().get(0).header("authorization")).hasValue("Bearer " + KEY);
        assertThat(server.requests().get(1).header("authorization")).hasValue("Bearer " + KEY);
        assertThat(server.requests().get(2).header("authorization")).isEmpty();
    }

    @Tag("thorough")
    @Test
    @EnabledOnOs(OS.LINUX)
    void key_isNowhereElse_andASignalEndsACallThatStalls() throws Exception {
        server.answer(ChatAnswer.refusal(400, "the key " + KEY + " is not known here"));
        server.answer(ChatAnswer.text("Your key is " + KEY).pieces(12).stallAfter(2, gate));
        List<String> arguments = new ArrayList<>(asking.arguments());
        arguments.addAll(List.of("--api-key-env", "NAMED_FOR_NOTHING", "--rollouts", "2", "--concurrency", "1", "-v"));
        try (RlmProcess process =
                RlmProcess.start(folder, Map.of("NAMED_FOR_NOTHING", KEY), arguments.toArray(String[]::new))) {
            await().atMost(PATIENCE).until(() -> server.requests().size() == 2);
            assertThat(commandLine(process)).contains("--api-key-env").doesNotContain(KEY);
            signal(process, "INT");

            assertThat(process.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(process.process().exitValue()).isEqualTo(130);
            await().atMost(PATIENCE).until(() -> server.abandoned() == 1);
            assertThat(process.out() + process.err()).doesNotContain(KEY);
        }
        assertThat(server.requests())
                .allSatisfy(
                        request -> assertThat(request.header("authorization")).hasValue("Bearer " + KEY));
        Journal journal = Journal.open(folder.resolve(".rlm"));
        assertThat(journal.runs()).hasSize(2);
        assertThat(journalText()).contains("is not known here", "interrupted").doesNotContain(KEY);
    }

    private static void signal(RlmProcess process, String signal) throws Exception {
        new ProcessBuilder(
                        "kill", "-" + signal, String.valueOf(process.process().pid()))
                .start()
                .waitFor();
    }

    /** What everybody on the machine sees of it. */
    private static String commandLine(RlmProcess process) throws IOException {
        Path file = Path.of("/proc", String.valueOf(process.process().pid()), "cmdline");
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }

    private String journalText() throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.walk(folder.resolve(".rlm"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                all.append(Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        return all.toString();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--base-url http://me:wholly-plain-words-7f3a@localhost/v1 | --base-url holds a user or a key",
                "--base-url http://localhost/v1?key=wholly-plain-words-7f3a | --base-url holds a query",
                "--base-url localhost:8000/v1 | --base-url is not valid",
                "--base-url http://a_b:8000/v1 | --base-url is not valid",
                "--api-key-env wholly-plain-words-7f3a | --api-key-env names a variable that is not set",
                "--extra-body {\"key\":\"wholly-plain-words-7f3a | --extra-body is not valid",
                "--extra-body {\"stream\":false} | --extra-body may not say \"stream\"",
                "--top-p 2 | --top-p=2.0 is not valid: expected a number from 0 to 1",
                "--model-concurrency 0 | --model-concurrency=0 is not valid",
                "--model-silence 0s | --model-silence=0 is not valid",
            })
    void wrongOption_isSaidInALine_withoutWhatMayBeAKey(String options, String told) throws Exception {
        Cli run = asking.run(options.split(" "));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).startsWith("rlm: " + told).doesNotContain(KEY);
        assertThat(run.err().lines()).hasSize(1);
        assertThat(server.requests()).isEmpty();
    }

    @Test
    void addressAndModel_areNeeded() throws Exception {
        assertThat(Cli.run("run", "--policy", "openai").err()).isEqualTo("rlm: --policy openai needs a --model\n");
        assertThat(Cli.run("run", "--policy", "openai", "--model", "m").err())
                .isEqualTo("rlm: --policy openai needs a --base-url, or OPENAI_BASE_URL\n");
    }

    @Test
    void keyWithALineBreak_isRefusedWithoutBeingShown() throws Exception {
        Cli run = asking.with(Map.of("OPENAI_API_KEY", KEY + "\n" + KEY));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("the API key has characters").doesNotContain(KEY);
    }
}
