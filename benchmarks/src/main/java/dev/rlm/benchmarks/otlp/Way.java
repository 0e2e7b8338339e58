package dev.rlm.benchmarks.otlp;

import java.io.IOException;

/** The ways to bring steps to a receiver, by the names that programs are given. */
enum Way {
    /** OpenTelemetry called by hand, with its default settings. */
    RAW_DEFAULTS("grpc"),
    /** OpenTelemetry called by hand, set up as the sink is. */
    RAW_LIKE_RLM(Way.PROTOCOL),
    /** The hub with the sink. */
    RLM(Way.PROTOCOL),
    /** The same, which redacts nothing. */
    RLM_UNREDACTED(Way.PROTOCOL),
    /** The hub with the sink and the journal. */
    RLM_ALL(Way.PROTOCOL);

    static final String PROTOCOL = "http/protobuf";

    private final String protocol;

    Way(String protocol) {
        this.protocol = protocol;
    }

    StepFeed open(CountingReceiver receiver) throws IOException {
        String endpoint = receiver.endpoint(protocol);
        return switch (this) {
            case RAW_DEFAULTS -> RawFeed.byDefault(endpoint);
            case RAW_LIKE_RLM -> RawFeed.likeTheSink(endpoint);
            case RLM -> RlmFeed.ofTraces(endpoint, true);
            case RLM_UNREDACTED -> RlmFeed.ofTraces(endpoint, false);
            case RLM_ALL -> RlmFeed.ofAll(endpoint);
        };
    }
}
