package dev.rlm.sinks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SinkConfigTest {
    private static SinkConfig config(String value) {
        return SinkConfig.of(Map.of("RLM_MY_SINK_X", value)).sink("my-sink");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "true", "YES", "On", " true "})
    void bool_knowsTrue(String value) {
        assertThat(config(value).bool("X", false)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "false", "NO", "Off"})
    void bool_knowsFalse(String value) {
        assertThat(config(value).bool("X", true)).isFalse();
    }

    @Test
    void values_areRead() {
        assertThat(config("5").integer("X", 1, 0, 5)).isEqualTo(5);
        assertThat(config("Two").choice("X", "one", List.of("one", "two"))).isEqualTo("two");
        assertThat(config("a/b").path("X")).contains(Path.of("a/b"));
        assertThat(config("https://h:1/p").url("X")).contains(URI.create("https://h:1/p"));
        assertThat(config(" s ").string("X")).contains("s");
        assertThat(config("\u00a0a b \n").path("X")).contains(Path.of("\u00a0a b \n"));
        assertThat(config(" \t").path("X")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "200ms, 200",
        "90s, 90000",
        "30m, 1800000",
        "12H, 43200000",
        "7 d, 604800000",
        "1.5s, 1500",
        "0.25m, 15000"
    })
    void duration_hasAUnit(String value, long millis) {
        assertThat(config(value).duration("X", Duration.ofNanos(1))).isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1048576, 1048576",
        "12B, 12",
        "500kb, 500000",
        "64MB, 64000000",
        "10 GB, 10000000000",
        "1TB, 1000000000000",
        "1KiB, 1024",
        "1GiB, 1073741824",
        "1.5GB, 1500000000",
        "0.5KiB, 512",
        "999999999999999999, 999999999999999999"
    })
    void bytes_mayHaveAUnit(String value, long bytes) {
        assertThat(config(value).bytes("X", 1)).isEqualTo(bytes);
    }

    @Test
    void durationsAndBytes_haveDefaults() {
        assertThat(config("").duration("X", Duration.ofDays(1))).isEqualTo(Duration.ofDays(1));
        assertThat(config("").bytes("X", 7)).isEqualTo(7);
    }

    @Test
    void blank_countsAsNone() {
        assertThat(config("  ").string("X")).isEmpty();
        assertThat(config("  ").bool("X", true)).isTrue();
        assertThat(config("").integer("X", 7, 0, 9)).isEqualTo(7);
        assertThat(config("env").with("RLM_MY_SINK_X", " ").string("X")).contains("env");
    }

    @Test
    void given_countsBeforeTheEnvironment() {
        SinkConfig config = config("env").with("RLM_MY_SINK_X", "given");

        assertThat(config.string("X")).contains("given");
        assertThat(config.shared().string("RLM_MY_SINK_X", "default")).isEqualTo("given");
        assertThat(config.string("Y", "default")).isEqualTo("default");
    }

    @Test
    void oldName_isRead_whereThePresentOneIsNotSet() {
        SinkConfig old = SinkConfig.of(
                Map.of("DSPY_RLM_OTEL_ENABLED", "true", "DSPY_RLM_OTEL_METRICS_ENABLED", "no", "RLM_OTEL_SDK", "own"));

        assertThat(old.sink("otel").bool("ENABLED", false)).isTrue();
        assertThat(old.shared().bool("RLM_OTEL_METRICS_ENABLED", true)).isFalse();
        assertThat(old.variables()).contains("RLM_OTEL_ENABLED", "RLM_OTEL_METRICS_ENABLED");
        assertThat(old.with("RLM_OTEL_ENABLED", "false").sink("otel").bool("ENABLED", true))
                .isFalse();
        SinkConfig both = SinkConfig.of(Map.of("DSPY_RLM_OTEL_ENABLED", "true", "RLM_OTEL_ENABLED", "false"));
        assertThat(both.sink("otel").bool("ENABLED", true)).isFalse();
        assertThat(SinkConfig.of(Map.of()).variables()).isEmpty();
        assertThatThrownBy(() -> SinkConfig.of(Map.of("DSPY_RLM_OTEL_ENABLED", "maybe"))
                        .sink("otel")
                        .bool("ENABLED", false))
                .hasMessageStartingWith("DSPY_RLM_OTEL_ENABLED=maybe is not valid");
    }

    @Test
    void errors_nameVariableValueAndWhatIsAllowed() {
        invalid("maybe", "true or false", () -> config("maybe").bool("X", true));
        invalid("7", "from 1 to 5", () -> config("7").integer("X", 1, 1, 5));
        invalid("two", "from 1 to 5", () -> config("two").integer("X", 1, 1, 5));
        invalid("three", "one, two", () -> config("three").choice("X", "one", List.of("one", "two")));
        for (String time : List.of("30", "1w", "-1s", "1,5h", ".5h", "1.h", "s", "293000d", "999999999999999999d")) {
            invalid(
                    time,
                    "a time such as 90s, 30m, 12h or 7d, or 0",
                    () -> config(time).duration("X", Duration.ZERO));
        }
        for (String size : List.of("1M", "-1", "1,5GB", "MB", "64 MBit", "99999999999TB")) {
            invalid(
                    size,
                    "a size such as 500KB, 64MB or 1GiB, or 0",
                    () -> config(size).bytes("X", 0));
        }
        invalid("a\u0000b", "a path", () -> config("a\u0000b").path("X"));
        for (String address : List.of("localhost:4317", "ftp://host", "//host", "http://", "http://a b")) {
            invalid(address, "http://localhost:4317", () -> config(address).url("X"));
        }
    }

    private static void invalid(String value, String expected, Runnable reading) {
        assertThatThrownBy(reading::run)
                .isInstanceOf(SinkConfigException.class)
                .hasMessageStartingWith("RLM_MY_SINK_X=" + value + " is not valid: expected ")
                .hasMessageContaining(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ftp://user:pass@host",
                "http://user:p/pass@host",
                "http://user:x@pass@host",
                "user:pass@host:4317",
                "http://us er:pass@host"
            })
    void errors_doNotShowPasswords(String address) {
        assertThatThrownBy(() -> config(address).url("X"))
                .hasMessageContaining("@host")
                .hasMessageNotContaining("pass");
    }

    @Test
    void address_withAPortThatIsNone_isNamedWithoutItsQuery() {
        assertThatThrownBy(() -> config("http://host:99999?key=pass").url("X"))
                .hasMessageStartingWith("RLM_MY_SINK_X=http://host:99999?… is not valid: expected an address");
    }
}
