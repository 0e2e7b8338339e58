package dev.rlm.sinks.core.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.SpanRecordedBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values of entries whose names say that they are secret, by each way in which an entry comes in. */
class NamedSecretsTest {
    private static final String SECRET = "hunter2-of-mine";

    private final Kept kept = new Kept();

    private Sinks sinks() {
        return Sinks.builder().add("kept", kept).build();
    }

    private Object param(String name, Object value) {
        try (Sinks sinks = sinks()) {
            sinks.startRun(RunSpec.builder("env").param(name, value).build()).close();
        }
        return ((RunStarted) kept.events.get(0)).run().params().get(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "password",
                "Password",
                "db_password",
                "db.password",
                "DB_PASSWD",
                "passphrase",
                "ssh-passphrase",
                "user_pwd",
                "secret",
                "client_secret",
                "clientSecret",
                "my_secret_thing",
                "credentials",
                "aws_credentials",
                "api_key",
                "apiKey",
                "apikey",
                "OPENAI_API_KEY",
                "x-api-key",
                "access_key",
                "secretAccessKey",
                "private_key",
                "signingKey",
                "openai_key",
                "token",
                "access_token",
                "refreshToken",
                "hf_token",
                "session-token",
                "authorization",
                "Proxy-Authorization",
                "http.request.header.authorization",
                "auth",
                "bearer",
                "cookie",
                "Set-Cookie",
                "github_pat",
                "jwt",
                "salt"
            })
    void textUnderSuchAName_isAMark(String name) {
        assertThat(param(name, SECRET)).asString().matches("\\[REDACTED:named:[0-9a-f]{8}]");
    }

    @ParameterizedTest
    @CsvSource({
        "eos_token, <|im_end|>",
        "stop_token, token-1234",
        "next_page_token, abc12345678",
        "tokenizer, Qwen/Qwen3-4B",
        "token, international",
        "token_type, bearer-2",
        "max_tokens, 1024",
        "prompt_cache_key, session-123456789",
        "key, sample-17-of-300",
        "sort_key, created_at",
        "api_key_env, OPENAI_API_KEY",
        "password_policy, at-least-12",
        "auth, required",
        "monkey, abc-123-def",
        "keyboard, layout-1234567",
        "secretary, ms-jones-42",
        "author, jane-doe-1234",
        "compat, v1-of-2026"
    })
    void otherNamesAndPlainWords_stay(String name, String value) {
        assertThat(param(name, value)).isEqualTo(value);
    }

    @Test
    void what_liesInASecret_isSecret_andNumbersStay() {
        Object value = param(
                "options",
                Map.of(
                        "credentials", Map.of("user", "anna", "pins", List.of("4711", 12)),
                        "depth", List.of(Map.of("api_key", SECRET))));

        assertThat(value.toString())
                .doesNotContain("anna", "4711", SECRET)
                .contains("12", "user=[REDACTED:named:", "api_key=[REDACTED:named:");
    }

    @Test
    void eachDoor_hidesIt() {
        try (Sinks sinks = sinks()) {
            try (Run run = sinks.startRun(RunSpec.builder("env")
                            .param("password", SECRET)
                            .tag("api_key", SECRET)
                            .build());
                    Step step = run.startStep();
                    Span span = step.span("work")) {
                step.tag("password", SECRET);
                span.attribute("client_secret", SECRET);
                try (ModelCall call = step.startModelCall("openai", "m")) {
                    call.parameter("headers", Map.of("Authorization", SECRET));
                    call.parameter("api_key", SECRET);
                }
                try (ToolCall call = step.startToolCall("t")) {
                    call.attribute("access_token", SECRET);
                }
            }
            try (Span alone = sinks.span("alone")) {
                alone.attribute("db.password", SECRET);
            }
            RunInfo info = RunInfoBuilder.builder()
                    .runId("published")
                    .startedAt(Instant.EPOCH)
                    .environment("env")
                    .params(Map.of("nested", Map.of("password", SECRET)))
                    .tags(Map.of("token", SECRET))
                    .build();
            sinks.publish(new RunStarted(info, 1));
            sinks.publish(SpanRecordedBuilder.builder()
                    .run(info)
                    .seq(2)
                    .name("s")
                    .attributes(Map.of("http.request.header.cookie", List.of(SECRET)))
                    .build());
            assertThat(sinks.content("db.password", SECRET).text()).startsWith("[REDACTED:named:");
            assertThat(sinks.content("db.name", SECRET).text()).isEqualTo(SECRET);
        }
        assertThat(kept.events).hasSizeGreaterThan(8);
        assertThat(kept.events.toString()).contains("[REDACTED:named:").doesNotContain(SECRET);
    }

    @Test
    void whereNothingIsRedacted_itStays() {
        try (Sinks sinks = Sinks.builder()
                .config(SinkConfig.of(Map.of("RLM_REDACT", "false")))
                .only(List.of())
                .add("kept", kept)
                .build()) {
            sinks.startRun(RunSpec.builder("env").param("password", SECRET).build())
                    .close();
        }
        assertThat(((RunStarted) kept.events.get(0)).run().params()).containsEntry("password", SECRET);
    }

    private static final class Kept implements Sink {
        private final List<Event> events = new CopyOnWriteArrayList<>();

        @Override
        public void onEvent(Event event) {
            events.add(event);
        }
    }
}
