package dev.rlm.sinks.event;

import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * A file was kept that belongs to the run.
 *
 * @param mediaType such as {@code text/plain}
 * @param size in bytes
 * @param sha256 of its bytes, as 64 hexadecimal digits
 * @param path where it lies
 */
@RecordBuilder
public record ArtifactSaved(
        RunInfo run,
        long seq,
        long nanos,
        @Recorded(absent = "0", min = 0) int step,
        @Recorded(required = true) String name,
        @Recorded(standard = "application/octet-stream") String mediaType,
        @Recorded(required = true, min = 0) long size,
        @Recorded(required = true) String sha256,
        @Recorded(required = true) String path)
        implements RunEvent {
    public ArtifactSaved {
        Checks.atLeast(1, seq, "seq");
        Checks.atLeast(0, step, "step");
        Checks.atLeast(0, size, "size");
        Checks.notBlank(name, "artifact name");
    }

    @Override
    public EventType type() {
        return EventType.ARTIFACT_SAVED;
    }
}
