package dev.rlm.runner.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobFileTest {
    @TempDir
    private Path folder;

    private Path file;
    private Path journal;

    @BeforeEach
    void names() {
        file = folder.resolve("job.yaml");
        journal = folder.resolve("journal");
    }

    private Cli rlm(String... arguments) {
        return Cli.with(Map.of("RLM_JSONL_DIR", journal.toString(), "RLM_REDACT", "true"), arguments);
    }

    private void write(String... lines) throws IOException {
        Files.writeString(file, String.join("\n", lines));
    }

    private List<Path> kept() throws IOException {
        try (Stream<Path> files = Files.list(journal.resolve("jobs"))) {
            return files.filter(file -> file.toString().endsWith(".yaml")).toList();
        }
    }

    private String shown() {
        return rlm("list", "--json").out();
    }

    @Test
    void file_saysWhatOptionsSay() throws IOException {
        write("samples: 2", "rollouts: 3", "tag:", "  team: blue", "no-one: # nothing", "shaping: false");
        assertThat(rlm("run", file.toString()).err()).contains("job.yaml: there is no option no-one");

        write("samples: 2", "rollouts: 3", "tag:", "  team: blue", "shaping: false", "max-steps: 007");
        Cli run = rlm("run", file.toString());

        assertThat(run.exitCode()).isZero();
        assertThat(shown().lines()).hasSize(6).allMatch(line -> line.contains("\"team\":\"blue\""));
        assertThat(rlm("show", "last", "--json").out()).contains("\"max_steps\":7");
    }

    @Test
    void optionThatIsGiven_countsBeforeTheFile() throws IOException {
        write("samples: 2", "rollouts: 3");

        assertThat(rlm("run", file.toString(), "--rollouts", "1").exitCode()).isZero();
        assertThat(shown().lines()).hasSize(2);
    }

    @Test
    void print_andRunOfWhatWasPrinted_areTheSame() throws IOException {
        String[] options = {
            "run", "--samples", "2", "--tag", "a=1: 2", "--tag", "b= x ", "--sample-id", "calc-1-0", "--no-shaping"
        };
        String[] printing = Stream.concat(Stream.of(options), Stream.of("--print-job", "--quiet", "--json"))
                .toArray(String[]::new);
        Cli printed = rlm(printing);

        assertThat(printed).isEqualTo(new Cli(0, printed.out(), ""));
        assertThat(printed.out().lines())
                .containsExactlyInAnyOrder(
                        "samples: 2", "tag:", "- 'a=1: 2'", "- 'b= x '", "sample-id:", "- calc-1-0", "shaping: false");
        assertThat(journal).doesNotExist();

        write(printed.out());
        assertThat(rlm("run", file.toString(), "--print-job").out()).isEqualTo(printed.out());
    }

    @Test
    void journal_keepsTheJob_forTheUserAlone_andResumesItWithoutAWord() throws IOException {
        assertThat(rlm("run", "--samples", "3", "--rollouts", "1", "--tag", "a=b")
                        .exitCode())
                .isZero();
        assertThat(kept()).singleElement().satisfies(job -> {
            assertThat(Files.readString(job).lines())
                    .containsExactlyInAnyOrder("samples: 3", "rollouts: 1", "tag:", "- a=b");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(job)))
                    .isEqualTo("rw-------");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(job.getParent())))
                    .isEqualTo("rwx------");
        });

        Cli resumed = rlm("run", "--resume");
        assertThat(resumed.err()).contains("resumed: 3 of 3 had been done", "nothing is left to do");

        assertThat(rlm("run", kept().get(0).toString()).exitCode()).isZero();
        assertThat(shown().lines()).hasSize(6);
        assertThat(kept()).hasSize(2);
        assertThat(rlm("list", "--limit", "1").exitCode()).isZero();
    }

    @Test
    void secrets_areNotKept() throws IOException {
        String secret = "sk-ant-" + "api03-" + "0123456789abcdefghijABCDEFGHIJ0123456789abcdefghij";
        rlm("run", "--samples", "1", "--tag", "key=" + secret, "--mcp-env", "WORD=of-nobodys-business");

        assertThat(Files.readString(kept().get(0)))
                .contains("key=", "- WORD")
                .doesNotContain(secret, "of-nobodys-business");
    }

    @Test
    void variableOfTheKey_thatAFileNames_isKnown() throws IOException {
        write("policy: openai", "model: m", "base-url: http://127.0.0.1:1", "api-key-env: RLM_MY_KEY");
        Cli run = Cli.with(
                Map.of("RLM_JSONL_DIR", journal.toString(), "RLM_MY_KEY", "plain-words"), "run", file.toString());

        assertThat(run.err().lines()).singleElement().asString().startsWith("rlm: --policy openai finds no server");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "base-url: https://elsewhere.example/v1",
                "api-key-env: AWS_SECRET_ACCESS_KEY",
                "mcp: [tools=python3 tools.py]",
                "unsafe-exec: true",
                "python: ./python",
                "set: [exec.command=./agent]",
                "set: {tools.url: 'https://elsewhere.example'}"
            })
    void fileOfAFolderThatIsNotTrusted_saysNeitherWhereKeysGoNorWhatRuns(String line) throws IOException {
        write("samples: 1", line);
        String name = line.replaceFirst(":.*", "");
        Cli refused = rlm("run", file.toString());
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err())
                .isEqualTo("rlm: " + file + " says where keys go, or what runs (" + name
                        + "): expected on the command line, or in a folder that you trust: rlm trust " + folder + "\n");
        assertThat(journal).doesNotExist();
    }

    @Test
    void fileMayNameServersOfThisMachine_andWhatTheCommandLineSaysToo() throws IOException {
        write("samples: 1", "rollouts: 1", "base-url: http://localhost:1/v1", "api-key-env: SECRET");
        assertThat(rlm("run", file.toString(), "--api-key-env", "OTHER", "--print-job")
                        .exitCode())
                .isZero();
    }

    @Test
    void valuesDeepInEachOther_areRefused() throws IOException {
        for (String deep : List.of("tag: " + "[".repeat(100_000), "tag: " + "{a: ".repeat(1_000))) {
            write(deep);
            assertThat(rlm("run", file.toString()).err())
                    .isEqualTo("rlm: " + file + " is no job: its values lie more than 32 deep in each other\n");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    sample: 2               | there is no option sample; did you mean samples?
                    resume: x               | resume is for the command line, not for a job
                    verbose: true           | verbose is for the command line, not for a job
                    samples: two            | Invalid value for option '--samples': 'two' is not an int
                    skip-bad-lines: perhaps | skip-bad-lines is 'perhaps': expected true or false
                    samples: [1, [2]]       | samples has a list or map in another
                    samples                 | is no job: expected lines such as samples: 20
                    'tag: {a: b'            | is no YAML:
                    """)
    void mistake_isToldInALine(String line, String told) throws IOException {
        write(line);
        Cli run = rlm("run", file.toString());

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err().lines()).singleElement().asString().contains("job.yaml", told);
        assertThat(journal).doesNotExist();
    }

    @Test
    void fileThatIsMissing_isToldInALine() {
        assertThat(rlm("run", file.toString()).err().lines())
                .singleElement()
                .asString()
                .contains("job.yaml: expected a file with a job that can be read (java.nio.file.NoSuchFileException");
    }
}
