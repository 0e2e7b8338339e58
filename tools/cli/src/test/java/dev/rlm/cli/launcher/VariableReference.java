package dev.rlm.cli.launcher;

import dev.rlm.cli.program.SinkVariables;
import dev.rlm.sinks.HubProvider;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider;
import dev.rlm.sinks.SinkProvider.Variable;
import dev.rlm.sinks.Sinks;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;

/** The page {@code docs/configuration.md}: the variables, as the code that reads them declares them. */
final class VariableReference {
    private static final String INTRODUCTION = """
            # Configuration
            `ReferenceTest` makes this page of what the code declares, and compares both in each build; `-Drlm.docs.update=true` writes it.

            A system property counts before the variable, an option of the [command line](cli.md) before both: `rlm.otel.enabled` is `RLM_OTEL_ENABLED`. A file
            may have what neither says, in lines such as `RLM_OTEL_ENABLED=true`: `rlm.properties` in the working folder, or the file that `RLM_CONFIG` names. Of the former what is the user's to say counts only [where the folder is trusted](security.md#settings-that-came-with-a-folder).

            | value | form |
            | --- | --- |
            | times | `250ms`, `1.5s`, `30m`, `12h`, `7d`, here as on the command line |
            | sizes | `500KB`, `64MB`, `1.5GiB` |
            | switches | true is 1, true, yes, on; false is 0, false, no, off; anything else is an error |

            A variable that begins with `RLM_` and that nothing reads is told in a line, with the name that was probably meant. `rlm sinks` prints the variables of the
            sinks that are there, those of plug-ins too.

            """;

    /** Variables that no class declares. */
    private static final String OTHERS = """
            ## Terminal, trace and launcher
            | variable | default | meaning |
            | --- | --- | --- |
            | `NO_COLOR` | | turns colours off; so does `TERM=dumb` |
            | `COLUMNS` | the terminal's | how wide tables may be on a terminal |
            | `TRACEPARENT`, `TRACESTATE`, `BAGGAGE` | | [the trace](telemetry.md#one-trace-over-several-processes) that the runs of `rlm run` join; what is not valid is ignored |
            | `JAVA_HOME` | the `java` of the `PATH` | the JDK with which `./rlm` builds and runs |
            | `SPARK_HOME` | a download | [the Spark](spark.md) of `--engine spark` and `rlm spark-report` |

            ## OpenTelemetry's own
            All hold, but for [a few defaults](telemetry.md#settings).

            | variable | default | meaning |
            | --- | --- | --- |
            | `OTEL_*` | as OpenTelemetry defines | endpoint, protocol, headers, certificates, sampler, resource … |
            | `OTEL_EXPORTER_OTLP_TIMEOUT` | 10 s | how long one request may take |
            | `OTEL_BSP_EXPORT_TIMEOUT` | 30 s | how long a batch may take with all attempts |
            | `OTEL_JAVA_EXPORTER_OTLP_RETRY_DISABLED` | `false` | true: no request is made a second time |

            ## Former names
            `DSPY_RLM_OTEL_ENABLED` and `DSPY_RLM_OTEL_METRICS_ENABLED` are read, with a warning, where `RLM_OTEL_ENABLED` and `RLM_OTEL_METRICS_ENABLED` are not set.

            ## Programs that record themselves
            | variable | read by |
            | --- | --- |
            | `RLM_RECORD_URL`, `RLM_RECORD_TOKEN`, `RLM_RECORD_TOKEN_FILE`, `RLM_RECORD_COMMAND` | the package [rlm-record](python.md#which-recorder) for Python |
            | `RLM_AGENT_SHARE` | agents on [frameworks](frameworks.md) |

            ## Set for programs that rlm starts
            | variable | set by |
            | --- | --- |
            | `RLM_RUN_ID`, `RLM_ROLLOUT_ID`, `RLM_SAMPLE_ID`, `RLM_SEED`, `RLM_MODEL` | `rlm run --policy exec`, for [the program](exec.md) |
            | `RLM_WRAP_EXIT_CODE` | `rlm wrap`, for the command of [`--reward-command`](wrap.md#the-reward) |
            | `RLM_OTELCOL_TOKEN` | `rlm collect --collector otelcol`, for [the collector](collect.md#a-command) |
            """;

    private static final List<Variable> EACH_SINK = List.of(
            new Variable("RLM_<NAME>_ENABLED", "", "whether the sink of that name is used"),
            new Variable("RLM_<NAME>_REQUIRED", "false", "whether the start fails where that sink cannot be made"));

    private static final Map<String, String> PAGES = Map.of(
            "jsonl", "../sink-jsonl/SCHEMA.md",
            "otel", "telemetry.md",
            "otlp-file", "telemetry.md#a-file-of-spans",
            "mlflow", "mlflow.md#variables",
            "record", "spark.md#sink-record",
            "rollout-status", "trainers.md#statuses-from-programs-of-your-own");

    private VariableReference() {}

    static String page() {
        SinkConfig config = SinkConfig.of(Map.of());
        List<SinkProvider> providers = Sinks.providers(config).stream()
                .filter(provider -> CommandReference.isShipped(provider.getClass()))
                .sorted(Comparator.comparing(SinkProvider::isEnabledByDefault)
                        .reversed()
                        .thenComparing(SinkProvider::name))
                .toList();
        SinkVariables variables = new SinkVariables(config, providers);
        List<Variable> all = new ArrayList<>(EACH_SINK);
        all.addAll(
                ServiceLoader.load(HubProvider.class).findFirst().orElseThrow().variables());
        String page = INTRODUCTION
                + table("Program", "", SinkVariables.PROGRAMS)
                + table("Commands", "", CommandReference.variables())
                + table("All sinks", "", all);
        for (SinkProvider provider : providers) {
            String name = provider.name();
            String about = provider.description().substring(0, 1).toUpperCase(Locale.ROOT)
                    + provider.description().substring(1) + ". [More](" + PAGES.get(name) + ").\n\n";
            List<Variable> own = new ArrayList<>(variables.of(name));
            own.removeIf(variable -> variable.name().contains(SinkVariables.ITS_NAME)); // those of further sinks
            page += table("Sink " + name, about, own);
            if (provider.allowsSeveral()) {
                String further = name + "-" + SinkVariables.ITS_NAME;
                page += table(
                        "Further sinks of " + name,
                        "For [several back ends](telemetry.md#several-back-ends): `" + further + "`.\n\n",
                        variables.of(further));
            }
        }
        return page + OTHERS;
    }

    private static String table(String title, String about, List<Variable> variables) {
        StringBuilder table =
                new StringBuilder("## ").append(title).append('\n').append(about);
        table.append("| variable | default | meaning |\n| --- | --- | --- |\n");
        for (Variable variable : variables) {
            String value = variable.defaultValue();
            table.append("| `%s` | %s | %s |\n"
                    .formatted(
                            variable.name(),
                            value.isEmpty() || value.contains(" ") ? CommandReference.text(value) : "`" + value + "`",
                            CommandReference.text(variable.meaning()))
                    .replace("|  ", "| "));
        }
        return table.append('\n').toString();
    }
}
