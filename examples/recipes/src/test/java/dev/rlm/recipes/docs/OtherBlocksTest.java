package dev.rlm.recipes.docs;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.launcher.Main;
import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.page.MarkdownPage;
import dev.rlm.cli.testkit.page.ShellCommands;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import tools.jackson.databind.json.JsonMapper;

/**
 * The blocks of README and docs that are not Java. Each is parsed, and run where it needs nothing but rlm; the other tests of documents know the
 * verbs and options of commands (DocumentsTest) and run those that need nothing else (DocumentedCommandsTest).
 */
@Timeout(300)
class OtherBlocksTest {
    /** Blocks without a language that are no commands, by their beginnings, and why they are there. */
    private static final Map<String, String> SHOWN = Map.ofEntries(
            entry("architecture: the agent's thread", "a picture; ArchitecturePageTest knows its names"),
            entry("architecture: thread rlm-sink-otel", "a picture; ArchitecturePageTest knows its names"),
            entry("exec: {\"run_id\":", "a conversation of two programs, in part"),
            entry("gateway: /rollout_id/R", "the form of a path"),
            entry("gateway: nightly", "a file of names and tokens"),
            entry("jobs: failed   12", "what run prints"),
            entry("jobs: groups", "what run prints"),
            entry("jobs: interrupted:", "what run prints"),
            entry("jobs: job  ", "what jobs prints"),
            entry("jobs: 2026-", "a job's log"),
            entry("jobs: 512 of", "what run prints"),
            entry("models: model,input", "a file of prices, as ModelPricesTest has them"),
            entry("plugins: examples/plugin/resources", "a file and what is in it"),
            entry("record: {\"type\":", "lines of record; RecordReferenceTest knows their fields"),
            entry("record: {\"line\":", "what record answers"),
            entry("replay: differs:", "what run prints"),
            entry("replay: rewards ", "what run prints"),
            entry("report: --fail-on", "what report prints"),
            entry("report: WHY", "what report prints"),
            entry("report: TRAINER", "what report prints"),
            entry("report: HEALTH", "what report prints"),
            entry("rewards: scored", "what rescore prints"),
            entry("rewards: score  ", "what label prints"),
            entry("rewards: rlm show RUN", "a command and what it prints"),
            entry("scan: 7f3a", "what scan prints"),
            entry("troubleshooting: otel ", "what run prints"));

    /** The programs that blocks start, beside rlm: the shell's, and those that a reader has. */
    private static final Set<String> PROGRAMS = Set.of(
            ("rlm cat cut do done du echo export find mkdir printf read rm sha256sum time while bash jar java javac mvn"
                            + " apt-get curl docker duckdb mlflow opentelemetry-instrument otelcol-contrib phoenix pip pytest python ssh vllm"
                            + " run your-agent")
                    .split(" "));

    /** Blocks of Python that need more than the package, and what tries the like. */
    private static final Map<String, String> PYTHON_OF_OTHERS = Map.of(
            "README 1", "done by ReadmeTest",
            "collect 1", "OpenAI's client and instrumentations; done by PythonSendersTest",
            "scale 1", "Spark",
            "trainers 1", "a trainer's client; done by RemoteKillTest",
            "training-data 1", "datasets and TRL; done in part by TrainingExportTest",
            "training-data 2", "datasets and TRL; done in part by TrainingExportTest",
            "training-data 3", "datasets and TRL; done in part by TrainingExportTest",
            "training-data 4", "datasets and TRL; done in part by TrainingExportTest");

    /** What a page leaves to its reader. */
    private static final String PYTHON_PRELUDE = """
            import rlm_record

            class Completions:
                def create(self, **request): ...

            class OpenAI:
                chat = type("Chat", (), {"completions": Completions()})()

            """;

    /** Blocks of XML that are no dependencies. */
    private static final Map<String, String> XML_OF_OTHERS = Map.of("logging", "done by LoggingTest");

    private static final Pattern DEPENDENCY = Pattern.compile(
            "<dependency><groupId>([^<]+)</groupId><artifactId>([^<]+)</artifactId><version>([^<]+)</version></dependency>");

    private record Shown(String page, int number, String text) {
        String name() {
            return page + " " + number;
        }
    }

    private static final List<Shown> SCRIPTS = new ArrayList<>();
    private static final List<Shown> PYTHON = new ArrayList<>();
    private static final List<Shown> XML = new ArrayList<>();
    private static final List<Shown> YAML = new ArrayList<>();
    private static final List<Shown> JSON = new ArrayList<>();
    private static final List<Shown> ELSEWHERE = new ArrayList<>(); // Java has a test of its own, Mermaid is GitHub's

    private static final Map<String, List<Shown>> LANGUAGES = Map.of(
            "", SCRIPTS, "sh", SCRIPTS, "python", PYTHON, "xml", XML, "yaml", YAML, "json", JSON, "java", ELSEWHERE,
            "mermaid", ELSEWHERE);

    @TempDir
    private Path folder;

