package com.example.webhook;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider;
import java.net.URI;
import java.util.List;

/** Makes the sink {@code webhook} from {@code RLM_WEBHOOK_URL} and {@code RLM_WEBHOOK_TOKEN}. */
public final class WebhookSinkProvider implements SinkProvider {
    @Override
    public String name() {
        return "webhook";
    }

    @Override
    public String description() {
        return "runs and rewards as JSON, posted to an address";
    }

    @Override
    public List<Variable> variables() {
        return List.of(
                new Variable("RLM_WEBHOOK_URL", "http://localhost:8080", "where events are posted to"),
                new Variable("RLM_WEBHOOK_TOKEN", "", "signs in"));
    }

    @Override
    public Sink create(SinkConfig config) {
        URI url = config.url("URL").orElse(URI.create("http://localhost:8080"));
        return new WebhookSink(url, config.string("TOKEN").orElse(""));
    }
}
