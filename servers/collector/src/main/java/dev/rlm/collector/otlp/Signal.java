package dev.rlm.collector.otlp;

import java.util.Arrays;
import java.util.Optional;

/** Signal of OTLP. */
public enum Signal {
    TRACES("trace", "Trace", "Spans", "spans"),
    LOGS("logs", "Logs", "Logs", "logRecords"),
    METRICS("metrics", "Metrics", "Metrics", "metrics");

    private final String path;
    private final String service;
    private final String containers;
    private final String records;

    Signal(String packageName, String service, String containers, String records) {
        this.path = "/v1/" + (packageName.equals("trace") ? "traces" : packageName);
        this.service = "/opentelemetry.proto.collector." + packageName + ".v1." + service + "Service/Export";
        this.containers = containers;
        this.records = records;
    }

    /** Returns the signal whose requests go to a path, of HTTP or of gRPC. */
    public static Optional<Signal> at(String path) {
        return Arrays.stream(values())
                .filter(each -> path.equals(each.path) || path.equals(each.service))
                .findFirst();
    }

    /** Returns the name of the list that a request is. */
    String ofResource() {
        return "resource" + containers;
    }

    String ofScope() {
        return "scope" + containers;
    }

    String records() {
        return records;
    }

    /** Returns the name of the count of what was refused. */
    String rejected() {
        return switch (this) {
            case TRACES -> "rejectedSpans";
            case LOGS -> "rejectedLogRecords";
            case METRICS -> "rejectedDataPoints";
        };
    }

    ProtoMessage message() {
        return switch (this) {
            case TRACES -> ProtoMessage.SPAN;
            case LOGS -> ProtoMessage.LOG_RECORD;
            case METRICS -> ProtoMessage.METRIC;
        };
    }
}
