package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.Sink.Health;
import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.FileContent;
import dev.rlm.sinks.mlflow.rest.Answer;
import dev.rlm.sinks.mlflow.rest.FoundRun;
import dev.rlm.sinks.mlflow.rest.Keys;
import dev.rlm.sinks.mlflow.rest.MlflowRuns;
import dev.rlm.sinks.mlflow.rest.TrackingServer;
import dev.rlm.sinks.otel.ContentCapture;
import dev.rlm.sinks.otel.otlp.Failure;
import dev.rlm.sinks.otel.otlp.Failure.Remedy;
import dev.rlm.sinks.otel.otlp.Tally;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Files that runs keep, sent as artifacts of MLflow's runs: {@code <run id>/<number>-<name>}, with the event's number in the
 * run, so that a file that is sent again takes its own place. All methods may be called on any thread.
 */
final class Uploads implements Courier.Load<Uploads.Upload> {
    private static final int ROOM = 64 << 10; // in KiB
    private static final int KIB = 1 << 10;
    private static final int LONGEST_NAME = 150; // its end tells the kind of file
    private static final Pattern NOT_PLAIN = Pattern.compile("[^A-Za-z0-9._ -]");

    private final MlflowRuns runs;
    private final Account account;
    private final boolean allowed;
    private final Tally tally;
    private final Room room;
    private final Courier<Upload> courier;

    /**
     * @param capture where it lets no text through, no file is sent either
     * @param longestStall how long to wait in all for room while nothing arrives
     */
    Uploads(TrackingServer server, ContentCapture capture, Duration longestStall, Account account) {
        this.runs = new MlflowRuns(server);
        this.account = account;
        allowed = capture == ContentCapture.PREVIEW || capture == ContentCapture.FULL;
        tally = new Tally("artifacts", "artifacts", server.address());
        room = new Room(ROOM, longestStall);
        courier = new Courier<>("artifacts", server, this, 1, 1, Duration.ZERO);
    }

    void start() {
        courier.start();
    }

    /** Sends the event's file; where it has none to send, the trace alone tells of it. */
    void send(ArtifactSaved event, @Nullable MlflowRun run) {
        FileContent content = event.content();
        if (!allowed || content == null || content.absence() != null) {
            account.delivered(1);
            return;
        }
        String refusal = run == null ? "unknown_run" : room.take(places(event));
        if (run != null && refusal == null && !courier.offer(new Upload(run, event, content.bytes()))) {
            refusal = Failure.closed().reason();
        }
        if (refusal != null) {
            tally.givenUp(1, refusal);
            account.dropped(refusal, 1);
        }
    }

    private static int places(ArtifactSaved event) {
        return (int) (event.size() / KIB) + 1;
    }

    @Override
    public @Nullable Failure bring(List<Upload> uploads) {
        for (Upload upload : uploads) {
            FoundRun run = upload.run().known();
            if (run == null) {
                return Failure.of("no_run", "MLflow's run is not there yet", Remedy.RETRY);
            } else if (!run.takesArtifacts()) {
                return Failure.of(
                        "artifacts_not_served",
                        "the run's files go to " + run.artifacts() + " and not through the server:"
                                + " start it with --artifacts-destination, and use a new experiment",
                        Remedy.NONE);
            }
            byte[] file = new byte[upload.bytes().remaining()];
            upload.bytes().duplicate().get(file);
            Answer answer = runs.keep(run, upload.path(), file);
            if (!answer.isTaken()) {
                return answer.failure();
            }
        }
        return null;
    }

    @Override
    public void failing(Failure failure) {
        tally.failing(failure);
    }

    @Override
    public void done(List<Upload> uploads, @Nullable Failure failure) {
        for (Upload upload : uploads) {
            room.free(places(upload.event()), failure == null);
            if (failure == null) {
                tally.arrived(1);
                account.delivered(1);
            } else {
                tally.failed(1, failure);
                account.dropped(failure.reason(), 1);
            }
        }
    }

    /** Sends all there is. Whether all since the last flush has been taken before {@link System#nanoTime} is {@code by}. */
    boolean flush(long by) {
        return courier.flush(by);
    }

    /** From now on nobody waits for room. */
    void beginClose() {
        room.beginClose();
    }

    /** Gives up what is left, and waits until {@code by} for a request that is under way. */
    void close(long by) {
        courier.close(by);
    }

    /** How it fares, and counts. */
    Health health() {
        return Standing.of(tally, "artifacts_");
    }

    /** A file to be sent. */
    record Upload(MlflowRun run, ArtifactSaved event, ByteBuffer bytes) {
        /** Two plain names, of which the number makes one of its own: none can lead anywhere else. */
        String path() {
            String name = NOT_PLAIN.matcher(event.name()).replaceAll("_");
            return NOT_PLAIN.matcher(Keys.valid(event.run().runId())).replaceAll("_") + "/" + event.seq() + "-"
                    + name.substring(Math.max(0, name.length() - LONGEST_NAME));
        }
    }
}
