package dev.rlm.sinks.record;

import dev.rlm.journal.format.EventWriter;
import dev.rlm.journal.format.JsonLine;
import dev.rlm.json.Json;
import dev.rlm.sinks.delivery.BatchLimits;
import dev.rlm.sinks.delivery.BatchingSink;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.RetryPolicy;
import dev.rlm.sinks.delivery.ServerText;
import dev.rlm.sinks.delivery.http.AnswerReader;
import dev.rlm.sinks.delivery.http.HttpTransport;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.schema.EventSchema;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Sink that sends events to an {@code rlm record} or {@code rlm collect}, which records them: as the journal writes them, in order,
 * one request at a time. An event counts as delivered when it is synced there. What is sent again after an answer was lost is
 * known there by its number.
 */
public final class RecordSink extends BatchingSink<String> {
    /** Name of the sink. */
    public static final String NAME = "record";

    /** Time for which events are sent again unless told. */
    public static final Duration GIVE_UP = Duration.ofMinutes(10);

    private static final int MAX_EVENTS = 1_000;
    private static final int MAX_CHARS = 4 << 20;
    private static final BatchLimits LIMITS =
            BatchLimits.of(MAX_EVENTS, MAX_CHARS).linger(Duration.ofMillis(250));
    private static final Duration TIMEOUT = Duration.ofSeconds(60); // of one request, which waits for a disk
    private static final MediaType LINES = MediaType.get("application/x-ndjson");

    private final HttpTransport http = new HttpTransport(TIMEOUT);
    private final String url;
    private final @Nullable String token;

    /**
     * Makes the sink.
     *
     * @param base the address that {@code /v1/events} is below
     * @param token what signs in there; {@code null} for nothing
     * @param giveUp how long events are sent again
     */
    public RecordSink(URI base, @Nullable String token, Duration giveUp) {
        super(base.toString(), LIMITS, RetryPolicy.upTo(giveUp));
        this.url = base.toString().replaceFirst("/+$", "") + "/v1/events";
        this.token = token;
    }

    @Override
    public boolean isDurable() {
        return true;
    }

    @Override
    public Collection<String> secrets() {
        return token == null ? List.of() : List.of(token);
    }

    /** The state of the sinks here is no event of the process there. */
    @Override
    protected @Nullable String encode(Event event) {
        if (event.type() == EventType.LEDGER_REPORTED) {
            return null;
        }
        String line = JsonLine.text(json -> EventWriter.write(event, json));
        return isBesideSteps(event) ? line.substring(0, line.length() - 1) + ",\"step\":0}" : line;
    }

    /** Returns whether it could lie in a step, and does not: a line that says no step is taken for one of the step that is open. */
    private static boolean isBesideSteps(Event event) {
        return event instanceof RunEvent ofRun
                && ofRun.step() == RunEvent.NO_STEP
                && EventSchema.of(event.type()).isInSteps();
    }

    @Override
    protected long size(String line) {
        return line.length();
    }

    @Override
    protected CompletionStage<Optional<Failure>> send(List<String> batch) {
        Request.Builder request =
                new Request.Builder().url(url).post(RequestBody.create(String.join("\n", batch), LINES));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return http.send(request.build(), new LineAnswers());
    }

    @Override
    public void beginClose(Duration timeout) {
        http.endBy(System.nanoTime() + timeout.toNanos() / 10 * 9);
        super.beginClose(timeout);
    }

    @Override
    public void close() {
        super.close();
        http.close();
    }

    /** Reader of an answer for each line. */
    private static final class LineAnswers implements AnswerReader {
        @Override
        public @Nullable Failure read(Response response) throws IOException {
            if (!response.isSuccessful()) {
                return FAULTS_PASS.read(response);
            }
            long refused = 0;
            String first = "";
            try (BufferedReader answers = new BufferedReader(response.body().charStream())) {
                for (String line = answers.readLine(); line != null; line = answers.readLine()) {
                    JsonNode answer = Json.REPLY.object(line);
                    String error = answer.path("error").stringValue("");
                    if (answer.path("retry").booleanValue(false)) {
                        return Failure.of("not_synced", "not synced there", Failure.Remedy.RETRY)
                                .said(said(response, error));
                    } else if (!answer.path("ok").booleanValue(false)
                            && !answer.path("repeated").booleanValue(false)) {
                        first = refused++ == 0 ? error : first;
                    }
                }
            } catch (JacksonException e) {
                return Failure.of("bad_answer", "no answer of an rlm record or rlm collect", Failure.Remedy.NONE);
            }
            return refused == 0 ? null : Failure.rejected(refused, said(response, first));
        }

        private static String said(Response response, String error) {
            return ServerText.line(error, response.request().headers().toMultimap());
        }
    }
}
