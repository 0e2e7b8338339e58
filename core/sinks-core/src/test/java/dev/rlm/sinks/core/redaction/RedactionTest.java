package dev.rlm.sinks.core.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.RunStarted;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedactionTest {
    private static String redacted(Map<String, String> environment, String text) {
        Map<String, String> all = new HashMap<>(environment);
        try (Sinks sinks = Sinks.builder().config(SinkConfig.of(all)).build()) {
            return sinks.content(text).text();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "OPENAI_API_KEY",
                "DB_PASSWORD",
                "GITHUB_TOKEN",
                "CLIENT_SECRET",
                "SSH_PASSPHRASE",
                "my_secret_thing",
                "APIKEY",
                "KEY_OF_SERVICE",
                "AWS_CREDENTIALS",
                "MYSQL_PWD",
                "GITHUB_PAT",
                "REGISTRY_AUTH",
                "SESSION_COOKIE",
                "SIGNING_SALT"
            })
    void variables_whoseNamesSaySecret_areSecret(String name) {
        assertThat(redacted(Map.of(name, "swordfish-7"), "it is swordfish-7."))
                .matches("it is \\[REDACTED:env:[0-9a-f]{8}]\\.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"HOME", "KEYBOARD", "MONKEY_HOUSE", "PATH", "PWD", "OLDPWD", "SSH_AUTH_SOCK"})
    void otherVariables_areNot(String name) {
        assertThat(redacted(Map.of(name, "swordfish-7"), "it is swordfish-7.")).isEqualTo("it is swordfish-7.");
    }

    @Test
    void headers_areSecretValueByValue() {
        Map<String, String> environment =
                Map.of("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=tenant-one, authorization=Basic abcdef=");

        assertThat(redacted(environment, "x-tenant: tenant-one; Basic abcdef="))
                .startsWith("x-tenant: [REDACTED:env:")
                .doesNotContain("tenant-one", "abcdef");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer cred-entials-7", "Bearer%20cred-entials-7", "Basic  cred-entials-7"})
    void credential_inAHeader_isASecretWithoutItsScheme(String value) {
        Map<String, String> environment = Map.of("OTEL_EXPORTER_OTLP_HEADERS", "authorization=" + value);

        assertThat(redacted(environment, "it is cred-entials-7.")).doesNotContain("cred-entials-7");
        assertThat(redacted(environment, "Bearer cred-entials-7 Basic cred-entials-7"))
                .doesNotContain("cred-entials-7");
    }

    @Test
    void headers_ofAFurtherSink_areSecret_howeverTheyAreGiven() {
        String variable = "RLM_OTEL_LANGFUSE_EXPORTER_OTLP_HEADERS";
        assertThat(redacted(Map.of(variable, "x-key=swordfish-7"), "swordfish-7"))
                .startsWith("[REDACTED:env:");
        SinkConfig given = SinkConfig.of(Map.of()).with(variable, "x-key=swordfish-8");
        try (Sinks sinks = Sinks.builder().config(given).build()) {
            assertThat(sinks.content("swordfish-8").text()).startsWith("[REDACTED:env:");
        }
        System.setProperty("rlm.otel.langfuse.exporter.otlp.headers", "x-key=swordfish-9");
        System.setProperty("otel.exporter.otlp.headers", "x-key=swordfish-10");
        try (Sinks sinks = Sinks.builder().config(SinkConfig.system()).build()) {
            assertThat(sinks.content("swordfish-9, swordfish-10").text()).doesNotContain("swordfish");
        } finally {
            System.clearProperty("rlm.otel.langfuse.exporter.otlp.headers");
            System.clearProperty("otel.exporter.otlp.headers");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"short", "true", "FALSE", "enabled", "4096", "1234567", "0.123456", "  abc  "})
    void valuesThatOccurInOrdinaryText_areNoSecrets(String value) {
        assertThat(redacted(Map.of("MAX_TOKENS", value), "x " + value + " y")).isEqualTo("x " + value + " y");
    }

    @Test
    void longNumber_isASecret() {
        assertThat(redacted(Map.of("PIN_TOKEN", "12345678901"), "12345678901")).startsWith("[REDACTED:env:");
    }

    @Test
    void longestSecret_goesFirst() {
        Map<String, String> environment = Map.of("A_TOKEN", "abcdef", "B_TOKEN", "xx-abcdef-xx");

        assertThat(redacted(environment, "xx-abcdef-xx")).matches("\\[REDACTED:env:[0-9a-f]{8}]");
    }

    @Test
    void registeredSecret_countsFromThenOn_withOneHash() {
        try (Sinks sinks = Sinks.builder().build()) {
            assertThat(sinks.content("swordfish-7").text()).isEqualTo("swordfish-7");
            sinks.registerSecret("swordfish-7");
            sinks.registerSecret("swordfish-8");
            String once = sinks.content("swordfish-7").text();
            assertThat(once).matches("\\[REDACTED:registered:[0-9a-f]{8}]");
            assertThat(sinks.content("swordfish-7, swordfish-7").text()).isEqualTo(once + ", " + once);
            assertThat(sinks.content("swordfish-8").text()).isNotEqualTo(once);
        }
    }

    @Test
    void switchedOff_leavesTextAlone() {
        Map<String, String> environment = Map.of("A_TOKEN", "swordfish-7", "RLM_REDACT", "off");
        assertThat(redacted(environment, "swordfish-7")).isEqualTo("swordfish-7");
    }

    @Test
    void switchedOffByTheProgram_staysOff_whateverTheConfiguration() {
        SinkConfig config = SinkConfig.of(Map.of("A_TOKEN", "swordfish-7", "RLM_REDACT", "true"));
        try (Sinks sinks = Sinks.builder().withoutRedaction().config(config).build()) {
            assertThat(sinks.content("swordfish-7").text()).isEqualTo("swordfish-7");
        }
    }

    @Test
    void longSecret_doesNotSurviveInPart_whereTextIsCut() {
        String secret = "-----BEGIN KEY-----" + "0123456789ab".repeat(10_000);
        for (int before : new int[] {100_000, 262_000, 500_000, 1_000_000}) {
            String text = "x".repeat(before) + secret + "x".repeat(1_100_000 - before);
            String cut = redacted(Map.of("A_KEY", secret), text);
            assertThat(cut.replaceAll("\\[(CUT|REDACTED):[^]]*]", "")).containsPattern("^x*$");
        }
    }

    @Test
    void params_areRedacted_howeverTheyAreHeld() {
        Map<String, String> environment = Map.of("A_TOKEN", "swordfish-7");
        InMemory events = new InMemory();
        try (Sinks sinks = Sinks.builder()
                .config(SinkConfig.of(environment))
                .add("memory", events)
                .build()) {
            sinks.startRun(RunSpec.builder("calc")
                            .param("array", new String[] {"swordfish-7"})
                            .param(
                                    "swordfish-7",
                                    List.of(Map.of(
                                            "swordfish-7", "x".repeat(50_000) + "swordfish-7" + "x".repeat(50_000))))
                            .tag("long", "x".repeat(16_380) + "swordfish-7" + "x".repeat(70_000))
                            .build())
                    .close();
        }
        assertThat(events.text()).contains("REDACTED", "CUT").doesNotContain("sword");
    }

    /** A program of its own, whose locale has no umlauts. */
    public static final class InLocaleC {
        public static void main(String[] args) {
            try (Sinks sinks = Sinks.builder().build()) {
                System.out.println(sinks.content("it is p\u00e4ssw\u00f6rd-7.").text());
            }
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void variableThatIsNotAscii_isSecret_inTheLocaleC() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String script = "exec env DB_PASSWORD=$(printf 'p\\303\\244ssw\\303\\266rd-7') LC_ALL=C \"$@\"";
        Process process = new ProcessBuilder(
                        "sh",
                        "-c",
                        script,
                        "sh",
                        java,
                        "-cp",
                        System.getProperty("java.class.path"),
                        InLocaleC.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        assertThat(output.strip()).matches("it is \\[REDACTED:env:[0-9a-f]{8}]\\.");
    }

    private static final class InMemory implements Sink {
        private volatile String text = "";

        @Override
        public void onRunStarted(RunStarted start) {
            text = start.run().params() + " " + start.run().tags();
        }

        String text() {
            return text;
        }
    }
}
