package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The file of settings, read by real processes in folders of their own. */
class ConfigFileTest {
    private static final String USUAL = "rlm.properties";

    @TempDir
    private Path folder;

    private RlmProcess run(Map<String, String> variables, String... arguments) throws Exception {
        RlmProcess process = RlmProcess.start(folder, variables, arguments);
        process.process().waitFor();
        return process;
    }

    private void write(String name, String... lines) throws IOException {
        Files.writeString(folder.resolve(name), String.join("\n", lines));
    }

    @Tag("thorough")
    @Test
    void file_countsBelowTheEnvironment() throws Exception {
        write(USUAL, "RLM_JSONL_DIR=kept", "rlm.jsonl.fsync = never", "# a remark", "RLM_HEARTBEAT=7s");

        String sinks = run(Map.of("RLM_HEARTBEAT", "x"), "sinks").err();
        assertThat(sinks).contains("RLM_HEARTBEAT=x is not valid");

        run(Map.of(), "run", "--samples", "1").awaitSuccess();
        assertThat(folder.resolve("kept")).isDirectory();
        assertThat(folder.resolve(".rlm")).doesNotExist();

        run(Map.of("RLM_JSONL_DIR", "other"), "run", "--samples", "1").awaitSuccess();
        assertThat(folder.resolve("other")).isDirectory();
    }

    @Test
    void file_configuresOpenTelemetryToo() throws Exception {
        write(
                USUAL,
                "RLM_OTEL_ENABLED=true",
                "OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:1",
                "OTEL_SERVICE_NAME=mine");

        Map<String, String> user =
                Map.of("XDG_CONFIG_HOME", folder.resolve("of-the-user").toString());
        RlmProcess before = run(user, "sinks").awaitSuccess();
        assertThat(before.out()).contains("mine").doesNotContain("http://localhost:1 ");
        assertThat(before.err())
                .contains("rlm.properties sets OTEL_EXPORTER_OTLP_ENDPOINT in vain", "trusted (rlm trust)");

        assertThat(run(user, "trust").awaitSuccess().out()).contains("trusted: " + folder.toRealPath());
        RlmProcess trusted = run(user, "sinks").awaitSuccess();
        assertThat(trusted.out()).contains("http://localhost:1 ", "mine");
        assertThat(trusted.err()).doesNotContain("in vain");
    }

    @Test
    void trust_isOfTheFolderAndThoseInIt_andOfNoOther() throws Exception {
        Map<String, String> user =
                Map.of("XDG_CONFIG_HOME", folder.resolve("of-the-user").toString());
        Path other = Files.createDirectories(folder.resolve("cloned/inner"));
        run(user, "trust", "cloned").awaitSuccess();
        assertThat(run(user, "trust", "nowhere").err()).contains("nowhere is not a folder");

        write("cloned/inner/" + USUAL, "RLM_REDACT=false");
        write(USUAL, "RLM_REDACT=false");
        assertThat(RlmProcess.start(other, user, "sinks").awaitSuccess().err()).doesNotContain("in vain");
        assertThat(run(user, "sinks").awaitSuccess().err()).contains("rlm.properties sets RLM_REDACT in vain");
    }

    @Test
    void variable_namesAnotherFile() throws Exception {
        write(USUAL, "RLM_JSONL_DIR=usual");
        write("mine.conf", "RLM_JSONL_DIR=named");

        run(Map.of("RLM_CONFIG", "mine.conf"), "run", "--samples", "1").awaitSuccess();

        assertThat(folder.resolve("named")).isDirectory();
        assertThat(folder.resolve("usual")).doesNotExist();
    }

    @Test
    void file_thatCannotBeRead_isAnErrorOfUsage() throws Exception {
        RlmProcess missing = run(Map.of("RLM_CONFIG", "nowhere.conf"), "list");
        assertThat(missing.process().exitValue()).isEqualTo(2);
        assertThat(missing.err())
                .isEqualToIgnoringNewLines(
                        "rlm: RLM_CONFIG=nowhere.conf cannot be read: expected a file of lines such as"
                                + " RLM_OTEL_ENABLED=true");

        write(USUAL, "RLM_JSONL_DIR=\\u00zz");
        assertThat(run(Map.of(), "list").err()).contains("rlm.properties cannot be read");
    }

    @DisabledOnOs(OS.WINDOWS)
    @Test
    void pipeInThePlaceOfTheFile_holdsNothingUp() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", folder.resolve(USUAL).toString())
                        .start()
                        .waitFor())
                .isZero();

        RlmProcess refused = run(Map.of(), "list");
        assertThat(refused.process().exitValue()).isEqualTo(2);
        assertThat(refused.err()).contains("rlm.properties cannot be read");
    }

    @Test
    void nameThatIsMisspelt_isTold() throws Exception {
        write(USUAL, "RLM_JSONL_DRI=kept");

        assertThat(run(Map.of(), "sinks").err()).contains("RLM_JSONL_DRI is unknown; did you mean RLM_JSONL_DIR?");
    }

    @Tag("thorough")
    @Test
    void secret_ofTheFile_isInNoRecord() throws Exception {
        String secret = "s3cr" + "et-of-the-file-0815";
        write(USUAL, "MY_API_KEY=" + secret);

        run(Map.of(), "run", "--samples", "1", "--tag", "note=" + secret).awaitSuccess();

        Map<String, String> journal =
                Map.of("RLM_JSONL_DIR", folder.resolve(".rlm").toString());
        assertThat(Cli.with(journal, "show", "last", "--json").out())
                .contains("\"note\"")
                .doesNotContain(secret);
    }

    /** It may have come with a folder that was fetched from elsewhere. */
    @Tag("thorough")
    @Test
    void fileOfTheFolder_loadsNoCode() throws Exception {
        write(USUAL, "RLM_PLUGINS=.");

        RlmProcess without = run(Map.of("XDG_CONFIG_HOME", folder.toString()), "run", "--samples", "1");
        assertThat(without.awaitSuccess().err()).contains("rlm.properties sets RLM_PLUGINS in vain");

        run(Map.of("RLM_CONFIG", USUAL), "run", "--samples", "1").awaitSuccess();
    }
}
