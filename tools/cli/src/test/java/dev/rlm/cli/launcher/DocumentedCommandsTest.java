package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.page.MarkdownPage;
import dev.rlm.cli.testkit.page.ShellCommands;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands in the code blocks of README and documents, done in a folder with what the documents suppose to be there. Left to tests of
 * their own are those that serve, that need a model or a back end, and that stand for several.
 */
@Tag("thorough")
class DocumentedCommandsTest {
    /** Verbs whose commands end by themselves and need nothing but a journal. */
    private static final Set<String> VERBS = Set.of(
            "run", "list", "show", "diff", "search", "report", "scan", "rescore", "label", "export", "import", "check",
            "delete", "sinks");

    /** Words of commands that need something else, or do not end. */
    private static final Set<String> OTHERS = Set.of(
            "openai",
            "exec",
            "openenv",
            "mcp",
            "--judge",
            "--remote",
            "--engine",
            "--view",
            "--follow",
            "guess",
            "recorded",
            "inspect",
            "sharegpt",
            "swe-agent",
            "rlm-code",
            "record");

    /** Words of commands whose exit code is also an answer. */
    private static final Set<String> ANSWERS = Set.of("--fail-on", "--min-kappa", "check");

    @TempDir
    private Path folder;

    @Test
    void commands_work() throws Exception {
        prepare();
        List<List<String>> commands = commands();

        assertThat(failed(commands)).as("commands that do not work").isEmpty();
        assertThat(commands).hasSizeGreaterThan(60);
    }

    /** Makes the journals, jobs and data sets that the documents name. */
    private void prepare() throws Exception {
        Files.writeString(folder.resolve("gsm8k.jsonl"), """
                {"question": "Ann has 2 pens and gets 3. How many has she?", "answer": "2 + 3 = <<2+3=5>>5\\n#### 5"}
                """);
        Files.createSymbolicLink(folder.resolve("examples"), Repository.ROOT.resolve("examples"));
        List<List<String>> first = new ArrayList<>();
        for (String journal : List.of(".rlm", "before", "after", "main", "target/rlm")) {
            first.add(
                    List.of("run", "--journal", journal, "--samples", "10", "--train-step", "120", "--split", "test"));
        }
        first.add(List.of("label", "--split", "test"));
        first.add(List.of("export", "--format", "chat", "--output", "chats.jsonl"));
        assertThat(failed(first)).isEmpty();
        Files.writeString(folder.resolve("job.yaml"), "samples: 4\n");
    }

    private List<List<String>> commands() throws IOException {
        List<RunSummary> runs = Journal.open(folder.resolve(".rlm")).runs();
        String one = runs.get(0).run().runId();
        String other = runs.get(1).run().runId();
        Set<List<String>> commands = new LinkedHashSet<>();
        for (Path page : Repository.files(name -> name.matches("README.md|(docs|deploy)/.*\\.md"))) {
            if (page.endsWith("cli.md")) {
                continue; // which has their forms
            }
            for (MarkdownPage.Block block : MarkdownPage.read(page).blocks()) {
                for (List<String> command : ShellCommands.ofRlm(block.text())) {
                    if (isDoneHere(command)) {
                        commands.add(command.stream()
                                .map(word -> word.matches("RUN|3k9") ? one : word.equals("7f2") ? other : word)
                                .toList());
                    }
                }
            }
        }
        return commands.stream()
                .sorted(Comparator.comparingInt(DocumentedCommandsTest::turn))
                .toList();
    }

    /** Returns when a command has its turn: after those that need the journal as it is before. */
    private static int turn(List<String> command) {
        if (command.contains("--yes")) {
            return 3;
        } else if (command.stream().anyMatch(word -> word.startsWith("--replay"))) {
            return 1;
        }
        return Set.of("run", "import").contains(command.get(0)) ? 2 : 0;
    }

    private static boolean isDoneHere(List<String> command) {
        boolean python = Files.isExecutable(Path.of("/usr/bin/python3"));
        return !command.isEmpty()
                && (python || !command.contains("python"))
                && VERBS.contains(command.get(0))
                && command.stream()
                        .noneMatch(word -> OTHERS.contains(word) || word.contains("…") || word.startsWith("["));
    }

    /** Does commands in the folder. Returns those that did not work, with what they said. */
    private List<String> failed(List<List<String>> commands) throws Exception {
        Path file = folder.resolve("commands");
        Files.write(
                file,
                commands.stream()
                        .map(command -> String.join(CommandsProgram.BETWEEN, command))
                        .toList());
        try (RlmProcess program = RlmProcess.start(folder, Map.of(), CommandsProgram.class, file.toString())) {
            List<String> lines = program.awaitSuccess().out().lines().toList();
            assertThat(lines).hasSameSizeAs(commands);
            return lines.stream().filter(line -> !works(line)).toList();
        }
    }

    private static boolean works(String line) {
        boolean answers = ANSWERS.stream().anyMatch(word -> line.contains(" " + word));
        return line.startsWith("0 ") || (answers && line.startsWith("1 "));
    }
}
