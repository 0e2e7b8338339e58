package dev.rlm.runner.openai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.testkit.chat.ChatAnswer;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where the key goes, and where it does not; and what is wrong with options. */
class ModelKeyTest extends ModelTest {
    private static final String KEY = "wholly-plain-words-7f3a";

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
