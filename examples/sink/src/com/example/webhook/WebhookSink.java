package com.example.webhook;

import dev.rlm.sinks.delivery.BatchLimits;
import dev.rlm.sinks.delivery.BatchingSink;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.RetryPolicy;
import dev.rlm.sinks.delivery.http.AnswerReader;
import dev.rlm.sinks.delivery.http.HttpTransport;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;

/** Posts events in arrays of JSON, up to 500 of them or 1 MiB in a request, and up to four requests at once. */
final class WebhookSink extends BatchingSink<String> {
    private static final BatchLimits LIMITS = BatchLimits.of(500, 1 << 20).inFlight(4);
    private static final Duration TIMEOUT = Duration.ofSeconds(10); // of one request
    private static final Duration GIVE_UP = Duration.ofSeconds(30); // with all attempts
    private static final MediaType JSON = MediaType.get("application/json");

    private final HttpTransport http = new HttpTransport(TIMEOUT);
    private final String url;
    private final String token;

    WebhookSink(URI url, String token) {
        super(url.getScheme() + "://" + url.getAuthority(), LIMITS, RetryPolicy.upTo(GIVE_UP));
        this.url = url.toString();
        this.token = token;
    }

    @Override
    public Collection<String> secrets() {
        return token.isEmpty() ? List.of() : List.of(token);
    }

    /** Events that belong to no run are not sent. */
    @Override
    protected String encode(Event event) {
        if (!(event instanceof RunEvent inRun)) {
            return null;
        }
        StringBuilder json = new StringBuilder("{\"type\":").append(quoted(event.type().name()));
        json.append(",\"run_id\":").append(quoted(inRun.run().runId()));
        json.append(",\"seq\":").append(inRun.seq());
        json.append(",\"time\":").append(quoted(inRun.time().toString()));
        if (event instanceof RewardGiven reward && !reward.isAbsent()) {
            json.append(",\"value\":").append(quoted(Double.toString(reward.value()))); // may be infinite
        } else if (event instanceof RunEnded end) {
            if (end.isDecided()) {
                json.append(",\"solved\":").append(end.solved());
            }
            json.append(",\"answer\":").append(quoted(end.finalAnswer() == null ? "" : end.finalAnswer().text()));
        }
        return json.append('}').toString();
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c)) { // also half a pair
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    @Override
    protected long size(String json) {
        return json.length();
    }

    @Override
    protected CompletionStage<Optional<Failure>> send(List<String> events) {
        Request.Builder request =
                new Request.Builder().url(url).post(RequestBody.create("[" + String.join(",", events) + "]", JSON));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        return http.send(request.build(), AnswerReader.STATUS);
    }

    @Override
    public void close() {
        super.close();
        http.close();
    }
}
