package dev.rlm.collector;

import dev.rlm.collector.otlp.Attributes;
import dev.rlm.json.Json;
import dev.rlm.sinks.event.MetricsReported;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Numbers of training among the metrics of one request: gauges and sums such as {@code rlm.trainer.loss}. Of one thread. */
final class TrainingNumbers {
    private static final Pattern NAME =
            Pattern.compile("rlm\\.(" + String.join("|", MetricsReported.CATEGORIES) + ")\\.(.+)");
    private static final Pattern TOLD_BY_SPANS = Pattern.compile("(rlm|gen_ai)\\..*");
    private static final String KEPT = "of metrics only gauges and sums without attributes are kept that are named rlm."
            + String.join(".*, rlm.", MetricsReported.CATEGORIES) + ".*";
    private static final String NO_STEP =
            "numbers of training need one that says how far it is: " + String.join(", ", MetricsReported.STEP_FIELDS);

    private final BinaryOperator<String> redaction;
    private final Map<Group, Map<String, Double>> groups = new LinkedHashMap<>();
    private long left;
    private String reason = "";

    TrainingNumbers(BinaryOperator<String> redaction) {
        this.redaction = redaction;
    }

    /** Takes the data points of a metric that are such numbers, and counts all others. */
    void add(ObjectNode resource, ObjectNode metric) {
        Matcher name = NAME.matcher(metric.path("name").stringValue(""));
        boolean training = name.matches();
        for (String kind : List.of("gauge", "sum", "histogram", "exponentialHistogram", "summary")) {
            for (JsonNode point : Json.elements(metric.path(kind).path("dataPoints"))) {
                Double value = value(point);
                Long time = Attributes.wholeOf(point.path("timeUnixNano"));
                boolean alone = point.path("attributes").isEmpty();
                if (training && alone && value != null && time != null && time > 0) {
                    groups.computeIfAbsent(new Group(resource.hashCode(), name.group(1), time), key -> new TreeMap<>())
                            .put(redaction.apply("", name.group(2)), value);
                } else if (!training
                        && TOLD_BY_SPANS
                                .matcher(metric.path("name").stringValue(""))
                                .matches()) {
                    leave(0, "of metrics rlm.* and gen_ai.* are not kept, since spans tell the same");
                } else {
                    leave(1, KEPT);
                }
            }
        }
    }

    private static @Nullable Double value(JsonNode point) {
        Long whole = Attributes.wholeOf(point.path("asInt"));
        return whole != null ? (Double) whole.doubleValue() : Json.number(point.path("asDouble"));
    }

    private void leave(int count, String why) {
        left += count;
        reason = count > 0 || reason.isEmpty() ? why : reason;
    }

    /**
     * Returns the numbers as events, those of one sender, category and moment as one, where they differ from the ones before: a
     * gauge is sent again and again as long as it stands.
     *
     * @param latest what was reported last by sender and category; it is brought up to date
     */
    List<MetricsReported> news(Map<String, MetricsReported> latest) {
        List<MetricsReported> news = new ArrayList<>();
        groups.entrySet().stream()
                .sorted(Comparator.comparingLong(each -> each.getKey().time()))
                .forEach(each -> news(each.getKey(), each.getValue(), latest).ifPresent(news::add));
        return news;
    }

    private Optional<MetricsReported> news(
            Group group, Map<String, Double> values, Map<String, MetricsReported> latest) {
        Optional<String> step = MetricsReported.stepField(values);
        if (step.isEmpty()) {
            leave(values.size(), NO_STEP);
            return Optional.empty();
        }
        Instant time = Instant.ofEpochSecond(0, group.time());
        MetricsReported event = new MetricsReported(time, group.category(), step.get(), values);
        MetricsReported before = latest.put(group.sender() + "/" + group.category(), event);
        return Optional.of(event).filter(e -> before == null || !before.values().equals(e.values()));
    }

    /** Returns how many data points are not kept. */
    long left() {
        return left;
    }

    /** Returns why; empty where all are kept. */
    String reason() {
        return reason;
    }

    private record Group(int sender, String category, long time) {}
}
