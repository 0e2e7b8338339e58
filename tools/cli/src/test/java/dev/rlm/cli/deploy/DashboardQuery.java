package dev.rlm.cli.deploy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A query of a panel in one of the dashboards' files.
 *
 * @param name the dashboard's file, the panel's title and, where the panel has several, the query's own name
 * @param source {@code prometheus} or {@code tempo}
 * @param isRange whether it is for a range, and not for the range's end
 * @param isSum whether the panel shows what there was in each interval, so that its values add up
 * @param limit how many traces it asks for
 */
record DashboardQuery(
        String name, String source, String text, boolean isRange, boolean isSum, boolean hasExemplars, int limit) {
    private static final JsonMapper JSON = new JsonMapper();

    static List<DashboardQuery> all(String source) {
        try (Stream<Path> files = Files.list(GrafanaStack.FOLDER.resolve("dashboards"))) {
            return files.sorted()
                    .flatMap(DashboardQuery::all)
                    .filter(query -> query.source.equals(source))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<DashboardQuery> all(Path file) {
        String dashboard = file.getFileName().toString().replace(".json", "");
        return JSON.readTree(file)
                .path("panels")
                .valueStream()
                .flatMap(panel -> panel.path("targets").valueStream().map(target -> of(dashboard, panel, target)));
    }

    private static DashboardQuery of(String dashboard, JsonNode panel, JsonNode target) {
        String source = target.path("datasource").path("type").asString();
        String style = panel.at("/fieldConfig/defaults/custom/drawStyle").asString("");
        String ref = target.path("refId").asString();
        return new DashboardQuery(
                dashboard + ": " + panel.path("title").asString() + (ref.equals("A") ? "" : ": " + ref),
                source,
                target.path(source.equals("tempo") ? "query" : "expr").asString(),
                target.path("range").asBoolean(false),
                style.equals("bars") || panel.path("type").asString().equals("heatmap"),
                target.path("exemplar").asBoolean(false),
                target.path("limit").asInt(0));
    }

    /** Whether it is a number of things, or a sum, of which the parts of a range add up to the whole. */
    boolean isTotal() {
        return text.startsWith("sum") && !text.contains(") / ") && !text.contains("rlm_runs_active");
    }

    /** The query with its variables replaced as Grafana does, where nothing is chosen but the range. */
    String text(Duration range, Duration interval) {
        String replaced = text;
        for (Map.Entry<String, String> variable : Map.of(
                        "$__range",
                        range.toSeconds() + "s",
                        "$__interval",
                        interval.toSeconds() + "s",
                        "$environment",
                        ".*",
                        "$model",
                        ".*")
                .entrySet()) {
            replaced = replaced.replace(variable.getKey(), variable.getValue());
        }
        if (replaced.contains("$")) {
            throw new AssertionError("a variable that the test does not know: " + replaced);
        }
        return replaced;
    }
}
