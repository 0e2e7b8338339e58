package dev.rlm.runner;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The arrows between the modules: all run towards the API, and between sinks one alone, from MLflow to OpenTelemetry. */
class ArchitectureTest {
    private static final String API = "dev.rlm.sinks";
    private static final String EVENTS = "dev.rlm.sinks.event";
    private static final String LANES = "dev.rlm.sinks.lane";
    private static final String REDACTION = "dev.rlm.sinks.redaction";
    private static final String TESTKIT = "dev.rlm.sinks.testkit..";
    private static final String JSONL = "dev.rlm.sinks.jsonl..";
    private static final String OTEL = "dev.rlm.sinks.otel..";
    private static final String MLFLOW = "dev.rlm.sinks.mlflow..";
    private static final String EPISODES = "dev.rlm.episodes..";
    private static final String MCP = "dev.rlm.tools.mcp..";
    private static final String RUNNER = "dev.rlm.runner..";

    private static JavaClasses classes;

    @BeforeAll
    static void readClasses() {
        classes = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .withImportOption(location -> !location.contains("-tests.jar")) // of another module
                .importPackages("dev.rlm");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                API,
                EVENTS,
                LANES,
                REDACTION,
                "dev.rlm.sinks.testkit",
                "dev.rlm.sinks.jsonl",
                "dev.rlm.sinks.otel",
                "dev.rlm.sinks.mlflow",
                "dev.rlm.episodes",
                "dev.rlm.tools.mcp",
                "dev.rlm.runner.cli",
                "dev.rlm.runner.exchange",
                "dev.rlm.runner.journal",
                "dev.rlm.runner.record",
                "dev.rlm.runner.report",
                "dev.rlm.runner.report.statistics"
            })
    void classes_areFound(String packageName) {
        assertThat(classes.containPackage(packageName)).isTrue();
    }

    @Test
    void api_knowsNoneOfItsUsers_andFewLibraries() {
        classes()
                .that()
                .resideInAnyPackage(API, EVENTS, LANES, REDACTION)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        API,
                        EVENTS,
                        LANES,
                        REDACTION,
                        "java..",
                        "javax.crypto..",
                        "org.slf4j..",
                        "org.jctools..",
                        "com.google.re2j..",
                        "org.jspecify..")
                .check(classes);
    }

    @Test
    void events_knowNothingOfTheHub() {
        noClasses()
                .that()
                .resideInAPackage(EVENTS)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(API, LANES, REDACTION)
                .check(classes);
    }

    @Test
    void redaction_knowsNothingOfSinks() {
        noClasses()
                .that()
                .resideInAPackage(REDACTION)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(API, LANES)
                .check(classes);
    }

    @Test
    void lanes_areForTheHubAlone() {
        noClasses()
                .that()
                .resideOutsideOfPackages(API, LANES)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(LANES)
                .check(classes);
    }

    @ParameterizedTest
    @CsvSource({
        TESTKIT + "," + JSONL,
        TESTKIT + "," + OTEL,
        TESTKIT + "," + MLFLOW,
        TESTKIT + "," + RUNNER,
        JSONL + "," + TESTKIT,
        JSONL + "," + OTEL,
        JSONL + "," + MLFLOW,
        JSONL + "," + RUNNER,
        OTEL + "," + TESTKIT,
        OTEL + "," + JSONL,
        OTEL + "," + MLFLOW,
        OTEL + "," + RUNNER,
        MLFLOW + "," + TESTKIT,
        MLFLOW + "," + JSONL,
        MLFLOW + "," + EPISODES,
        MLFLOW + "," + RUNNER,
        EPISODES + "," + TESTKIT,
        EPISODES + "," + JSONL,
        EPISODES + "," + OTEL,
        EPISODES + "," + MLFLOW,
        EPISODES + "," + RUNNER,
        JSONL + "," + EPISODES,
        OTEL + "," + EPISODES,
        TESTKIT + "," + EPISODES,
        RUNNER + "," + TESTKIT,
        RUNNER + "," + OTEL,
        RUNNER + "," + MLFLOW,
        RUNNER + "," + MCP,
        MCP + "," + TESTKIT,
        MCP + "," + JSONL,
        MCP + "," + OTEL,
        MCP + "," + MLFLOW,
        MCP + "," + RUNNER,
        EPISODES + "," + MCP,
    })
    void module_doesNotKnow(String module, String other) {
        noClasses()
                .that()
                .resideInAPackage(module)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(other)
                .check(classes);
    }

    @Test
    void protocolsOfTools_areForTheirModuleAlone() {
        noClasses()
                .that()
                .resideOutsideOfPackage(MCP)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.modelcontextprotocol..", "reactor..", "tools.jackson.databind..")
                .check(classes);
    }

    @Test
    void sendingByOtlp_knowsNothingOfRuns() {
        noClasses()
                .that()
                .resideInAPackage("dev.rlm.sinks.otel.otlp")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(API, EVENTS, "dev.rlm.sinks.otel")
                .check(classes);
    }

    @Test
    void runner_knowsTheJournalOnlyWhereItReadsItOrItsForm() {
        noClasses()
                .that()
                .resideInAPackage(RUNNER)
                .and()
                .resideOutsideOfPackages(
                        "dev.rlm.runner.journal..",
                        "dev.rlm.runner.report",
                        "dev.rlm.runner.record..",
                        "dev.rlm.runner.exchange..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(JSONL)
                .check(classes);
    }

    @Test
    void statistics_knowNothingOfRuns() {
        noClasses()
                .that()
                .resideInAPackage("dev.rlm.runner.report.statistics")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(API, EVENTS, JSONL, "dev.rlm.runner.report")
                .check(classes);
    }
}
