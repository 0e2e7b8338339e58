package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.delivery.BatchLimits;
import dev.rlm.sinks.delivery.DeliveryCounts;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.Failure.Remedy;
import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.FileContent;
import dev.rlm.sinks.mlflow.rest.FoundRun;
import dev.rlm.sinks.mlflow.rest.Keys;
import dev.rlm.sinks.mlflow.rest.MlflowRuns;
import dev.rlm.sinks.mlflow.rest.TrackingServer;
import dev.rlm.sinks.otel.mapping.ContentCapture;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Files that runs keep, sent as artifacts of MLflow's runs: {@code <run id>/<number>-<name>}, with the event's number in the
 * run, so that a file that is sent again takes its own place. All methods may be called on any thread.
 */
final class Uploads extends SinkPart<Uploads.Upload> {
    private static final int ROOM = 64 << 10; // in KiB
    private static final int KIB = 1 << 10;
    private static final int LONGEST_NAME = 150; // its end tells the kind of file
    private static final Pattern NOT_PLAIN = Pattern.compile("[^A-Za-z0-9._ -]");

    private final MlflowRuns runs;
    private final DeliveryCounts counts;
    private final boolean allowed;

    /**
     * @param capture where it lets no text through, no file is sent either
     * @param longestStall how long to wait in all for room while nothing arrives
     */
    Uploads(TrackingServer server, ContentCapture capture, Duration longestStall, DeliveryCounts counts) {
        super(
                "artifacts",
                "artifacts",
                "artifacts",
                server,
                BatchLimits.of(1).linger(Duration.ZERO).waiting(ROOM).stall(longestStall, false),
                OUTAGE);
        this.runs = new MlflowRuns(server);
        this.counts = counts;
        allowed = capture == ContentCapture.PREVIEW || capture == ContentCapture.FULL;
    }

    /** Sends the event's file; where it has none to send, the trace alone tells of it. */
    void send(ArtifactSaved event, @Nullable MlflowRun run) {
        FileContent content = event.content();
        if (!allowed || content == null || content.absence() != null) {
            counts.delivered(1);
            return;
        }
        if (run == null) {
            status().dropped(1, "unknown_run");
            counts.dropped("unknown_run", 1);
        } else {
            batcher().add(new Upload(run, event, content.bytes()));
        }
    }

    /** In KiB. */
    @Override
    public long size(Upload upload) {
        return upload.event().size() / KIB + 1;
    }

    @Override
    @Nullable
    Failure request(List<Upload> one) {
        Upload upload = one.get(0);
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
        return runs.keep(run, upload.path(), file).failure();
    }

    @Override
    void settled(Upload upload, @Nullable Failure failure) {
        counts.settled(1, failure == null ? 1 : 0, failure);
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
