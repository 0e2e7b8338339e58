package dev.rlm.sinks.otel.backend;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** One series of a query's result, with one sample where the query was for one time. */
public record PrometheusSeries(Map<String, String> labels, List<Sample> samples) {

    /** A value at a time, in seconds since 1970. */
    public record Sample(double seconds, double value) {}

    /** The last sample's value. */
    public double value() {
        return samples.get(samples.size() - 1).value();
    }

    static PrometheusSeries of(JsonNode series) {
        List<Sample> samples = new ArrayList<>();
        if (series.has("value")) {
            samples.add(sample(series.path("value")));
        }
        series.path("values").valueStream().map(PrometheusSeries::sample).forEach(samples::add);
        return new PrometheusSeries(PrometheusServer.labels(series.path("metric")), samples);
    }

    private static Sample sample(JsonNode pair) {
        return new Sample(pair.path(0).asDouble(), number(pair.path(1).asString()));
    }

    private static double number(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }
}
