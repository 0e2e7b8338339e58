package dev.rlm.sinks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
    void errors_nameVariableValueAndWhatIsAllowed() {
        invalid("maybe", "true or false", () -> config("maybe").bool("X", true));
        invalid("7", "from 1 to 5", () -> config("7").integer("X", 1, 1, 5));
        invalid("two", "from 1 to 5", () -> config("two").integer("X", 1, 1, 5));
        invalid("three", "one, two", () -> config("three").choice("X", "one", List.of("one", "two")));
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
