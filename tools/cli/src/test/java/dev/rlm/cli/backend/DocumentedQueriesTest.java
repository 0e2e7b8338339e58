package dev.rlm.cli.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.otel.backend.MlflowServer;
import dev.rlm.sinks.otel.backend.PrometheusServer;
import dev.rlm.sinks.otel.backend.TempoServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The queries that the documentation gives are understood by those to whom they are put. */
@Tag("thorough")
class DocumentedQueriesTest {
    private static final Pattern IN_TABLE = Pattern.compile("^\\| (`+)(.+?)\\1 \\|", Pattern.MULTILINE);

    @Test
    void traceQl_isUnderstoodByTempo() throws IOException {
        try (TempoServer tempo = TempoServer.start()) {
            each(
                    "grafana.md",
                    "\\{ .*",
                    query -> assertThat(tempo.search(query, 1)).isEmpty());
        }
    }

    @Test
    void promQl_isUnderstoodByPrometheus() throws IOException {
        try (PrometheusServer prometheus = PrometheusServer.start()) {
            each(
                    "grafana.md",
                    ".*\\(.*",
                    query -> assertThat(prometheus.query(query)).isEmpty());
        }
    }

    @Test
    void filters_areUnderstoodByMlflow() throws IOException {
        try (MlflowServer mlflow = MlflowServer.start()) {
            String experiment = mlflow.createExperiment("empty");
            each(
                    "mlflow.md",
                    ".* = '.*",
                    filter -> assertThat(mlflow.traces(experiment, filter)).isEmpty());
        }
    }

    /** Does something with each query of that form in the tables of a page. */
    private static void each(String page, String form, Consumer<String> action) throws IOException {
        List<String> queries = IN_TABLE.matcher(Files.readString(Path.of("..", "..", "docs", page)))
                .results()
                .map(found -> found.group(2))
                .filter(query -> query.matches(form))
                .toList();
        assertThat(queries).hasSizeGreaterThan(3);
        queries.forEach(action);
    }
}
