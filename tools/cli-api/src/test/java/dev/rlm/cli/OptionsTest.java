package dev.rlm.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

/** Values that many options take: lengths of time, whole numbers within bounds, and words for a shell. */
class OptionsTest {
    @ParameterizedTest
    @CsvSource({"200ms,PT0.2S", "1.5s,PT1.5S", "2m,PT2M", "1h,PT1H", "0,PT0S", "7d,PT168H"})
    void duration_isReadWithItsUnit(String text, Duration duration) {
        assertThat(new Durations().convert(text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "-1s", "s", "1 week", "168h1ms", "8d", "1e3s", "99999999999999999999s"})
    void duration_thatIsNone_orAboveAWeek_isRefused(String text) {
        assertThatThrownBy(() -> new Durations().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessage("'" + text + "' is not a duration such as 200ms, 4s, 2m or 1h, of 7d at the most");
    }

    @ParameterizedTest
    @CsvSource({
        "0,0ns",
        "999,999ns",
        "1500,1.50µs",
        "12340000,12.3ms",
        "999000000,999ms",
        "1000000000,1.00s",
        "59900000000,59.9s",
        "60000000000,1m00s",
        "3599000000000,59m59s",
        "3600000000000,1h00m",
        "90000000000000,25h00m"
    })
    void duration_isToldInItsNaturalUnit(long nanos, String text) {
        assertThat(Durations.text(Duration.ofNanos(nanos))).isEqualTo(text);
    }

    @Test
    void numbers_haveBothTheirBounds() {
        for (long good : new long[] {1, 3}) {
            assertThatCode(() -> Bounds.checkRange("--n", good, 1, 3)).doesNotThrowAnyException();
        }
        for (long bad : new long[] {0, 4}) {
            assertThatThrownBy(() -> Bounds.checkRange("--n", bad, 1, 3))
                    .isInstanceOf(UsageException.class)
                    .hasMessage("--n=" + bad + " is not valid: expected a whole number from 1 to 3");
        }
        assertThatCode(() -> Bounds.checkPort("--port", 0)).doesNotThrowAnyException();
        assertThatCode(() -> Bounds.checkPort("--port", 65_535)).doesNotThrowAnyException();
        assertThatThrownBy(() -> Bounds.checkPort("--port", 65_536)).isInstanceOf(UsageException.class);
        assertThatThrownBy(() -> Bounds.checkPort("--port", -1)).isInstanceOf(UsageException.class);
        assertThatCode(() -> Bounds.checkAboveZero("--time", null)).doesNotThrowAnyException();
        assertThatThrownBy(() -> Bounds.checkAboveZero("--time", Duration.ZERO))
                .hasMessage("--time=0 is not valid: expected a time above 0");
    }

    @Test
    void words_areQuotedWhereAShellWouldTakeThemApart() throws Exception {
        List<String> words = List.of("plain/path-1.txt", "two words", "it's", "$HOME", "", "a\nb");
        Process shell = new ProcessBuilder("sh", "-c", "printf '%s|' " + Shell.line(words)).start();

        assertThat(new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo(String.join("|", words) + "|");
        assertThat(Shell.line(List.of("rlm", "show", "r-1"))).isEqualTo("rlm show r-1");
    }
}