    /** Returns README and the pages of docs. */
    static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.list(OutsideProject.ROOT.resolve("docs"))) {
            return Stream.concat(Stream.of(OutsideProject.ROOT.resolve("README.md")), docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    /** Returns what a page is called here. */
    static String name(Path page) {
        return page.endsWith("docs/README.md")
                ? "index"
                : page.getFileName().toString().replace(".md", "");
    }

    @BeforeAll
    static void read() throws IOException {
        for (Path page : pages()) {
            String name = name(page);
            for (MarkdownPage.Block block : MarkdownPage.read(page).blocks()) {
                List<Shown> those = LANGUAGES.get(block.language());
                assertThat(those)
                        .as("a kind of block that tests know: %s in %s", block.language(), page)
                        .isNotNull();
                long before =
                        those.stream().filter(shown -> shown.page.equals(name)).count();
                those.add(new Shown(name, (int) before + 1, block.text()));
            }
        }
    }

    @Test
    void scripts_areTheShells_andStartKnownPrograms() throws Exception {
        Set<String> unused = new TreeSet<>(SHOWN.keySet());
        List<String> unknown = new ArrayList<>();
        for (Shown shown : SCRIPTS) {
            String begin = shown.page + ": " + shown.text;
            if (shown.page.equals("cli") || unused.removeIf(begin::startsWith)) {
                continue; // cli.md has forms, which ReferenceTest writes
            }
            String script = script(shown.text);
            assertThat(said("", script, "bash", "-n")).as(shown.name()).isEmpty();
            ShellCommands.of(script).stream()
                    .map(command -> command.get(0).replaceFirst(".*/", ""))
                    .filter(program -> !PROGRAMS.contains(program))
                    .forEach(program -> unknown.add(shown.name() + ": " + program));
        }
        assertThat(unknown)
                .as("programs of commands; output has to be named here, with a reason")
                .isEmpty();
        assertThat(unused).as("what is shown no more").isEmpty();
    }

    /** Returns the commands of a block: of one with prompts only these lines. */
    private static String script(String text) {
        return text.startsWith("$ ")
                ? text.lines()
                        .filter(line -> line.startsWith("$ "))
                        .map(line -> line.substring(2) + "\n")
                        .collect(Collectors.joining())
                : text;
    }

    @Test
    void python_isParsed_andRunWithThePackageAlone() throws Exception {
        String record = Stream.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "record")
                .map(word -> "'" + word + "'")
                .collect(Collectors.joining(" "));
        Set<String> left = new TreeSet<>(PYTHON_OF_OTHERS.keySet());
        for (Shown shown : PYTHON) {
            if (left.remove(shown.name())) {
                assertThat(said(record, shown.text, "python3", "-c", "import ast, sys; ast.parse(sys.stdin.read())"))
                        .as(shown.name())
                        .isEmpty();
            } else {
                assertThat(said(record, PYTHON_PRELUDE + shown.text, "python3", "-S", "-"))
                        .as(shown.name())
                        .contains(shown.text.contains(".run(") ? "1 completed" : "");
            }
        }
        assertThat(left).as("what is shown no more").isEmpty();
    }

    /** Returns what a program says that is given a text, and that is to end well. */
    private String said(String record, String text, String... program) throws IOException, InterruptedException {
        Path output = folder.resolve("said");
        ProcessBuilder builder = new ProcessBuilder(program)
                .directory(folder.toFile())
                .redirectInput(Files.writeString(folder.resolve("text"), text).toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("RLM"));
        builder.environment()
                .putAll(Map.of(
                        "PYTHONPATH",
                        OutsideProject.ROOT.resolve("python/src").toString(),
                        "RLM_RECORD_COMMAND",
                        record));
        int code = builder.start().waitFor();
        assertThat(code).as(text + Files.readString(output)).isZero();
        return Files.readString(output);
    }

    @Test
    void xml_isParsed_andDependenciesAreFound() throws Exception {
        for (Shown shown : XML) {
            DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new ByteArrayInputStream(
                            ("<all>" + shown.text + "</all>").getBytes(StandardCharsets.UTF_8)));
            if (!XML_OF_OTHERS.containsKey(shown.page)) {
                List<String> dependencies = DEPENDENCY
                        .matcher(shown.text)
                        .results()
                        .map(found -> found.group(1) + ":" + found.group(2) + ":" + found.group(3))
                        .toList();
                assertThat(dependencies).as(shown.name()).isNotEmpty();
                assertThat(new OutsideProject(folder, dependencies).classPath(OutsideProject.RUNTIME))
                        .isNotEmpty();
            }
        }
    }

    @Test
    void yamlAndJson_areParsed_andAJobIsOne() throws Exception {
        for (Shown shown : YAML) {
            assertThat(new Load(LoadSettings.builder().build()).loadFromString(shown.text))
                    .as(shown.name())
                    .isNotNull();
            if (shown.page.equals("jobs")) {
                Path job = Files.writeString(folder.resolve("job.yaml"), shown.text);
                Files.writeString(
                        folder.resolve("gsm8k.jsonl"), "{\"question\": \"1 + 1?\", \"answer\": \"#### 2\"}\n");
                Cli printed = Cli.with(
                        Map.of(),
                        "run",
                        job.toString(),
                        "--dataset",
                        folder.resolve("gsm8k.jsonl").toString(),
                        "--print-job");
                assertThat(printed.exitCode()).as(printed.err()).isZero();
            }
        }
        for (Shown shown : JSON) {
            shown.text
                    .lines()
                    .forEach(line -> assertThat(new JsonMapper().readTree(line))
                            .as(shown.name())
                            .isNotNull());
        }
    }
}
