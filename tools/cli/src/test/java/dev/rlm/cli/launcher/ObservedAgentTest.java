package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.page.MarkdownPage;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code examples/ObservedAgent.java}, run by the command of docs/observe.md, as its record tells it. */
class ObservedAgentTest {
    private static final ToolProvider JAR = ToolProvider.findFirst("jar").orElseThrow();

    @TempDir
    private Path folder;

    @Test
    void observedAgent_isSeenInItsRecord() throws Exception {
        build();
        String command = MarkdownPage.read(Repository.ROOT.resolve("docs/observe.md")).blocks().stream()
                .flatMap(block -> block.text().lines())
                .filter(line -> line.endsWith("examples/ObservedAgent.java"))
                .findFirst()
                .orElseThrow();
        Path said = folder.resolve("said");
        ProcessBuilder agent = new ProcessBuilder("sh", "-c", command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile());
        agent.environment().keySet().removeIf(name -> name.startsWith("RLM_") || name.startsWith("OTEL_"));
        agent.environment().merge("PATH", System.getProperty("java.home") + "/bin", (path, java) -> java + ":" + path);
        assertThat(agent.start().waitFor()).as(Files.readString(said)).isZero();
        assertThat(said).content().isEqualToIgnoringNewLines("It has 7 letters.");

        assertThat(rlm("show", run(), "--tools").replaceAll(" +", " "))
                .contains("1 length episode 7 ok")
                .contains("1 tool call, 0 failed");
        assertThat(rlm("show", run(), "--messages"))
                .containsSubsequence(
                        "How long is 'episode'?", "length(episode)", "tool length", "7", "It has 7 letters.");
    }

    /** Lays out what the command before it builds, {@code ./rlm sinks}. */
    private void build() throws IOException {
        Path target = folder.resolve("tools/cli/target");
        Files.createDirectories(target.resolve("lib"));
        archive(Path.of("target", "classes"), target.resolve("rlm.jar"));
        for (String entry : ThirdPartyTest.shipped().toList()) {
            Path shipped = Path.of(entry);
            if (Files.isDirectory(shipped)) {
                archive(shipped, target.resolve("lib/" + entry.replace(File.separatorChar, '-') + ".jar"));
            } else {
                Files.createSymbolicLink(target.resolve("lib").resolve(shipped.getFileName()), shipped);
            }
        }
        Files.createSymbolicLink(folder.resolve("examples"), Repository.ROOT.resolve("examples"));
    }

    private static void archive(Path classes, Path jar) {
        assertThat(JAR.run(System.out, System.err, "--create", "--file", "" + jar, "-C", "" + classes, "."))
                .isZero();
    }

    private String run() {
        Matcher id = Pattern.compile("\"run_id\": ?\"([^\"]+)\"").matcher(rlm("list", "--json"));
        assertThat(id.find()).isTrue();
        return id.group(1);
    }

    private String rlm(String... arguments) {
        Cli rlm = Cli.with(Map.of("RLM_JSONL_DIR", "" + folder.resolve(".rlm")), arguments);
        assertThat(rlm.exitCode()).as(rlm.err()).isZero();
        return rlm.out();
    }
}
