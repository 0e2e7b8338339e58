package dev.rlm.cli.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.Told;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the program says, and the exit codes that it comes to, whatever its verbs do. */
class RlmTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | a command is needed: rlm --help lists them",
                "gret | unknown command 'gret' (did you mean greet?): known are greet, sinks, trust, generate-completion",
                "help gret | unknown command 'gret' (did you mean greet?): known are",
                "greet now | unexpected argument 'now': rlm greet --help tells what is allowed",
                "greet --whon all | unknown option '--whon': did you mean --whom?",
                "greet --whom | Missing required parameter for option '--whom' (<whom>)",
                "sinks --journal= | --journal is empty: expected a folder",
                "sinks --sink nowhere | unknown sink 'nowhere'",
            })
    void mistakeOfTheUser_isOneLine(String line, String told) {
        Told said = Told.by(Map.of(), line.isEmpty() ? new String[0] : line.split(" "));

        assertThat(said.err().lines()).singleElement().asString().startsWith("rlm: " + told);
        assertThat(said.exitCode()).isEqualTo(2);
        assertThat(said.out()).isEmpty();
    }

    @Test
    void help_isThatOfTheOption() {
        Told help = Told.by(Map.of(), "help", "greet");
        assertThat(help).isEqualTo(Told.by(Map.of(), "greet", "--help"));
        assertThat(help.out()).startsWith("Usage: rlm greet ");
        assertThat(Told.by(Map.of(), "help")).isEqualTo(Told.by(Map.of(), "--help"));
    }

    @Test
    void variableThatIsNotValid_isAMistakeToo() {
        Told said = Told.by(Map.of("RLM_JSONL_ENABLED", "perhaps"), "sinks");

        assertThat(said.err().lines()).singleElement().asString().startsWith("rlm: RLM_JSONL_ENABLED");
        assertThat(said.exitCode()).isEqualTo(2);
    }

    @Test
    void failureOfAVerb_isOneLine_andShownWholeWhereThatIsAsked() {
        Told said = Told.by(Map.of(), "greet", "--whom", "nobody");
        assertThat(said)
                .isEqualTo(new Told(
                        1,
                        "",
                        "rlm: failed: java.io.IOException: no one␛ there (--verbose shows where)"
                                + System.lineSeparator()));

        Told shown = Told.by(Map.of(), "greet", "--whom", "nobody", "--verbose");
        assertThat(shown.err()).contains("\tat " + GreetVerb.class.getName() + ".execute");
        assertThat(shown.exitCode()).isEqualTo(1);
    }

    @Test
    void errorOfAVerb_isOneLineToo() {
        assertThat(Told.by(Map.of(), "greet", "--whom", "everybody"))
                .isEqualTo(new Told(
                        1,
                        "",
                        "rlm: failed: java.lang.OutOfMemoryError: too many"
                                + " (JAVA_TOOL_OPTIONS=-Xmx4g gives it more)" + System.lineSeparator()));
    }

    @Test
    void version_isToldByTheProgramAndItsVerbs() {
        assertThat(Told.by(Map.of(), "--version").out()).startsWith("rlm ");
        assertThat(Told.by(Map.of(), "sinks", "--version").out()).startsWith("rlm ");
    }
}
