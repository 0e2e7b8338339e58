package dev.rlm.cli.launcher;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.rlm.sinks.Findings;
import dev.rlm.sinks.RedactionCounts;
import dev.rlm.sinks.Redactor;
import dev.rlm.sinks.SinkProvider;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.ObjectMapper;

/**
 * The arrows between the modules: all run towards the API, and between sinks two alone, from MLflow to OpenTelemetry and from record to the journal. That
 * packages form no cycles, and types no knots, is tested for all modules together, where the benchmarks are.
 */
class ArchitectureTest {
    private static final String API = "dev.rlm.sinks";
    private static final String EVENTS = "dev.rlm.sinks.event";
    private static final String SINKS = "dev.rlm.sinks..";
    private static final String CORE = "dev.rlm.sinks.core..";
    private static final String LANES = "dev.rlm.sinks.core.lane";
    private static final String DELIVERY = "dev.rlm.sinks.delivery";
    private static final String HTTP = "dev.rlm.sinks.delivery.http";
    private static final String REDACTION = "dev.rlm.sinks.redaction";
    private static final String TRACED = "dev.rlm.sinks.traced";
    private static final String TESTKIT = "dev.rlm.sinks.testkit..";
    private static final String JSONL = "dev.rlm.sinks.jsonl..";
    private static final String JOURNAL = "dev.rlm.journal..";
    private static final String FORM = "dev.rlm.journal.format..";
    private static final String OTEL = "dev.rlm.sinks.otel..";
    private static final String RECORD = "dev.rlm.sinks.record";
    private static final String MLFLOW = "dev.rlm.sinks.mlflow..";
    private static final String EPISODES = "dev.rlm.episodes..";
    private static final String JSON = "dev.rlm.json";
    private static final String MCP = "dev.rlm.tools.mcp..";
    private static final String RUNNER = "dev.rlm.runner..";
    private static final String RESCORE = "dev.rlm.runner.rescore";
    private static final String HISTORY = "dev.rlm.runner.history";
    private static final String JOURNAL_TOOLS = "dev.rlm.runs..";
    private static final String RECORDER = "dev.rlm.recorder..";
    private static final String GATEWAY = "dev.rlm.gateway..";
    private static final String COLLECTOR = "dev.rlm.collector..";
    private static final String CONSOLE = "dev.rlm.console..";
    private static final String VERBS = "dev.rlm.cli";
    private static final String ROLLOUTS = "dev.rlm.server.rollout";
    private static final String RECORDED = "dev.rlm.cli.recorded";
    private static final String LAUNCHER = "dev.rlm.cli.launcher..";

    private static JavaClasses classes;

