package dev.rlm.sinks.record;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.SinkProvider;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/** Makes the sink {@code record} from the configuration. */
public final class RecordSinkProvider implements SinkProvider {
    @Override
    public String name() {
        return RecordSink.NAME;
    }

    @Override
    public String description() {
        return "events, sent to an rlm record or rlm collect";
    }

    @Override
    public boolean isDurable() {
        return true;
    }

    @Override
    public List<Variable> variables() {
        return List.of(
                new Variable(
                        "RLM_RECORD_URL",
                        "",
                        "the rlm record or rlm collect that takes the events, without /v1/events"),
                new Variable("RLM_RECORD_TOKEN", "", "signs in there"),
                new Variable("RLM_RECORD_GIVE_UP", "10m", "how long events are sent again until they are recorded"));
    }

    @Override
    public Sink create(SinkConfig config) {
        URI url = config.url("URL")
                .orElseThrow(
                        () -> new SinkConfigException(
                                config.variable("URL")
                                        + " is not set: expected the address of an rlm record or rlm collect, such as http://localhost:4711"));
        if (url.getRawUserInfo() != null || url.getRawQuery() != null) {
            throw config.invalid("URL", "an address without user and query: " + config.variable("TOKEN") + " signs in");
        }
        Duration giveUp = config.duration("GIVE_UP", RecordSink.GIVE_UP);
        if (giveUp.isZero()) {
            throw config.invalid("GIVE_UP", "a time above 0");
        }
        return new RecordSink(url, config.string("TOKEN").orElse(null), giveUp);
    }
}