    @BeforeAll
    static void readClasses() {
        classes = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .withImportOption(location -> !location.contains("-tests.jar")) // of another module
                .withImportOption(location -> !location.contains("/cli-testkit")) // tests of all modules
                .importPackages("dev.rlm");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                API,
                EVENTS,
                "dev.rlm.sinks.core",
                LANES,
                "dev.rlm.sinks.schema",
                JSON,
                DELIVERY,
                HTTP,
                REDACTION,
                TRACED,
                "dev.rlm.sinks.testkit",
                "dev.rlm.sinks.jsonl",
                "dev.rlm.journal",
                "dev.rlm.journal.format",
                "dev.rlm.sinks.otel",
                "dev.rlm.sinks.mlflow",
                "dev.rlm.episodes",
                "dev.rlm.tools.mcp",
                "dev.rlm.sinks.schema.statistics",
                VERBS,
                ROLLOUTS,
                RECORDED,
                "dev.rlm.cli.launcher",
                "dev.rlm.runs",
                "dev.rlm.runs.exchange",
                "dev.rlm.runs.report",
                "dev.rlm.recorder",
                "dev.rlm.gateway",
                "dev.rlm.collector",
                "dev.rlm.console",
                "dev.rlm.runner.job"
            })
    void classes_areFound(String packageName) {
        assertThat(classes.containPackage(packageName)).isTrue();
    }

    @Test
    void api_knowsNoneOfItsUsers_andNoLibrary() {
        classes()
                .that()
                .resideInAnyPackage(API, EVENTS)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(API, EVENTS, "java..", "org.slf4j..", "org.jspecify..")
                .check(classes);
    }

    @Test
    void delivery_knowsTheApiAlone() {
        classes()
                .that()
                .resideInAPackage(DELIVERY)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(DELIVERY, API, EVENTS, "java..", "javax.net.ssl", "org.slf4j..", "org.jspecify..")
                .check(classes);
    }

    @Test
    void http_knowsDeliveryAndItsLibraryAlone() {
        classes()
                .that()
                .resideInAPackage(HTTP)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        HTTP, DELIVERY, "java..", "javax.net..", "okhttp3..", "okio..", "org.jspecify..", "kotlin..")
                .check(classes);
    }

    @Test
    void events_knowNothingOfTheHub() {
        noClasses()
                .that()
                .resideInAPackage(EVENTS)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(API, CORE, REDACTION)
                .check(classes);
    }

    @Test
    void redaction_knowsNothingOfSinks() {
        noClasses()
                .that()
                .resideInAPackage(REDACTION)
                .should()
                .dependOnClassesThat(resideInAnyPackage(API, CORE)
                        .and(not(belongToAnyOf(Redactor.class, Findings.class, RedactionCounts.class))))
                .check(classes);
    }

    /** What it needs comes with it while it runs, and changes as it likes. */
    @Test
    void hub_isKnownToNobody() {
        noClasses()
                .that()
                .resideOutsideOfPackage(CORE)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(CORE)
                .check(classes);
    }

    @Test
    void searchForSecrets_isForTheHubAlone() {
        noClasses()
                .that()
                .resideOutsideOfPackages(CORE, REDACTION)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(REDACTION)
                .check(classes);
    }

    @ParameterizedTest
    @CsvSource("org.jctools..," + LANES)
    void library_isForOnePackageAlone(String library, String packageName) {
        noClasses()
                .that()
                .resideOutsideOfPackage(packageName)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library)
                .check(classes);
    }

    /** Whatever brings a provider of sinks is one. */
    @Test
    void sinks_knowNothingOfEachOther_butThatMlflowsTracesAreOpenTelemetrys() {
        List<String> sinks = classes.stream()
                .filter(type -> type.isAssignableTo(SinkProvider.class) && !type.isInterface())
                .map(JavaClass::getPackageName)
                .filter(name -> !name.startsWith("dev.rlm.sinks.testkit")) // it brings one that misbehaves
                .distinct()
                .toList();
        assertThat(sinks).hasSizeGreaterThanOrEqualTo(3);
        for (String sink : sinks) {
            String[] others = sinks.stream()
                    .filter(other -> !other.equals(sink))
                    .filter(other -> !(sink.equals("dev.rlm.sinks.mlflow") && other.equals("dev.rlm.sinks.otel")))
                    .map(other -> other + "..")
                    .toArray(String[]::new);
            noClasses()
                    .that()
                    .resideInAPackage(sink + "..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(others)
                    .check(classes);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {TESTKIT, TRACED, MCP, RUNNER, JOURNAL_TOOLS, GATEWAY, COLLECTOR, CONSOLE, LAUNCHER})
    void module_isKnownToNobody(String module) {
        noClasses()
                .that()
                .resideOutsideOfPackage(module)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(module)
                .check(classes);
    }

    /** Its requests are answered on one port with OTLP's. */
    @Test
    void recorder_isKnownToTheCollectorAlone() {
        noClasses()
                .that()
                .resideOutsideOfPackages(RECORDER, COLLECTOR)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(RECORDER)
                .check(classes);
    }

    @Test
    void sinks_areKnownToNoUser() {
        noClasses()
                .that()
                .resideOutsideOfPackages(JSONL, OTEL, MLFLOW)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(JSONL, OTEL, MLFLOW)
                .check(classes);
    }

    @Test
    void journal_isKnownToVerbsAlone_andKnowsNoSink() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        JOURNAL,
                        JSONL,
                        RECORD,
                        VERBS,
                        ROLLOUTS,
                        RECORDED,
                        RUNNER,
                        JOURNAL_TOOLS,
                        RECORDER,
                        GATEWAY,
                        COLLECTOR,
                        CONSOLE)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(JOURNAL)
                .check(classes);
    }

    /** Writer and reader of the journal share the form of a line and of a folder, and nothing else. */
    @Test
    void writingTheJournal_knowsItsFormAlone() {
        noClasses()
                .that()
                .resideInAnyPackage(JSONL, RECORD, FORM)
                .should()
                .dependOnClassesThat(resideInAPackage(JOURNAL).and(resideOutsideOfPackage(FORM)))
                .check(classes);
    }

    @Test
    void sinks_knowNothingOfEpisodes() {
        noClasses()
                .that()
                .resideInAPackage(SINKS)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(EPISODES)
                .check(classes);
    }

    @Test
    void protocolsOfTools_areForTheirModuleAlone() {
        noClasses()
                .that()
                .resideOutsideOfPackage(MCP)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.modelcontextprotocol..", "reactor..")
                .check(classes);
    }

    @Test
    void jsonTrees_areReadAndWrittenInOnePlace() {
        noClasses()
                .that()
                .resideOutsideOfPackages(JSON, MCP)
                .should()
                .dependOnClassesThat(
                        assignableTo(ObjectMapper.class).or(resideInAPackage("tools.jackson.databind.json")))
                .check(classes);
    }

    @Test
    void sendingByOtlp_knowsNothingOfRuns() {
        noClasses()
                .that()
                .resideInAPackage("dev.rlm.sinks.otel.otlp")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        API,
                        EVENTS,
                        "dev.rlm.sinks.otel",
                        "dev.rlm.sinks.otel.mapping",
                        "dev.rlm.sinks.otel.spans",
                        "dev.rlm.sinks.otel.metrics",
                        "dev.rlm.sinks.otel.settings",
                        "dev.rlm.sinks.otel.export",
                        "dev.rlm.sinks.otel.files")
                .check(classes);
    }

    /** Parts of verbs are for modules that have some. */
    @Test
    void verbs_areKnownToThoseThatHaveThem() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "dev.rlm.cli..",
                        "dev.rlm.server..",
                        RUNNER,
                        JOURNAL_TOOLS,
                        RECORDER,
                        GATEWAY,
                        COLLECTOR,
                        CONSOLE)
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.rlm.cli..")
                .check(classes);
    }

    @Test
    void runner_knowsTheJournalOnlyWhereJobsGoOn_andWhereItReadsRecords() {
        noClasses()
                .that()
                .resideInAPackage(RUNNER)
                .and()
                .resideOutsideOfPackages("dev.rlm.runner.job", RESCORE, HISTORY)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(JOURNAL)
                .check(classes);
    }

    @Test
    void statistics_knowNothingOfRuns() {
        noClasses()
                .that()
                .resideInAPackage("dev.rlm.sinks.schema.statistics")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(API, EVENTS, JOURNAL)
                .check(classes);
    }
}
